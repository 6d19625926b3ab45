"""What answers have in common: the documents that are compared, rows with names, and what summaries say."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, compress
from typing import Any, TypeAlias

import numpy as np

from simdocs.advice import length_advice, template_advice, useless_template
from simdocs.commands.resolve import Resolved, opened_index
from simdocs.engines.engine import Run
from simdocs.kernels.banding import least_probability, low_recall, threshold_warning, unknown_recall
from simdocs.kernels.grouping import PairGraph
from simdocs.matching.corpus import Corpus, read_corpus
from simdocs.matching.groups import rows_around
from simdocs.matching.verify import Verifier
from simdocs.model.documents import EMPTY, IGNORED, ONE_TEXT, WITHOUT_TOKENS, Documents
from simdocs.model.figures import at_least, counted, figure, found_by, shown_probability, size
from simdocs.model.groups import Members, Pairs
from simdocs.model.ragged import Array, Index, Mask, distinct
from simdocs.model.result import AT_ONCE, Row
from simdocs.model.skipped import WITHOUT_ROWS, Skip, Skipped, in_short
from simdocs.names import name_to_text
from simdocs.options.answers import Grouping
from simdocs.pipeline.again import outdated_warnings
from simdocs.pipeline.boilerplate import with_common_tokens
from simdocs.reading.decode import looking_like

NamesOf: TypeAlias = Callable[..., tuple[list[Any], Mask]]
"""Returns the names of these rows of a corpus, and which of them can be printed.

kept=True: nobody removes these documents. Then standard input can always be printed, although a file may be called `-`,
too.
"""


def names_for(run: Run, documents: Documents, known: Corpus | None = None) -> NamesOf:
    """What names documents in the answer of a run.

    documents: those that were given. known: the documents of an index beside these.
    """
    of_index = {} if known is None or known.index is None else known.index.given_names
    return partial(_recorded, documents, of_index) if run.look is None else partial(_printed, run.skipped, set())


def _printed(
    skipped: Skipped, reported: set[bytes], corpus: Corpus, rows: Array, *, kept: bool = False
) -> tuple[list[Any], Mask]:
    """Names to print. A line whose name is also the path of something else is reported once, and not printed."""
    every = distinct(np.asarray(rows, np.int64))
    printed = corpus.printed_names(every)
    fit = np.ones(len(printed), bool)
    if places := [place for place, path in enumerate(printed) if b"#" in path or path == b"-"]:
        for place, is_row in zip(places, (corpus.containers(every[places]) > 0).tolist(), strict=True):
            path = printed[place]
            if (is_row or (path == b"-" and not kept)) and os.path.lexists(path):
                fit[place] = False
                if path not in reported:
                    reported.add(path)
                    skipped.add(Skip("malformed", path, "is also the name of a file, so no answer has it"))
    at = np.searchsorted(every, rows)
    return [printed[place] for place in at.tolist()], fit[at]


def _recorded(
    documents: Documents, of_index: Mapping[int, Any], corpus: Corpus, rows: Array, **_kept: bool
) -> tuple[list[Any], Mask]:
    """Names for Python, each of which can be printed: as they were given for texts in memory, or else as str."""
    names: list[Any] = list(map(name_to_text, corpus.names(rows)))
    given, first = documents.given_names, len(documents)
    if given or of_index:
        each = zip(corpus.given_rows(rows).tolist(), names, strict=True)
        names = [given.get(at, name) if at < first else of_index.get(at - first, name) for at, name in each]
    return names, np.ones(len(names), bool)


def pair_rows(documents: Corpus, pairs: Pairs, names: NamesOf) -> Iterator[list[Row]]:
    """Yield pairs as rows, if the names of both documents can be printed: see `Pairs.named`."""
    for at in range(0, len(pairs), AT_ONCE):
        some = pairs.take(np.arange(at, min(at + AT_ONCE, len(pairs))))
        left, left_fit = names(documents, some.left, kept=True)
        right, right_fit = names(documents, some.right)
        yield list(compress(some.named(left, right), (left_fit & right_fit).tolist()))


def group_rows(documents: Corpus, members: Members, names: NamesOf) -> Iterator[list[Row]]:
    """Yield each member of a group as a row, if both names can be printed: document, group, kept one, similarity."""
    for at in range(0, len(members.row), AT_ONCE):
        row, kept, number, jaccard = members.cut(at, at + AT_ONCE)
        (of_row, fit), (of_kept, kept_fit) = names(documents, row), names(documents, kept, kept=True)
        rows = zip(of_row, number.tolist(), of_kept, jaccard.tolist(), strict=True)
        yield list(compress(rows, (fit & kept_fit).tolist()))


def name_rows(documents: Corpus, rows: Index, names: NamesOf, *before: Sequence[str]) -> Iterator[list[Row]]:
    """Yield the names of these documents, if they can be printed. before: columns that come before the names."""
    for at in range(0, len(rows), AT_ONCE):
        found, fit = names(documents, rows[at : at + AT_ONCE])
        each = zip(*(column[at : at + AT_ONCE] for column in before), found, strict=True)
        yield list(compress(each, fit.tolist()))


def read_documents(plan: Resolved[Any], run: Run, *, linked: bool) -> Corpus:
    """The documents of a plan that are compared, read and signed, or what an artifact has of them.

    linked: documents are wanted, too, that are linked with new or changed ones through others.
    """
    if plan.changed is None or plan.banding is None:
        intake, recipe = plan.intake, plan.recipe
        if plan.known is None and recipe.ignoring.ignore_common < 1:  # or else the index decides
            intake, recipe = with_common_tokens(intake, recipe, run)
        corpus = read_corpus(intake, recipe, run)
        if plan.known is None:
            run.skipped.warnings += useless_template(corpus.documents, intake.artifact, recipe)
        return corpus
    index = opened_index(plan.intake.artifact)
    corpus = Corpus.of_artifact(index, sets=plan.intake.shingles, root=plan.intake.root)
    return corpus.select(rows_around(index, plan.changed, linked=linked))


def given_and_changed(plan: Resolved[Any], corpus: Corpus) -> tuple[Documents, Mask | None]:
    """All documents that were given, although only some of them may have to be compared; and which documents of the
    corpus are new or changed, (N,), if only pairs with one of them are wanted."""
    if plan.changed is None:
        return corpus.documents, None
    if corpus.rows is None:
        return corpus.documents, np.isin(np.arange(len(corpus)), plan.changed)
    return opened_index(plan.artifact).documents, np.isin(corpus.rows, plan.changed)


def advice(plan: Resolved[Any], documents: Documents, found: PairGraph, corpus: Corpus) -> Iterator[str]:
    """Yield advice about k for documents that are cut into shingles now, and about a template."""
    if plan.artifact is None and plan.known is None:
        yield from length_advice(documents, plan.recipe.shingling)
    if plan.changed is None:
        yield from template_advice(found, corpus, plan.recipe.shingling.unit)


def verifier_of(plan: Resolved[Any], corpus: Corpus, run: Run) -> Verifier:
    """A verifier of these documents. An exact join drops no candidate because of its estimate."""
    by_exact, measure = plan.options.verify == "exact", plan.options.measure
    no_prefilter = plan.options.exact or measure == "containment"
    return Verifier(corpus, plan.options.threshold, run, measure=measure, exact=by_exact, no_prefilter=no_prefilter)


def warnings(plan: Resolved[Any], run: Run) -> Iterator[str]:
    """Yield what to know before trusting the answer."""
    yield from outdated_warnings(run, plan.intake.artifact, None if plan.known is None else plan.known.index)
    if plan.banding is not None:
        yield from unknown_recall(plan.recipe)
        yield from threshold_warning(plan.options.threshold, plan.banding)
        if plan.chosen_now:
            yield from low_recall(plan.banding, plan.recipe.sketching.num_perm)


def summary_of(
    plan: Resolved[Any],
    corpus: Corpus,
    documents: Documents,
    run: Run,
    found: Mapping[str, Any],
    advice: Sequence[str],
    outcome: Callable[[Mapping[str, Any], float], Iterable[str]],
    beside: str = "",
    after: Iterable[str] = (),
) -> dict[str, Any]:
    """What the result of a search has beside its pairs: documents, skipped, advice, and the summary.

    corpus: the documents that were compared. found: what was found; if there was a sketch of containment, with
    `compared_with_all`, the number of documents that were too short for it. outcome: returns the lines about what was
    found, given the facts and the seconds. beside: what is said about other documents. after: the lines at the end.
    """
    banding, recipe = plan.banding, corpus.recipe
    probability = 1.0 if banding is None else least_probability(plan.options.threshold, *banding.cut)
    if "compared_with_all" in found:
        probability = float(plan.recipe.banding.recall)
    grouping = Grouping.of(plan.options.fields())
    if plan.options.measure == "containment":  # signatures say little about it
        grouping = grouping.but(exact=True)
    groups = ("sequences", "shingling", "sketching", "ignoring")  # an index has more, which may not be those in force
    made = {name: value for name, value in recipe.as_dict().items() if name in groups}
    in_bands = None if banding is None else banding.as_dict()
    parameters = {"walking": plan.intake.walking.as_dict(), "grouping": grouping.as_dict(), "banding": in_bands}
    facts = {
        **facts_read(documents),
        "skipped": run.skipped.counts,
        **facts_left_out(documents, len(corpus.ignored)),
        **({} if plan.changed is None else {"changed": len(plan.changed)}),
        **({"bands": None, "rows": None} if banding is None else banding.cut._asdict()),
        "measure": plan.options.measure,
        "threshold": plan.options.threshold,
        "probability": probability,
        "candidates": run.tally.candidates,
        "verified": run.tally.verified,
        **found,
        "parameters": parameters | made,
        **facts_at_end(documents),
        "advice": list(advice),
    }

    def lines(seconds: float, verbose: bool) -> Iterator[str]:
        why = why_so_few(documents, run.skipped, 2 if plan.known is None else 1)
        if facts.get("changed") == 0:
            why = "no document is new or changed"
        if why:
            yield f"nothing was compared: {why}"
        yield read_in_words(documents, run.skipped) + beside
        yield from left_out_in_words(documents, facts["ignored_tokens"])
        if changed := facts.get("changed"):
            are = counted(changed, "document is", "documents are")
            yield f"{are} new or changed; only pairs with one of them were looked for"
        if not why:
            yield f"{_how_found(facts)}; {', '.join(_counts(facts, verbose=verbose))}"
        yield from outcome(facts, seconds)
        yield from chain(advice, after)

    return {"documents": documents, "skipped": run.skipped, "facts": facts, "lines": lines, "advice": advice}


def _counts(facts: Mapping[str, Any], *, verbose: bool) -> Iterator[str]:
    """Yield the number of candidates, and of verified pairs. If every containment is computed, none are candidates."""
    proposed = facts["candidates"] or not facts["verified"]
    if proposed:
        yield counted(facts["candidates"], "candidate")
    if verbose or not proposed:
        yield f"{facts['verified']:,} verified"


def _how_found(facts: Mapping[str, Any]) -> str:
    """A phrase about how candidates were found."""
    threshold, probability, undecided = facts["threshold"], facts["probability"], facts.get("compared_with_all")
    if nearest := facts.get("nearest"):
        texts = "text" if nearest == 1 else f"{nearest:,} texts"
        every = "; every text was compared" if facts["parameters"]["grouping"]["exact"] else ""
        return f"the most similar {texts}, whatever the threshold{every}"
    if undecided is not None:
        every = f"; {counted(undecided, 'document')} compared with every text" if undecided else ""
        return f"the sketch finds {at_least(probability, threshold)}{every}"
    if facts["bands"] is None:
        return "every pair is found"
    return found_by(facts["bands"], facts["rows"], threshold, probability)


def facts_read(documents: Documents) -> dict[str, Any]:
    """The number of documents that were read, as values that JSON has."""
    return {
        "documents": len(documents),
        "bytes": int(documents.facts["size"].sum()),
        "empty": documents.flagged(EMPTY),
        "read_as_one_text": documents.flagged(ONE_TEXT),
    }


def facts_at_end(documents: Documents) -> dict[str, Any]:
    """What most summaries end with: the seconds, which are not known yet, and encodings that documents look like."""
    return {"seconds": None, "looks_like": dict(looking_like(documents))}


def read_in_words(documents: Documents, skipped: Skipped) -> str:
    """The numbers of documents that were read and skipped, in words."""
    read = facts_read(documents)
    one_text, rows_are_kept = read["read_as_one_text"], skipped.keeps_rows
    parts = [counted(read["documents"], "document"), counted(read["bytes"], "byte")]
    parts += [f"{read['empty']:,} empty"] if read["empty"] else []
    parts += [f"{one_text:,} read as one text each (no rows with the text field)"] if one_text else []
    parts += [f"{count:,} {'looks' if count == 1 else 'look'} like {name}" for name, count in looking_like(documents)]
    for name, count in skipped.counts.items():
        what = "not compared" if rows_are_kept and name not in WITHOUT_ROWS else "skipped"
        parts.append(f"{count:,} {what}: {in_short(name)}")
    return ", ".join(parts)


def why_so_few(documents: Documents, skipped: Skipped, needed: int) -> str:
    """Why fewer documents than are needed can be compared; empty if there are enough."""
    flags = documents.facts["flags"]
    compared = int(((flags & WITHOUT_TOKENS) == 0).sum())
    if compared >= needed:
        return ""
    if compared:
        same = ", and the other names are of the same file" if "again" in skipped.counts else ""
        return f"there is only one document{same}"
    without = "all tokens of all documents are left out" if (flags & IGNORED).any() else "all documents are empty"
    return without if len(documents) else "there is no document"


def no_pair(documents: Documents, skipped: Skipped, lacking: str) -> str:
    """A sentence that there are no two texts to compare. lacking: what is not known for that reason."""
    why = why_so_few(documents, skipped, 2) or "no two different texts can be read"
    return f"nothing was compared: {why}, so there is no {lacking}"


def left_out_in_words(documents: Documents, ignored: int) -> Iterator[str]:
    """Yield a line with the number of tokens that are left out, unless no token is."""
    if ignored:
        tokens = counted(ignored, "token is", "tokens are")
        yield f"{tokens} left out of all documents: {documents.share_left_out:.1%} of their tokens"


def facts_left_out(documents: Documents, ignored: int) -> dict[str, Any]:
    """The number of tokens that are left out, and their fraction, as values that JSON has."""
    return {"ignored_tokens": ignored, "ignored_share": round(documents.share_left_out, 6)}


_BYTES_SKETCHED = 8
"""Bytes that a token takes in the containment sketch: the token and the row of a document, each uint32."""


def lines_of_build(facts: Mapping[str, Any], documents: Documents, skipped: Skipped, *, verbose: bool) -> Iterator[str]:
    """Yield the lines of the summary of a build; nothing about changes if it is the first one."""
    yield f"{read_in_words(documents, skipped)}, {counted(facts['tokens'], 'token')}"
    yield from left_out_in_words(documents, facts.get("ignored_tokens", 0))
    update = facts["update"]
    if update["note"]:
        yield update["note"]
    if any(update[name] for name in ("unchanged", "changed", "removed", "renamed")):
        yield update_in_words(update)
    yield from facts["advice"]
    if "curve" not in facts:
        return
    yield found_by(facts["bands"], facts["rows"], facts["threshold"], facts["probability"])
    if verbose:
        curve = (f"{shown_probability(found)} at {similarity:g}" for similarity, found in facts["curve"])
        yield f"chance of being found: {', '.join(curve)}"
    number, better = figure(facts["candidates_a_document"]), ""
    if "fewer_with" in facts:
        fewer = facts["fewer_with"]
        better = f": --num-perm {fewer['num_perm']} would need about {figure(fewer['candidates_a_document'])}"
    yield f"about {number} candidate{'' if number == '1' else 's'} per document, counted in the buckets{better}"
    if "sketch_tokens" in facts:
        tokens = facts["sketch_tokens"]
        each = f"{tokens / max(len(documents), 1):,.1f} for each document on average"
        yield f"containment sketch: {counted(tokens, 'token')}, {each}; {size(_BYTES_SKETCHED * tokens)}"


def update_in_words(update: Mapping[str, Any]) -> str:
    """The numbers of documents that are unchanged, changed, new, removed and renamed."""
    known = ", ".join(f"{update[name]:,} {name}" for name in ("unchanged", "changed", "new", "removed"))
    return known + (f", {update['renamed']:,} renamed" if update["renamed"] else "")
