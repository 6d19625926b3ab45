"""Histories of a tree of documents: changes of every kind, drawn at random and carried out."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st

from simdocs.options.families import compression_of
from tests.packing import has_zstd, packed, unpacked

WORDS = [b"old ", b"new\n", b"  ", b"fox jumps ", b"over the lazy dog ", "zwölf ".encode(), b"\xff", b"\0", b"{}\n" * 2]
NAMES = ["a", "b.txt", "c.gz", "lines.jsonl", "more.ndjson", "packed.jsonl.gz", "array.json", "packed.json.gz"]
NAMES += ["table.csv", "packed.tsv.gz"]
NAMES += ["d.zst", "packed.jsonl.zst"] * has_zstd()
FOLDERS = ["docs", "docs/one", "docs/one/below", "docs/two"]

texts = st.lists(st.sampled_from(WORDS), max_size=5).map(b"".join)
names = st.tuples(st.sampled_from(FOLDERS), st.sampled_from(NAMES)).map("/".join)
lines = st.lists(
    st.one_of(
        texts.map(lambda text: json.dumps({"text": text.decode("latin-1")}).encode()),
        st.tuples(st.integers(1, 30), texts).map(
            lambda pair: json.dumps({"id": pair[0], "text": pair[1].decode("latin-1")}).encode()
        ),
        st.sampled_from([b"", b"not JSON", b'{"text": 1}']),
    ),
    min_size=1,
    max_size=12,
)

Step = Callable[[], None]


def content_for(name: str, text: bytes, rows: list[bytes]) -> bytes:
    """Return what a file of this name holds."""
    data = array_of(rows) if ".json" in name.replace(".jsonl", "") else b"\n".join(rows) if "json" in name else text
    if marks := [mark for suffix, mark in DELIMITERS.items() if suffix in name]:
        data = b"id%btext\r\n" % marks[0].encode() + b"\n".join(table_of(rows, marks[0]))
    compression = compression_of(os.fsencode(name))
    return packed(compression, data) if compression else data


def array_of(rows: list[bytes]) -> bytes:
    """Return an array of the rows that are objects; without any, an object. A row that is not JSON cuts it off."""
    objects = [row for row in rows if row.startswith(b"{")]
    rest = b"," if b"not JSON" in rows else b"\n]"
    return b"[" + b",\n".join(objects) + rest if objects else b"{}"


DELIMITERS = {".csv": ",", ".tsv": "\t"}


def table_of(rows: list[bytes], delimiter: str) -> list[bytes]:
    """Return the rows of a table, without the ends of their lines. What is no object with a text stays as it is."""
    found = list[bytes]()
    for row in rows:
        value = json.loads(row) if row.startswith(b"{") else {}
        if isinstance(value.get("text"), str):
            page = io.StringIO(newline="")
            csv.writer(page, delimiter=delimiter, lineterminator="").writerow([value.get("id", ""), value["text"]])
            found.append(page.getvalue().encode("latin-1"))
        else:
            found.append(row)
    return found


def write(name: str, data: bytes) -> None:
    """Write a file, in a directory that may have to be made."""
    os.makedirs(os.path.dirname(name), exist_ok=True)
    Path(name).write_bytes(data)


def edit_lines(name: str, at: int, cut: int, rows: list[bytes]) -> None:
    """Insert lines into a file of lines, in the place of some others."""
    compression, data = compression_of(os.fsencode(name)), Path(name).read_bytes()
    old = (unpacked(compression, data) if compression else data).split(b"\n")
    for suffix, delimiter in DELIMITERS.items():
        rows = table_of(rows, delimiter) if suffix in name else rows
    old[at : at + cut] = [row + b"," for row in rows] if old[0].startswith(b"[") else rows
    write(name, packed(compression, b"\n".join(old)) if compression else b"\n".join(old))


def rewrite_in_place(name: str, data: bytes) -> None:
    """Write other bytes, as many as before, and put the modification time back."""
    before = os.stat(name)
    old = Path(name).read_bytes()
    Path(name).write_bytes((data + old)[: len(old)])
    os.utime(name, ns=(before.st_atime_ns, before.st_mtime_ns))


def swap(one: str, other: str) -> None:
    """Exchange two names."""
    os.rename(one, "aside")
    os.rename(other, one)
    os.rename("aside", other)


def replace_by_link(one: str, other: str) -> None:
    """Put a symbolic link to a file in the place of another one."""
    target = os.path.abspath(one)
    os.remove(other)
    os.symlink(target, other)


@st.composite
def steps(draw: st.DrawFn, *, moves: bool = True) -> Step:
    """Draw one change. A change that is not possible now, since a name is missing or taken, is none.

    moves: whether files may get other names, or several.
    """
    one, other = draw(names), draw(names)
    folder, elsewhere = draw(st.sampled_from(FOLDERS[1:])), draw(st.sampled_from(FOLDERS[1:]))
    text, rows, at, cut = draw(texts), draw(lines), draw(st.integers(0, 12)), draw(st.integers(0, 6))
    in_place: list[Step] = [
        lambda: write(one, content_for(one, text, rows)),
        lambda: write(one, content_for(one, text, rows)),
        lambda: edit_lines(one, at, cut, rows),
        lambda: edit_lines(one, at, cut, rows[:1]),
        lambda: edit_lines(one, 1 << 20, 0, rows),
        lambda: rewrite_in_place(one, text),
        lambda: os.remove(one),
        lambda: os.utime(one),
        lambda: os.utime(one, ns=(0, 4_000_000_000_000_000_000)),
        lambda: os.chmod(one, 0o600),
    ]
    of_names: list[Step] = [
        lambda: os.rename(one, other),
        lambda: os.link(one, other),
        lambda: os.symlink(os.path.abspath(one), other),
        lambda: replace_by_link(one, other),
        lambda: swap(one, other),
        lambda: os.rename(folder, elsewhere),
        lambda: os.rename(folder, f"{folder}x"),
        lambda: swap(folder, elsewhere),
    ]
    change = draw(st.sampled_from(in_place + of_names if moves else in_place))

    def carry_out() -> None:
        with contextlib.suppress(OSError, EOFError):
            change()

    return carry_out
