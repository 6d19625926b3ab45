"""Read documents of containers again, by their locations. Files stay open between one document and the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from simdocs.corpora.containers.recognise import format_of_document
from simdocs.corpora.files import stamp_at
from simdocs.corpora.stamp import Stamp
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.texts import Sequences

if TYPE_CHECKING:
    from simdocs.corpora.containers.container import Locator, Opened

MOST_OPEN = 4
"""Files that are kept open."""


class Reopened:
    """Files from which documents are read again. Those that were used last stay open."""

    def __init__(self) -> None:
        self._open: dict[tuple[bytes, Sequences], Opened] = {}
        """Open files by path. The file that was used last is the last one."""

    def read(
        self, path: bytes, wanted: Sequence[Locator], fields: Sequences, *, follow: bool = True
    ) -> Iterator[tuple[bytes, Stamp] | DocumentSkipped]:
        """Yield the bytes of each document with the stamp of the file, or a DocumentSkipped if it cannot be read.

        wanted: the locations of the documents; if they are many, they ascend.
        follow: see `open_file`.
        The file has the stamp before and after a group of documents is read. The reasons: vanished, unreadable,
        special, changed (the document is gone, or the file is changing).
        """
        done = turn = 0
        while done < len(wanted):
            try:
                file = self._file(path, fields, follow=follow)
                for documents in _in_groups(file.read(wanted[done:])):
                    if stamp_at(file.file, path) != file.stamp:
                        break
                    for document in documents:
                        yield DocumentSkipped("changed") if document is None else (document, file.stamp)
                    done, turn = done + len(documents), 0
                else:
                    continue
                self._drop(path, fields)
                turn += 1
                if turn < 2:
                    continue
                yield DocumentSkipped("changed")
            except DocumentSkipped as skip:
                yield skip
            except OSError as error:
                self._drop(path, fields)
                yield DocumentSkipped.of(error)
            done, turn = done + 1, 0

    def close(self) -> None:
        """Close all files."""
        for path, fields in list(self._open):
            self._drop(path, fields)

    def _file(self, path: bytes, fields: Sequences, *, follow: bool) -> Opened:
        from simdocs.corpora.containers.container import container

        key = path, fields
        file = self._open.pop(key, None) or container(format_of_document(path, fields)).open(
            path, fields, follow=follow
        )
        self._open[key] = file
        if len(self._open) > MOST_OPEN:
            self._drop(*next(iter(self._open)))
        return file

    def _drop(self, path: bytes, fields: Sequences) -> None:
        file = self._open.pop((path, fields), None)
        if file is not None:
            file.close()


_GROUP_BYTES = 1 << 18
"""Bytes of documents from which on a group is complete. After each group, it is asked whether the file has changed."""


def _in_groups(documents: Iterator[bytes | None]) -> Iterator[list[bytes | None]]:
    """Yield documents in groups. If one cannot be read, those before it come first."""
    group, size = list[bytes | None](), 0
    try:
        for document in documents:
            group.append(document)
            size += len(document or b"")
            if size >= _GROUP_BYTES:
                yield group
                group, size = [], 0
    except (DocumentSkipped, OSError):
        if group:
            yield group
        raise
    if group:
        yield group


def fields_there(path: bytes, where: Locator, fields: Sequences) -> str:
    """The fields of a document of a container, for a message; empty if it cannot be read again."""
    from simdocs.corpora.containers.container import container

    with closing(Reopened()) as files:
        (found,) = files.read(path, [where], fields)
    if isinstance(found, DocumentSkipped):
        return ""
    return container(format_of_document(path, fields)).fields_of(found[0], fields)
