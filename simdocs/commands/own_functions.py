"""Hash functions that are stated: they need the different shingles of all documents, which are numbered first.

In messages and here, an item is a different shingle. The items of an index stay those with which it was built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from simdocs.commands.resolve import is_artifact, opened
from simdocs.corpora.single_text import read_single_document
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
from simdocs.options.recipes import Recipe, SignatureRecipe, Sketching
from simdocs.options.texts import Sequences, Walking
from simdocs.pipeline.prepare import Intake, files_of
from simdocs.pipeline.reading import Reading
from simdocs.pipeline.reload import reload_texts
from simdocs.pipeline.shingling import shingle, spelled_shingles, token_sets

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


def refuse_stated(options: Any) -> None:
    """Raise UsageError if the hash functions of an artifact are stated: nothing can be said about what these find."""
    if len(options.documents) != 1 or not is_artifact(options.documents[0]):
        return
    artifact = opened(options.documents[0], options.upstream, or_documents=True)
    if isinstance(artifact.recipe, SignatureRecipe) and artifact.recipe.sketching.is_own:
        raise UsageError(
            f"{artifact.name} has hash functions that were stated, and {options.command} is about random ones: name the"
            " documents instead"
        )


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
    if not (intake.artifact is None or isinstance(intake.artifact, Shingles)):
        return intake, recipe
    if recipe.shingling.multiset:
        name = "" if intake.artifact is None else intake.artifact.name
        raise _refusal(recipe.sketching, f"{name} has multisets, not sets")
    intake, corpus, firsts = _first_documents(intake, recipe, run, _Firsts(most_for=recipe.sketching))
    if firsts.largest == 1 and recipe.shingling.unit != "line":
        run.skipped.warnings.append(
            "each document is a single shingle: if it is a set with one item in each line, use --unit line"
        )
    spelled = _spelled(corpus, firsts.rows, firsts.tokens)
    return intake, recipe.but(sketching=with_items(recipe.sketching, spelled, intake.permutations))


def refuse_other_items(intake: Intake, recipe: SignatureRecipe, indexed: Corpus, run: Run) -> Intake:
    """The intake, if its documents have no other items than an index has. InputError: they have others."""
    if not (intake.artifact is None or isinstance(intake.artifact, Shingles)):
        return intake
    known = np.array(recipe.sketching.item_tokens, np.uint32)
    intake, corpus, firsts = _first_documents(intake, recipe, run, _Firsts(known))
    if not len(firsts.tokens):
        return intake
    rows, name = firsts.rows.min(keepdims=True), indexed.artifact_name
    others = _spelled(corpus, rows, firsts.tokens[firsts.rows == rows])
    raise InputError(
        f"{display_name(corpus.printed_names(rows)[0])}: {min(others.values())!r} is not one of the {len(known):,}"
        f" shingles of {name}, for which its hash functions are defined: build {name} again with it"
    )


class _Firsts:
    """The different tokens of documents, the first document with each, and the largest number of tokens in one.

    known: tokens that do not count.
    most_for: the scheme that has own functions for these tokens, so that there must not be too many; None: none has.
    """

    def __init__(self, known: Tokens = NO_TOKENS, most_for: Sketching | None = None) -> None:
        self.tokens, self.rows = NO_TOKENS, np.empty(0, np.int64)
        self._known, self._most_for, self._done, self.largest = known, most_for, 0, 0

    def take(self, sets: Ragged) -> None:
        """Look at the sets of the next documents. UsageError: there are too many tokens."""
        tokens, at = np.unique(sets.values, return_index=True)
        new = ~(np.isin(tokens, self.tokens) | np.isin(tokens, self._known))
        rows: Index = np.searchsorted(sets.offsets, at[new], side="right") - 1
        self.tokens = np.concatenate((self.tokens, tokens[new]))
        self.rows = np.concatenate((self.rows, self._done + rows))
        self._done += len(sets)
        self.largest = max(self.largest, int(sets.lengths.max(initial=0)))
        if self._most_for is not None and len(self.tokens) > MOST_ITEMS:
            raise _refusal(self._most_for, TOO_MANY)


def _first_documents(intake: Intake, recipe: Recipe, run: Run, firsts: _Firsts) -> tuple[Intake, Corpus, _Firsts]:
    """The intake with its files, the corpus of its documents, and their different tokens."""
    artifact = intake.artifact
    if artifact is not None:
        for sets in token_sets(artifact, np.arange(artifact.n_documents), _AT_ONCE):
            firsts.take(sets)
        return intake, Corpus.of_artifact(artifact, root=intake.root), firsts
    intake = replace(intake, found=files_of(intake, run))
    # What is skipped is reported when the files are read for their signatures.
    quiet = Run(run.engine, Skipped(), lambda _, done, total: run.progress("numbering shingles", done, total))
    limit = intake.walking.max_size
    documents = shingle(Reading(files_of(intake, run), limit, recipe, quiet), firsts.take)
    return intake, Corpus.of(documents, recipe, limit=limit), firsts


def _spelled(corpus: Corpus, rows: Index, tokens: Tokens) -> dict[int, str]:
    """The items with these tokens. rows: the first document with each. InputError: one cannot be read again."""
    spelled, skips = spellings(corpus, np.unique(rows), tokens)
    for skip in skips:
        why = OF_UNVERIFIED.get(skip.detail, f"its text cannot be read again ({skip.detail})")
        again = f": build {corpus.artifact_name} again" if corpus.artifact_name else ": run the command again"
        raise InputError(f"{display_name(skip.shown_name)}: {why}{again}")
    return spelled


def contradictory_permutations(name: bytes, artifact: Artifact) -> Iterator[str]:
    """Yield a message if this file has other permutations than the artifact has. Errors: see `permutations_of`."""
    recipe = artifact.recipe
    if not isinstance(recipe, SignatureRecipe):
        return
    sketching, built = recipe.sketching, "without --permutation-file"
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
    shingling = corpus.recipe.shingling
    for at in range(len(rows)):
        if len(found) == len(wanted):
            break
        if at % _COPIED_AT_ONCE == 0:
            corpus.copy(rows[at : at + _COPIED_AT_ONCE], texts=True)
        ((_, request),) = corpus.readings(rows[at : at + 1])
        texts, unread = reload_texts(request, [0], shingling)
        skips += unread
        for _, text in texts:
            for spelled, token in spelled_shingles(text, shingling):
                if token in wanted:
                    found.setdefault(token, spelled)
    return found, skips
