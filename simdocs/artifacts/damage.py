"""Check an artifact: read all of it, and test every rule that it must keep."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from simdocs.artifacts.formats import FORMATS, RUN
from simdocs.artifacts.manifest import Manifest, made_from
from simdocs.artifacts.npy import MappedColumn, Rules, damaged
from simdocs.artifacts.reader import open_artifact
from simdocs.errors import ArtifactError
from simdocs.kernels import fracminhash
from simdocs.kernels.buckets import band_keys
from simdocs.kernels.fss import EMPTY as EMPTY_VALUE
from simdocs.kernels.multisets import digest_of
from simdocs.model.artifact import Artifact
from simdocs.model.documents import IGNORED, WITHOUT_TOKENS, Documents, SourceFiles
from simdocs.model.ragged import Array, Ragged
from simdocs.options.recipes import Banding, Containing, Ignoring, IndexRecipe, SignatureRecipe

Arrays = Mapping[str, Array]

Defect = tuple[str, str]
"""A file of an artifact, and what is wrong with it."""


def damages(path: bytes) -> list[str]:
    """Return what is wrong with the artifact at this path, one line for each problem. InputError: it does not exist.

    It is the first file that cannot be opened, or all blocks that are damaged, or all rules that are broken.
    """
    try:
        return list(damages_of(open_artifact(path)))
    except ArtifactError as error:
        return [str(error)]


def damages_of(artifact: Artifact) -> Iterator[str]:
    """Yield what is wrong with an artifact that was made or opened in this process, one line for each problem."""
    name, sound, columns = artifact.name, True, artifact.columns
    shapes = {array: column.shape for array, column in columns.items()}
    manifest = Manifest(FORMATS[artifact.kind], artifact.recipe, artifact.made_from, shapes, {})
    if artifact.run.get("root") is None:
        yield f"{name}/{RUN}: missing or damaged, so it is not known where the documents are: build the artifact again"
    for column in (column for column in columns.values() if isinstance(column, MappedColumn)):
        for block in column.damaged():
            sound = False
            yield str(damaged(column.name, f"block {block} does not match its checksum"))
    # Damaged blocks would break rules, too, and be reported twice.
    if not sound:
        return
    try:
        arrays = {key: column.all() for key, column in columns.items()}
    except ArtifactError as error:  # columns of an artifact that was opened keep rules of their own
        yield str(error)
        return
    for file, problem in _broken_rules(manifest, arrays):
        yield str(damaged(f"{name}/{file}", problem))


def _broken_rules(manifest: Manifest, arrays: Arrays) -> Iterator[Defect]:
    broken = list(_offsets("name_offsets", arrays["name_offsets"], len(arrays["names"])))
    if not arrays["names"].all():
        broken.append(("names.npy", "holds a NUL"))
    for array in manifest.format.arrays:
        if array.dtype.names and (problem := Rules(array, manifest.lengths, 0).broken_by_records(arrays[array.name])):
            broken.append((array.file, problem))
    yield from broken
    if not broken and (contradiction := _documents(arrays).contradiction):
        yield contradiction
    if manifest.format.kind == "shingles":
        yield from _shingles(arrays)
    if isinstance(manifest.recipe, SignatureRecipe):
        yield from _signatures(manifest.recipe.ignoring, arrays)
    if isinstance(manifest.recipe, IndexRecipe):
        yield from _tables(manifest.recipe.banding, arrays)
        yield from _sketch(manifest.recipe.containing, arrays)
    if made_from(_documents(arrays), manifest.recipe) != manifest.made_from:
        yield "manifest.json", "made_from does not match its documents"


def _documents(arrays: Arrays) -> Documents:
    sources = SourceFiles(arrays["files"])
    return Documents(Ragged(arrays["names"], arrays["name_offsets"]), arrays["documents"], sources, {})


def _offsets(name: str, offsets: Array, end: int) -> Iterator[Defect]:
    if offsets[0] != 0 or offsets[-1] != end or (offsets[1:] < offsets[:-1]).any():
        yield f"{name}.npy", f"does not ascend from 0 to {end}"


def _shingles(arrays: Arrays) -> Iterator[Defect]:
    tokens, offsets, documents = arrays["tokens"], arrays["offsets"], arrays["documents"]
    problems = list(_offsets("offsets", offsets, len(tokens)))
    yield from problems
    if problems:
        return
    lengths = np.diff(offsets)
    falling = np.flatnonzero(tokens[1:] <= tokens[:-1]) + 1
    unsorted = np.setdiff1d(falling, offsets)
    if len(unsorted):
        row = int(np.searchsorted(offsets, unsorted[0], side="right")) - 1
        yield "tokens.npy", f"the tokens of row {row} do not ascend without repeats"
    if (documents["count"] != lengths).any():
        yield "documents.npy", "count does not match offsets.npy"
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


def _tables(banding: Banding, arrays: Arrays) -> Iterator[Defect]:
    keys, rows, same_as = arrays["band_keys"], arrays["band_rows"], arrays["same_as"]
    firsts, text = _documents(arrays).distinct_texts()
    expected = np.where(text >= 0, firsts[text] if len(firsts) else 0, np.arange(len(text)))
    if (same_as != expected).any():
        yield "same_as.npy", "does not hold the rows of the first documents with the same texts"
    if (keys[:, 1:] < keys[:, :-1]).any():
        yield "band_keys.npy", "a band does not ascend"
    if rows.shape[1] != len(firsts) or (np.sort(rows, axis=1) != firsts).any():
        yield "band_rows.npy", "does not hold every distinct text once in each band"
        return
    number = np.empty(len(text), np.int64)
    number[firsts] = np.arange(len(firsts))
    made = band_keys(arrays["signatures"], firsts, *banding.cut)
    for band, key in enumerate(made):
        if (key[number[rows[band]]] != keys[band]).any():
            yield "band_keys.npy", f"band {band} does not match signatures.npy"


def _sketch(containing: Containing, arrays: Arrays) -> Iterator[Defect]:
    tokens, rows = arrays["sketch_tokens"], arrays["sketch_rows"]
    if len(tokens) and not containing.containment:
        yield "sketch_tokens.npy", "is not empty, but manifest.json says that there is no sketch"
    again = tokens[1:] == tokens[:-1]
    if (tokens >= fracminhash.CUT_OFF).any() or (tokens[1:] < tokens[:-1]).any():
        yield "sketch_tokens.npy", "does not ascend, or holds a token that is not below the cut-off"
    if (rows[1:][again] <= rows[:-1][again]).any():
        yield "sketch_rows.npy", "the documents that have a token do not ascend"
    firsts, _ = _documents(arrays).distinct_texts()
    if not np.isin(rows, firsts).all():
        yield "sketch_rows.npy", "holds a document that has no tokens, or is not the first one with its text"
