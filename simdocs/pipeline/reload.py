"""Documents a second time: what they were is had again, or said to be gone or changed."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.batches import batches
from simdocs.corpora.decode import as_utf8
from simdocs.corpora.document_skipped import DocumentSkipped
from simdocs.corpora.gzip_stream import PADDING
from simdocs.corpora.jsonl import text_of
from simdocs.corpora.jsonl_lookup import LineReader
from simdocs.corpora.long_paths import status_of
from simdocs.corpora.read_file import Stamp, read
from simdocs.errors import InputError
from simdocs.kernels.tokens import multisets
from simdocs.model.documents import digests_as_numbers
from simdocs.model.names import shown
from simdocs.model.ragged import Index, Mask, Ragged, Tokens
from simdocs.model.skipped import Skip
from simdocs.model.texts import Texts
from simdocs.parameters import Sequences, Shingling
from simdocs.pipeline.shingling import digests, normalised, shingled

_SLACK = 1 << 16
"""Bytes by which a file of the same text may be larger than it was, for spaces or a worse compression."""

GONE = "gone"
"""What is said of a document whose file is not there any more."""

_REASONS = {"vanished": GONE} | dict.fromkeys(("special", "oversized", "malformed", "binary"), "changed")


@dataclass(frozen=True, slots=True)
class ReloadRequest:
    """Documents to be had again: their names, the bytes of those still held (by place), a limit on a size, what was
    noted of them when they were first read, the directory from which they are found ("": this one), and what of a
    line is text."""

    names: list[bytes]
    held: dict[int, bytes]
    limit: int
    facts: NDArray[np.void]
    root: bytes
    sequences: Sequences

    def file(self, place: int) -> bytes:
        """The path of the file that a document is, or is a line of."""
        container = int(self.facts[place]["container"])
        name = self.names[place]
        return os.path.join(self.root, name[:container] if container else name)


Source = ReloadRequest | Ragged
"""Documents to be read again, or their token sets."""


def reload_token_sets(
    wanted: ReloadRequest, places: list[int], how: Shingling, lines: LineReader
) -> tuple[list[tuple[int, Tokens]], list[Skip]]:
    """The token sets of the documents at these places, with their places, and the skips of those that cannot be had.

    A document is what it was if its file has the same times and inode, or else if its text has the same digest.
    """
    texts, skips = _texts(wanted, places, lines)
    found = []
    for part in shingled(texts.raws, how):
        same = texts.same(part.places, part.texts, wanted)
        sets = multisets.token_sets(part.tokens)
        for row, at in enumerate(part.places.tolist()):
            if same[row]:
                # A slice would hold the tokens of its whole batch in memory; a large document is all of its batch.
                found.append((texts.places[at], sets[row].copy() if len(sets) > 1 else sets.values))
            else:
                skips.append(("unverified", wanted.names[texts.places[at]], "changed"))
    return found, skips


def there(wanted: ReloadRequest, how: Shingling, lines: LineReader) -> tuple[Mask, list[Skip]]:
    """Which documents are still what they were, and the skips of the others. One whose file has the same times and
    inode is not read."""
    seen: dict[bytes, Stamp | None] = {}
    sure = np.array([_is_same(wanted, place, seen) for place in range(len(wanted.names))], bool)
    unsure, skips = np.flatnonzero(~sure).tolist(), list[Skip]()
    for cut in batches(wanted.facts["size"][unsure].tolist()):
        texts, gone = _texts(wanted, unsure[cut.start : cut.stop], lines)
        skips += gone
        for part, normal in normalised(texts.raws, how):
            places = np.array(texts.places)[part]
            sure[places] = texts.same(part, normal, wanted)
            skips += [("unverified", wanted.names[place], "changed") for place in places[~sure[places]].tolist()]
    return sure, skips


@dataclass(frozen=True, slots=True)
class _Again:
    """Texts read a second time: which, as UTF-8, and whether the file of each is the one that was read before."""

    places: list[int]
    raws: list[bytes]
    sure: list[bool]

    def same(self, some: Index, texts: Texts, wanted: ReloadRequest) -> Mask:
        """Which of some of them, normalised, are what they were."""
        same = np.array(self.sure, bool)[some]
        if not same.all():
            places = np.array(self.places)[some][~same]
            same[~same] = _are_of(texts.encoded.take(np.flatnonzero(~same)), wanted.facts[places])
        return same


def _are_of(texts: Ragged, facts: NDArray[np.void] | np.void) -> Mask:
    """Whether each normalised text is that of its document, by their digests."""
    same: Mask = (digests_as_numbers(digests(texts)) == facts["digest"]).all(axis=1)
    return same


def _texts(wanted: ReloadRequest, places: list[int], lines: LineReader) -> tuple[_Again, list[Skip]]:
    """The documents at these places, read again, and the skips of those that cannot be."""
    found, skips = _Again([], [], []), list[Skip]()
    for place in places:
        try:
            raw, sure = _text(wanted, place, lines)
        except DocumentSkipped as skip:
            skips.append(("unverified", wanted.names[place], _REASONS.get(skip.reason, skip.reason)))
            continue
        found.places.append(place)
        found.raws.append(raw)
        found.sure.append(sure)
    return found, skips


def _came_from_a_file(fact: np.void) -> bool:
    return bool(fact["inode"] or fact["ctime_ns"])


def _is_stamped(stamp: Stamp, fact: np.void) -> bool:
    """Whether a file has the times and inode that were noted. Its size may be that of all its lines, or folded."""
    return bool(
        stamp.mtime_ns == fact["mtime_ns"] and stamp.ctime_ns == fact["ctime_ns"] and stamp.inode == fact["inode"]
    )


def _is_same(wanted: ReloadRequest, place: int, seen: dict[bytes, Stamp | None]) -> bool:
    """Whether the file of a document is the one that was read, as far as can be seen without reading it; or there was
    none, that could have changed. seen: the stamps of files that were looked at, None of those that are gone;
    a file of many documents is looked at once."""
    fact = wanted.facts[place]
    if place in wanted.held or not _came_from_a_file(fact):
        return True
    path = wanted.file(place)
    if path not in seen:
        try:
            seen[path] = Stamp.of(status_of(path))
        except (OSError, ValueError):
            seen[path] = None
    stamp = seen[path]
    return stamp is not None and _is_stamped(stamp, fact)


def _text(wanted: ReloadRequest, place: int, lines: LineReader) -> tuple[bytes, bool]:
    """The text of a document again, as UTF-8, and whether its file is the same as before. Raises DocumentSkipped."""
    fact = wanted.facts[place]
    if place in wanted.held:
        return as_utf8(wanted.held[place])[0], True
    if not _came_from_a_file(fact):
        raise DocumentSkipped("it came from no file")
    path = wanted.file(place)
    if fact["container"]:
        line, stamp = lines.read(path, int(fact["start"]), int(fact["extent"]))
        text = text_of(line, wanted.sequences)
        if text is None:
            raise DocumentSkipped("changed")
    else:
        # What has become much larger is another text, and must not be unfolded to find that out.
        text, stamp = read(path, min(wanted.limit, 2 * int(fact["size"]) + _SLACK), PADDING)
    return as_utf8(text)[0], _is_stamped(stamp, fact) and len(text) == fact["size"]


def same_line(wanted: ReloadRequest, place: int, how: Shingling, lines: LineReader) -> bytes:
    """The line of a sequence that is a document, if its file or else its text is the same still. InputError: it is
    not."""
    fact, name = wanted.facts[place], wanted.names[place]
    try:
        line, stamp = lines.read(wanted.file(place), int(fact["start"]), int(fact["extent"]))
        if not _is_stamped(stamp, fact) and not _is_of(text_of(line, wanted.sequences), fact, how):
            raise DocumentSkipped("changed")
    except DocumentSkipped as skip:
        remedy = "build the artifact again" if wanted.root else "run again"
        raise InputError(f"{shown(name)}: {skip.reason}, when its line was to be written: {remedy}") from None
    return line


def _is_of(text: bytes | None, fact: np.void, how: Shingling) -> bool:
    """Whether a text is that of a document."""
    if text is None:
        return False
    ((_, normal),) = normalised([as_utf8(text)[0]], how)
    return bool(_are_of(normal.encoded, fact)[0])
