"""What a run did, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator

from simdocs.corpora.containers.recognise import looking_like
from simdocs.errors import mention
from simdocs.model.audited import Audit
from simdocs.model.build_results import BuildResult, DryRun, Expectation, UpdateFacts
from simdocs.model.documents import EMPTY, IGNORED, WITHOUT_TOKENS, Documents
from simdocs.model.names import display_name
from simdocs.model.search_result import ComponentFacts, Deduplication, Matches, SimilarPairs
from simdocs.model.skipped import in_short
from simdocs.model.tuning import Estimate, Tuning
from simdocs.parameters.families import LISTS
from simdocs.parameters.recipes import Banding, IndexRecipe
from simdocs.views.curve import figure, least_percentage, shown_probability, with_interval

_FOUR_DIGITS = 999.5
"""What is rounded to three digits from here on has an exponent."""


def counted(number: int, singular: str, plural: str = "") -> str:
    """A number of things."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def size(number: int) -> str:
    """Return a number of bytes, to three digits or the next whole unit."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if number >= unit:
            figure = number / unit
            return f"{figure:.3g} {name}" if figure < _FOUR_DIGITS else f"{figure:,.0f} {name}"
    return counted(number, "byte")


_LOOSEST = 10

_LEAST_SHOWN = 0.0001
"""The smallest similarity that four digits show."""

_BYTES_SKETCHED = 8
"""Bytes that a token takes in the containment sketch: the token and the row of a document, each uint32."""

Summarised = BuildResult | DryRun | Deduplication | SimilarPairs | Matches | Tuning | Audit


def lines(result: Summarised, seconds: float, target: str = "", *, verbose: bool = False) -> Iterator[str]:
    """The lines of a summary. target: the name of the artifact that was built. verbose: with every figure."""
    if isinstance(result, DryRun):
        yield _read(result)
        yield from [result.counts.note] if result.counts.note else []
        yield _counts(result.counts)
        yield f"{target}: not written, because this is a dry run ({seconds:.2f} s)"
        return
    if isinstance(result, Tuning):
        yield from _tuned(result)
        return
    if isinstance(result, Audit):
        yield from _audited(result)
        return
    if isinstance(result, BuildResult):
        yield f"{_read(result)}, {counted(result.documents.tokens, 'token')}"
        yield from _left_out(result.documents, result.ignored)
        yield from _updated(result.update)
        if result.expectation is not None and isinstance(result.recipe, IndexRecipe):
            yield from _expected(result.expectation, result.recipe.banding, verbose=verbose)
            if (tokens := result.expectation.sketched) is not None:
                each = tokens / max(len(result.documents), 1)
                yield (
                    f"containment sketch: {counted(tokens, 'token')}, {each:,.1f} for each document on average;"
                    f" {size(_BYTES_SKETCHED * tokens)}"
                )
        yield f"{target}: written in {seconds:.2f} s"
        return
    nothing_compared = list(_too_few(result))
    yield from nothing_compared
    read = _read(result)
    yield f"{read}, against {counted(result.indexed, 'document')}" if isinstance(result, Matches) else read
    compared = result.comparison
    yield from _left_out(result.documents, compared.ignored)
    if compared.changed:
        documents = f"{compared.changed:,} document{' is' if compared.changed == 1 else 's are'}"
        yield f"{documents} new or changed; only pairs with one of them were looked for"
    if not nothing_compared:
        # If containment is computed for every pair, there are no candidates to count.
        proposed = compared.candidates or not compared.verified
        counts = [counted(compared.candidates, "candidate")] if proposed else []
        counts += [f"{compared.verified:,} verified"] if verbose or not proposed else []
        yield f"{_how_found(result)}; {', '.join(counts)}"
    yield from _outcome(result, seconds)


def _audited(result: Audit) -> Iterator[str]:
    cut, recall = result.recipe.banding.cut, result.recall
    yield f"{_read(result)}; {counted(result.texts, 'different text')}"
    if nothing_compared := list(_no_pair(result)):
        yield from nothing_compared
        return
    if recall is None:
        where = " in the sample" if result.sampled else ""
        yield f"no pair{where} is similar at {result.recipe.banding.threshold:g}, so there is no recall to measure"
        return
    found, low, high = map(shown_probability, (recall.found, recall.low, recall.high))
    stated = f"stated: {result.stated:g} or more"
    missed = f"the recall asked for, {result.stated:g}, is not reached: " if result.is_below else ""
    if result.sampled:
        predicted = "" if recall.predicted is None else f" predicted: {shown_probability(recall.predicted)};"
        yield (
            f"{counted(result.found, 'similar pair')} found by {_cut(cut.bands, cut.rows)};"
            f" {counted(result.candidates, 'candidate')}"
        )
        if result.has_drawn_all:
            yield (
                f"the sample has all {counted(result.texts, 'text')}, and {result.pairs - result.found:,} missed pairs:"
                f" {missed}{found};{predicted} {stated}"
            )
            return
        yield (
            f"from a sample of {result.sampled:,}, about {result.pairs - result.found:,} missed:"
            f" {missed}{found} ({low} to {high});{predicted} {stated}"
        )
        if result.missed_family:
            yield (
                f"with a probability of 5% such a sample misses a family of {result.missed_family:,} similar documents"
                " of which the bands find no pair"
            )
        return
    assert recall.mean is not None and recall.predicted is not None
    mean, predicted = map(shown_probability, (recall.mean, recall.predicted))
    yield (
        f"{counted(result.pairs, 'similar pair')}, {result.found:,} found by {_cut(cut.bands, cut.rows)}"
        f" ({found}); {counted(result.candidates, 'candidate')}"
    )
    if result.pairs == result.found and recall.mean == 1:
        # The interval only says how few pairs there are, and its lower end may be below what is stated.
        yield (
            f"all similar pairs were found with each of {recall.seeds} other hash functions, too"
            f" (predicted: {predicted}; {stated})"
        )
        return
    if missed:
        yield f"{missed}{mean} on average with {recall.seeds} other hash functions ({low} to {high} expected)"
        return
    yield (
        f"with {recall.seeds} other hash functions: {mean} on average ({low} to {high} expected);"
        f" predicted: {predicted}; {stated}"
    )


def _tuned(result: Tuning) -> Iterator[str]:
    chosen, corpus = result.chosen, result.corpus
    if corpus is None or result.documents is None:
        yield _found_by(chosen.bands, chosen.rows, chosen.threshold, chosen.probability)
        yield from result.advice
        return
    drawn = f", drawn at random from {corpus.of_documents:,}" if corpus.of_documents > len(result.documents) else ""
    read = _read(result)
    yield f"{read}{drawn}; {counted(corpus.texts, 'different text')}"
    yield _found_by(chosen.bands, chosen.rows, chosen.threshold, chosen.probability)
    yield from _no_pair(result)
    if corpus.typical is not None and corpus.unusual is not None:
        yield (
            f"half of the pairs have a similarity {_or_less(corpus.typical)}, and 99% {_or_less(corpus.unusual)};"
            f" pairs compared: {corpus.compared:,} of {corpus.pairs:,}"
        )
    if chosen.misses is not None and chosen.false_candidates is not None:
        one_run = "one run may have twice as many" if result.is_crowded else "one run may differ"
        yield (
            f"pairs of different texts at {chosen.threshold:g} or above: {_interval(corpus.similar, whole=True)};"
            f" expected ({one_run}): missed: {_interval(chosen.misses)}, false candidates:"
            f" {_interval(chosen.false_candidates)}"
        )
    yield from result.advice
    for pair in result.examples:
        difference = f": {pair.difference}" if pair.difference else ""
        yield f"{pair.where} {pair.threshold:g}: {pair.jaccard:.3f} {pair.document} {pair.other}{difference}"
    if result.next:
        yield f"next: {result.next}"


def _or_less(similarity: float) -> str:
    """A bound of similarities. One that has no digits but zeros is given as the smallest that has others."""
    return f"below {_LEAST_SHOWN}" if similarity < _LEAST_SHOWN / 2 else f"of {similarity:.4f} or less"


def _interval(estimate: Estimate, *, whole: bool = False) -> str:
    """An estimated number with its 95% interval, unless the ends of the interval look like the number."""
    value, interval = with_interval(estimate, whole=whole)
    return f"about {value} {interval}" if interval else value


def _left_out(documents: Documents, ignored: int) -> Iterator[str]:
    """How many tokens are left out; nothing if none are."""
    if ignored:
        tokens = f"{ignored:,} {'token is' if ignored == 1 else 'tokens are'}"
        yield f"{tokens} left out of all documents: {documents.share_left_out:.1%} of their tokens"


def _updated(update: UpdateFacts) -> Iterator[str]:
    """What an update changed; nothing about the first build of an artifact."""
    if update.note:
        yield update.note
    if update.unchanged or update.changed or update.removed or update.kept or update.renamed:
        yield _counts(update)


def _counts(update: UpdateFacts) -> str:
    counts = (
        f"{update.unchanged:,} unchanged, {update.changed:,} changed, {update.new:,} new, {update.removed:,} removed"
    )
    more = f", {update.renamed:,} renamed" if update.renamed else ""
    return counts + more + (f", {update.kept:,} kept (unreadable)" if update.kept else "")


def _outcome(result: Deduplication | SimilarPairs | Matches, seconds: float) -> Iterator[str]:
    took = f"in {seconds:.2f} s"
    if isinstance(result, Matches):
        if not result.found:
            yield f"no matches, {took}"
        else:
            matches = counted(result.found, "match", "matches")
            yield f"{matches} for {counted(result.matched, 'document')}, {took}"
        if result.left_out:
            copies = (
                "1 more match is a copy" if result.left_out == 1 else f"{result.left_out:,} more matches are copies"
            )
            yield f"{copies} of these ({mention('all_copies')} lists every copy)"
    elif isinstance(result, SimilarPairs):
        kind, least = "similar pair", ""
        if result.comparison.measure == "containment":
            kind, least = "pair", f" with a containment of {result.comparison.threshold:g} or more"
        yield f"{counted(result.found, kind)}{least}, {took}"
        if result.left_out:
            yield (
                f"identical texts are listed as a chain, which leaves out {counted(result.left_out, 'pair')}"
                f" ({mention('all_copies')} lists every pair)"
            )
    elif not result.found:
        yield f"no duplicates, {took}"
    else:
        duplicates = f"{counted(result.found, 'duplicate')} of {counted(result.groups, 'document')}"
        kept = f"{len(result.kept):,} {'kept' if result.comparison.changed is None else 'new or changed ones kept'}"
        yield f"{duplicates}, {kept}, {took}; {_taken(result)}"
    yield from result.advice
    if isinstance(result, Deduplication):
        for component in (result.components or ())[:_LOOSEST]:
            yield _looseness(component)


def _taken(result: Deduplication) -> str:
    """What deleting the duplicates would free, and the size of their text where that is another."""
    text = f"{size(result.duplicate_bytes)} of text"
    if not result.duplicate_files:
        return f"the duplicates have {text}"
    if result.duplicate_files < result.found:
        return f"deleting those that are files frees {size(result.freed_bytes)}, all duplicates have {text}"
    freed = f"deleting the duplicates frees {size(result.freed_bytes)}"
    return freed if result.freed_bytes == result.duplicate_bytes else f"{freed}, they have {text}"


def _expected(expected: Expectation, banding: Banding, *, verbose: bool) -> Iterator[str]:
    yield _found_by(banding.bands, banding.rows, banding.threshold, expected.at_threshold)
    if verbose:
        curve = (f"{shown_probability(found)} at {s:g}" for s, found in expected.curve)
        yield f"chance of being found: {', '.join(curve)}"
    number = figure(expected.candidates)
    line = f"about {number} candidate{'' if number == '1' else 's'} per document, counted in the buckets"
    if expected.better_num_perm:
        line += (
            f": {mention('num_perm')} {expected.better_num_perm} would need about {figure(expected.better_candidates)}"
        )
    yield line


def _read(result: Summarised) -> str:
    documents = result.documents
    assert documents is not None
    empty, skipped = documents.flagged(EMPTY), result.skipped.counts
    return (
        f"{counted(len(documents), 'document')}, {counted(int(documents.facts['size'].sum()), 'byte')}"
        + (f", {empty:,} empty" if empty else "")
        + "".join(f", {count:,} {'looks' if count == 1 else 'look'} like {name}" for name, count in alike(result))
        + "".join(f", {count:,} skipped: {in_short(reason)}" for reason, count in skipped.items() if reason != "kept")
    )


def alike(result: Summarised) -> Iterator[tuple[str, int]]:
    """Yield the name of each container that documents look like although each is one text, and how many of them do."""
    if isinstance(result, Deduplication | SimilarPairs | Matches):
        recipe = result.comparison.recipe
    else:
        recipe = result.built.recipe if isinstance(result, DryRun) else result.recipe
    if result.documents is not None:
        yield from looking_like(result.documents, plain=recipe.sequences.plain)


def _how_found(result: Deduplication | SimilarPairs | Matches) -> str:
    """By which means candidates were found."""
    compared = result.comparison
    if isinstance(result, Matches) and result.nearest:
        texts = "text" if result.nearest == 1 else f"{result.nearest:,} texts"
        every = "; every text was compared" if compared.grouping.exact else ""
        return f"the most similar {texts}, whatever the threshold{every}"
    if compared.undecided is not None:
        every = f"; {counted(compared.undecided, 'document')} compared with every text" if compared.undecided else ""
        return f"the sketch finds {_at_least(compared.probability, compared.threshold)}{every}"
    if compared.bands is None:
        return "every pair is found"
    return _found_by(compared.bands.bands, compared.bands.rows, compared.threshold, compared.probability)


def _found_by(bands: int, rows: int, threshold: float, probability: float) -> str:
    find = "finds" if bands == 1 else "find"
    return f"{_cut(bands, rows)} {find} {_at_least(probability, threshold)}"


def _at_least(probability: float, threshold: float) -> str:
    """What is found at a threshold, and above it. No pair is more similar than 1."""
    more = ", more above" if threshold < 1 and probability < 1 else ""
    return f"at least {least_percentage(probability)} of pairs at {threshold:g}{more}"


def _cut(bands: int, rows: int) -> str:
    return f"{counted(bands, 'band')} of {counted(rows, 'row')}"


def _looseness(component: ComponentFacts) -> str:
    def figure(value: float | None) -> str:
        return "unknown" if value is None else f"{value:.6f}"

    return (
        f"component of {display_name(component.kept)}: {component.documents:,} documents; smallest similarity to it"
        f" {figure(component.smallest_to_kept)}, of any two {figure(component.smallest_of_two)}"
        + ("" if component.all_compared else " or less (not all were compared)")
    )


def _too_few(result: Deduplication | SimilarPairs | Matches) -> Iterator[str]:
    """That there was nothing to compare with anything."""
    if result.comparison.changed == 0:
        yield "nothing was compared: no document is new or changed"
        return
    against = isinstance(result, Matches) or (isinstance(result, Deduplication) and result.against_index)
    if why := _why_so_few(result.documents, 1 if against else 2):
        yield f"nothing was compared: {why}"


def _no_pair(result: Tuning | Audit) -> Iterator[str]:
    """That there are no two texts, so that nothing is known of their pairs. Nothing if tune was given no documents."""
    if isinstance(result, Audit):
        documents, nothing, lacking = result.documents, result.texts < 2, "recall to measure"
    elif result.corpus is not None and result.documents is not None:
        documents, nothing, lacking = result.documents, not result.corpus.compared, "distribution of similarities"
    else:
        return
    if nothing:
        why = _why_so_few(documents, 2) or "no two different texts can be read"
        yield f"nothing was compared: {why}, so there is no {lacking}"


def _why_so_few(documents: Documents, needed: int) -> str:
    """Why fewer documents than are needed can be compared; empty if there are enough."""
    flags = documents.facts["flags"]
    compared = int(((flags & WITHOUT_TOKENS) == 0).sum())
    if compared >= needed:
        return ""
    if compared:
        return "there is only one document"
    without = "all tokens of all documents are left out" if (flags & IGNORED).any() else "all documents are empty"
    return without if len(documents) else "there is no document"


def lines_meant(result: Deduplication | SimilarPairs | Matches, listing: str | None) -> Iterator[str]:
    """That names are listed, where all documents are lines of JSONL files, which somebody may have meant instead.

    Said in every format: `--list kept > kept.jsonl` writes TSV and means lines, too.
    """
    lines = [name for name, each in LISTS.items() if each.lines and each.names == listing]
    if lines and len(result.documents) and result.documents.facts["container"].all():
        option = mention("list")
        yield f"{option} {listing} writes names: {option} {lines[0]} writes the lines themselves"
