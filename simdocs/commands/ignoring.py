"""What named files decide: the tokens that are left out, lists of stop words, and hash functions that are stated.

Hash functions that are stated need the different shingles of all documents, which are numbered first. In messages and
here, an item is a different shingle. The items of an index stay those with which it was built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from simdocs.artifacts.manifest import differences
from simdocs.engines.engine import Run
from simdocs.errors import ArtifactError, InputError, ParametersError, UsageError
from simdocs.kernels.multisets import digest_of
from simdocs.matching.corpus import Corpus
from simdocs.model.artifact import Artifact, Shingles, damaged
from simdocs.model.ragged import NO_TOKENS, Index, Ragged, Rows, Tokens
from simdocs.model.skipped import OF_UNVERIFIED, Skip, Skipped
from simdocs.names import display_name
from simdocs.options.declaration import Options
from simdocs.options.hash_functions import (
    FUNCTIONS,
    MOST_ITEMS,
    TOO_MANY,
    in_row_order,
    numbers_of,
    permutations_in,
    permuted,
)
from simdocs.options.recipes import MOST_STOP_WORDS, Sequences, Shingling, SignatureRecipe, Sketching, Walking
from simdocs.pipeline.again import reload_texts
from simdocs.pipeline.boilerplate import template_tokens
from simdocs.pipeline.reading import Intake, Reading, files_of
from simdocs.pipeline.signing import shingle, spelled_shingles, token_sets
from simdocs.reading.single_text import read_single_document

_COMMENT = "#|"
"""The signs that begin a comment. No word has them, and the lists of Snowball have comments after |."""


def stop_word_list(name: bytes) -> str:
    """The distinct words in this file, sorted, with spaces between them.

    InputError: the list cannot be used. UsageError: the file has many texts.
    """
    shown = display_name(name)
    data = read_single_document(name, Walking().max_size, Sequences())
    if len(data) > MOST_STOP_WORDS:
        problem = f"this list of stop words has {len(data):,} bytes, and {MOST_STOP_WORDS:,} are allowed"
        raise InputError(f"{shown}: {problem}: leave out comments and rare words")
    try:
        lines = data.decode().splitlines()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{shown}, line {line}: this list is not in UTF-8: convert it first, for instance with iconv"
        ) from None
    for sign in _COMMENT:
        lines = [line.partition(sign)[0] for line in lines]
    words = sorted({word for line in lines for word in line.split()})
    if not any(map(str.isalnum, "".join(words))):
        raise InputError(f"{shown}: this list has no words: give one word on each line")
    return " ".join(words)


def leaving_out(
    options: Options, intake: Intake, recipe: SignatureRecipe, decided_by: Artifact | None
) -> tuple[Intake, SignatureRecipe]:
    """The intake and the recipe with the tokens that are left out. Common tokens of documents are not known yet.

    decided_by: the artifact that decides it, if it is not one of token sets. InputError: a template cannot be used.
    """
    if decided_by is not None and isinstance(decided_by.recipe, SignatureRecipe):
        return replace(intake, ignored=ignored_of(decided_by)), recipe
    tokens = tokens_of_templates(getattr(options, "template", ()), recipe.shingling)
    digest = digest_of(tokens)
    ignoring = recipe.ignoring.but(template_digest=digest, ignored_digest=digest)
    return replace(intake, ignored=tokens), recipe.but(ignoring=ignoring)


def contradictory_files(options: Options, artifact: Artifact) -> Iterator[str]:
    """Yield a message for each file or function that was named and is not that of the artifact.

    InputError, UsageError: a file cannot be used.
    """
    recipe, remedy = artifact.recipe, "rebuild it, or leave the option out"
    built: dict[str, tuple[Any, Callable[[Any], object]]] = {
        "stop_words": (recipe.shingling.stop_word_list, stop_word_list)
    }
    if isinstance(recipe, SignatureRecipe):
        sketching, shingling = recipe.sketching, recipe.shingling
        built |= {
            "template": (
                recipe.ignoring.template_digest,
                lambda names: digest_of(tokens_of_templates(names, shingling)),
            ),
            "functions": (sketching.functions, lambda functions: functions),
            "permutation_file": (sketching.permutations, lambda name: _permuted(name, sketching.items)),
        }
    for option in options.differ(tuple(built)):
        theirs, ours = built[option.name]
        if not theirs:
            yield f"{artifact.name} was built without {option.flag}: {remedy}"
        elif theirs != ours(getattr(options, option.name)):
            built_with = f"another {option.flag}"
            if option.name == "functions":
                built_with = f"--functions {', '.join(theirs)}, not {', '.join(getattr(options, option.name))}"
            yield f"{artifact.name} was built with {built_with}: {remedy}"


def _permuted(name: bytes, items: Sequence[str]) -> tuple[str, ...]:
    """The permutations in this file as numbers of these items. InputError: it has none, or not of these."""
    try:
        return permuted(permutations_of(name), items)
    except ValueError as wrong:
        raise InputError(f"{display_name(name)}: {wrong}") from None


def refuse_other_tokens(artifact: Artifact, index: Artifact) -> None:
    """Raise ParametersError or ArtifactError if an artifact cannot be compared with an index.

    They must have the same parameters of shingles and signatures, as far as the artifact has any, and leave out the
    same tokens.
    """
    shared = ["shingling"]
    if isinstance(artifact.recipe, SignatureRecipe):
        shared += ["sketching", "ignoring"]
    found = differences(artifact.recipe, index.recipe, shared)
    if found.keys() == {"ignored_digest"}:
        raise ArtifactError(
            f"{artifact.name}: leaves out other tokens than {index.name}, because common tokens depend on the"
            f" documents: give the documents or their .shingles, from which the tokens of {index.name} are left out"
        )
    if found:
        of_items = {"items", "item_tokens"}  # as long as everything else that differs
        raise ParametersError(
            artifact.name, index.name, {name: found[name] for name in found if name not in of_items} or found
        )


def tokens_of_templates(templates: Sequence[bytes], shingling: Shingling) -> Tokens:
    """The tokens of these files of templates. InputError, UsageError: a template cannot be used."""
    texts = list[bytes]()
    for name in templates:
        texts.append(read_single_document(name, Walking().max_size, Sequences()))
        if not len(template_tokens(texts[-1:], shingling)):
            problem = "this template is empty, so it has no tokens"
            raise InputError(f"{display_name(name)}: {problem}: give the text that documents share")
    return template_tokens(texts, shingling)


def ignored_of(artifact: Artifact) -> Tokens:
    """The tokens that an artifact leaves out. ArtifactError: they are not those that its manifest names."""
    ignored, recipe = artifact.ignored, artifact.recipe
    assert isinstance(recipe, SignatureRecipe)
    if digest_of(ignored) != recipe.ignoring.ignored_digest:
        raise damaged(f"{artifact.name}/ignored.npy", "it does not have the digest in manifest.json")
    return ignored


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
        documents = shingle(Reading(intake, recipe, quiet), firsts.take)
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
        texts, unread = reload_texts(request, corpus.recipe.shingling)
        skips += unread
        for _, text in texts:
            for spelled, token in spelled_shingles(text, corpus.recipe.shingling):
                if token in wanted:
                    found.setdefault(token, spelled)
    return found, skips
