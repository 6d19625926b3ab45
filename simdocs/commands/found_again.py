"""Look at a duplicate and its kept document again, right before something is done to the duplicate.

Both are opened as they were found, without following a link that may have been made since. They must have the contents
that the answer is about, and be as similar as it says.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import NamedTuple

import numpy as np

from simdocs.corpora.compression import PADDING, decompress
from simdocs.corpora.decode import as_utf8
from simdocs.corpora.files import READ, read_open
from simdocs.corpora.identity import RECENT_NS, FileId, Stamp, content_digest, file_id
from simdocs.kernels.jaccard import exact, unlike_lengths
from simdocs.matching.measures import set_and_length
from simdocs.model.ragged import Ragged, Tokens
from simdocs.model.saved_answer import SavedAnswer, SavedDocument, SavedPair
from simdocs.model.skipped import DocumentSkipped, explanation
from simdocs.names import display_name, is_uri
from simdocs.options.families import UNITS
from simdocs.options.file_formats import compression_of
from simdocs.storage.step import NotDoneError, Victim


class Contents(NamedTuple):
    """What was read of a file.

    stamp: its stamp.
    device: its device.
    sha256: the digest of its bytes, in hexadecimal.
    tokens: the token set of its text.
    units: the number of units in its text.
    """

    stamp: Stamp
    device: int
    sha256: str
    tokens: Tokens
    units: int


class PairAgain(NamedTuple):
    """A duplicate and its kept document, open, with the same contents as before; the digest of the duplicate, and
    whether both files have the same bytes."""

    duplicate: Victim
    kept: Victim
    sha256: str
    are_identical: bool


class FoundAgain:
    """Looks at the pairs of a saved answer. The contents of the last kept document are held while it does not change.

    seen_as_kept, acted_on: the files that are kept, and those that were acted on: none may be both.
    """

    def __init__(self, answer: SavedAnswer, *, any_length: bool) -> None:
        """any_length: whether a duplicate may be many times as long as its kept document, or as short."""
        self._answer, self._any_length = answer, any_length
        self._last: tuple[SavedDocument, Contents] | None = None
        self.seen_as_kept, self.acted_on = set[FileId](), set[FileId]()

    def look(self, pair: SavedPair, stack: ExitStack) -> PairAgain:
        """Open both files and compare them. NotDoneError: nothing may be done to the duplicate; the message says why.

        stack: closes the files.
        """
        shown = display_name(self._answer.printed(pair.kept))
        for document, what in ((pair.duplicate, "it"), (pair.kept, f"its kept document {shown}")):
            if document.container:
                where = f"a row of {display_name(document.file)}, not a file"
                raise NotDoneError(f"{what} is {where}: write the other rows with --kept-rows")
            if is_uri(document.name):
                raise NotDoneError(f"{what} lies in a store of objects, where simdocs changes nothing")
            if not document.inode:
                raise NotDoneError(f"{what} came from no file")
        kept = self._opened(pair.kept, stack, f"its kept document {shown}")
        duplicate = self._opened(pair.duplicate, stack, "it")
        mine, theirs = file_id(duplicate.status), file_id(kept.status)
        if mine == theirs:
            raise NotDoneError(f"it is the same file as its kept document {shown}")
        if theirs in self.acted_on:
            raise NotDoneError(f"its kept document {shown} was a duplicate itself, under another name")
        if mine in self.seen_as_kept:
            raise NotDoneError("it is the kept document of another one, under another name")
        self.seen_as_kept.add(theirs)
        contents, duplicate = self._contents(pair.duplicate, duplicate, "it")
        others, kept = self._contents_of_kept(pair.kept, kept, f"its kept document {shown}")
        similarity = float(exact(Ragged.from_rows([others.tokens, contents.tokens], np.uint32), _FIRST, _SECOND)[0])
        if not similarity >= self._answer.threshold:
            least = f"{similarity:.6f}, and less than the threshold {self._answer.threshold:g}"
            raise NotDoneError(f"its similarity to its kept document {shown} is {least}")
        units, shingling = np.array([contents.units, others.units]), self._answer.recipe.shingling
        if ((units > 0) & (units < shingling.k)).any() and contents.sha256 != others.sha256:
            raise NotDoneError(
                "its text is shorter than a shingle, and its file is no copy of that of the kept document"
            )
        if not self._any_length and unlike_lengths(units[:1], units[1:], self._answer.threshold).any():
            lengths = f"{units[0]:,} {UNITS[shingling.unit].plural}, and its kept document {shown} has {units[1]:,}"
            raise NotDoneError(f"it has {lengths}: look at both, or add --any-length to act on it")
        return PairAgain(duplicate, kept, contents.sha256, contents.sha256 == others.sha256)

    def _opened(self, document: SavedDocument, stack: ExitStack, what: str) -> Victim:
        """Open a file, and its directory, as they were found: below its root, no link is followed."""
        root = self._answer.roots[document.root]
        *parts, name = self._answer.path(document)[len(root.path) :].split(b"/")
        with _readable(what):
            directory = os.open(root.path, READ | os.O_DIRECTORY)
            stack.callback(os.close, directory)
            if os.fstat(directory).st_ino != root.inode:
                shown = display_name(root.path.rstrip(b"/") or b"/")
                raise NotDoneError(f"{what} lies in {shown}, which is another directory than the one that was read")
            try:
                for part in parts:
                    below = os.open(part, READ | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=directory)
                    os.dup2(below, directory, inheritable=False)
                    os.close(below)
                descriptor = os.open(name, READ | os.O_NOFOLLOW, dir_fd=directory)
            except OSError as error:
                if error.errno not in (errno.ELOOP, errno.ENOTDIR):
                    raise
                raise NotDoneError(f"{what} is reached through a link, or is one") from None
        stack.callback(os.close, descriptor)
        status = _settled(descriptor)
        if (status.st_mode & 0o170000) != 0o100000:
            raise NotDoneError(f"{what} is not a regular file any more")
        return Victim(directory, os.fsdecode(name), descriptor, status)

    def _contents_of_kept(self, document: SavedDocument, file: Victim, what: str) -> tuple[Contents, Victim]:
        stamp = Stamp.of(file.status)
        is_recent = time.time_ns() - max(stamp.mtime_ns, stamp.ctime_ns) < RECENT_NS
        if self._last is not None and self._last[0] == document and not is_recent:
            held = self._last[1]
            if (held.stamp, held.device) == (stamp, file.status.st_dev):
                return held, file
        contents, file = self._contents(document, file, what)
        self._last = document, contents
        return contents, file

    def _contents(self, document: SavedDocument, file: Victim, what: str) -> tuple[Contents, Victim]:
        """Read a file. NotDoneError: it cannot be read, or has changed since the answer."""
        name = self._answer.path(document)
        compression = compression_of(name)
        changed = NotDoneError(f"{what} has changed since the answer")
        if not compression and file.status.st_size != document.size:
            raise changed
        limit = max(document.size, document.file_size) + PADDING if compression else document.size
        with _readable(what):
            raw, stamp = read_open(file.descriptor, name, Stamp.of(file.status), limit)
            data = decompress(compression, raw, document.size) if compression else raw
        if content_digest(data).hex() != document.content:
            raise changed
        status = os.fstat(file.descriptor)
        if Stamp.of(status) != stamp:
            raise changed
        shingling, text = self._answer.recipe.shingling, as_utf8(data)[0]
        tokens, units = set_and_length(text, shingling, self._answer.ignored)
        digest = hashlib.sha256(raw).hexdigest()
        return Contents(stamp, status.st_dev, digest, tokens.copy(), units), file._replace(status=status)


_FIRST, _SECOND = np.array([0]), np.array([1])


_TICK_NS = 10_000_000
"""The coarsest clock by which a system stamps files: 100 ticks a second."""


def _settled(file: int) -> os.stat_result:
    """The status of an open file, when its times are older than a tick, so that later writes change them."""
    status = os.fstat(file)
    wait = _TICK_NS - (time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns))
    if 0 < wait <= _TICK_NS:
        time.sleep(wait / 1e9)
        status = os.fstat(file)
    return status


@contextlib.contextmanager
def _readable(what: str) -> Iterator[None]:
    """Raise NotDoneError if a file cannot be read in this block."""
    try:
        yield
    except (DocumentSkipped, OSError) as error:
        skip = DocumentSkipped.of(error) if isinstance(error, OSError) else error
        why = {"vanished": " is gone", "changed": " is being written"}.get(skip.reason)
        detail = f" ({skip.detail})" if skip.detail else ""
        raise NotDoneError(f"{what}{why or f': {explanation(skip.reason)}{detail}'}") from None
