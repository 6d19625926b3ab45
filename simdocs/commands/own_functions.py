"""Hash functions that are stated: they need the different shingles of all documents, which are numbered first.

In messages and here, an item is a different shingle. The items of an index stay those with which it was built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from simdocs.engines.run import Run
from simdocs.errors import InputError, UsageError
from simdocs.matching.corpus import Corpus
from simdocs.model.artifact import Artifact, Shingles
from simdocs.model.ragged import NO_TOKENS, Index, Ragged, Rows, Tokens
from simdocs.model.skipped import OF_UNVERIFIED, Skip, Skipped
from simdocs.names import display_name
from simdocs.options.hash_functions import (
    FUNCTIONS,
    MOST_ITEMS,
    TOO_MANY,
    in_row_order,
    numbers_of,
    permutations_in,
    permuted,
)
from simdocs.options.recipes import SignatureRecipe, Sketching
from simdocs.options.texts import Sequences, Walking
from simdocs.pipeline.prepare import Intake, files_of
from simdocs.pipeline.reading import Reading
from simdocs.pipeline.reload import reload_texts
from simdocs.pipeline.shingling import shingle, spelled_shingles, token_sets
from simdocs.reading.single_text import read_single_document

_AT_ONCE = 1 << 20
"""Tokens of an artifact that are looked at at once."""

_COPIED_AT_ONCE = 1 << 8
"""Documents that are copied together if they can only be read from the beginning of their file."""

Stated = TypeVar("Stated", bound=SignatureRecipe)


def permutations_of(name: bytes) -> list[list[str]]:
    """The permutations in this file. InputError, UsageError: it has none, or cannot be used."""
    data = read_single_document(name, Walking().max_size, Sequences())
    try:
        return permutations_in(data.decode("utf-8", "surrogateescape"))
    except ValueError as wrong:
        raise InputError(f"{display_name(name)}: {wrong}") from None


def with_items(sketching: Sketching, spelled: Mapping[int, str], permutations: Sequence[Sequence[str]]) -> Sketching:
    """A scheme whose functions are about these items. spelled: the items by their tokens.

    UsageError: there are too many, two are the same number, or a permutation is not one of them.
    """
    token_of = {item: token for token, item in spelled.items()}
    items = tuple(in_row_order(token_of))
    try:
        numbers_of(items)
        numbers = permuted(permutations, items)
    except ValueError as wrong:
        raise _refusal(sketching, str(wrong)) from None
    return sketching.but(items=items, item_tokens=tuple(token_of[item] for item in items), permutations=numbers)


def _refusal(sketching: Sketching, wrong: str) -> UsageError:
    return UsageError(f"{'--functions' if sketching.scheme == FUNCTIONS else '--permutation-file'}: {wrong}")


def with_all_items(intake: Intake, recipe: Stated, run: Run) -> tuple[Intake, Stated]:
    """An intake and a recipe whose functions are about all items of the documents: see `with_items`.

    The documents are read once for their tokens, and some of them once more for the shingles of these.
    """
    artifact = intake.artifact
    if not (artifact is None or isinstance(artifact, Shingles)):
        return intake, recipe
    if recipe.shingling.multiset:
        raise _refusal(recipe.sketching, f"{'' if artifact is None else artifact.name} has multisets, not sets")
    firsts = _Firsts(recipe.sketching)
    if artifact is not None:
        for sets in token_sets(artifact, np.arange(artifact.n_documents), _AT_ONCE):
            firsts.take(sets)
        corpus = Corpus.of_artifact(artifact, root=intake.root)
    else:
        intake = replace(intake, found=files_of(intake, run))
        # What is skipped is reported when the files are read for their signatures.
        quiet = Run(run.engine, Skipped(), lambda _, done, total: run.progress("numbering shingles", done, total))
        documents = shingle(Reading(files_of(intake, run), intake.walking.max_size, recipe, quiet), firsts.take)
        corpus = Corpus.of(documents, recipe, limit=intake.walking.max_size)
    if firsts.largest == 1 and recipe.shingling.unit != "line":
        run.skipped.warnings.append(
            "each document is a single shingle: if it is a set with one item in each line, use --unit line"
        )
    spelled, skips = spellings(corpus, np.unique(firsts.rows), firsts.tokens)
    for skip in skips:
        again = f"build {corpus.artifact_name} again" if corpus.artifact_name else "run the command again"
        raise InputError(f"{display_name(skip.shown_name)}: {OF_UNVERIFIED.get(skip.detail, skip.detail)}: {again}")
    return intake, recipe.but(sketching=with_items(recipe.sketching, spelled, intake.permutations))


class _Firsts:
    """The different tokens of documents, the first document with each, and the largest number of tokens in one."""

    def __init__(self, sketching: Sketching) -> None:
        self.tokens, self.rows, self.largest = NO_TOKENS, np.empty(0, np.int64), 0
        self._sketching, self._done = sketching, 0

    def take(self, sets: Ragged) -> None:
        """Look at the sets of the next documents. UsageError: there are too many tokens."""
        tokens, at = np.unique(sets.values, return_index=True)
        new = ~np.isin(tokens, self.tokens)
        rows: Index = np.searchsorted(sets.offsets, at[new], side="right") - 1
        self.tokens = np.concatenate((self.tokens, tokens[new]))
        self.rows = np.concatenate((self.rows, self._done + rows))
        self._done += len(sets)
        self.largest = max(self.largest, int(sets.lengths.max(initial=0)))
        if len(self.tokens) > MOST_ITEMS:
            raise _refusal(self._sketching, TOO_MANY)


def contradictory_permutations(name: bytes, artifact: Artifact) -> Iterator[str]:
    """Yield a message if this file has other permutations than the artifact has. Errors: see `permutations_of`."""
    if not isinstance(artifact.recipe, SignatureRecipe):
        return
    sketching, built = artifact.recipe.sketching, "without --permutation-file"
    if sketching.permutations:
        built = f"with another --permutation-file than {display_name(name)}"
        try:
            if permuted(permutations_of(name), sketching.items) == sketching.permutations:
                return
        except ValueError as wrong:
            raise InputError(f"{display_name(name)}: {wrong}") from None
    yield f"{artifact.name} was built {built}: rebuild it, or leave the option out"


def spellings(corpus: Corpus, rows: Rows, tokens: Tokens) -> tuple[dict[int, str], list[Skip]]:
    """The shingle of each of these tokens that these documents have, and the documents that cannot be read again.

    corpus: without token sets. One document is in memory at a time, and no more are read than are needed. Of two
    shingles with the same token, the first counts. ArtifactError: the directory of the documents is unknown.
    """
    wanted, found, skips = set(tokens.tolist()), dict[int, str](), list[Skip]()
    for at in range(len(rows)):
        if len(found) == len(wanted):
            break
        if at % _COPIED_AT_ONCE == 0:
            corpus.copy(rows[at : at + _COPIED_AT_ONCE], texts=True)
        ((_, request),) = corpus.readings(rows[at : at + 1])
        texts, unread = reload_texts(request, [0], corpus.recipe.shingling)
        skips += unread
        for _, text in texts:
            for spelled, token in spelled_shingles(text, corpus.recipe.shingling):
                if token in wanted:
                    found.setdefault(token, spelled)
    return found, skips
