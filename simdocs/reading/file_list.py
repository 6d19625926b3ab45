"""The list of files to read, as arrays because there may be millions; and which formats their names say."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdocs.extras import needs
from simdocs.model.documents import MET, NAMED
from simdocs.model.ragged import (
    ByteStrings,
    GrowingArray,
    GrowingByteStrings,
    Index,
    Mask,
    firsts_of_runs,
    joined,
    offsets_of,
)
from simdocs.names import display_name, is_uri
from simdocs.options.families import COMPRESSIONS, CONTAINERS, compression_of
from simdocs.options.recipes import Sequences
from simdocs.reading.files import FileId, Source, Stamp, file_id, times_of


class Found(NamedTuple):
    """A file that was found, with the facts in its status.

    links, walked: see MET.
    held: its bytes, if they can be read only once.
    """

    name: bytes
    size: int
    mtime_ns: int
    ctime_ns: int
    device: int
    inode: int
    links: int = 0
    walked: int = NAMED
    held: bytes | None = None

    @classmethod
    def of(cls, name: bytes, status: os.stat_result, links: int = 0, walked: int = NAMED) -> Found:
        """A file with this status."""
        return cls(name, status.st_size, *times_of(status), status.st_dev, status.st_ino, links, walked)


_SIZES, _MET = ["size", "mtime_ns", "ctime_ns"], ["walked", "links", "device", "inode"]

_FACTS = np.dtype(
    [*((name, "<i8") for name in _SIZES), ("device", "<u8"), ("inode", "<u8"), ("links", "<u4"), ("walked", "<i4")]
)
"""The facts of Found."""

STAMP = np.dtype([(name, "<i8") for name in _SIZES])
"""The size and times of a file when it was found. For bytes that are held: their length, and 0."""

_AT_ONCE = 1 << 10
"""Files that are added to the columns at once."""

_MANY = 1 << 14
"""The fewest files that are many."""


@dataclass(frozen=True, slots=True)
class FileList:
    """N files to read, in row order.

    stamps: their sizes and times, (N,) STAMP.
    met: how they were found, (N,) MET.
    counts: the number of files of each argument, (A,) in the order of the arguments; a list of names is one.
    held: the bytes of those that can be read only once, such as pipes, by row.
    named: the rows of those that were named as arguments themselves, whether or not a walk reached them first.
    held_in: the container formats of held files that are containers, by row.
    texts: whether the held bytes are known to be texts.
    other_names: the names by which files were reached again, in the order in which they were reached.
    other_rows: the rows of the files with these names.
    inputs: other files that were read: lists of names.
    given_names: the names of texts in memory that are neither str nor bytes, by the bytes that stand for them.
    lines: the numbers of the documents to read, ascending, by the row of their container; of other containers, all.
    """

    names: ByteStrings
    stamps: NDArray[np.void]
    met: NDArray[np.void]
    counts: Index
    held: Mapping[int, bytes] = field(default_factory=dict)
    _: KW_ONLY
    named: frozenset[int] = frozenset()
    held_in: Mapping[int, str] = field(default_factory=dict)
    texts: bool = False
    other_names: ByteStrings = field(default_factory=lambda: ByteStrings(joined([])))
    other_rows: Index = field(default_factory=lambda: np.empty(0, np.int64))
    inputs: frozenset[FileId] = frozenset()
    given_names: Mapping[bytes, Any] = field(default_factory=dict)
    lines: Mapping[int, Index] = field(default_factory=dict)

    @classmethod
    def of(cls, names: Sequence[bytes], sizes: Sequence[int], held: Mapping[int, bytes], *, texts: bool) -> FileList:
        """A list of files named as arguments, or of texts in memory. Each is an argument of its own."""
        stamps, met = np.zeros(len(names), STAMP), np.zeros(len(names), MET)
        stamps["size"], met["walked"] = sizes, NAMED
        return cls(ByteStrings(joined(names)), stamps, met, np.ones(len(names), np.int64), held, texts=texts)

    @property
    def follow(self) -> Mask:
        """Which names may be those of links, bool (N,): all but those that a walk found that follows none."""
        follow: Mask = self.met["walked"] <= 0
        return follow

    def follows(self, row: int) -> bool:
        """Whether the name in this row may be that of a link: see `follow`, which is about all files at once."""
        return bool(self.met["walked"][row] <= 0)

    @property
    def sizes(self) -> Index:
        """The sizes of the files in bytes: (N,)."""
        sizes: Index = self.stamps["size"]
        return sizes

    def take(self, places: Index) -> FileList:
        """The list of the files in these rows, which ascend: the same arguments and inputs, but no other names."""
        row = {place: at for at, place in enumerate(places.tolist())} if self.held or self.named else {}
        return FileList(
            ByteStrings(self.names.ragged.take(places)),
            self.stamps[places],
            self.met[places],
            np.diff(np.searchsorted(places, offsets_of(self.counts))),
            {row[place]: data for place, data in self.held.items() if place in row},
            named=frozenset(row[place] for place in self.named if place in row),
            held_in={row[place]: name for place, name in self.held_in.items() if place in row},
            texts=self.texts,
            given_names=self.given_names,
            inputs=self.inputs,
        )

    def source(self, row: int, limit: int) -> Source:
        """The file in this row, open, or what is held of it. limit: see Source. Raises DocumentSkipped."""
        return Source(self.names[row], limit, follow=self.follows(row), held=self.held.get(row))

    def stamp(self, row: int) -> Stamp:
        """The stamp of the file in this row, when it was found."""
        size, mtime, ctime = self.stamps[row].item()
        return Stamp(size, mtime, ctime, int(self.met["inode"][row]))

    def holds(self, path: bytes) -> bool:
        """Whether the file at this path is one of the files, or of the inputs.

        A path that ends with a slash is a directory: whether one of the files is in it.
        """
        if path.endswith(b"/"):
            real = os.path.join(os.path.realpath(path), b"")
            above = {os.path.dirname(self.names[row]) for row in range(len(self.names))}
            return any(os.path.join(os.path.realpath(each), b"").startswith(real) for each in above)
        if is_uri(path):
            from simdocs.reading.stores import digest_of

            found = digest_of(path)
        else:
            try:
                status = os.stat(path)
            except OSError:
                return False
            if not stat.S_ISREG(status.st_mode):
                return False
            found = file_id(status)
        return found in self.inputs or bool(((self.met["device"] == found[0]) & (self.met["inode"] == found[1])).any())


class Reached:
    """Collects the files that are reached, in row order. A file may be reached several times."""

    def __init__(self, many: Callable[[], None] | None = None) -> None:
        """many: is called once if there are many."""
        self._many = many
        self._names, self._stamps, self._met = GrowingByteStrings(), GrowingArray(STAMP), GrowingArray(MET)
        self._held: dict[int, bytes] = {}
        self._named, self._held_in = set[int](), dict[int, str]()
        self._some = list[Found]()
        """Files that are not yet in the columns."""
        self._count = 0
        self._ends = [0]

    def add(self, found: Iterable[Found], *, named: bool = False, container: str = "") -> None:
        """Add the files of an argument.

        named: files that no walk found were named as arguments.
        container: the format of held files; empty: each is one document.
        """
        for file in found:
            if named and file.walked == NAMED:
                self._named.add(self._count)
            if file.held is not None:
                self._held[self._count] = file.held
                if container:
                    self._held_in[self._count] = container
            self._some.append(file)
            self._count += 1
            if len(self._some) >= _AT_ONCE:
                self._fill()
            if self._many is not None and self._count >= _MANY:
                self._many()
                self._many = None
        self._ends.append(self._count)

    def _fill(self) -> None:
        facts = np.array([file[1:-1] for file in self._some], _FACTS)
        self._names.add([file.name for file in self._some])
        self._stamps.add(facts[_SIZES])
        self._met.add(facts[_MET])
        self._some.clear()

    def files(self, inputs: Iterable[FileId]) -> FileList:
        """All files, each once, where it was reached first. inputs: see FileList."""
        self._fill()
        names, stamps, met = self._names.all(), self._stamps.all(), self._met.all()
        order = np.lexsort((met["inode"], met["device"]))
        ordered, begins = met[order], np.ones(len(order), bool)
        begins[1:] = (ordered["inode"][1:] != ordered["inode"][:-1]) | (ordered["device"][1:] != ordered["device"][:-1])
        # lexsort is stable, so a run of equal files begins with the one that was reached first.
        first = firsts_of_runs(order, begins)
        new: Mask = first == np.arange(len(first))
        row = (np.cumsum(new) - 1)[first]
        other_rows = row[~new]
        others = ByteStrings(names.ragged.take(np.flatnonzero(~new)))
        if len(other_rows):
            names, stamps, met = ByteStrings(names.ragged.take(np.flatnonzero(new))), stamps[new], met[new]
        return FileList(
            names,
            stamps,
            met,
            np.diff(offsets_of(new)[self._ends]),
            {int(row[at]): data for at, data in self._held.items() if new[at]},
            named=frozenset(int(row[at]) for at in self._named),
            held_in={int(row[at]): name for at, name in self._held_in.items() if new[at]},
            other_names=others,
            other_rows=other_rows,
            inputs=frozenset(inputs),
        )


def format_of(name: bytes, fields: Sequences) -> str:
    """The container format of a file with this name; empty if the file is one document."""
    return "" if fields.plain else fields.input_format or format_named(name)


def format_named(name: bytes) -> str:
    """The container format that the suffix of a name says, in small or capital letters; empty if it says none."""
    lower = name.lower()
    return next((known for known, member in CONTAINERS.items() if lower.endswith(member.endings)), "")


def format_of_document(path: bytes, fields: Sequences) -> str:
    """The container format of a file that is known to be a container. The name of standard input does not show it."""
    return format_of(path, fields) or "jsonl"


def formats_of(found: FileList, fields: Sequences) -> tuple[NDArray[np.int8], list[str]]:
    """The container format of each file, as a number of one byte because there may be millions; the formats by number.

    Files that are one document have the number 0.
    """
    meanings = ["", *CONTAINERS]
    numbers = np.full(len(found.names), meanings.index(format_of(b"", fields)), np.int8)
    if not (fields.plain or fields.input_format):
        for number, member in enumerate(CONTAINERS.values(), 1):
            numbers[found.names.that_end_with(member.endings)] = number
    numbers[list(found.held)] = 0
    for row, known in found.held_in.items():
        numbers[row] = meanings.index(known)
    return numbers, meanings


def need_libraries(names: Iterable[bytes], fields: Sequences, more: str = "") -> None:
    """Raise MissingExtraError if one of these files needs a library that is not installed. more: follows its name."""
    needy = tuple(end for member in CONTAINERS.values() if member.needs for end in member.endings)
    needy += tuple(member.suffix for member in COMPRESSIONS.values() if member.needs)
    for name in names:
        if not (fields.input_format or name.lower().endswith(needy)):
            continue
        known, compression = format_of(name, fields), compression_of(name)
        for member in (CONTAINERS[known] if known else None, COMPRESSIONS[compression] if compression else None):
            if member is not None and member.needs:
                needs(*member.needs, f"{display_name(name)}{more}")
