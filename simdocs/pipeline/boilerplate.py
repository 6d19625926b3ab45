"""Find the tokens that are left out: those of template texts, and those that occur in very many documents.

Which tokens are common is known only when all documents have been counted, so their tokens are needed twice: for the
counts, and for the signatures. To hold them all would take memory that grows with the text. So texts are read and
shingled twice, and the token sets of an artifact are read twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np

from simdocs.engines.engine import Run
from simdocs.kernels import multisets
from simdocs.kernels.multisets import (
    NOTHING,
    Frequencies,
    are_among,
    digest_of,
    frequencies,
    merged,
    without_rarest,
)
from simdocs.model.artifact import Shingles
from simdocs.model.ragged import NO_TOKENS, Index, Mask, Ragged, Tokens, distinct
from simdocs.model.skipped import Skipped
from simdocs.options.recipes import Recipe, Shingling, SignatureRecipe
from simdocs.pipeline.reading import Intake, Reading, files_of
from simdocs.pipeline.signing import shingle, shingled, token_sets

_COUNTED_AT_ONCE = 1 << 20
"""Tokens that are sorted and counted at once: they take 40 MiB meanwhile."""

_COUNTERS = 1 << 19
"""Tokens whose counts are held at first: 6 MiB."""

Signing = TypeVar("Signing", bound=SignatureRecipe)

EverySet = Callable[[Callable[[Ragged], None]], int]
"""Gives the token sets of all documents to a function, block by block. Returns the number of documents."""


def template_tokens(texts: Sequence[bytes], shingling: Shingling) -> Tokens:
    """The tokens of template texts, given as UTF-8, ascending, without repeats."""
    found = [multisets.token_sets(part.tokens).values for part in shingled(list(texts), shingling)]
    return distinct(np.concatenate([NO_TOKENS, *found]))


def with_common_tokens(intake: Intake, recipe: Signing, run: Run) -> tuple[Intake, Signing]:
    """An intake and a recipe that leave out the common tokens of the documents, too, if that is wanted."""
    ignoring, artifact = recipe.ignoring, intake.artifact
    if ignoring.ignore_common == 1 or not (artifact is None or isinstance(artifact, Shingles)):
        return intake, recipe
    if artifact is None:
        intake = replace(intake, found=files_of(intake, run))
    common = common_tokens(partial(_each_set, intake, recipe, run), ignoring.ignore_common)
    ignored = np.union1d(intake.ignored, common)
    ignoring = ignoring.but(ignored_digest=digest_of(ignored))
    return replace(intake, ignored=ignored), recipe.but(ignoring=ignoring)


def _each_set(intake: Intake, recipe: Recipe, run: Run, take: Callable[[Ragged], None]) -> int:
    """Give the token sets of an intake, whose files were found, to a function: see EverySet."""
    if (artifact := intake.artifact) is None:
        # What is skipped is reported when the files are read for their signatures.
        counting = Run(run.engine, Skipped(), lambda _, done, total: run.progress("counting tokens", done, total))
        return len(shingle(Reading(intake, recipe, counting), take))
    rows, done = np.arange(artifact.n_documents), 0
    for sets in token_sets(artifact, rows, _COUNTED_AT_ONCE):
        take(sets)
        done += len(sets)
        run.progress("counting tokens", done, len(rows))
    return len(rows)


def common_tokens(every: EverySet, share: float) -> Tokens:
    """The tokens that occur in more than this share of the documents, ascending: (I,) uint32.

    The answer is exact. The sets are gone through once, and a second time if there are more tokens than counts and a
    count that may be too small leaves a token in doubt. If documents have so many tokens that this is the case for all
    tokens, the sets are gone through once more with twice the counts.
    """
    most = _COUNTERS
    while True:
        documents, counted = _counted(every, most)
        if counted.missing / max(documents, 1) <= share:
            break
        most *= 2
    certain = _exceed(counted.counts, documents, share)
    doubtful = ~certain & _exceed(counted.counts + counted.missing, documents, share)
    return np.union1d(counted.tokens[certain], _exact(every, counted.tokens[doubtful], share))


def _exceed(counts: Index, documents: int, share: float) -> Mask:
    """Whether each of these counts is more than this share of the documents."""
    more: Mask = counts / max(documents, 1) > share
    return more


def _exact(every: EverySet, tokens: Tokens, share: float) -> Tokens:
    """The common ones among these ascending tokens, by an exact count of them alone."""
    if not len(tokens):
        return tokens
    counts = np.zeros(len(tokens), np.int64)

    def take(sets: Ragged) -> None:
        found = sets.values[are_among(sets.values, tokens)]
        counts[:] += np.bincount(np.searchsorted(tokens, found), minlength=len(tokens))

    documents = every(take)
    return tokens[_exceed(counts, documents, share)]


def _counted(every: EverySet, most: int) -> tuple[int, Frequencies]:
    """The number of documents, and the counts of their tokens. most: the most counts that are held."""
    counted, waiting = NOTHING, list[Tokens]()

    def count() -> None:
        nonlocal counted
        new = without_rarest(frequencies(np.concatenate([NO_TOKENS, *waiting])), most)
        counted = without_rarest(merged(counted, new), most)
        waiting.clear()

    def take(sets: Ragged) -> None:
        for at in range(0, len(sets.values), _COUNTED_AT_ONCE):
            values = sets.values[at : at + _COUNTED_AT_ONCE]
            if sum(map(len, waiting)) + len(values) > _COUNTED_AT_ONCE:
                count()
            waiting.append(values)

    documents = every(take)
    count()
    return documents, counted
