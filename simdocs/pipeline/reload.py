"""Read documents again: return unchanged texts and their token sets, report missing and changed documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.compression import PADDING
from simdocs.corpora.containers.recognise import format_of_document
from simdocs.corpora.containers.reopened import Reopened
from simdocs.corpora.decode import as_utf8
from simdocs.corpora.files import each_ahead, read
from simdocs.corpora.identity import recorded, same_texts
from simdocs.corpora.stamp import Stamp, status_of
from simdocs.kernels import multisets
from simdocs.kernels.ignored_tokens import leave_out
from simdocs.model.ragged import NO_TOKENS, BlockPlaces, Mask, Ragged, Tokens
from simdocs.model.skipped import ALTERED, GONE, WITHOUT_FILE, DocumentSkipped, Skip
from simdocs.model.texts import Texts, batches
from simdocs.names import path_from
from simdocs.options.recipes import Shingling
from simdocs.options.texts import Sequences
from simdocs.pipeline.shingling import held_tokens, normalised, shingled

if TYPE_CHECKING:
    from simdocs.corpora.containers.container import Locator
    from simdocs.engines.engine import SharedRows

_SLACK = 1 << 16
"""Bytes by which a file with the same text may have grown, because of spaces or less compression."""

_Known = TypeVar("_Known")

_REASONS = {"vanished": GONE} | dict.fromkeys(("special", "oversized", "malformed", "binary"), ALTERED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReloadRequest:
    """Documents to read a second time.

    held: the bytes of those that are still in memory, by place.
    limit: the largest size of a document in bytes.
    facts: their facts when they were first read, (n,) FACTS.
    root: the directory from which their names are found; empty for the working directory.
    sequences: which field of a document in a container holds the text.
    met: how their files were found in this run, (n,) MET; None if an earlier run found them.
    ignored: the tokens that are left out, ascending.
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
        """The path of a document's file, which may be a container."""
        container = int(self.facts["container"][place])
        name = self.names[place]
        return path_from(self.root, name[:container] if container else name)

    def runs(self, places: list[int]) -> Iterator[tuple[bytes, list[int]]]:
        """Yield runs of documents to read from one container, with its path; it is empty if they are read alone."""
        facts = self.facts[places]
        ends = np.where((facts["inode"] != 0) | (facts["ctime_ns"] != 0), facts["container"], 0).tolist()
        if not any(ends):
            yield b"", places
            return
        paths = [
            path_from(self.root, self.names[place][:end]) if end and place not in self.held else b""
            for place, end in zip(places, ends, strict=True)
        ]
        for path, some in groupby(zip(paths, places, strict=True), itemgetter(0)):
            yield path, [place for _, place in some]

    def locators(self, places: list[int]) -> list[Locator]:
        """The locations of documents in their containers."""
        from simdocs.corpora.containers.container import Locator

        return list(map(Locator, *(self.facts[name][places].tolist() for name in ("start", "extent", "line"))))

    def text_of(self, place: int, document: bytes) -> bytes | None:
        """The text in the bytes of a document of a container; None if they are not a document."""
        from simdocs.corpora.containers.container import container

        return container(format_of_document(self.file(place), self.sequences)).text_of(document, self.sequences)

    def skip(self, place: int, why: str) -> Skip:
        """The skip of a document that cannot be verified."""
        return Skip("unverified", self.names[place], why, root=self.root)

    def follow(self, place: int) -> bool:
        """Whether the file of a document may be a link: not if a walk of this run found it."""
        return self.met is None or bool(self.met["walked"][place] <= 0)


Source = ReloadRequest | Ragged
"""A source of token sets: documents to read again, or the sets themselves."""


def reload_token_sets(
    request: ReloadRequest,
    places: list[int],
    shingling: Shingling,
    files: Reopened,
    shared: SharedRows | None = None,
) -> tuple[list[tuple[int, Tokens]], list[Skip]]:
    """The token sets of the unchanged documents among these places, with their places, and the skips of the others.

    A document is unchanged if the inode and times of its file are, or if its text has the digest that was recorded.
    shared: holds some documents that this run has read. These are not read again.
    """
    found = [] if shared is None or request.met is None else _held_sets(request, places, shingling, shared)
    if found:
        there = {place for place, _ in found}
        places = [place for place in places if place not in there]
    texts, skips = _read_again(request, places, files)
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


def _held_sets(
    request: ReloadRequest, places: list[int], shingling: Shingling, shared: SharedRows
) -> list[tuple[int, Tokens]]:
    """The token sets of those of these documents that are held and whose files are unchanged, with their places."""
    held, tokens = held_tokens(request.facts["digest"][places], shingling, shared)
    some = [places[at] for at in held.tolist()]
    same = _of_unchanged_files(request, some)
    sets = leave_out(multisets.token_sets(tokens), request.ignored)
    return [(some[row], sets[row].copy()) for row in np.flatnonzero(same).tolist()]


def reload_texts(
    request: ReloadRequest, places: list[int], shingling: Shingling, files: Reopened
) -> tuple[list[tuple[int, bytes]], list[Skip]]:
    """The texts of the unchanged documents among these places, as UTF-8, with their places; the skips of the others."""
    texts, skips = _read_again(request, places, files)
    found = []
    for part, normal in normalised(texts.raws, shingling):
        same = texts.same(part, normal, request)
        for row, at in enumerate(part.tolist()):
            if same[row]:
                found.append((texts.places[at], texts.raws[at]))
            else:
                skips.append(request.skip(texts.places[at], ALTERED))
    return found, skips


def unchanged(request: ReloadRequest, shingling: Shingling, files: Reopened) -> tuple[Mask, list[Skip]]:
    """Which documents are unchanged, and the skips of the others. Only texts of changed files are read."""
    same = _of_unchanged_files(request, range(len(request.names)))
    unsure, skips = np.flatnonzero(~same).tolist(), list[Skip]()
    for cut in batches(request.facts["size"][unsure]):
        texts, missing = _read_again(request, unsure[cut.start : cut.stop], files)
        skips += missing
        for part, normal in normalised(texts.raws, shingling):
            places = np.array(texts.places)[part]
            same[places] = texts.same(part, normal, request)
            skips += [request.skip(place, ALTERED) for place in places[~same[places]].tolist()]
    return same, skips


def found(request: ReloadRequest) -> tuple[Mask, list[Skip]]:
    """Which documents still have a file, changed or not, and the skips of the others. No file is read."""
    skips, still = list[Skip](), np.ones(len(request.names), bool)
    there = _of_files(request, range(len(request.names)), _exists)
    for place, (stamp, _) in enumerate(recorded(request.facts)):
        if place not in request.held and stamp.is_of_file and not there[request.file(place)]:
            still[place] = False
            skips.append(request.skip(place, GONE))
    return still, skips


def _of_files(request: ReloadRequest, places: Sequence[int], ask: Callable[[bytes], _Known]) -> dict[bytes, _Known]:
    """What `ask` says about the path of each file of these documents, of which no file is read."""
    each = zip(places, recorded(request.facts[places]), strict=True)
    files = [request.file(place) for place, (stamp, _) in each if place not in request.held and stamp.is_of_file]
    paths = list(dict.fromkeys(files))
    return {path: known() for path, known in zip(paths, each_ahead(paths, lambda at: ask(paths[at])), strict=True)}


def _exists(path: bytes) -> bool:
    """Whether there may be a file at this path. True if it cannot be known, as in a directory that cannot be read."""
    try:
        status_of(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _of_unchanged_files(request: ReloadRequest, places: Sequence[int]) -> Mask:
    """Which documents have an unchanged file, or no file that could change. No file is read.

    The status of a file with many documents is read once.
    """
    same = np.ones(len(places), bool)
    stamps = _of_files(request, places, Stamp.at)
    for at, (place, (stamp, _)) in enumerate(zip(places, recorded(request.facts[places]), strict=True)):
        if place not in request.held and stamp.is_of_file:
            same[at] = stamp == stamps[request.file(place)]
    return same


def _why(found: DocumentSkipped) -> str:
    """Why a document cannot be read again: the name of the reason, or which library to install."""
    return found.detail if found.reason == "uninstalled" else found.reason


class _Reread:
    """Texts read a second time: their places, the texts as UTF-8, and whether each is certainly unchanged (sure)."""

    def __init__(self) -> None:
        self.places, self.raws, self.sure = list[int](), list[bytes](), list[bool]()

    def same(self, some: BlockPlaces, texts: Texts, request: ReloadRequest) -> Mask:
        """Which of these texts are unchanged. some: their places here. texts: the same texts, normalised."""
        same = np.array(self.sure, bool)[some]
        if not same.all():
            places = np.array(self.places)[some][~same]
            same[~same] = same_texts(texts.encoded.take(np.flatnonzero(~same)), request.facts[places])
        return same


def _read_again(request: ReloadRequest, places: list[int], files: Reopened) -> tuple[_Reread, list[Skip]]:
    """The documents at these places, read again, and the skips of those that cannot be read.

    Consecutive documents of one container are read at once.
    """
    texts, skips = _Reread(), list[Skip]()
    for path, here in request.runs(places):
        for place, found in _of_container(request, path, here, files) if path else _alone(request, here):
            if isinstance(found, DocumentSkipped):
                skips.append(request.skip(place, _REASONS.get(found.reason) or _why(found)))
                continue
            texts.places.append(place)
            texts.raws.append(as_utf8(found[0])[0])
            texts.sure.append(found[1])
    return texts, skips


_Found = tuple[bytes, bool] | DocumentSkipped
"""The text of a document that was read again, and whether it is certainly unchanged; or its skip."""


def _of_container(
    request: ReloadRequest, path: bytes, places: list[int], files: Reopened
) -> Iterator[tuple[int, _Found]]:
    """Yield the texts of documents in one container, by their places."""
    from simdocs.corpora.containers.container import container

    text_of = container(format_of_document(path, request.sequences)).text_of
    wanted = request.locators(places)
    found = files.read(path, wanted, request.sequences, follow=request.follow(places[0]))
    for place, known, document in zip(places, recorded(request.facts[places]), found, strict=True):
        if isinstance(document, DocumentSkipped):
            yield place, document
        elif (text := text_of(document[0], request.sequences)) is None:
            yield place, DocumentSkipped("changed")
        else:
            yield place, (text, known == (document[1], len(text)))


def _alone(request: ReloadRequest, places: list[int]) -> Iterator[tuple[int, _Found]]:
    """Yield the texts of documents that are files, or in memory, by their places."""
    known = list(recorded(request.facts[places]))
    paths = [b"" if place in request.held else request.file(place) for place in places]
    each = each_ahead(paths, lambda at: _text(request, places[at], paths[at], *known[at]))
    for place, text_of in zip(places, each, strict=True):
        try:
            yield place, text_of()
        except DocumentSkipped as skip:
            yield place, skip


def _text(request: ReloadRequest, place: int, path: bytes, known: Stamp, size: int) -> tuple[bytes, bool]:
    """The text of a document that is a file, or in memory, and whether it is certainly unchanged.

    known, size: what is recorded of it. Raises DocumentSkipped.
    """
    if place in request.held:
        held = request.held[place]
        text = request.text_of(place, held) if request.facts[place]["container"] else held
        assert text is not None, "bytes in memory do not change, so a document that was read once can be read again"
        return text, True
    if not known.is_of_file:
        raise DocumentSkipped(WITHOUT_FILE)
    # A file that has become much larger holds another text. It must not be decompressed to find that out.
    most = min(request.limit, 2 * size + _SLACK)
    text, stamp = read(path, most, PADDING, follow=request.follow(place))
    return text, (stamp, len(text)) == (known, size)
