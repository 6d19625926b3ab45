"""What a run did, as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from simdocs.errors import spelled
from simdocs.model.audited import Audit
from simdocs.model.build_results import BuildResult, DryRun, Expectation
from simdocs.model.documents import EMPTY, SHORT, Documents
from simdocs.model.names import display_name
from simdocs.model.search_result import Deduplication, Matches, SimilarPairs
from simdocs.model.tuning import Tuning
from simdocs.parameters.recipes import Banding, IndexRecipe, Recipe
from simdocs.views.summary import Summarised, alike


def as_json(result: Summarised, seconds: float, spelling: Callable[[str], str] = spelled) -> bytes:
    """One JSON object. spelling: spells the parameters that a text mentions."""
    more: dict[str, Any] = {"seconds": round(seconds, 3)}
    if isinstance(result, DryRun):
        result, more = result.built, more | {"dry_run": True}
    facts = _facts_of(result) | more
    facts["looks_like"] = dict(alike(result))
    facts["advice"] = list(map(spelling, result.advice))
    if isinstance(result, BuildResult):
        facts["update"]["note"] = spelling(result.update.note)
    if isinstance(result, Tuning):
        facts["next"] = spelling(result.next)
    return json.dumps(facts, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _facts_of(result: BuildResult | Deduplication | SimilarPairs | Matches | Tuning | Audit) -> dict[str, Any]:
    if isinstance(result, Audit):
        return _audit_facts(result)
    return _tuning_facts(result) if isinstance(result, Tuning) else _facts(result)


def _audit_facts(result: Audit) -> dict[str, Any]:
    recall = result.recall
    return {
        "documents": len(result.documents),
        "distinct_texts": result.texts,
        "threshold": result.recipe.banding.threshold,
        "bands": result.recipe.banding.bands,
        "rows": result.recipe.banding.rows,
        "similar_pairs": result.pairs,
        "found": result.found,
        "candidates": result.candidates,
        "precision": result.precision,
        "stated_recall": result.stated,
        "sampled": result.sampled,
        "recall": None if recall is None else asdict(recall),
        "skipped": dict(result.skipped.counts),
        "warnings": list(result.skipped.warnings),
    }


def _facts(result: BuildResult | Deduplication | SimilarPairs | Matches) -> dict[str, Any]:
    documents = result.documents
    facts: dict[str, Any] = {
        "documents": len(documents),
        "bytes": int(documents.facts["size"].sum()),
        "empty": documents.flagged(EMPTY),
    }
    if isinstance(result, BuildResult):
        facts |= {"short": documents.flagged(SHORT), "tokens": documents.tokens}
        facts |= {"skipped": result.skipped.counts, "parameters": result.recipe.as_dict()}
        if result.kind != "shingles":
            facts |= _facts_left_out(documents, result.ignored)
        facts["update"] = asdict(result.update)
        if result.expectation is not None and isinstance(result.recipe, IndexRecipe):
            facts |= _expectation_facts(result.expectation, result.recipe.banding)
        return facts | {"kind": result.kind, "advice": list(result.advice)}
    compared = result.comparison
    facts["skipped"] = result.skipped.counts
    facts |= _facts_left_out(documents, compared.ignored)
    if compared.changed is not None:
        facts["changed"] = compared.changed
    if isinstance(result, Matches):
        facts["indexed"] = result.indexed
    facts |= {
        "bands": None if compared.bands is None else compared.bands.bands,
        "rows": None if compared.bands is None else compared.bands.rows,
        "measure": compared.measure,
        "threshold": compared.threshold,
        "probability": compared.probability,
        "candidates": compared.candidates,
        "verified": compared.verified,
    }
    if compared.undecided is not None:
        facts["compared_with_all"] = compared.undecided
    if isinstance(result, Matches):
        facts |= {"nearest": result.nearest, "copies_left_out": result.left_out} if result.nearest else {}
        return facts | {"matches": result.found, "matched": result.matched, "parameters": compared.recipe.as_dict()}
    if isinstance(result, SimilarPairs):
        facts |= {"pairs": result.found, "pairs_left_out": result.left_out}
    else:
        facts |= {"duplicates": result.found, "groups": result.groups, "kept": len(result.kept)}
        facts["duplicate_bytes"] = result.duplicate_bytes
        facts |= {"duplicate_files": result.duplicate_files, "freed_bytes": result.freed_bytes}
        if result.largest is not None:
            facts["largest_group"] = {"kept": display_name(result.largest[0]), "duplicates": result.largest[1]}
        if result.components is not None:
            facts["components"] = [one._asdict() | {"kept": display_name(one.kept)} for one in result.components]
    facts["parameters"] = {
        "walking": compared.walking.as_dict(),
        "grouping": compared.grouping.as_dict(),
        "banding": None if compared.banding is None else compared.banding.as_dict(),
    } | _recipe_facts(compared.recipe)
    return facts


def _tuning_facts(result: Tuning) -> dict[str, Any]:
    chosen, documents = result.chosen, result.documents
    facts: dict[str, Any] = {"documents": 0 if documents is None else len(documents)}
    if documents is not None:
        facts |= {"bytes": int(documents.facts["size"].sum()), "empty": documents.flagged(EMPTY)}
    facts["skipped"] = result.skipped.counts
    of_choice = asdict(chosen)
    facts["bytes_a_document"] = of_choice.pop("bytes")  # `bytes` are those of the documents, as everywhere
    facts |= {name: value for name, value in of_choice.items() if name != "chosen"}
    if result.corpus is not None:
        facts |= asdict(result.corpus)
    return facts | {"parameters": result.recipe.as_dict()}


def _facts_left_out(documents: Documents, ignored: int) -> dict[str, Any]:
    return {"ignored_tokens": ignored, "ignored_share": round(documents.share_left_out, 6)}


def _recipe_facts(recipe: Recipe) -> dict[str, Any]:
    return {
        name: value
        for name, value in recipe.as_dict().items()
        if name in ("sequences", "shingling", "sketching", "ignoring")
    }


def _expectation_facts(expected: Expectation, banding: Banding) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "threshold": banding.threshold,
        "bands": banding.bands,
        "rows": banding.rows,
        "probability": expected.at_threshold,
        "curve": [[similarity, probability] for similarity, probability in expected.curve],
        "candidates_a_document": expected.candidates,
    }
    if expected.sketched is not None:
        facts["sketch_tokens"] = expected.sketched
    if expected.better_num_perm:
        facts["fewer_with"] = {
            "num_perm": expected.better_num_perm,
            "candidates_a_document": expected.better_candidates,
        }
    return facts
