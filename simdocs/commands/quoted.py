"""compare and query with `passages`: where texts have passages in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from simdocs.commands.blocks import PrintedNames, RecordedNames, given_names_of
from simdocs.commands.resolve import Resolved
from simdocs.corpora.containers.recognise import looking_like
from simdocs.corpora.containers.reopened import Reopened
from simdocs.engines.run import Run
from simdocs.errors import UsageError
from simdocs.matching.corpus import Corpus
from simdocs.matching.index_matches import Lookup
from simdocs.matching.passage_search import PassageSearch
from simdocs.matching.preparing import prepare
from simdocs.matching.quoting import Quote, Quoting
from simdocs.matching.verify import Verifier, outdated_warnings
from simdocs.model.answers import Block
from simdocs.model.common_passages import PASSAGE_PLACES, PASSAGE_TEXTS, QUOTED_PASSAGES, CommonPassages
from simdocs.model.quotations import Quotations
from simdocs.model.ragged import Rows, Tokens
from simdocs.model.texts import batches
from simdocs.names import name_to_text
from simdocs.options.families import UNITS
from simdocs.options.recipes import Shingling
from simdocs.pipeline.reload import reload_texts


def passages_of(
    names: Sequence[Any], texts: Sequence[bytes], min_passage: int | None, shingling: Shingling, ignored: Tokens
) -> CommonPassages:
    """The passages that two texts in UTF-8 have in common. ignored: the tokens that are left out.

    UsageError: a shingle has more units than the shortest passage that is wanted.
    """
    least = least_units(min_passage, shingling)
    search = PassageSearch(texts[:1], shingling, least, ignored)
    first, other = search.firsts[0], search.placed(texts[1])
    return CommonPassages(
        names=(names[0], names[1]),
        passages=tuple(search.passages(0, other)),
        least=least,
        unit=shingling.unit,
        texts=(first.text, other.text),
        lengths=(len(first.numbers), len(other.numbers)),
    )


def least_units(given: int | None, shingling: Shingling) -> int:
    """The least number of units in a passage. UsageError: a shingle has more."""
    k = shingling.k
    if given is not None and given < k:
        why = f"-k is {k}, and a passage has at least one shingle"
        raise UsageError(f"--min-passage must be at least {k}: {why}")
    return max(UNITS[shingling.unit].passage, k) if given is None else given


def quotations(plan: Resolved[Any], run: Run) -> Quotations:
    """The passages that the queries have in common with documents of the index: by query, then longest first.

    Passages of equal length come by the names of the documents of the index. If the answer is taken in blocks, the
    result does not hold it. UsageError: see `passages_of`.
    """
    indexed, recipe, exact, delivery = plan.known, plan.recipe, plan.options.exact, run.delivery
    assert indexed is not None
    least = least_units(plan.options.min_passage, recipe.shingling)
    asked = prepare(plan.intake, recipe, run)
    verifier = Verifier(indexed, plan.threshold, run, no_prefilter=exact)
    lookup = Lookup(verifier, asked, itself=plan.options.itself)
    by_sketch = recipe.containing.containment and not exact
    names: PrintedNames | RecordedNames = PrintedNames(run.skipped)
    if delivery.take is None:
        names = RecordedNames(asked.documents, given_names_of(indexed))
    for_people = delivery.take is not None and delivery.look.for_people
    with_text = delivery.take is None or delivery.look.holds_all
    head = QUOTED_PASSAGES if for_people else PASSAGE_TEXTS if with_text else PASSAGE_PLACES
    if delivery.take is not None and not for_people:
        delivery.take(Block(head, []))
    places, found, matched = list[tuple[Any, ...]](), 0, 0
    unit = recipe.shingling.unit
    for texts, quotes in Quoting(lookup, least, by_sketch=by_sketch).find(_texts(asked, lookup.filled, verifier)):
        rows = list[tuple[Any, ...]]()
        decoded = dict[int, str]()
        for quote, row in _named(lookup, quotes, names):
            if not with_text:
                rows.append(row)
                continue
            if quote.query not in decoded:
                decoded = {quote.query: dict(texts)[quote.query].decode("utf-8", "surrogateescape")}
            passage = quote.passage.excerpt(decoded[quote.query], unit)
            rows.append((*row, passage if for_people else passage.passage))
        found, matched = found + len(rows), matched + len({quote.query for quote in quotes})
        if delivery.take is None:
            places += [tuple(name_to_text(each) if isinstance(each, bytes) else each for each in row) for row in rows]
        elif rows:
            delivery.take(Block(head, rows))
    run.skipped.warnings += outdated_warnings(run, indexed.index, texts=True)
    return Quotations(
        documents=asked.documents,
        places=tuple(places),
        recipe=recipe,
        least=least,
        indexed=len(indexed),
        found=found,
        matched=matched,
        candidates=run.tally.candidates,
        undecided=run.tally.undecided if by_sketch else None,
        verified=run.tally.verified,
        skipped=run.skipped,
        looks_like=tuple(looking_like(asked.documents)),
        ignored=len(plan.intake.ignored),
    )


def _texts(asked: Corpus, rows: Rows, verifier: Verifier) -> Iterator[tuple[int, bytes]]:
    """Yield these rows of the queries with their texts in UTF-8. Those that are gone or have changed are reported."""
    reader = verifier.run.engine.state.get(Reopened)
    for cut in batches(asked.facts(rows)["size"]):
        some = rows[cut.start : cut.stop]
        ((_, request),) = asked.readings(some)
        read, skips = reload_texts(request, list(range(len(some))), asked.recipe.shingling, reader)
        verifier.report(skips)
        yield from ((int(some[place]), text) for place, text in sorted(read))


def _named(
    lookup: Lookup, quotes: Sequence[Quote], names: PrintedNames | RecordedNames
) -> Iterator[tuple[Quote, tuple[Any, ...]]]:
    """Yield passages with their rows, in the order of the answer, if the names of both documents can be printed."""
    rows, place = np.unique(np.array([quote.row for quote in quotes], np.int64), return_inverse=True)
    both = lookup.indexed.select(rows).followed_by(lookup.asked)
    asked = len(rows) + np.array([quote.query for quote in quotes], np.int64)
    (left, left_fit), (right, right_fit) = names.of(both, asked, kept=True), names.of(both, place)
    recorded = both.names(place)
    order = sorted(
        np.flatnonzero(left_fit & right_fit).tolist(),
        key=lambda at: (quotes[at].query, -quotes[at].passage.units, recorded[at], quotes[at].passage.a_begin),
    )
    for at in order:
        yield quotes[at], quotes[at].passage.row(left[at], right[at])
