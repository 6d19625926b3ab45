"""simdocs compare: how similar texts are, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from simdocs.cli import exits, options
from simdocs.cli.help import Command
from simdocs.cli.output import (
    Drawing,
    colored,
    format_of,
    is_explained,
    is_for_people,
    is_read_from,
    is_terminal,
    path_of,
    stream_of,
)
from simdocs.cli.runner import hint_at_terminal, requests_of
from simdocs.cli.spelling import declarations, spelling
from simdocs.errors import UsageError
from simdocs.parameters.families import DIFFS, FORMATS
from simdocs.requests.compare_request import CompareRequest
from simdocs.requests.report_requests import CompareDrawRequest

if TYPE_CHECKING:
    from simdocs.model.comparison import Comparison, SimilarityMatrix, SlotTrace
    from simdocs.storage.output_stream import OutputStream


def _explain_option(option: str, _: Sequence[str]) -> str:
    """How two texts are compared without the tokens that are common in a collection."""
    if option not in declarations("ignore_common"):
        return ""
    remedy = "compare X.index A B leaves out the tokens that the index leaves out"
    return f"two texts do not show what is common: {remedy}, and {spelling('template')} FILE those of a template"


_MOST_PLACES = 20
"""Places that differ that are shown at a terminal if nobody has asked for the difference: about two screens."""


def _takes_both(drawn: CompareDrawRequest) -> bool:
    """Whether the format has a place for the measures and for the difference."""
    form = FORMATS[format_of(drawn)]
    return form.for_people or form.nested


@click.command(
    cls=Command,
    explain=_explain_option,
    examples=(
        "simdocs compare draft.txt final.txt",
        "simdocs compare draft.txt final.txt --diff unified",
        "simdocs compare draft.txt final.txt --unit char,word -k 3,5,9",
        "simdocs compare docs.index docs/a.txt docs/b.txt",
        "simdocs compare 'data.jsonl#17' 'data.jsonl#18' --format jsonl",
        "simdocs compare essays/*.txt -o similarity.npy",
        "simdocs compare a.txt b.txt -k 2 --scheme permutation --num-perm 4 --trace",
    ),
    usual=("diff", "unit", "k", "threshold", "exit_code", "output", "format", "verbose", "nfkc", "keep_case"),
)
@click.argument("documents", metavar="A B [C]...", nargs=-1, type=click.Path(readable=False, path_type=bytes))
@options.of(CompareRequest, CompareDrawRequest)
def compare(**given: Any) -> int:
    """Show how similar two texts are, and why.

    A and B are files, - for standard input, or lines of JSON Lines files as PATH#ID. After an artifact
    (X.shingles, X.signatures or X.index), they are names of its documents, which are compared as it was built. On a
    terminal, one sentence says how alike they are. Then come the texts with their differences marked, and the main
    measures, with -v all of them. Elsewhere, all measures are printed, or with --diff the difference instead. Three
    texts or more give the matrix of their similarities.
    """
    request, drawn = requests_of(CompareRequest, CompareDrawRequest, given)
    output = path_of(drawn.output)
    read = (*request.documents, *(request.template or ()))
    if output is not None and any(is_read_from(each, output) for each in read):
        raise UsageError("-o names a text that is read, and would replace it: name another file")
    hint_at_terminal(request, drawn)
    from simdocs.api.ask import ask
    from simdocs.model.answers import Delivery
    from simdocs.views.messages import say

    exits.listen()
    with stream_of(output) as stream:
        asked = request if drawn.diff or not _shows_both(request, drawn) else request.but(diff="words")
        result = ask(asked, None, Delivery(edits=_shows_edits(request, drawn)))
        _draw(result, drawn, stream)
    for note in () if drawn.quiet else result.notes:
        say(f"simdocs: {note}")
    return exits.FOUND if drawn.exit_code and result.similar else exits.DONE


def _shows_both(request: CompareRequest, drawn: CompareDrawRequest) -> bool:
    """Whether the answer is the measures of two texts and their difference."""
    from simdocs.commands.resolve import is_artifact

    texts = len(request.documents) - is_artifact(request.artifact)
    alone = request.several_shinglings or request.trace
    return texts == 2 and not alone and _takes_both(drawn)


def _shows_edits(request: CompareRequest, drawn: CompareDrawRequest) -> bool:
    """Whether the answer has the edit distance: not in a difference alone, a matrix, or a table over units and k."""
    alone = drawn.file_format is not None or (drawn.diff is not None and not _takes_both(drawn))
    return not (alone or request.several_shinglings)


def _draw(result: Comparison | SimilarityMatrix | SlotTrace, drawn: CompareDrawRequest, stream: OutputStream) -> None:
    """Draw the measures, the difference, or both; or the trace."""
    from simdocs.model.answers import PASSAGES, Block
    from simdocs.model.comparison import SimilarityMatrix, SlotTrace
    from simdocs.views import comparison_tables as tables

    if isinstance(result, SlotTrace):
        _draw_trace(result, drawn, stream)
        return
    if drawn.file_format is not None:
        stream.write(drawn.file_format.load()(result))
        return
    difference = None if isinstance(result, SimilarityMatrix) else result.difference
    for_people = is_for_people(drawn)
    if for_people and not isinstance(result, SimilarityMatrix) and difference is not None:
        stream.write(f"{tables.verdict(result)}\n\n".encode())
        if drawn.diff is not None or not (result.similarity == 1 and difference.sameness):
            _draw_difference(result, drawn, stream)
            stream.write(b"\n")
    if difference is None or _takes_both(drawn):
        explained = is_explained(drawn)
        rows = tables.rows_of_comparison(result, explained=explained, main=not drawn.verbose and for_people)
        drawing = Drawing(drawn, stream)
        drawing.take(Block(tables.head_of_comparison(result, explained=explained), list(rows)))
        drawing.finish()
    if isinstance(result, SimilarityMatrix) or difference is None or for_people:
        return
    if _takes_both(drawn):
        drawing = Drawing(drawn, stream)
        drawing.take(Block(PASSAGES, list(difference.rows())))
        drawing.take(Block(tables.NOTES, list(tables.rows_of_notes(result))))
        drawing.finish()
        return
    if drawn.diff is not None and DIFFS[drawn.diff].is_patch and difference.equality:
        return  # An empty patch.
    _draw_difference(result, drawn, stream)


def _draw_trace(trace: SlotTrace, drawn: CompareDrawRequest, stream: OutputStream) -> None:
    """Draw the rows; for people and as JSON Lines also the signatures, and how similar they are."""
    from simdocs.model.answers import Block
    from simdocs.views import comparison_tables

    tables = comparison_tables.tables_of(trace, marked=is_for_people(drawn))
    drawing = Drawing(drawn, stream)
    for head, rows in tables if _takes_both(drawn) else tables[:1]:
        drawing.take(Block(head, list(rows)))
    drawing.finish()


def _draw_difference(result: Comparison, drawn: CompareDrawRequest, stream: OutputStream) -> None:
    """Draw the difference, marked in the text or as a unified diff."""
    from simdocs.views.drawn_difference import drawn_as

    assert result.difference is not None
    terminal, whole = drawn.path is None and is_terminal(), drawn.diff is not None
    brief = terminal and not whole
    if brief and result.unrelated:
        shows = f"{spelling('diff')} words shows the difference"
        stream.write(f"[the texts have next to nothing in common: {shows}]\n".encode())
        return
    difference = result.difference.first_places(_MOST_PLACES) if brief else result.difference
    named = drawn.diff, difference, result.names
    stream.write(drawn_as(*named, whole=whole, colored=colored(drawn), terminal=terminal, brief=brief))
    if more := result.difference.places - difference.places:
        of = f"{more:,} of {result.difference.places:,} places that differ are not shown"
        stream.write(f"[{of}: {spelling('diff')} words shows all]\n".encode())
