"""compare and query with `passages`: where texts have passages in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simdocs.commands.resolve import Resolved
from simdocs.commands.searching import (
    NamesOf,
    facts_at_end,
    facts_left_out,
    facts_read,
    left_out_in_words,
    names_for,
    read_in_words,
    why_so_few,
)
from simdocs.engines.engine import Run
from simdocs.errors import UsageError
from simdocs.matching.corpus import Corpus, read_corpus
from simdocs.matching.lookup import Lookup
from simdocs.matching.passage_search import PassageSearch
from simdocs.matching.quoting import Quote, find_quotes
from simdocs.matching.verify import Verifier
from simdocs.model.comparison import counted_units
from simdocs.model.documents import Documents
from simdocs.model.figures import counted
from simdocs.model.ragged import Rows, batches
from simdocs.model.result import EXCERPTS, NAME, NUMBER, PLAIN, QUOTING, Blocks, Look, Result, Row, Table, table_head
from simdocs.model.skipped import Skipped
from simdocs.names import display_name, text_to_name
from simdocs.options.families import UNITS
from simdocs.options.recipes import Shingling
from simdocs.pipeline.again import outdated_warnings, reload_texts

if TYPE_CHECKING:
    from simdocs.commands.similarities import ComparedTexts

_A, _B = (dict.fromkeys((f"{side}_begin", f"{side}_end", f"{side}_line"), NUMBER) for side in "ab")

PLACES = table_head(PLAIN, a=NAME, **_A, b=NAME, **_B, units=NUMBER)
"""The columns of passages in common."""

TEXTS = PLACES.but(PLAIN, text=NAME)
"""The same with the text of each passage, as it is in the first text."""

QUOTED = PLACES.but(QUOTING, passage=EXCERPTS)
"""The same for people, who also see each passage."""


def passages_of(compared: ComparedTexts) -> Result:
    """The passages that two texts have in common, those with most units first.

    UsageError: a shingle has more units than the shortest passage that is wanted.
    """
    names, texts, shingling = compared.names, compared.texts, compared.shingling
    least, unit = least_units(compared.options.min_passage, shingling), shingling.unit
    search = PassageSearch(texts[:1], shingling, least, compared.ignored)
    first, other = search.firsts[0], search.placed(texts[1])
    passages, lengths = search.passages(0, other), (len(first.numbers), len(other.numbers))
    rows = [each.row(*names) for each in passages]
    table = Table.of(PLACES, rows)
    shown = [display_name(text_to_name(str(name))) for name in names]

    def drawn(look: Look) -> Iterator[Table]:
        if not look.holds_all:
            yield table
        elif not look.for_people:
            texts = (first.text[each.a_begin : each.a_end] for each in passages)
            yield Table.of(TEXTS, ((*row, text) for row, text in zip(rows, texts, strict=True)))
        elif passages:
            quoted = (each.excerpt(first.text, unit) for each in passages)
            yield Table.of(QUOTED, ((*row, excerpt) for row, excerpt in zip(rows, quoted, strict=True)))

    def lines(_seconds: float, _verbose: bool) -> Iterator[str]:
        found = counted(len(passages), "passage") if passages else "no passages"
        part = f": {sum(each.units for each in passages):,} of {counted_units(lengths[0], unit)} of {shown[0]}"
        yield f"{found} of {least:,} {UNITS[unit].plural} or more" + part * bool(passages)

    short = (
        f"{name}: this text has {counted_units(length, unit) if length else 'nothing'} to compare, and a passage has at"
        f" least {counted_units(least, unit)}"
        for name, length in dict(zip(shown, lengths, strict=True)).items()
        if length < least
    )
    return Result("passages", table, drawn=drawn, lines=lines, is_found=len(passages) > 0, notes=short)


def least_units(given: int | None, shingling: Shingling) -> int:
    """The least number of units in a passage. UsageError: a shingle has more."""
    k = shingling.k
    if given is not None and given < k:
        why = f"-k is {k}, and a passage has at least one shingle"
        raise UsageError(f"--min-passage must be at least {k}: {why}")
    return max(UNITS[shingling.unit].passage, k) if given is None else given


def quotations(plan: Resolved[Any], run: Run) -> Result:
    """The passages that the queries have in common with documents of the index: by query, then longest first.

    Passages of equal length come by the names of the documents of the index. If the answer is drawn, the result does
    not hold it. UsageError: see `passages_of`.
    """
    indexed, recipe, exact = plan.known, plan.recipe, plan.options.exact
    assert indexed is not None
    unit, least = recipe.shingling.unit, least_units(plan.options.min_passage, recipe.shingling)
    asked = read_corpus(plan.intake, recipe, run)
    verifier = Verifier(indexed, plan.options.threshold, run, no_prefilter=exact)
    lookup = Lookup(verifier, asked, itself=plan.options.itself)
    by_sketch = recipe.containing.containment and not exact
    names, look = names_for(run, asked.documents, indexed), run.look or Look()
    found = matched = 0

    def blocks() -> Blocks:
        nonlocal found, matched
        queries = _texts(asked, lookup.filled, verifier)
        for texts, quotes in find_quotes(lookup, queries, least, by_sketch=by_sketch):
            rows, decoded = list[Row](), dict[int, str]()
            for quote, row in _named(lookup, quotes, names):
                if not look.holds_all:
                    rows.append(row)
                    continue
                if quote.query not in decoded:
                    decoded = {quote.query: dict(texts)[quote.query].decode("utf-8", "surrogateescape")}
                passage = quote.passage.excerpt(decoded[quote.query], unit)
                rows.append((*row, passage if look.for_people else passage.passage))
            found, matched = found + len(rows), matched + len({quote.query for quote in quotes})
            yield rows

    with_texts = run.table(QUOTED if look.for_people else TEXTS if look.nested else PLACES, blocks())
    table = Table(PLACES, lambda: ([row[: len(PLACES.columns)] for row in block] for block in with_texts.blocks()))
    run.skipped.warnings += outdated_warnings(run, indexed.index, texts=True)
    documents, undecided = asked.documents, run.tally.undecided if by_sketch else None
    facts = {
        **facts_read(documents),
        "skipped": run.skipped.counts,
        **facts_left_out(documents, len(plan.intake.ignored)),
        "indexed": len(indexed),
        "min_passage": least,
        "candidates": run.tally.candidates,
        "read_again": run.tally.verified,
        **({} if undecided is None else {"compared_with_all": undecided}),
        "passages": found,
        "matched": matched,
        "parameters": recipe.as_dict(),
        **facts_at_end(documents),
    }

    return Result(
        "query",
        table,
        drawn=lambda look: (with_texts if look.nested else table,),
        facts=facts,
        lines=lambda seconds, _verbose: _lines(facts, documents, run.skipped, unit, seconds),
        documents=documents,
        skipped=run.skipped,
        is_found=found > 0,
    )


def _lines(
    facts: Mapping[str, Any], documents: Documents, skipped: Skipped, unit: str, seconds: float
) -> Iterator[str]:
    """Yield the lines of the summary."""
    if why := why_so_few(documents, skipped, 1):
        yield f"nothing was compared: {why}"
    yield f"{read_in_words(documents, skipped)}, against {counted(facts['indexed'], 'document')}"
    yield from left_out_in_words(documents, facts["ignored_tokens"])
    undecided, found = facts.get("compared_with_all"), facts["passages"]
    how = "every passage is found"
    if undecided is not None and undecided < len(documents):
        every = f"; {counted(undecided, 'document')} compared with every text" if undecided else ""
        how = f"the sketch may miss short passages, --exact misses none{every}"
    if not why:
        yield f"{how}; {counted(facts['read_again'], 'text')} read again"
    passages = counted(found, "passage") if found else "no passages"
    matches = f" for {counted(facts['matched'], 'document')}" if found else ""
    shorter = "" if found or why else "; --min-passage finds shorter ones"
    of_length = f"of {facts['min_passage']:,} {UNITS[unit].plural} or more"
    yield f"{passages} {of_length}{matches}, in {seconds:.2f} s{shorter}"


def _texts(asked: Corpus, rows: Rows, verifier: Verifier) -> Iterator[tuple[int, bytes]]:
    """Yield these rows of the queries with their texts in UTF-8. Those that are gone or have changed are reported."""
    asked.copy(rows, verifier.run, texts=True)
    for cut in batches(asked.facts(rows)["size"]):
        some = rows[cut.start : cut.stop]
        ((_, request),) = asked.readings(some)
        read, skips = reload_texts(request, asked.recipe.shingling)
        verifier.report(skips)
        yield from ((int(some[place]), text) for place, text in sorted(read))


def _named(lookup: Lookup, quotes: Sequence[Quote], names: NamesOf) -> Iterator[tuple[Quote, tuple[Any, ...]]]:
    """Yield passages with their rows, in the order of the answer, if the names of both documents can be printed."""
    rows, place = np.unique(np.array([quote.row for quote in quotes], np.int64), return_inverse=True)
    both = lookup.indexed.select(rows).followed_by(lookup.asked)
    asked = len(rows) + np.array([quote.query for quote in quotes], np.int64)
    (left, left_fit), (right, right_fit) = names(both, asked, kept=True), names(both, place)
    recorded = both.names(place)
    order = sorted(
        np.flatnonzero(left_fit & right_fit).tolist(),
        key=lambda at: (quotes[at].query, -quotes[at].passage.units, recorded[at], quotes[at].passage.a_begin),
    )
    for at in order:
        yield quotes[at], quotes[at].passage.row(left[at], right[at])
