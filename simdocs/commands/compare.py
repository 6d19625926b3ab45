"""compare: how similar texts are, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from simdocs.artifacts.formats import FORMATS
from simdocs.commands.compared_texts import ComparedTexts, compared_texts
from simdocs.commands.resolve import banding_of, shingling_of
from simdocs.engines.run import Run
from simdocs.errors import UsageError, suggested
from simdocs.kernels.compare import jaccard
from simdocs.matching.difference import difference
from simdocs.matching.measures import edit_measures, shingle_measures, signature_measures, token_sets
from simdocs.model.comparison import Comparison, SimilarityMatrix
from simdocs.model.delivery import Delivery
from simdocs.model.names import name_to_text
from simdocs.parameters import PARAMETERS
from simdocs.recipes import IndexRecipe, Recipe, Shingling, SignatureRecipe, Sketching, of_group
from simdocs.requests.compare_request import CompareRequest
from simdocs.requests.contradictions import contradictions

_MOST = 2000
"""Texts in a matrix, which then has 4 million cells."""

_UNIT_OF = {"words": "words", "lines": "lines", "unified": "lines"}
"""What each kind of difference compares."""


def answer(request: CompareRequest, _run: Run | None, _delivery: Delivery) -> Comparison | SimilarityMatrix:
    """The measures of two texts, or the similarities of more.

    UsageError: parameters do not go together, or contradict the artifact.
    """
    compared = compared_texts(request)
    problems = list(_contradictions(request, compared))
    many = len(compared.texts) > 2
    problems += request.problems_of_many() if many else ()
    if len(compared.texts) > _MOST:
        remedy = f"{suggested('dedupe', 'DOCS', pairs=True)} finds similar pairs"
        problems.append(f"a matrix has at most {_MOST:,} texts, not {len(compared.texts):,}: {remedy}")
    if problems:
        raise UsageError(*problems)
    if compared.recipe is not None:
        shinglings = [compared.recipe.shingling]
    else:
        shinglings = [shingling_of(given) for given in _given(request)]
    if not many:
        return _comparison(request, compared, shinglings)
    return _matrix(compared, shinglings[0], _threshold(request, compared.recipe))


def _given(request: CompareRequest) -> Iterator[dict[str, Any]]:
    """Yield the parameters that were given, for each unit and k."""
    given = request.given()
    units, sizes = request.unit or PARAMETERS["compare.unit"].default, request.k or (None,)
    for unit, k in product(units, sizes):
        yield given | {"unit": unit} | ({} if k is None else {"k": k})


def _contradictions(request: CompareRequest, compared: ComparedTexts) -> Iterator[str]:
    """Yield what was given and contradicts the artifact."""
    if compared.artifact is not None:
        given = next(_given(request))
        given = {name: value for name, value in given.items() if getattr(request, name) is not None}
        artifact, fixed = compared.artifact, FORMATS[compared.artifact.kind].parameter_groups
        yield from contradictions(given, artifact.recipe, artifact.name, fixed, ("threshold",))


def _matrix(compared: ComparedTexts, shingling: Shingling, threshold: float) -> SimilarityMatrix:
    sets = token_sets(compared.texts, shingling, compared.ignored)
    left, right = np.triu_indices(len(sets), 1)
    similarity = np.diag((sets.lengths > 0).astype(np.float64))
    similarity[left, right] = similarity[right, left] = jaccard.exact(sets, left, right)
    return SimilarityMatrix(tuple(map(name_to_text, compared.names)), similarity, threshold)


def _threshold(request: CompareRequest, recipe: Recipe | None) -> float:
    """The threshold that was given; otherwise that of the index, or the default."""
    default = recipe.banding.threshold if isinstance(recipe, IndexRecipe) else request.parameter("threshold").default
    return float(default if request.threshold is None else request.threshold)


def _comparison(request: CompareRequest, compared: ComparedTexts, shinglings: Sequence[Shingling]) -> Comparison:
    a, b = compared.texts
    first, recipe = shinglings[0], compared.recipe
    sets = token_sets(compared.texts, first, compared.ignored)
    similarity = float(jaccard.exact(sets, np.array([0]), np.array([1]))[0])
    given = request.given()
    sketching = recipe.sketching if isinstance(recipe, SignatureRecipe) else of_group(Sketching, given)
    banding = recipe.banding if isinstance(recipe, IndexRecipe) else banding_of(request, sketching.num_perm)
    return Comparison(
        (name_to_text(compared.names[0]), name_to_text(compared.names[1])),
        tuple(shingle_measures(a, b, shingling, compared.ignored) for shingling in shinglings),
        edit_measures(a, b, first),
        signature_measures(sets, first.seed, sketching, banding.cut, similarity),
        similarity,
        _threshold(request, recipe),
        None if request.diff is None else difference(a, b, first, _UNIT_OF[request.diff]),
    )
