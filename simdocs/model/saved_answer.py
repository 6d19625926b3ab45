"""A saved answer: what dedupe found, with everything that is needed to look at it or to act on it later."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from simdocs.model.figures import counted
from simdocs.model.ragged import Tokens
from simdocs.options.recipes import SignatureRecipe

SUFFIX = "answer"
"""The suffix of the names of saved answers."""

VERSION = 2
"""The version of their format, which docs/generate.py describes."""


class SavedDocument(NamedTuple):
    """What a saved answer has of a document: its name, and then the fields that rows have of both documents."""

    name: bytes
    root: int
    container: int
    size: int
    file_size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    content: str

    @property
    def file(self) -> bytes:
        """The name of its file."""
        return self.name[: self.container] if self.container else self.name

    @property
    def is_file(self) -> bool:
        """Whether it is a whole file, and not a row of one, or a text that came from no file."""
        return not self.container and bool(self.inode)


class SavedPair(NamedTuple):
    """A row: a kept document and its duplicate. jaccard: None if it was not computed."""

    kept: SavedDocument
    duplicate: SavedDocument
    jaccard: float | None
    estimate: float
    group: int


class SavedRoot(NamedTuple):
    """A directory below which files are opened without following links.

    path: its absolute path, with a slash at its end.
    named: how many bytes of the names of its documents are the name of the directory.
    inode: its inode; 0 if it was gone when the answer was written.
    argument: the number of the argument to which its documents belong; None: they belong to an index.
    """

    path: bytes
    named: int
    inode: int
    argument: int | None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SavedAnswer:
    """An answer of dedupe that is being saved, or that was read again.

    name: the path of its file, for messages; empty if it has none yet.
    root, index_root: the directories in which relative names are found, of the documents and of those of an index.
    recipe: how documents become tokens and signatures.
    parameters: all parameters in groups, as JSON has them.
    threshold: the minimum similarity.
    probability: the least probability that a pair at the threshold becomes a candidate.
    ignored: the tokens that are left out, ascending.
    documents, kept, groups, duplicates: how many there are.
    changed: the number of documents that are new or changed, if only groups with one of them count; else None. Then
        only these are counted in `kept`.
    skipped: how many documents were not compared, by reason.
    arguments: the name of each argument, and how many documents it gave.
    roots: see SavedRoot.
    simdocs: the version of the program that wrote it.
    source: yields the pairs, in the order of the answer, each time it is called.
    """

    name: str = ""
    root: bytes
    index_root: bytes | None
    recipe: SignatureRecipe
    parameters: Mapping[str, Any]
    threshold: float
    probability: float
    ignored: Tokens = field(default_factory=lambda: np.empty(0, np.uint32))
    documents: int
    kept: int
    groups: int
    duplicates: int
    changed: int | None = None
    skipped: Mapping[str, int]
    arguments: tuple[tuple[bytes, int], ...]
    roots: tuple[SavedRoot, ...]
    simdocs: str
    source: Callable[[], Iterator[SavedPair]]

    def pairs(self) -> Iterator[SavedPair]:
        """Yield each kept document with each of its duplicates, in the order of the answer."""
        return self.source()

    def __iter__(self) -> Iterator[SavedPair]:
        return self.pairs()

    def __len__(self) -> int:
        return self.duplicates

    @property
    def is_exact(self) -> bool:
        """Whether the similarities are exact, and no estimates."""
        return bool(self.parameters["grouping"]["verify"] == "exact")

    @property
    def by_chains(self) -> bool:
        """Whether chains of similar documents make a group, and not the similarity to the kept one."""
        return bool(self.parameters["grouping"]["cluster"] == "components")

    def path(self, document: SavedDocument) -> bytes:
        """The absolute path of a document's file."""
        root = self.roots[document.root]
        return root.path + document.file[root.named :]

    def printed(self, document: SavedDocument) -> bytes:
        """The name of a document as a path that works in the working directory."""
        base = self.root if self.roots[document.root].argument is not None else self.index_root or self.root
        return document.name if base == os.getcwdb() else os.path.join(base, document.name)

    def __repr__(self) -> str:
        return f"<SavedAnswer: {counted(self.documents, 'document')}, {counted(self.duplicates, 'duplicate')}>"
