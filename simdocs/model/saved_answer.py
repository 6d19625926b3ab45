"""A saved answer: what dedupe found, with everything that is needed to look at it or to act on it later."""

from __future__ import annotations

import os
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from simdocs.model.figures import counted
from simdocs.model.ragged import Tokens
from simdocs.names import name_from_json
from simdocs.options.recipes import SignatureRecipe

FORMAT, SUFFIX = "simdocs.answer", "answer"
"""The name of their format, and the suffix of their names."""

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


class SavedAnswer:
    """An answer of dedupe that is being saved, or that was read again.

    head: the first line of its file: what was compared and how, and the counts. docs/formats.md describes it, and what
        it says is also in attributes: root, index_root, threshold, probability, parameters, documents, kept, groups,
        duplicates, changed, skipped and simdocs.
    recipe: how documents become tokens and signatures.
    source: yields the pairs, in the order of the answer, each time it is called.
    name: the path of its file, for messages; empty if it has none yet.
    ignored: the tokens that are left out, ascending.
    arguments: the name of each argument, and how many documents it gave.
    roots: the directories below which files are opened without following links, with the absolute `path`, which ends
        with a slash.
    """

    def __init__(
        self,
        head: Mapping[str, Any],
        recipe: SignatureRecipe,
        source: Callable[[], Iterator[SavedPair]],
        name: str = "",
    ) -> None:
        """ValueError, LookupError, TypeError, AttributeError: the head is not one that we write."""
        self.head, self.recipe, self.source, self.name = head, recipe, source, name
        self.root, self.index_root = name_from_json(head, "root"), None
        if head.get("index_root", "") is not None:
            self.index_root = name_from_json(head, "index_root")
        self.threshold, self.probability = float(head["threshold"]), float(head["probability"])
        if not 0 < self.threshold <= 1:
            raise ValueError
        self.documents, self.kept = int(head["documents"]), int(head["kept"])
        self.groups, self.duplicates = int(head["groups"]), int(head["duplicates"])
        self.changed, self.skipped = head["changed"], dict(head["skipped"])
        self.parameters, self.simdocs = head["parameters"], str(head["simdocs"])
        self.ignored: Tokens = np.frombuffer(b64decode(head["ignored"]), "<u4").astype(np.uint32)
        self.arguments = tuple((name_from_json(each, "name"), int(each["documents"])) for each in head["arguments"])
        self.roots = [{**each, "path": name_from_json(each, "path")} for each in head["roots"]]

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

    def path(self, document: SavedDocument) -> bytes:
        """The absolute path of a document's file."""
        return bytes(self.roots[document.root]["path"]) + self.below(document)

    def below(self, document: SavedDocument) -> bytes:
        """The path of a document's file below its directory."""
        return document.file[self.roots[document.root]["named"] :]

    def printed(self, document: SavedDocument) -> bytes:
        """The name of a document as a path that works in the working directory."""
        base = self.base_of(document)
        return document.name if base == os.getcwdb() else os.path.join(base, document.name)

    def base_of(self, document: SavedDocument) -> bytes:
        """The directory in which the name of a document is found, if it is relative."""
        return self.root if self.roots[document.root]["argument"] is not None else self.index_root or self.root

    def __repr__(self) -> str:
        return f"<SavedAnswer: {counted(self.documents, 'document')}, {counted(self.duplicates, 'duplicate')}>"
