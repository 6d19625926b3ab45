"""What is said about an artifact that was built, or that would be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from simdocs.commands.searching import facts_left_out, facts_read, left_out_in_words, read_in_words
from simdocs.model.documents import SHORT, Documents
from simdocs.model.figures import counted, figure, found_by, shown_probability, size
from simdocs.model.skipped import Skipped
from simdocs.options.recipes import IndexRecipe, Recipe
from simdocs.pipeline.changes import Changes
from simdocs.pipeline.indexing import Expectation
from simdocs.reading.lookalikes import looking_like

_BYTES_SKETCHED = 8
"""Bytes that a token takes in the containment sketch: the token and the row of a document, each uint32."""


def facts_of_build(
    kind: str,
    documents: Documents,
    recipe: Recipe,
    skipped: Skipped,
    ignored: int,
    found: Changes,
    note: str,
    expected: Expectation | None,
    advice: Iterable[str],
) -> dict[str, Any]:
    """The summary of a build as values that JSON has.

    ignored: the number of tokens that are left out. found, note: what changed, and what else to know about that.
    expected: what the bands of an index will find.
    """
    return {
        **facts_read(documents),
        "short": documents.flagged(SHORT),
        "tokens": documents.tokens,
        "skipped": skipped.counts,
        "parameters": recipe.as_dict(),
        **({} if kind == "shingles" else facts_left_out(documents, ignored)),
        "update": {
            "unchanged": found.unchanged,
            "changed": len(found.changed),
            "new": len(found.new),
            "removed": len(found.removed),
            "note": note,
            "renamed": len(found.renamed),
        },
        **(_facts_expected(recipe, expected) if isinstance(recipe, IndexRecipe) and expected is not None else {}),
        "kind": kind,
        "advice": list(advice),
        "seconds": None,
        "looks_like": dict(looking_like(documents)),
    }


def _facts_expected(recipe: IndexRecipe, expected: Expectation) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "threshold": recipe.banding.threshold,
        "bands": recipe.banding.bands,
        "rows": recipe.banding.rows,
        "probability": expected.at_threshold,
        "curve": [[similarity, probability] for similarity, probability in expected.curve],
        "candidates_a_document": expected.candidates,
    }
    if expected.sketched is not None:
        facts["sketch_tokens"] = expected.sketched
    if expected.better_num_perm:
        better = {"num_perm": expected.better_num_perm, "candidates_a_document": expected.better_candidates}
        facts["fewer_with"] = better
    return facts


def lines_of_build(facts: Mapping[str, Any], documents: Documents, skipped: Skipped, *, verbose: bool) -> Iterator[str]:
    """Yield the lines of the summary of a build; nothing about changes if it is the first one."""
    yield f"{read_in_words(documents, skipped)}, {counted(facts['tokens'], 'token')}"
    yield from left_out_in_words(documents, facts.get("ignored_tokens", 0))
    update = facts["update"]
    if update["note"]:
        yield update["note"]
    if any(update[name] for name in ("unchanged", "changed", "removed", "renamed")):
        yield update_in_words(update)
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
