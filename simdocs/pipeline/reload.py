"""Read documents again: return unchanged texts and their token sets, report missing and changed documents."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from simdocs.engines.engine import Run, SharedRows, WorkerState
from simdocs.kernels import multisets
from simdocs.kernels.multisets import leave_out
from simdocs.model.artifact import Artifact
from simdocs.model.ragged import NO_TOKENS, BlockPlaces, Mask, Ragged, Texts, Tokens, batches
from simdocs.model.skipped import ALTERED, GONE, WITHOUT_FILE, DocumentSkipped, Skip
from simdocs.names import display_name, is_uri, path_from
from simdocs.options.recipes import Shingling
from simdocs.pipeline.again import ReloadRequest, has_place, why_unread
from simdocs.pipeline.shingling import held_tokens, normalised, shingled
from simdocs.reading.compression import PADDING
from simdocs.reading.decode import as_utf8
from simdocs.reading.files import MOST, Source, each_ahead, read, read_small
from simdocs.reading.formats import format_of_document
from simdocs.reading.identity import Stamp, recorded, same_texts, status_of

_SLACK = 1 << 16
"""Bytes by which a file with the same text may have grown, because of spaces or less compression."""

_Known = TypeVar("_Known")


SetSource = ReloadRequest | Ragged
"""A source of token sets: documents to read again, or the sets themselves."""


def reload_token_sets(
    request: ReloadRequest,
    places: list[int],
    shingling: Shingling,
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
    texts, skips = _read_again(request, places)
    for part in shingled(texts.raws, shingling):
        same = texts.same(part.places, part.texts, request)
        sets = _left(multisets.token_sets(part.tokens), request)
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
    same = of_unchanged_files(request, some)
    sets = _left(multisets.token_sets(tokens), request)
    return [(some[row], sets[row].copy()) for row in np.flatnonzero(same).tolist()]


def _left(sets: Ragged, request: ReloadRequest) -> Ragged:
    """Token sets without the tokens that are left out."""
    return leave_out(sets, request.ignored) if len(request.ignored) else sets


def reload_texts(
    request: ReloadRequest, places: list[int], shingling: Shingling
) -> tuple[list[tuple[int, bytes]], list[Skip]]:
    """The texts of the unchanged documents among these places, as UTF-8, with their places; the skips of the others."""
    texts, skips = _read_again(request, places)
    found = []
    for part, normal in normalised(texts.raws, shingling):
        same = texts.same(part, normal, request)
        for row, at in enumerate(part.tolist()):
            if same[row]:
                found.append((texts.places[at], texts.raws[at]))
            else:
                skips.append(request.skip(texts.places[at], ALTERED))
    return found, skips


def found(request: ReloadRequest) -> tuple[Mask, list[Skip]]:
    """Which documents still have a file, changed or not, and the skips of the others. No file is read."""
    skips, still = list[Skip](), np.ones(len(request.names), bool)
    there = _of_files(request, range(len(request.names)), _exists)
    for place, (stamp, _) in enumerate(recorded(request.facts)):
        if stamp.is_of_file and not there[request.file(place)]:
            still[place] = False
            skips.append(request.skip(place, GONE))
    return still, skips


def _of_files(request: ReloadRequest, places: Sequence[int], ask: Callable[[bytes], _Known]) -> dict[bytes, _Known]:
    """What `ask` says about the path of each file of these documents, of which no file is read."""
    each = zip(places, recorded(request.facts[places]), strict=True)
    files = [request.file(place) for place, (stamp, _) in each if stamp.is_of_file]
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


def of_unchanged_files(request: ReloadRequest, places: Sequence[int]) -> Mask:
    """Which documents have an unchanged file, or no file that could change. No file is read.

    The status of a file with many documents is read once.
    """
    same = np.ones(len(places), bool)
    stamps = _of_files(request, places, Stamp.at)
    for at, (place, (stamp, _)) in enumerate(zip(places, recorded(request.facts[places]), strict=True)):
        if stamp.is_of_file:
            same[at] = stamp == stamps[request.file(place)]
    return same


class _Reread:
    """Texts read a second time: their places, the texts as UTF-8, and whether each is certainly unchanged (sure)."""

    def __init__(self) -> None:
        self.places, self.raws, self.sure = list[int](), list[bytes](), list[bool]()

    def add(self, place: int, text: bytes, *, sure: bool) -> None:
        """Add the text of the document at this place of the request."""
        self.places.append(place)
        self.raws.append(text)
        self.sure.append(sure)

    def same(self, some: BlockPlaces, texts: Texts, request: ReloadRequest) -> Mask:
        """Which of these texts are unchanged. some: their places here. texts: the same texts, normalised."""
        same = np.array(self.sure, bool)[some]
        if not same.all():
            places = np.array(self.places)[some][~same]
            same[~same] = same_texts(texts.encoded.take(np.flatnonzero(~same)), request.facts[places])
        return same


def _read_again(request: ReloadRequest, places: list[int]) -> tuple[_Reread, list[Skip]]:
    """The documents at these places, read again, and the skips of those that cannot be read."""
    texts, skips = _Reread(), list[Skip]()
    for place in places:
        copy = request.copies.get(place)
        if isinstance(copy, bytes):
            is_row = bool(request.facts["container"][place])
            texts.add(place, copy if is_row else as_utf8(copy, request.sequences.encoding)[0], sure=True)
        elif copy is not None:
            skips.append(request.skip(place, copy))
    each: Iterator[tuple[int, _Found]]
    for path, here in request.runs([place for place in places if place not in request.copies]):
        each = _lines(request, path, here) if path else _alone(request, here)
        for place, found in each:
            if isinstance(found, DocumentSkipped):
                skips.append(request.skip(place, why_unread(found)))
            else:
                texts.add(place, found[0], sure=found[1])
    return texts, skips


_Found = tuple[bytes, bool] | DocumentSkipped
"""The text of a document that was read again, and whether it is certainly unchanged; or its skip."""


def _lines(request: ReloadRequest, path: bytes, places: list[int]) -> Iterator[tuple[int, _Found]]:
    """Yield the texts of some documents of one file of lines, by their places.

    Those of another file were held until it changed.
    """
    from simdocs.reading.formats.lines import FileLines

    facts, form = request.facts[places], format_of_document(path, request.sequences)
    starts, extents = (facts[field].tolist() for field in ("start", "extent"))
    # No line of more bytes than MOST was ever read.
    intervals = [(start, start + size if size <= MOST else start) for start, size in zip(starts, extents, strict=True)]
    try:
        if not has_place(form, path):
            raise DocumentSkipped("changed")
        each, stamp = _bytes_in(path, intervals, follow=request.follow(places[0]))
    except DocumentSkipped as skip:
        yield from ((place, skip) for place in places)
        return
    for place, known, line, extent in zip(places, recorded(facts), each, extents, strict=True):
        texts = FileLines(b"", form, extent, line).batch(request.sequences).texts if len(line) == extent else []
        if len(texts) == 1:
            yield place, (texts[0], known == (stamp, len(texts[0])))
        else:
            yield place, DocumentSkipped("changed")


def _bytes_in(path: bytes, intervals: Sequence[tuple[int, int]], *, follow: bool) -> tuple[list[bytes], Stamp]:
    """The bytes in these intervals of a file, fewer if it is too short; and its stamp, before and after.

    Raises DocumentSkipped: vanished, unreadable, special, changed (it is changing, or not the file that was found).
    """
    for _ in range(2):
        with Source(path, 0, follow=follow) as source:
            found = [source.interval(start, stop) for start, stop in intervals]
        if Stamp.at(path) == source.stamp:
            return found, source.stamp
    raise DocumentSkipped("changed")


def _alone(request: ReloadRequest, places: list[int]) -> Iterator[tuple[int, _Found]]:
    """Yield the texts of documents that are files, by their places."""
    known = list(recorded(request.facts[places]))
    paths = [request.file(place) if stamp.is_of_file else b"" for place, (stamp, _) in zip(places, known, strict=True)]
    follow = np.array([request.follow(place) for place in places], bool)
    small, stamps = read_small(paths, min(request.limit, _SLACK), follow)

    of_small = stamps.tolist()

    def text_of(at: int) -> tuple[bytes, tuple[int, ...]]:
        if not paths[at]:
            raise DocumentSkipped(WITHOUT_FILE)
        if (text := small[at]) is not None:
            return text, of_small[at]
        # A file that has become much larger holds another text. It must not be decompressed to find that out.
        most = min(request.limit, 2 * known[at][1] + _SLACK)
        return read(paths[at], most, PADDING, follow=bool(follow[at]))

    for place, was, read_now in zip(places, known, each_ahead(paths, text_of), strict=True):
        try:
            text, stamp = read_now()
            yield place, (as_utf8(text, request.sequences.encoding)[0], (stamp, len(text)) == was)
        except DocumentSkipped as skip:
            yield place, skip


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
