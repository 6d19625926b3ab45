"""Stretches of containers: the tasks of workers that open, cut and read containers themselves.

The calling process describes them from the sizes of files alone. It numbers the documents when the results come back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple, Protocol

from simdocs.corpora.containers.container import ContainerFile, Part, container
from simdocs.corpora.stamp import Stamp
from simdocs.options.declaration import loaded
from simdocs.options.file_formats import ASSUMED_RATIO, CONTAINERS, compression_of
from simdocs.options.texts import Sequences

BYTES = 1 << 22
"""Bytes of a stretch. Of each, about two of the largest parts more are read to find out where it ends."""

MOST_DOCUMENTS = 1 << 15
"""Documents of a stretch after which it ends early, because all of their facts are held at once."""

MOST_BYTES = 1 << 24
"""Bytes of a stretch after which it ends early. A small file may have many rows that share a long text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A container, or an interval of one, that a worker opens, cuts into parts and reads.

    The worker returns whole parts: those that begin in the interval, moved on to where the parts of the next one begin.

    container: the name of the format.
    row: the row of the file in the list of files.
    name: its name. follow: whether it may be that of a link: see `open_file`.
    limit: the largest size of a document, in bytes.
    stamp: its stamp when it was found. The file must not have changed if it is cut into several stretches.
    start, stop: the interval of the file, in bytes.
    is_whole: whether it is all of the file.
    named: whether the file was named as an argument.
    """

    container: str
    row: int
    name: bytes
    follow: bool
    limit: int
    stamp: Stamp
    start: int
    stop: int
    is_whole: bool
    named: bool

    is_kept: ClassVar[Literal[False]] = False
    is_stretch: ClassVar[Literal[True]] = True

    @property
    def is_last(self) -> bool:
        """Whether the file ends with it."""
        return self.is_whole or self.stop >= self.stamp.size

    @property
    def read_to(self) -> int:
        """See Part."""
        return self.stop


class Cut(NamedTuple):
    """The parts of a stretch, whose first document has the number 1, and the interval of the content that they cover.

    end: None if it is not known yet.
    """

    start: int
    end: int | None
    parts: Iterator[Part]


class CutsStretches(Protocol):
    """Cuts stretches of a format. Raises DocumentSkipped: it cannot be done, now or while the parts are yielded."""

    def __call__(self, stretch: Stretch, fields: Sequences) -> Cut:
        """Open the file and cut the stretch."""


def described(
    name: bytes, row: int, stamp: Stamp, limit: int, format_name: str, *, follow: bool, named: bool
) -> list[Stretch]:
    """The stretches of a container that was found; none if workers cannot cut it. The parameters are those of Stretch.

    A file in one stretch is read by the rules for whole files, also if it has changed since it was found.
    """
    kind = CONTAINERS[format_name]
    cuts, compressed = [0, stamp.size], bool(compression_of(name))
    if stamp.size * (ASSUMED_RATIO if compressed else 1) > BYTES:
        if not stamp.mtime_ns or compressed or not kind.stretches:
            return []
        cuts = [*range(0, max(1, stamp.size - BYTES // 2), BYTES), stamp.size]
    return [
        Stretch(
            container=format_name,
            row=row,
            name=name,
            follow=follow,
            limit=limit,
            stamp=stamp,
            start=start,
            stop=stop,
            is_whole=len(cuts) == 2,
            named=named,
        )
        for start, stop in pairwise(cuts)
    ]


def cut(stretch: Stretch, fields: Sequences) -> Cut:
    """Cut a stretch into parts. Raises DocumentSkipped, now or while it yields."""
    if stretch.is_whole:
        file = ContainerFile(stretch.name, stretch.limit, stretch.follow)
        return Cut(0, None, container(stretch.container).parts(file, fields))
    cutting: CutsStretches = loaded(CONTAINERS[stretch.container].stretches)
    return cutting(stretch, fields)
