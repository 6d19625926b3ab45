"""Artifacts: the results of the stages. They hold columns, and are the same in memory and memory-mapped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from simdocs.errors import ArtifactError
from simdocs.model.documents import WITHOUT_TOKENS, Column, DocumentFacts, Documents
from simdocs.model.ragged import Array, Keys, Ragged, Rows, Tokens, ranges
from simdocs.model.skipped import Skipped
from simdocs.names import text_to_name
from simdocs.options.recipes import RECORDED, IndexRecipe, Recipe, SignatureRecipe

_RANGES = re.compile(r"(?:[0-9]{1,18}(?:-[0-9]{1,18})?(?:,[0-9]{1,18}(?:-[0-9]{1,18})?)*+)?")
"""No number is too large for int64."""


def as_ranges(rows: Rows) -> str:
    """The rows as ranges: each is "first-last", or "row" if it has only one; "" if there are no rows.

    rows: ascending, without repeats.
    """
    begins = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
    firsts, lasts = rows[begins], rows[np.append(begins[1:], len(rows))[: len(begins)] - 1]
    each = zip(firsts.tolist(), lasts.tolist(), strict=True)
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in each)


def rows_of_ranges(text: str, size: int) -> Rows:
    """The rows that a text of ranges stands for: int64, ascending, without repeats.

    ValueError: the text is not one of ranges that ascend, do not overlap and end below `size`.
    """
    if not _RANGES.fullmatch(text):
        raise ValueError("not a list of ranges")
    if not text:
        return np.empty(0, np.int64)
    numbers = np.fromstring(text.replace("-", ","), np.int64, sep=",")
    characters = np.frombuffer(text.encode("ascii"), np.uint8)
    after_comma = characters[np.isin(characters, (ord(","), ord("-")))] == ord(",")
    firsts = numbers[np.append(True, after_comma)]
    lasts = numbers[np.append(after_comma, True)]
    if (firsts > lasts).any() or (firsts[1:] <= lasts[:-1]).any() or lasts[-1] >= size:
        raise ValueError("the ranges do not ascend, or there are not so many documents")
    return ranges(firsts, lasts - firsts + 1)


def damaged(name: str, what: str, remedy: str = "build the artifact again") -> ArtifactError:
    """Return the error about a damaged file of an artifact."""
    return ArtifactError(f"{name}: damaged: {what}", remedy)


_ALWAYS_SHOWN = frozenset(("unit", "num_perm", "threshold"))


class Artifact:
    """N documents, and the arrays that a stage made from them.

    name: its path as given, for messages; "the index given" if it is in memory.
    recipe: all parameters with which it was made.
    made_from: a hash of the documents' names, their token sets and the shingling parameters.
    columns: its arrays by name; docs/formats.md lists them for each kind.
    run: the contents of run.json about the run that made it; empty if the file cannot be read.
    held, given_names: of documents in memory: see Documents.
    skipped: what was skipped when it was made; empty if it was opened from disk.
    """

    kind: ClassVar[str]

    recipe: Recipe

    def __init__(
        self,
        name: str,
        recipe: Recipe,
        made_from: str,
        columns: Mapping[str, Column],
        run: Mapping[str, Any],
        *,
        held: dict[int, bytes] | None = None,
        given_names: Mapping[int, Any] | None = None,
        skipped: Skipped | None = None,
    ) -> None:
        self.name, self.recipe, self.made_from, self.columns, self.run = name, recipe, made_from, columns, run
        self.held, self.given_names = held or {}, given_names or {}
        self.skipped = Skipped() if skipped is None else skipped
        self._documents: Documents | None = None
        """The documents, when they have been read and found to be consistent."""

    def but(self, **others: Any) -> Self:
        """The same artifact with these other attributes."""
        other = copy(self)
        vars(other).update(others, _documents=None)
        return other

    def __getitem__(self, column: str) -> Column:
        return self.columns[column]

    def __repr__(self) -> str:
        main = (
            f"{name}={value!r}"
            for name, value in self.recipe.flattened()
            if name in _ALWAYS_SHOWN or (name in RECORDED and value != RECORDED[name].default)
        )
        return f"<{type(self).__name__}: {', '.join([f'documents={self.n_documents}', *main])}>"

    @property
    def n_documents(self) -> int:
        """The number of documents, N."""
        return len(self.columns["documents"])

    @property
    def documents(self) -> Documents:
        """All documents, in row order. ArtifactError: what is recorded about them contradicts itself."""
        if self._documents is None:
            names = Ragged(self._array("names"), self._array("name_offsets"))
            facts, files = self._array("documents"), self._array("files")
            found = Documents(names, facts, files, self.held, given_names=self.given_names)
            if contradiction := found.contradiction:
                raise damaged(f"{self.name}/{contradiction[0]}", contradiction[1])
            if "offsets" in self.columns and (found.facts["count"] != np.diff(self._array("offsets"))).any():
                raise damaged(f"{self.name}/documents.npy", "count does not match offsets.npy")
            self._documents = found
        return self._documents

    @property
    def facts(self) -> Column:
        """The facts of each document together with the stamp of its file: (N,) FACTS."""
        return DocumentFacts(self.columns["documents"], self.columns["files"])

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about its use, such as that its bands miss many pairs. Empty if it was opened from disk."""
        return tuple(self.skipped.every_warning)

    @property
    def root(self) -> bytes:
        """The directory from which the documents' names are found; empty if that is not known."""
        root = self.run.get("root")
        try:
            return text_to_name(root) if isinstance(root, str) and "\0" not in root else b""
        except UnicodeEncodeError:  # run.json was changed by hand: no name becomes this text
            return b""

    @property
    def changed(self) -> Rows:
        """The rows of the documents that were new or had changed at the last build or update, ascending.

        ArtifactError: run.json does not say so.
        """
        told = self.run.get("changed")
        try:
            return rows_of_ranges(told if isinstance(told, str) else "?", self.n_documents)
        except ValueError:
            unknown = f"{self.name}/run.json does not say which documents are new or changed"
            raise ArtifactError(f"{unknown}: build the {self.kind} again") from None

    @property
    def ignored(self) -> Tokens:
        """The tokens that are left out of all its documents, ascending: (I,) uint32."""
        return self._array("ignored") if "ignored" in self.columns else np.empty(0, np.uint32)

    def _array(self, column: str) -> Array:
        """A whole column as a plain array: np.memmap is a subclass that slows down indexing."""
        return np.asarray(self.columns[column].all())


class Shingles(Artifact):
    """N documents and their token sets."""

    kind: ClassVar[str] = "shingles"

    @property
    def tokens(self) -> Ragged:
        """The token set of each document: N rows of uint32, each ascending and without repeats."""
        return Ragged(self._array("tokens"), self._array("offsets"))


class Signatures(Artifact):
    """N documents and their signatures."""

    kind: ClassVar[str] = "signatures"
    recipe: SignatureRecipe

    @property
    def signatures(self) -> Tokens:
        """The signatures, (N, K) uint32; the row of an empty document is all 0xFFFFFFFF."""
        return self._array("signatures")


class BucketTables(NamedTuple):
    """The buckets of M distinct texts in B bands.

    keys: (B, M) uint64, each band ascending
    rows: (B, M) uint32, the row of the document that has the key
    same_as: (N,) uint32, the row of the first document with the same text; the document's own row if it is empty
    """

    keys: Keys
    rows: Tokens
    same_as: Tokens


class BandIndex(Signatures):
    """N documents, their signatures, and the buckets that they share."""

    kind: ClassVar[str] = "index"
    recipe: IndexRecipe

    @property
    def tables(self) -> BucketTables:
        """The bucket tables."""
        return BucketTables(self._array("band_keys"), self._array("band_rows"), self._array("same_as"))

    def hold_tables(self) -> None:
        """Raise ArtifactError unless every band has the first document of each text once, under keys that ascend."""
        facts, same_as, rows = self.documents.facts, self._array("same_as"), np.arange(self.n_documents)
        is_first = same_as == rows
        if (same_as > rows).any() or not is_first[same_as].all() or (facts["digest"] != facts["digest"][same_as]).any():
            problem = "does not hold the rows of the first documents with the same texts"
            raise damaged(f"{self.name}/same_as.npy", problem)
        is_first &= (facts["flags"] & WITHOUT_TOKENS) == 0
        bands, texts = self["band_rows"].shape
        for band in range(bands):
            keys, owners = (self[name].cut(band, band + 1)[0] for name in ("band_keys", "band_rows"))
            found = np.zeros(len(rows), bool)
            found[owners] = True
            if np.count_nonzero(found) != texts or (found != is_first).any():
                raise damaged(f"{self.name}/band_rows.npy", "does not hold every distinct text once in each band")
            if (keys[1:] < keys[:-1]).any():
                raise damaged(f"{self.name}/band_keys.npy", "a band does not ascend")
            self["band_keys"].release()
            self["band_rows"].release()
