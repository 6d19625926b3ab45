"""Check an artifact: read all of it, and test every rule that it must keep."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from simdocs.artifacts.formats import RUN
from simdocs.artifacts.manifest import made_from
from simdocs.artifacts.npy import MappedColumn
from simdocs.artifacts.reader import open_artifact
from simdocs.errors import ArtifactError
from simdocs.kernels import fracminhash
from simdocs.kernels.buckets import band_keys
from simdocs.kernels.fss import EMPTY as EMPTY_VALUE
from simdocs.kernels.multisets import digest_of
from simdocs.model.artifact import Artifact, BandIndex, damaged
from simdocs.model.documents import IGNORED, WITHOUT_TOKENS
from simdocs.model.ragged import Array, Rows, TextNumbers
from simdocs.options.recipes import Containing, Ignoring, SignatureRecipe

Arrays = Mapping[str, Array]

Defect = tuple[str, str]
"""A file of an artifact, and what is wrong with it."""


def damages(path: bytes) -> list[str]:
    """Return what is wrong with the artifact at this path, one line for each problem. InputError: it does not exist.

    It is the first file that cannot be opened, or all blocks that are damaged, or the first array that breaks a rule of
    its own or of a reader, or all other rules that are broken.
    """
    try:
        return list(damages_of(open_artifact(path)))
    except ArtifactError as error:
        return [str(error)]


def damages_of(artifact: Artifact) -> Iterator[str]:
    """Yield what is wrong with an artifact that was made or opened in this process, one line for each problem."""
    name, columns = artifact.name, artifact.columns
    if artifact.run.get("root") is None:
        yield f"{name}/{RUN}: missing or damaged, so it is not known where the documents are: build the artifact again"
    opened = [column for column in columns.values() if isinstance(column, MappedColumn)]
    blocks = [(column.name, block) for column in opened for block in column.damaged()]
    for file, block in blocks:
        yield str(damaged(file, f"block {block} does not match its checksum"))
    if blocks:  # they would break rules, too, and be reported twice
        return
    try:
        arrays = {key: column.all() for key, column in columns.items()}
        for file, problem in _broken_rules(artifact, arrays):
            yield str(damaged(f"{name}/{file}", problem))
    except ArtifactError as error:  # columns that were opened have rules of their own, and so has an artifact
        yield str(error)


def _broken_rules(artifact: Artifact, arrays: Arrays) -> Iterator[Defect]:
    recipe, documents = artifact.recipe, artifact.documents
    if artifact.kind == "shingles":
        yield from _shingles(arrays)
    if isinstance(recipe, SignatureRecipe):
        yield from _signatures(recipe.ignoring, arrays)
    if isinstance(artifact, BandIndex):
        firsts, text = documents.distinct_texts()
        yield from _tables(artifact, firsts, text, arrays)
        yield from _sketch(artifact.recipe.containing, firsts, arrays)
    if made_from(documents, recipe) != artifact.made_from:
        yield "manifest.json", "made_from does not match its documents"


def _shingles(arrays: Arrays) -> Iterator[Defect]:
    tokens, offsets, documents = arrays["tokens"], arrays["offsets"], arrays["documents"]
    falling = np.flatnonzero(tokens[1:] <= tokens[:-1]) + 1
    unsorted = np.setdiff1d(falling, offsets)
    if len(unsorted):
        row = int(np.searchsorted(offsets, unsorted[0], side="right")) - 1
        yield "tokens.npy", f"the tokens of row {row} do not ascend without repeats"
    view = np.ascontiguousarray(tokens).view(np.uint8).data
    for row, (begin, end) in enumerate(pairwise((4 * offsets).tolist())):
        if hashlib.sha256(view[begin:end]).digest()[:16] != documents["set_digest"][row].tobytes():
            yield "documents.npy", f"set_digest of row {row} does not match its tokens"
            return


def _signatures(ignoring: Ignoring, arrays: Arrays) -> Iterator[Defect]:
    ignored, facts = arrays["ignored"], arrays["documents"]
    if (ignored[1:] <= ignored[:-1]).any():
        yield "ignored.npy", "does not ascend without repeats"
    if digest_of(ignored) != ignoring.ignored_digest:
        yield "ignored.npy", "does not have the digest in manifest.json"
    without_any = (facts["count"] > 0) & (facts["ignored"] == facts["count"])
    if ((facts["ignored"] > facts["count"]) | (without_any != (facts["flags"] & IGNORED != 0))).any():
        yield "documents.npy", "the number of tokens that are left out of a document is impossible"
    without = (facts["flags"] & WITHOUT_TOKENS) != 0
    if (arrays["signatures"][without] != EMPTY_VALUE).any():
        yield "signatures.npy", "a document without tokens has a signature"


def _tables(index: BandIndex, firsts: Rows, text: TextNumbers, arrays: Arrays) -> Iterator[Defect]:
    keys, rows, same_as = arrays["band_keys"], arrays["band_rows"], arrays["same_as"]
    expected = np.where(text >= 0, firsts[text] if len(firsts) else 0, np.arange(len(text)))
    if (same_as != expected).any():
        yield "same_as.npy", "does not hold the rows of the first documents with the same texts"
        return
    index.hold_tables()
    number = np.empty(len(text), np.int64)
    number[firsts] = np.arange(len(firsts))
    made = band_keys(arrays["signatures"], firsts, *index.recipe.banding.cut)
    for band, key in enumerate(made):
        if (key[number[rows[band]]] != keys[band]).any():
            yield "band_keys.npy", f"band {band} does not match signatures.npy"


def _sketch(containing: Containing, firsts: Rows, arrays: Arrays) -> Iterator[Defect]:
    tokens, rows = arrays["sketch_tokens"], arrays["sketch_rows"]
    if len(tokens) and not containing.containment:
        yield "sketch_tokens.npy", "is not empty, but manifest.json says that there is no sketch"
    again = tokens[1:] == tokens[:-1]
    if (tokens >= fracminhash.CUT_OFF).any() or (tokens[1:] < tokens[:-1]).any():
        yield "sketch_tokens.npy", "does not ascend, or holds a token that is not below the cut-off"
    if (rows[1:][again] <= rows[:-1][again]).any():
        yield "sketch_rows.npy", "the documents that have a token do not ascend"
    if not np.isin(rows, firsts).all():
        yield "sketch_rows.npy", "holds a document that has no tokens, or is not the first one with its text"
