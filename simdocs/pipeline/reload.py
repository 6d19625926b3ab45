"""Read documents a second time: return unchanged texts, and report documents that are missing or have changed."""

from __future__ import annotations

import os
from collections import OrderedDict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.decode import as_utf8
from simdocs.corpora.gzip_stream import PADDING
from simdocs.corpora.identity import Identity, identities, same_texts
from simdocs.corpora.jsonl import text_of
from simdocs.corpora.jsonl_lookup import LineReader
from simdocs.corpora.read_file import read
from simdocs.corpora.stamp import Stamp, status_of
from simdocs.corpora.walked_files import ANY, Directories, Met
from simdocs.engines.worker_state import WorkerState
from simdocs.errors import InputError
from simdocs.kernels.tokens import multisets
from simdocs.kernels.tokens.ignored_tokens import leave_out
from simdocs.model.names import display_name
from simdocs.model.ragged import NO_TOKENS, BlockPlaces, Mask, Ragged, Tokens
from simdocs.model.skipped import ALTERED, GONE, WITHOUT_FILE, DocumentSkipped, Skip
from simdocs.model.texts import Texts, batches
from simdocs.pipeline.shingling import normalised, shingled
from simdocs.recipes import Sequences, Shingling

_SLACK = 1 << 16
"""Bytes by which a file with the same text may have grown, because of spaces or less compression."""

_REASONS = {"vanished": GONE} | dict.fromkeys(("special", "oversized", "malformed", "binary"), ALTERED)


@dataclass(frozen=True, slots=True)
class ReloadRequest:
    """Documents to read a second time.

    held: the bytes of those that are still in memory, by place. limit: the largest size of a document in bytes. facts:
    those recorded when they were first read, (n,) FACTS. root: the directory from which their names are found; empty
    for the working directory. sequences: which field of a line of JSONL holds the text. met: how their files were met
    in this run, (n,) MET; None if an earlier run met them. ignored: the tokens that are left out, ascending.
    """

    names: list[bytes]
    held: dict[int, bytes]
    limit: int
    facts: NDArray[np.void]
    root: bytes
    sequences: Sequences
    met: NDArray[np.void] | None = None
    ignored: Tokens = field(default_factory=lambda: NO_TOKENS)

    def file(self, place: int) -> bytes:
        """The path of a document's file, which it is or of which it is a line."""
        container = int(self.facts[place]["container"])
        name = self.names[place]
        return os.path.join(self.root, name[:container] if container else name)

    def skip(self, place: int, why: str) -> Skip:
        """The skip of a document that cannot be verified."""
        return Skip("unverified", self.names[place], why, root=self.root)

    def met_file(self, place: int) -> Met:
        """How the file of a document was met."""
        return ANY if self.met is None else Met.of(self.met[place])

    def identity(self, place: int) -> Identity:
        """The recorded identity of a document."""
        (identity,) = identities(self.facts[place : place + 1])
        return identity


Source = ReloadRequest | Ragged
"""A source of token sets: documents to read again, or the sets themselves."""


def reload_token_sets(
    request: ReloadRequest, places: list[int], shingling: Shingling, reader: LineReader
) -> tuple[list[tuple[int, Tokens]], list[Skip]]:
    """The token sets of the unchanged documents among these places, with their places, and the skips of the others.

    A document is unchanged if the inode and times of its file are, or if its text has the digest that was recorded.
    """
    texts, skips = _read_again(request, places, reader)
    found = []
    for part in shingled(texts.raws, shingling):
        same = texts.same(part.places, part.texts, request)
        sets = leave_out(multisets.token_sets(part.tokens), request.ignored)
        for row, at in enumerate(part.places.tolist()):
            if same[row]:
                # A slice would keep the tokens of the whole batch in memory. A large document is alone in its batch.
                found.append((texts.places[at], sets[row].copy() if len(sets) > 1 else sets.values))
            else:
                skips.append(request.skip(texts.places[at], ALTERED))
    return found, skips


def reload_texts(
    request: ReloadRequest, places: list[int], shingling: Shingling, reader: LineReader
) -> tuple[list[tuple[int, bytes]], list[Skip]]:
    """The texts of the unchanged documents among these places, as UTF-8, with their places; the skips of the others."""
    texts, skips = _read_again(request, places, reader)
    found = []
    for part, normal in normalised(texts.raws, shingling):
        same = texts.same(part, normal, request)
        for row, at in enumerate(part.tolist()):
            if same[row]:
                found.append((texts.places[at], texts.raws[at]))
            else:
                skips.append(request.skip(texts.places[at], ALTERED))
    return found, skips


def unchanged(request: ReloadRequest, shingling: Shingling, reader: LineReader) -> tuple[Mask, list[Skip]]:
    """Which documents are unchanged, and the skips of the others. Only texts of changed files are read."""
    same = _of_unchanged_files(request)
    unsure, skips = np.flatnonzero(~same).tolist(), list[Skip]()
    for cut in batches(request.facts["size"][unsure].tolist()):
        texts, missing = _read_again(request, unsure[cut.start : cut.stop], reader)
        skips += missing
        for part, normal in normalised(texts.raws, shingling):
            places = np.array(texts.places)[part]
            same[places] = texts.same(part, normal, request)
            skips += [request.skip(place, ALTERED) for place in places[~same[places]].tolist()]
    return same, skips


def found(request: ReloadRequest) -> tuple[Mask, list[Skip]]:
    """Which documents still have a file, changed or not, and the skips of the others. No file is read."""
    there: dict[bytes, bool] = {}
    skips, still = list[Skip](), np.ones(len(request.names), bool)
    for place, identity in enumerate(identities(request.facts)):
        if place in request.held or not identity.from_file:
            continue
        path = request.file(place)
        if path not in there:
            there[path] = _exists(path)
        if not there[path]:
            still[place] = False
            skips.append(request.skip(place, GONE))
    return still, skips


def _exists(path: bytes) -> bool:
    """Whether there is a file at this path, as far as one can tell: it may be in a directory that cannot be read."""
    try:
        status_of(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _of_unchanged_files(request: ReloadRequest) -> Mask:
    """Which documents have an unchanged file, or no file that could change. No file is read.

    The status of a file with many documents is read once.
    """
    stamps: dict[bytes, Stamp | None] = {}
    same = np.ones(len(request.names), bool)
    for place, identity in enumerate(identities(request.facts)):
        if place in request.held or not identity.from_file:
            continue
        path = request.file(place)
        if path not in stamps:
            stamps[path] = Stamp.at(path)
        same[place] = identity.unchanged(stamps[path])
    return same


def unchanged_line(request: ReloadRequest, place: int, shingling: Shingling, reader: LineReader) -> bytes:
    """The line of a JSONL file that a document is, byte for byte, without its end.

    InputError: the file and the text have changed, or cannot be read.
    """
    identity, name = request.identity(place), request.names[place]
    if place in request.held:
        return request.held[place]
    try:
        line, stamp = reader.read(request.file(place), identity.start, identity.extent, request.met_file(place))
        if not identity.unchanged(stamp) and not _is_text_of(request, place, line, shingling):
            raise DocumentSkipped("changed")
    except DocumentSkipped as skip:
        remedy = "build the artifact again" if request.root else "run again"
        raise InputError(f"{display_name(name)}: {skip.reason}, when its line was to be written: {remedy}") from None
    return line


def _is_text_of(request: ReloadRequest, place: int, line: bytes, shingling: Shingling) -> bool:
    text = text_of(line, request.sequences)
    if text is None:
        return False
    ((_, normal),) = normalised([as_utf8(text)[0]], shingling)
    return bool(same_texts(normal.encoded, request.facts[place : place + 1])[0])


@dataclass(frozen=True, slots=True)
class _Reread:
    """Texts read a second time: their places, the texts as UTF-8, and whether each is certainly unchanged (sure)."""

    places: list[int]
    raws: list[bytes]
    sure: list[bool]

    def same(self, some: BlockPlaces, texts: Texts, request: ReloadRequest) -> Mask:
        """Which of these texts are unchanged. some: their places here. texts: the same texts, normalised."""
        same = np.array(self.sure, bool)[some]
        if not same.all():
            places = np.array(self.places)[some][~same]
            same[~same] = same_texts(texts.encoded.take(np.flatnonzero(~same)), request.facts[places])
        return same


def _read_again(request: ReloadRequest, places: list[int], reader: LineReader) -> tuple[_Reread, list[Skip]]:
    """The documents at these places, read again, and the skips of those that cannot be read."""
    texts, skips = _Reread([], [], []), list[Skip]()
    with Directories() as directories:
        for place in places:
            try:
                raw, sure = _text(request, place, reader, directories)
            except DocumentSkipped as skip:
                skips.append(request.skip(place, _REASONS.get(skip.reason, skip.reason)))
                continue
            texts.places.append(place)
            texts.raws.append(raw)
            texts.sure.append(sure)
    return texts, skips


def _text(request: ReloadRequest, place: int, reader: LineReader, directories: Directories) -> tuple[bytes, bool]:
    """The text of a document, read again, as UTF-8, and whether it is certainly unchanged. Raises DocumentSkipped."""
    if place in request.held:
        return as_utf8(_held_text(request, place))[0], True
    identity = request.identity(place)
    if not identity.from_file:
        raise DocumentSkipped(WITHOUT_FILE)
    path, met = request.file(place), request.met_file(place)
    if request.facts[place]["container"]:
        line, stamp = reader.read(path, identity.start, identity.extent, met)
        text = text_of(line, request.sequences)
        if text is None:
            raise DocumentSkipped("changed")
    else:
        # A file that has become much larger holds another text. It must not be decompressed to find that out.
        text, stamp = read(path, min(request.limit, 2 * identity.size + _SLACK), PADDING, met, directories)
    return as_utf8(text)[0], identity.unchanged_text(stamp, len(text))


def _held_text(request: ReloadRequest, place: int) -> bytes:
    """The text of a document whose bytes are still in memory: all of them, or the text field of a line."""
    held = request.held[place]
    if not request.facts[place]["container"]:
        return held
    text = text_of(held, request.sequences)
    assert text is not None, "bytes in memory do not change, so a line that was parsed once can be parsed again"
    return text


_CACHE_BYTES = 16 << 20
"""Bytes of token sets that a worker caches. If every document is compared with many others, round after round, reading
them again each time would cost more than all comparisons."""

_ENTRY = 600
"""Bytes that an entry takes in addition to its tokens, for the name, the facts and the objects of a document."""


class TokenCache:
    """Token sets by document, for one shingling and the same ignored tokens.

    When it is full, the least recently used set is dropped.
    """

    def __init__(self, limit: int = _CACHE_BYTES) -> None:
        self._limit, self._held = limit, 0
        self._sets: OrderedDict[tuple[bytes, bytes, bytes], Tokens] = OrderedDict()
        self._shingling: Shingling | None = None
        self._ignored = NO_TOKENS

    def token_sets(
        self, wanted: ReloadRequest, shingling: Shingling, lines: LineReader
    ) -> tuple[Ragged, Mask, list[Skip]]:
        """Token sets of documents, which of the documents are unchanged, and the skips of the others.

        Each document has a row (Ragged uint32, ascending). The row of a missing or changed document is empty.
        """
        if shingling != self._shingling or not np.array_equal(wanted.ignored, self._ignored):
            self.close()
            self._shingling, self._ignored = shingling, wanted.ignored
        keys = [(wanted.root, name, fact.tobytes()) for name, fact in zip(wanted.names, wanted.facts, strict=True)]
        rows = [self._sets.get(key) for key in keys]
        missing = [place for place, row in enumerate(rows) if row is None]
        skips: list[Skip] = []
        for cut in batches(wanted.facts["size"][missing].tolist()):
            places = [missing[at] for at in cut]
            found, lost = reload_token_sets(wanted, places, shingling, lines)
            skips += lost
            for place, tokens in found:
                rows[place] = tokens
        for key, row in zip(keys, rows, strict=True):
            if row is not None:
                self._keep(key, row)
        had = np.array([row is not None for row in rows], bool)
        nothing = np.empty(0, np.uint32)
        return Ragged.from_rows([nothing if row is None else row for row in rows], np.uint32), had, skips

    def close(self) -> None:
        """Drop all token sets."""
        self._sets.clear()
        self._held = 0

    def _keep(self, key: tuple[bytes, bytes, bytes], row: Tokens) -> None:
        if key in self._sets:
            self._sets.move_to_end(key)
            return
        if row.nbytes > self._limit // 4:
            return
        self._sets[key] = row
        self._held += row.nbytes + _ENTRY
        while self._held > self._limit:
            _, oldest = self._sets.popitem(last=False)
            self._held -= oldest.nbytes + _ENTRY


def load_token_sets(source: Source, state: WorkerState, shingling: Shingling) -> tuple[Ragged, Mask, list[Skip]]:
    """Token sets of a source, which of its documents are unchanged, and the skips of the others.

    Documents that must be read again go through the cache of the worker: see TokenCache.token_sets.
    """
    if isinstance(source, ReloadRequest):
        return state.get(TokenCache).token_sets(source, shingling, state.get(LineReader))
    return source, np.ones(len(source), bool), []
