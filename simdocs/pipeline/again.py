"""Read documents again: return unchanged texts and their token sets, and report missing and changed documents."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdocs.engines.engine import Run, SharedRows, WorkerState
from simdocs.kernels.multisets import token_sets
from simdocs.model.artifact import Artifact
from simdocs.model.documents import STAMP_FIELDS
from simdocs.model.ragged import NO_TOKENS, BlockPlaces, Mask, Ragged, Texts, Tokens, batches
from simdocs.model.skipped import ALTERED, GONE, WITHOUT_FILE, DocumentSkipped, Skip
from simdocs.names import display_name, is_uri, path_from
from simdocs.options.families import is_of_lines
from simdocs.options.recipes import Sequences, Shingling
from simdocs.pipeline.signing import held_tokens, normalised, same_texts, shingled
from simdocs.reading.compression import PADDING
from simdocs.reading.decode import as_utf8
from simdocs.reading.file_list import format_of_document
from simdocs.reading.files import MOST, Source, Stamp, each_ahead, read, read_small, status_of

_REASONS = {"vanished": GONE} | dict.fromkeys(("special", "oversized", "malformed", "binary"), ALTERED)

_SLACK = 1 << 16
"""Bytes by which a file with the same text may have grown, because of spaces or less compression."""


def why_unread(skip: DocumentSkipped) -> str:
    """Why a document cannot be read again: gone, changed, or the reason; or which library to install."""
    return _REASONS.get(skip.reason) or (skip.detail if skip.reason == "uninstalled" else skip.reason)


def has_place(container: str, path: bytes) -> bool:
    """Whether the documents of this container can be read where they are: lines of a local, uncompressed file."""
    return is_of_lines(container, path) and not is_uri(path)


def _recorded(facts: NDArray[np.void]) -> Iterator[tuple[Stamp, int]]:
    """The stamp of each document's file, and the size of its text as read, from its facts (n,) FACTS.

    The stamp is that of no file if it came from none. The device of a file is not recorded, because it changes when a
    disk is mounted again.
    """
    *stamps, sizes = (facts[name].tolist() for name in (*STAMP_FIELDS, "size"))
    return zip(map(Stamp, *stamps), sizes, strict=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReloadRequest:
    """Documents to read a second time.

    copies: by place, the texts of those that have no place of their own, or that are held because they could be read
        only once; or why they cannot be read again.
    limit: the largest size of a document in bytes.
    facts: their facts when they were first read, (n,) FACTS.
    root: the directory from which their names are found; empty for the working directory.
    sequences: which field of a document in a container holds the text.
    met: how their files were found in this run, (n,) MET; None if an earlier run found them.
    ignored: the tokens that are left out, ascending.
    """

    names: list[bytes]
    copies: dict[int, bytes | str] = field(default_factory=dict)
    limit: int
    facts: NDArray[np.void]
    root: bytes
    sequences: Sequences
    met: NDArray[np.void] | None = None
    ignored: Tokens = field(default_factory=lambda: NO_TOKENS)

    @property
    def of_file(self) -> Mask:
        """Which documents came from a file, so that they can be read again: (n,)."""
        of_file: Mask = (self.facts["inode"] != 0) | (self.facts["ctime_ns"] != 0)
        return of_file

    def file(self, place: int) -> bytes:
        """The path of a document's file, which may be a container."""
        container = int(self.facts["container"][place])
        name = self.names[place]
        return path_from(self.root, name[:container] if container else name)

    def follow(self, place: int) -> bool:
        """Whether the file of a document may be a link: not if a walk of this run found it."""
        return self.met is None or bool(self.met["walked"][place] <= 0)

    def skip(self, place: int, why: str) -> Skip:
        """The skip of a document that cannot be verified."""
        return Skip("unverified", self.names[place], why, root=self.root)


SetSource = ReloadRequest | Ragged
"""A source of token sets: documents to read again, or the sets themselves."""


def reload_token_sets(
    request: ReloadRequest, places: list[int], shingling: Shingling, shared: SharedRows | None
) -> tuple[list[tuple[int, Tokens]], list[Skip]]:
    """The token sets of the unchanged documents among these places, with their places, and the skips of the others.

    A document is unchanged if the inode and times of its file are, or if its text has the digest that was recorded.
    shared: holds some documents that this run has read. These are not read again.
    """
    found = list[tuple[int, Tokens]]()
    if shared is not None and request.met is not None:
        held, tokens = held_tokens(request.facts["digest"][places], shingling, shared)
        some, sets = [places[at] for at in held.tolist()], token_sets(tokens, request.ignored)
        found = [(some[at], sets[at].copy()) for at in np.flatnonzero(of_unchanged_files(request, some)).tolist()]
        there = {place for place, _ in found}
        places = [place for place in places if place not in there]
    read, raws, sure, skips = _read_again(request, places)
    for part in shingled(raws, shingling):
        here = read[part.places]
        same = _are_same(request, here, sure[part.places], part.texts)
        sets = token_sets(part.tokens, request.ignored)
        for at in np.flatnonzero(same).tolist():
            # A slice would keep the tokens of the whole batch in memory. A large document is alone in its batch.
            found.append((int(here[at]), sets[at].copy() if len(sets) > 1 else sets.values))
        skips += [request.skip(place, ALTERED) for place in here[~same].tolist()]
    return found, skips


def reload_texts(request: ReloadRequest, shingling: Shingling) -> tuple[list[tuple[int, bytes]], list[Skip]]:
    """The texts of the unchanged documents, as UTF-8, with their places, and the skips of the others."""
    read, raws, sure, skips = _read_again(request, list(range(len(request.names))))
    found = list[tuple[int, bytes]]()
    for places, texts in normalised(raws, shingling):
        same = _are_same(request, read[places], sure[places], texts)
        found += [(int(read[at]), raws[at]) for at in places[same].tolist()]
        skips += [request.skip(place, ALTERED) for place in read[places[~same]].tolist()]
    return found, skips


def found(request: ReloadRequest) -> tuple[Mask, list[Skip]]:
    """Which documents still have a file, changed or not, and the skips of the others. No file is read."""
    still = np.ones(len(request.names), bool)
    now = _now(request, range(len(still)))
    lost = [place for place in np.flatnonzero(request.of_file).tolist() if now[request.file(place)] == GONE]
    still[lost] = False
    return still, [request.skip(place, GONE) for place in lost]


def of_unchanged_files(request: ReloadRequest, places: Sequence[int]) -> Mask:
    """Which documents have an unchanged file, or no file that could change. No file is read.

    The status of a file with many documents is read once.
    """
    of_file, now = request.of_file, _now(request, places)
    each = zip(places, _recorded(request.facts[places]), strict=True)
    return np.array([not of_file[place] or stamp == now[request.file(place)] for place, (stamp, _) in each], bool)


def _now(request: ReloadRequest, places: Sequence[int]) -> dict[bytes, Stamp | str | None]:
    """The stamp of each file of these documents now; GONE if there is none, and None if it cannot be known."""
    of_file = request.of_file
    paths = list(dict.fromkeys(request.file(place) for place in places if of_file[place]))

    def ask(at: int) -> Stamp | str | None:
        try:
            return Stamp.of(status_of(paths[at]))
        except (FileNotFoundError, NotADirectoryError):
            return GONE
        except (OSError, ValueError):
            return None

    return {path: told() for path, told in zip(paths, each_ahead(paths, ask), strict=True)}


def _are_same(request: ReloadRequest, places: BlockPlaces, sure: Mask, texts: Texts) -> Mask:
    """Which of these texts, normalised, are unchanged. places: of their documents. sure: which certainly are."""
    same = sure.copy()
    if not same.all():
        same[~same] = same_texts(texts.encoded.take(np.flatnonzero(~same)), request.facts[places[~sure]])
    return same


def _read_again(request: ReloadRequest, places: list[int]) -> tuple[BlockPlaces, list[bytes], Mask, list[Skip]]:
    """The places of the documents among these that can be read again, their texts as UTF-8, and which of these are
    certainly unchanged; and the skips of the others."""
    read, raws, sure, skips = list[int](), list[bytes](), list[bool](), list[Skip]()
    for place, text, is_sure in _each_again(request, places):
        if isinstance(text, str):
            skips.append(request.skip(place, text))
        else:
            read.append(place)
            raws.append(text)
            sure.append(is_sure)
    return np.array(read, np.int64), raws, np.array(sure, bool), skips


_Again: TypeAlias = tuple[int, bytes | str, bool]
"""The place of a document, its text, or why it cannot be read, and whether the text is certainly unchanged."""


def _each_again(request: ReloadRequest, places: list[int]) -> Iterator[_Again]:
    """Yield these documents: first those that are copied, then the others."""
    inside = (request.facts["container"] > 0) & request.of_file
    of_lines = list[tuple[bytes, int]]()
    for place in places:
        copy = request.copies.get(place)
        if copy is None:
            of_lines.append((request.file(place) if inside[place] else b"", place))
            continue
        if isinstance(copy, bytes) and not request.facts["container"][place]:
            copy = as_utf8(copy, request.sequences.encoding)[0]
        yield place, copy, True
    for path, some in groupby(of_lines, itemgetter(0)):
        here = [place for _, place in some]
        yield from _lines(request, path, here) if path else _alone(request, here)


def _lines(request: ReloadRequest, path: bytes, places: list[int]) -> Iterator[_Again]:
    """Yield some documents of one file of lines. Those of another file were held until it changed."""
    from simdocs.reading.formats.lines import FileLines

    facts, form = request.facts[places], format_of_document(path, request.sequences)
    starts, extents = (facts[field].tolist() for field in ("start", "extent"))
    # No line of more bytes than MOST was ever read.
    intervals = [(start, start + size if size <= MOST else start) for start, size in zip(starts, extents, strict=True)]
    try:
        if not has_place(form, path):
            raise DocumentSkipped("changed")
        for _ in range(2):
            with Source(path, 0, follow=request.follow(places[0])) as source:
                each = [source.interval(start, stop) for start, stop in intervals]
            if Stamp.at(path) == source.stamp:
                break
        else:
            raise DocumentSkipped("changed")
    except DocumentSkipped as skip:
        yield from ((place, why_unread(skip), False) for place in places)
        return
    for place, known, line, extent in zip(places, _recorded(facts), each, extents, strict=True):
        texts = FileLines(b"", form, extent, line).batch(request.sequences).texts if len(line) == extent else []
        if len(texts) == 1:
            yield place, texts[0], known == (source.stamp, len(texts[0]))
        else:
            yield place, "changed", False


def _alone(request: ReloadRequest, places: list[int]) -> Iterator[_Again]:
    """Yield documents that are files."""
    known, of_file = list(_recorded(request.facts[places])), request.of_file
    paths = [request.file(place) if of_file[place] else b"" for place in places]
    follow = np.array([request.follow(place) for place in places], bool)
    small, stamps = read_small(paths, min(request.limit, _SLACK), follow)

    def text_of(at: int) -> tuple[bytes, tuple[int, ...]]:
        if not paths[at]:
            raise DocumentSkipped(WITHOUT_FILE)
        if (text := small[at]) is not None:
            return text, stamps[at].item()
        # A file that has become much larger holds another text. It must not be decompressed to find that out.
        most = min(request.limit, 2 * known[at][1] + _SLACK)
        return read(paths[at], most, PADDING, follow=bool(follow[at]))

    for place, was, read_now in zip(places, known, each_ahead(paths, text_of), strict=True):
        try:
            text, stamp = read_now()
            yield place, as_utf8(text, request.sequences.encoding)[0], (stamp, len(text)) == was
        except DocumentSkipped as skip:
            yield place, why_unread(skip), False


_CACHE_BYTES = 4 << 20
"""Bytes of token sets that a worker caches at least. If every document is compared with many others, round after round,
reading them again each time would cost more than all comparisons. So the cache also takes the room that the worker has
to spare: with 64 MB instead of 16, 5,000 licences take 0.86 of the CPU by characters."""

_ENTRY = 600
"""Bytes that an entry takes in addition to its tokens, for the name, the facts and the objects of a document."""


class TokenCache:
    """Token sets by document, for one shingling and the same ignored tokens.

    When it is full, the least recently used set is dropped.
    """

    def __init__(self) -> None:
        self._held, self._most = 0, _CACHE_BYTES
        self._sets: OrderedDict[tuple[bytes, bytes, bytes], Tokens] = OrderedDict()
        self._shingling: Shingling | None = None
        self._ignored = NO_TOKENS

    def token_sets(
        self, wanted: ReloadRequest, shingling: Shingling, state: WorkerState
    ) -> tuple[Ragged, Mask, list[Skip]]:
        """Token sets of documents, which of the documents are unchanged, and the skips of the others.

        Each document has a row (Ragged uint32, ascending). The row of a missing or changed document is empty.
        """
        if shingling != self._shingling or not np.array_equal(wanted.ignored, self._ignored):
            self.close()
            self._shingling, self._ignored = shingling, wanted.ignored
        self._most = _CACHE_BYTES + state.spare
        keys = [(wanted.root, name, fact.tobytes()) for name, fact in zip(wanted.names, wanted.facts, strict=True)]
        rows = [self._sets.get(key) for key in keys]
        missing = [place for place, row in enumerate(rows) if row is None]
        skips: list[Skip] = []
        for cut in batches(wanted.facts["size"][missing]):
            places = [missing[at] for at in cut]
            found, lost = reload_token_sets(wanted, places, shingling, state.shared)
            skips += lost
            for place, tokens in found:
                rows[place] = tokens
        for key, row in zip(keys, rows, strict=True):
            if row is not None:
                self._keep(key, row)
        had = np.array([row is not None for row in rows], bool)
        return Ragged.from_rows([NO_TOKENS if row is None else row for row in rows], np.uint32), had, skips

    def close(self) -> None:
        """Drop all token sets."""
        self._sets.clear()
        self._held = 0

    def _keep(self, key: tuple[bytes, bytes, bytes], row: Tokens) -> None:
        if key in self._sets:
            self._sets.move_to_end(key)
            return
        if row.nbytes > self._most // 4:
            return
        self._sets[key] = row
        self._held += row.nbytes + _ENTRY
        while self._held > self._most:
            _, oldest = self._sets.popitem(last=False)
            self._held -= oldest.nbytes + _ENTRY


def load_token_sets(source: SetSource, state: WorkerState, shingling: Shingling) -> tuple[Ragged, Mask, list[Skip]]:
    """Token sets of a source, which of its documents are unchanged, and the skips of the others.

    Documents that must be read again go through the cache of the worker: see TokenCache.token_sets.
    """
    if isinstance(source, ReloadRequest):
        return state.get(TokenCache).token_sets(source, shingling, state)
    return source, np.ones(len(source), bool), []


def outdated_warnings(run: Run, *artifacts: Artifact | None, texts: bool = False) -> list[str]:
    """Warnings that say what to do about documents of these artifacts that have no file, are gone or have changed.

    texts: whether the texts themselves are needed, so that token sets would be of no use.

    If the directory of all of them is missing, the warning replaces their skips.
    """
    tally, opened = run.tally, [artifact for artifact in artifacts if artifact is not None]
    names = " and ".join(artifact.name for artifact in opened)
    documents, warnings = sum(artifact.n_documents for artifact in opened), list[str]()
    if tally.without_file:
        warnings.append(
            f"{tally.without_file:,} of {documents:,} documents of {names} came from memory, standard input or a FIFO,"
            " and cannot be read again to be compared" + ("" if texts else ": give their token sets with --shingles")
        )
    if not tally.outdated:
        return warnings
    missing = {} if tally.located else {root: _missing(root, tally.lost) for root in sorted(tally.missing_from)}
    of = f" of {opened[0].name}" if len(opened) == 1 else ""
    if missing and all(missing.values()):
        run.skipped.explained.add("unverified")
        return warnings + [_nothing_found(of, root, gone) for root, gone in missing.items()]
    some = f"{tally.outdated:,} of {documents:,} documents"
    lost = "is gone or has changed" if tally.outdated == 1 else "are gone or have changed"
    built = "was built: build it again" if len(opened) == 1 else "were built: build them again"
    others = ", or give the directory where they are now with --root" if missing else ""
    return [*warnings, f"{some} {lost} since {names} {built}{others}"]


def _missing(root: bytes, lost: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The path of the missing directory because of which a lost document is gone; empty if none is missing."""
    gone = document = path_from(root, min(name for where, name in lost if where == root))
    if is_uri(gone):
        return b""
    while (above := os.path.dirname(gone)) != gone and not os.path.lexists(above):
        gone = above
    return b"" if gone == document else gone


def _nothing_found(of: str, root: bytes, gone: bytes) -> str:
    """The warning that no document was found below a root, because a directory is missing, and what to do."""
    wrong = f"no document{of} was found in {display_name(root)}, because {display_name(gone)} is missing"
    if len(gone) <= len(root):
        return f"{wrong}: if it was moved or renamed, give its new name with --root"
    moved = "if it was moved, give the directory where it is now with --root"
    return f"{wrong}: {moved}; if it was renamed, build the artifact again"
