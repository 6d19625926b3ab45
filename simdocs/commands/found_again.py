"""Look at a duplicate and its kept document again, right before something is done to the duplicate.

Both are opened as they were found, without following a link that may have been made since. They must have the contents
that the answer is about, and be as similar as it says.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np

from simdocs.kernels.jaccard import exact
from simdocs.matching.measures import set_and_length
from simdocs.model.groups import SavedAnswer, SavedDocument, SavedPair
from simdocs.model.ragged import Ragged, Tokens
from simdocs.model.skipped import DocumentSkipped, explanation
from simdocs.names import display_name, is_uri
from simdocs.options.families import UNITS, compression_of
from simdocs.reading.compression import PADDING, decompress
from simdocs.reading.decode import as_utf8
from simdocs.reading.files import READ, Stamp, content_digest, file_id, read_open
from simdocs.storage.step import NotDoneError, Victim


def look_again(answer: SavedAnswer, pair: SavedPair, stack: ExitStack, *, any_length: bool) -> tuple[Victim, Victim]:
    """The duplicate and its kept document, open, with the same contents as before. stack: closes the files.

    any_length: whether the duplicate may be many times as long as its kept document, or as short. NotDoneError: nothing
    may be done to the duplicate; the message says why.
    """
    of_kept = f"its kept document {display_name(answer.printed(pair.kept))}"
    for document, what in ((pair.duplicate, "it"), (pair.kept, of_kept)):
        if document.container:
            where = f"a row of {display_name(document.file)}, not a file"
            raise NotDoneError(f"{what} is {where}: write the other rows with --kept-rows")
        if is_uri(document.name):
            raise NotDoneError(f"{what} lies in a store of objects, where simdocs changes nothing")
        if not document.inode:
            raise NotDoneError(f"{what} came from no file")
    kept = _opened(answer, pair.kept, stack, of_kept)
    duplicate = _opened(answer, pair.duplicate, stack, "it")
    if file_id(duplicate.status) == file_id(kept.status):
        raise NotDoneError(f"it is the same file as {of_kept}")
    duplicate, tokens, length = _contents(answer, pair.duplicate, duplicate, "it")
    kept, others, length_of_kept = _contents(answer, pair.kept, kept, of_kept)
    sets, units = Ragged.from_rows([tokens, others], np.uint32), np.array([length, length_of_kept])
    similarity, shingling = float(exact(sets, np.array([0]), np.array([1]))[0]), answer.recipe.shingling
    if not similarity >= answer.threshold:
        least = f"{similarity:.6f}, and less than the threshold {answer.threshold:g}"
        raise NotDoneError(f"its similarity to {of_kept} is {least}")
    if units.min() < shingling.k and duplicate.sha256 != kept.sha256:
        raise NotDoneError("its text is shorter than a shingle, and its file is no copy of that of the kept document")
    # The sets may be alike all the same, if the longer text repeats its shingles.
    if not any_length and units.min() < answer.threshold * units.max():
        lengths = f"{units[0]:,} {UNITS[shingling.unit].plural}, and {of_kept} has {units[1]:,}"
        raise NotDoneError(f"it has {lengths}: look at both, or add --any-length to act on it")
    return duplicate, kept


def _opened(answer: SavedAnswer, document: SavedDocument, stack: ExitStack, what: str) -> Victim:
    """Open a file, and its directory, as they were found: below its root, no link is followed."""
    root, (*parts, name) = answer.roots[document.root], answer.below(document).split(b"/")
    with _readable(what):
        directory = os.open(root["path"], READ | os.O_DIRECTORY)
        stack.callback(os.close, directory)
        if os.fstat(directory).st_ino != root["inode"]:
            shown = display_name(root["path"].rstrip(b"/") or b"/")
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
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise NotDoneError(f"{what} is not a regular file any more")
    return Victim(directory, os.fsdecode(name), descriptor, status)


def _contents(answer: SavedAnswer, document: SavedDocument, file: Victim, what: str) -> tuple[Victim, Tokens, int]:
    """Read a file: the file with its digest, the token set of its text, and the number of its units.

    NotDoneError: it cannot be read, or has changed since the answer.
    """
    name = answer.path(document)
    compression = compression_of(name)
    changed = NotDoneError(f"{what} has changed since the answer")
    if not compression and file.status.st_size != document.size:
        raise changed
    limit = max(document.size, document.file_size) + PADDING if compression else document.size
    with _readable(what):
        raw, stamp = read_open(file.descriptor, name, Stamp.of(file.status), limit)
        data = decompress(compression, raw, document.size) if compression else raw
    status = os.fstat(file.descriptor)
    if content_digest(data).hex() != document.content or Stamp.of(status) != stamp:
        raise changed
    text, _ = as_utf8(data, answer.recipe.sequences.encoding)
    tokens, units = set_and_length(text, answer.recipe.shingling, answer.ignored)
    return file._replace(status=status, sha256=hashlib.sha256(raw).hexdigest()), tokens, units


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
