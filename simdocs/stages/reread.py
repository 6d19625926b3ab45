"""Token sets of documents that are read a second time; those used last are kept in memory for the next block."""

from __future__ import annotations

import os
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.batches import batches
from simdocs.corpora.decoding import as_utf8
from simdocs.corpora.lines import line_again
from simdocs.corpora.reading import Unread, read
from simdocs.corpora.sequences import text_of
from simdocs.errors import InputError
from simdocs.kernels import bags
from simdocs.model.documents import digests_as_numbers
from simdocs.model.names import shown
from simdocs.model.ragged import Mask, Ragged, Tokens
from simdocs.model.skipped import Skip
from simdocs.parameters import Sequences, Shingling
from simdocs.stages.shingle import digests, shingled

_REMEMBERED = 32 << 20
"""Bytes of token sets that a process remembers. Where every document meets many, one round after the other, reading
them again and again would cost more than all comparisons."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Documents to be had again: their names, the bytes of those still held (by place), a limit on a size, what was
    noted of them when they were first read, the directory from which they are found ("": this one), and what of a
    line is text."""

    names: list[bytes]
    held: dict[int, bytes]
    limit: int
    facts: NDArray[np.void]
    root: bytes
    sequences: Sequences


class Memory:
    """Token sets by document, as long as they fit; the one not used for longest goes first."""

    def __init__(self, limit: int) -> None:
        self._limit, self._held = limit, 0
        self._sets: OrderedDict[tuple[bytes, bytes, bytes], Tokens] = OrderedDict()
        self._how: Shingling | None = None

    def token_sets(self, wanted: Wanted, how: Shingling) -> tuple[Ragged, Mask, list[Skip]]:
        """Token sets of documents (Ragged uint32, one row each, ascending), which of them could be had again as they
        were (the others' rows are empty), and the skips of those that could not."""
        if how != self._how:
            self.clear()
            self._how = how
        keys = [(wanted.root, name, fact.tobytes()) for name, fact in zip(wanted.names, wanted.facts, strict=True)]
        rows = [self._sets.get(key) for key in keys]
        missing = [place for place, row in enumerate(rows) if row is None]
        skips: list[Skip] = []
        for cut in batches(wanted.facts["size"][missing].tolist()):
            places = [missing[at] for at in cut]
            found, lost = _again(wanted, places, how)
            skips += lost
            for place, tokens in found:
                rows[place] = tokens
        for key, row in zip(keys, rows, strict=True):
            if row is not None:
                self._remember(key, row)
        had = np.array([row is not None for row in rows], bool)
        nothing = np.empty(0, np.uint32)
        return Ragged.from_rows([nothing if row is None else row for row in rows], np.uint32), had, skips

    def clear(self) -> None:
        """Forget all of them."""
        self._sets.clear()
        self._held = 0

    def _remember(self, key: tuple[bytes, bytes, bytes], row: Tokens) -> None:
        if key in self._sets:
            self._sets.move_to_end(key)
            return
        if row.nbytes > self._limit // 4:
            return
        self._sets[key] = row
        self._held += row.nbytes
        while self._held > self._limit:
            _, oldest = self._sets.popitem(last=False)
            self._held -= oldest.nbytes


def _again(wanted: Wanted, places: list[int], how: Shingling) -> tuple[list[tuple[int, Tokens]], list[Skip]]:
    """The token sets of the documents at these places, by place, and skips.

    A document is what it was if its file has the same times and inode, or else if its text has the same digest.
    """
    raws, had, unsure, skips = [], [], [], list[Skip]()
    for place in places:
        try:
            raw, same = _text(wanted, place)
        except Unread as unread:
            skips.append(("unverified", wanted.names[place], _REASONS.get(unread.reason, unread.reason)))
            continue
        raws.append(raw)
        had.append(place)
        unsure.append(not same)
    found = []
    for part in shingled(raws, how):
        at = [had[one] for one in part.places.tolist()]
        changed = np.array(unsure, bool)[part.places]
        if changed.any():
            texts = part.texts.encoded.take(np.flatnonzero(changed))
            digest = digests_as_numbers(digests(texts))
            changed[changed] = (digest != wanted.facts["digest"][np.array(at)[changed]]).any(axis=1)
        sets = bags.sets(part.tokens)
        for row, (place, other) in enumerate(zip(at, changed.tolist(), strict=True)):
            if other:
                skips.append(("unverified", wanted.names[place], "changed"))
            else:
                # A slice would hold the tokens of its whole batch in memory; a large document is all of its batch.
                found.append((place, sets[row].copy() if len(sets) > 1 else sets.values))
    return found, skips


_SLACK = 1 << 16
"""Bytes by which a file of the same text may be larger than it was, for spaces or a worse compression."""

_REASONS = {"vanished": "gone"} | dict.fromkeys(("special", "oversized", "malformed", "binary"), "changed")

_TIMES = ("mtime_ns", "ctime_ns", "inode")


def there(wanted: Wanted, how: Shingling) -> tuple[Mask, list[Skip]]:
    """Which documents are still what they were, and the skips of the others. One whose file has the same times and
    inode is not read."""
    seen: dict[bytes, tuple[int, int, int] | None] = {}
    sure = np.array([_is_same(wanted, place, seen) for place in range(len(wanted.names))], bool)
    found, skips = _again(wanted, np.flatnonzero(~sure).tolist(), how)
    sure[[place for place, _ in found]] = True
    return sure, skips


def _is_same(wanted: Wanted, place: int, seen: dict[bytes, tuple[int, int, int] | None]) -> bool:
    """Whether the file of a document is the one that was read, as far as can be seen without reading it; or there was
    none, that could have changed. seen: the times and inodes of files that were looked at, None of those that are gone;
    a file of many documents is looked at once."""
    fact, name = wanted.facts[place], wanted.names[place]
    if place in wanted.held or not (fact["inode"] or fact["ctime_ns"]):
        return True
    container = int(fact["container"])
    path = os.path.join(wanted.root, name[:container] if container else name)
    if path not in seen:
        try:
            status = os.stat(path)
            seen[path] = status.st_mtime_ns, status.st_ctime_ns, status.st_ino
        except (OSError, ValueError):
            seen[path] = None
    return seen[path] == tuple(fact[field] for field in _TIMES)


def _text(wanted: Wanted, place: int) -> tuple[bytes, bool]:
    """The text of a document again, as UTF-8, and whether its file is the same as before. Raises Unread."""
    fact, name = wanted.facts[place], wanted.names[place]
    if place in wanted.held:
        return as_utf8(wanted.held[place])[0], True
    if not fact["inode"] and not fact["ctime_ns"]:
        raise Unread("it came from no file")
    container = int(fact["container"])
    path = os.path.join(wanted.root, name[:container] if container else name)
    if container:
        line, stamp = line_again(path, int(fact["start"]), int(fact["extent"]))
        text = text_of(line, wanted.sequences)
        if text is None:
            raise Unread("changed")
    else:
        # What has become much larger is another text, and must not be unfolded to find that out.
        text, stamp = read(path, min(wanted.limit, 2 * int(fact["size"]) + _SLACK))
    same = (stamp.mtime_ns, stamp.ctime_ns, stamp.inode) == tuple(fact[field] for field in _TIMES)
    return as_utf8(text)[0], same and len(text) == fact["size"]


def same_line(root: bytes, name: bytes, fact: np.void) -> bytes:
    """The line of a sequence that is a document, if its file is the same still. InputError: it is not."""
    container = int(fact["container"])
    try:
        line, stamp = line_again(os.path.join(root, name[:container]), int(fact["start"]), int(fact["extent"]))
    except Unread as unread:
        raise InputError(f"{shown(name)}: {unread.reason}, when its line was to be written: run again") from None
    if (stamp.mtime_ns, stamp.ctime_ns, stamp.inode) != tuple(fact[field] for field in _TIMES):
        raise InputError(f"{shown(name)}: changed, when its line was to be written: run again")
    return line


_memory = Memory(_REMEMBERED)


def forget() -> None:
    """Remember nothing: files may have changed since."""
    _memory.clear()


def again(wanted: Wanted, how: Shingling) -> tuple[Ragged, Mask, list[Skip]]:
    """Token sets of documents read a second time: see Memory.token_sets. This process's memory serves them all."""
    return _memory.token_sets(wanted, how)
