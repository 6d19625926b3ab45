"""A report as one page of HTML, which loads nothing: its style, its script and its data are in it.

What people need most can be read without the script: what was compared and how, the figures, and the largest groups.
All groups are data that the script decodes and draws. Names and texts are drawn as text only, with control characters
escaped, by templates that escape everything and by a script that makes no HTML of strings.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from simdocs.extras import needs
from simdocs.model.figures import counted, size
from simdocs.model.report import MOST_PAIRS, Report, ShownGroup, pairs_shown, unreadable
from simdocs.model.report_counts import directory_labels, found_pairs, linked
from simdocs.names import display_name, name_to_text
from simdocs.options.families import FIGURES
from simdocs.views.report_words import comparison_in_words, method_in_words, promises_in_words
from simdocs.views.shell_words import compare_options, shell_word
from simdocs.views.side_by_side import DifferenceRow, difference_rows
from simdocs.views.svg import style

LISTED = 100
"""Groups that can be read without the script."""

_MOST_LISTED = 20
"""Documents of each of these groups that are listed at most."""

_BLOCK = 1 << 20
"""Characters of texts that the browser decodes at once."""


class DrawnFigure(NamedTuple):
    """A figure of the page: its title, the image, and whether it has names, which a narrow screen must not shrink."""

    title: str
    image: Any
    has_names: bool


class ListedDocument(NamedTuple):
    """A duplicate in the list that can be read without the script."""

    name: str
    similarity: str
    size: str


class ListedGroup(NamedTuple):
    """A group in the same list: its number, its kept document, the first duplicates, and how many more there are."""

    number: int
    documents: int
    kept: str
    size: str
    duplicates: list[ListedDocument]
    more: int


def report_page(report: Report) -> bytes:
    """The page of a report: the same bytes for the same answer. MissingExtraError: Jinja2 is not installed."""
    answer, groups = report.answer, report.groups
    blocks = list(_text_blocks(report))
    return rendered(
        "page.html",
        title=f"Near-duplicates: {counted(answer.duplicates, 'duplicate')} in {counted(answer.groups, 'group')}",
        counts=_counts(report),
        compared=list(comparison_in_words(answer)),
        method=list(method_in_words(answer)),
        promises=list(promises_in_words(report)),
        figures=[_figure(report, name) for name, each in FIGURES.items() if not each.of_group],
        listed=list(_listed(report)),
        beyond=max(0, len(groups) - LISTED),
        shown=_shown_in_words(report),
        unreadable=[display_name(each.encode("utf-8", "surrogateescape")) for each in unreadable(report.shown)],
        data=_packed(_data(report, [first for first, _ in blocks])),
        blocks=[_packed_bytes(text) for _, text in blocks],
        version=answer.simdocs,
    )


def rendered(template: str, **values: Any) -> bytes:
    """A page from one of the templates. Its style and script are allowed by their digests, and nothing else is."""
    styles, script = f"{style()}{_file('page.css')}", _file("page.js")
    template_of = _environment().get_template(template)
    page: str = template_of.render(
        style=_markup(styles), script=_markup(script), style_hash=_hash(styles), script_hash=_hash(script), **values
    )
    return page.encode()


@cache
def _environment() -> Any:
    jinja2 = needs("jinja2", "writing HTML")
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(_file),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _markup(safe: str) -> Any:
    """Text of our own files, or of an image whose parts are escaped, which a template takes as it is."""
    return needs("markupsafe", "writing HTML").Markup(safe)


@cache
def _file(name: str) -> str:
    return files("simdocs.views").joinpath("report", name).read_text("utf-8")


def _hash(content: str) -> str:
    return base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _figure(report: Report, name: str) -> DrawnFigure:
    drawn: str = FIGURES[name].load()(report)
    return DrawnFigure(FIGURES[name].title, _markup(drawn), FIGURES[name].has_names)


def _counts(report: Report) -> list[tuple[str, str]]:
    """The figures at the top of the page, with what they are."""
    answer = report.answer
    removed = int(report.groups.size[report.groups.duplicates].sum())
    share = f" ({answer.duplicates / answer.documents:.0%})" if answer.documents else ""
    return [
        (f"{answer.documents:,}", "documents"),
        (f"{answer.kept:,}", "kept") if answer.changed is None else (f"{answer.changed:,}", "new or changed"),
        (f"{answer.duplicates:,}{share}", "duplicates"),
        (f"{answer.groups:,}", "groups"),
        (size(removed), "text in duplicates"),
    ]


def _listed(report: Report) -> Iterator[ListedGroup]:
    """Yield the largest groups."""
    groups = report.groups
    for place in range(min(LISTED, len(groups))):
        begin, end = groups.starts[place : place + 2].tolist()
        shown = range(begin + 1, min(end, begin + 1 + _MOST_LISTED))
        yield ListedGroup(
            int(groups.number[place]),
            end - begin,
            display_name(groups.names[begin]),
            size(int(groups.size[begin])),
            [
                ListedDocument(
                    display_name(groups.names[at]), f"{groups.similarity[at]:.6f}", size(int(groups.size[at]))
                )
                for at in shown
            ],
            end - begin - 1 - len(shown),
        )


def _shown_in_words(report: Report) -> str:
    """A sentence about the texts that are in the page, and those that are left out."""
    duplicates, shown = report.answer.duplicates, pairs_shown(report.shown)
    if not duplicates:
        return ""
    if shown == duplicates:
        return f"What differs is shown for {'the only pair' if shown == 1 else f'all {shown:,} pairs'}."
    if not report.most_bytes:
        return "No texts are in this page, because its size for texts is 0."
    planned = sum(len(each.differences) for each in report.shown)
    left_out, lost = duplicates - planned, planned - shown
    why = list[str]()
    if left_out:
        limit = f"a report has {report.most_bytes / 1e6:,.4g} MB of texts and {MOST_PAIRS} pairs of a group at most"
        why.append(f"{left_out:,} {'is' if left_out == 1 else 'are'} left out, because {limit}")
    if lost:
        why.append(f"the texts of {lost:,} could not be read again")
    return f"What differs is shown for {shown:,} of {duplicates:,} pairs: {', and '.join(why)}."


def _data(report: Report, first_of_block: list[int]) -> dict[str, Any]:
    """The groups, as columns; and for each block of texts the place of its first group."""
    groups = report.groups
    shown = [display_name(name) for name in groups.names]
    words = {
        at: shell_word(name_to_text(groups.names[at]))
        for at, (name, text) in enumerate(zip(groups.names, shown, strict=True))
        if name != text.encode("utf-8", "surrogateescape")
    }
    of_pairs = [round(1e6 * each) for each in groups.similarity[groups.duplicates].tolist()]
    found = found_pairs(report)
    return {
        "names": shown,
        "words": words,
        "options": compare_options(report.answer),
        "numbers": groups.number.tolist(),
        "counts": groups.sizes.tolist(),
        "sizes": groups.size.tolist(),
        "similarities": of_pairs,
        "directories": list(directory_labels(report)),
        "blocks": first_of_block,
        "texts": [group.place for group in report.shown],
        "exact": report.answer.is_exact,
        "threshold": report.answer.threshold,
        "mostPairs": MOST_PAIRS,
        "missed": None if found is None else found[1],
    }


def _text_blocks(report: Report) -> Iterator[tuple[int, bytes]]:
    """Yield the texts of some groups together as JSON, each with the place of the first of them."""
    held, first, length = list[str](), 0, 0
    for group in report.shown:
        text = f'"{group.place}":{_json(_texts(group, report))}'
        if held and length + len(text) > _BLOCK:
            yield first, f"{{{','.join(held)}}}".encode()
            held, length = [], 0
        first = first if held else group.place
        held.append(text)
        length += len(text)
    if held:
        yield first, f"{{{','.join(held)}}}".encode()


def _texts(group: ShownGroup, report: Report) -> dict[str, Any]:
    """The rows of each pair of a group, or why there are none; and how similar its documents are, in millionths.

    If chains make groups, also which documents link them: the place of each, of the one before it, and the steps.
    """
    pairs = dict[int, Any]()
    notes = dict[int, str]()
    for at, difference in group.differences.items():
        if difference.missing:
            notes[at] = display_name(difference.missing.encode("utf-8", "surrogateescape"))
            continue
        pairs[at] = [_cells(row) for row in difference_rows(difference)]
        if note := difference.likeness or (f"compared {difference.coarser}" if difference.coarser else ""):
            notes[at] = note
    matrix = group.similarities
    table = None if matrix is None else [[round(1e6 * value) for value in row] for row in matrix.tolist()]
    links = [] if matrix is None or not report.answer.by_chains else linked(matrix, report.answer.threshold)
    return {"pairs": pairs, "notes": notes, "matrix": table, "links": links}


def _cells(row: DifferenceRow) -> list[list[str]]:
    return [row.left] if not row.differs and row.left == row.right else [row.left, row.right]


def _json(value: Any) -> str:
    # What is left of lone surrogates has no place in UTF-8.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _packed(value: Any) -> str:
    return _packed_bytes(_json(value).encode())


def _packed_bytes(text: bytes) -> str:
    """Compressed and in base64, which has no character that HTML gives a meaning to."""
    return base64.b64encode(gzip.compress(text, 6, mtime=0)).decode("ascii")
