"""A file of lines that workers read in blocks has the lines of one pass, wherever the blocks end."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.corpora.containers.container import ContainerFile, container
from simdocs.corpora.containers.line_blocks import blocks_of, read_block
from simdocs.corpora.identity import Stamp
from simdocs.model.skipped import DocumentSkipped, Skipped
from simdocs.options.texts import Sequences
from tests.asked import ASKED
from tests.commands.building import content
from tests.corpora.small_chunks import cut_small
from tests.runs import answered

FIELDS = Sequences()
LINES = [b'{"text": "a"}', b"", b'{"text": "bcd", "id": 7}\r', b"{", b'{"text": "\xc3\xa4"}', b" \t", b'{"text": "x"}']

some_lines = st.lists(
    st.one_of(
        st.binary(max_size=6), st.binary(min_size=10, max_size=60), st.sampled_from([b"", b"aaaa", b"\0" * 20, b"\r"])
    ),
    max_size=40,
).map(b"\n".join)


def one_pass(path: Path, limit: int) -> list[tuple[int, int, bytes | int]]:
    """The number of each line that is not blank, its position, and its bytes, or its length if it is not held."""
    found = list[tuple[int, int, bytes | int]]()
    for part in container("jsonl").parts(ContainerFile(os.fsencode(path), limit), FIELDS):
        found += lines_of(part.data, part.first, part.start)
        found += [(part.first, part.start, part.extent)] if part.count and not part.data else []
    return found


def in_blocks(path: Path, limit: int) -> list[tuple[int, int, bytes | int]]:
    found, numbers, end = list[tuple[int, int, bytes | int]](), 0, 0
    file, stamp = ContainerFile(os.fsencode(path), limit), Stamp.of(os.stat(path))
    for block in blocks_of("jsonl", file, 0, stamp):
        part, too_long, data = read_block(block, FIELDS)
        assert data == path.read_bytes()[block.start : block.stop]
        found += lines_of(part.data, numbers + 1, part.start)
        if too_long:
            found.append((numbers + part.count, part.start + len(part.data), too_long))
        numbers, end = numbers + part.count, block.stop
    assert end == stamp.size
    return found


def lines_of(data: bytes, first: int, at: int) -> list[tuple[int, int, bytes | int]]:
    found = list[tuple[int, int, bytes | int]]()
    for number, line in enumerate(data.split(b"\n"), first):
        found += [(number, at, line)] if line else []
        at += len(line) + 1
    return found


@given(some_lines, st.booleans(), st.integers(1, 40), st.sampled_from([5, 25, 1 << 20]))
def test_blocks_have_the_lines_of_one_pass(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, mark: bool, size: int, limit: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "x.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" * mark + data)
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, max(size, 3))
        try:
            expected = one_pass(path, limit)
        except DocumentSkipped:
            return
        found = in_blocks(path, limit)
    # A line that is too long for a document may be held or not.
    short = [
        [each for each in some if isinstance(each[2], bytes) and len(each[2]) <= limit] for some in (found, expected)
    ]
    assert short[0] == short[1]
    long = [
        {(number, at, size if isinstance(size, int) else len(size)) for number, at, size in some}
        - {(number, at, len(size)) for number, at, size in same if isinstance(size, bytes)}
        for some, same in ((found, short[0]), (expected, short[1]))
    ]
    assert long[0] == long[1]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    "data",
    [
        b"\n".join(LINES),
        b"\xef\xbb\xbf" + b"\r\n".join(LINES) + b"\r\n",
        b'{"text": "%b"}' % (b"one giant line " * 40),
        b'{"text": "a", "id": 1}\n' * 3 + b'{"text": "%b"}\n' % (b"long" * 60) + b'{"text": "b"}',
        b"\n" * 50,
        b"",
        '{"text": "UTF-16"}\n'.encode("utf-16") * 3,
    ],
    ids=["plain", "mark and CRLF", "one giant line", "a long line", "blank", "empty", "UTF-16"],
)
def test_artifacts_and_messages_are_the_same_wherever_blocks_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, jobs: int
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.jsonl").write_bytes(data)
    seen = list[Any]()
    for size in [1 << 19, *range(3, len(data) + 1, 1 if jobs == 1 else 37)]:
        with monkeypatch.context() as patch:
            cut_small(patch, size)
            skipped = Skipped()
            request = ASKED["shingle"](documents=("x.jsonl",), output="x.shingles", max_size=100, rebuild=True)
            try:
                answered(request, jobs, skipped=skipped)
                made = {name: value for name, value in content(Path("x.shingles")).items() if "files" not in name}
                del made["manifest.json"]  # it has the checksum of files.npy, whose digest is that of the blocks
            except simdocs.errors.SimdocsError as error:
                made = {"error": str(error)}
            seen.append((made, skipped.by_reason, skipped.warnings))
    assert all(each == seen[0] for each in seen[1:])


def test_a_line_that_is_too_long_is_not_held(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"text": "a"}\n{"text": "%b"}\n{"text": "b"}\n' % (b"a" * (48 << 20)))
    tracemalloc.start()
    try:
        found = in_blocks_of_documents(path)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert found == [b"a", (48 << 20) + 12, b"b"]


def in_blocks_of_documents(path: Path) -> list[bytes | int]:
    found = list[bytes | int]()
    for block in blocks_of("jsonl", ContainerFile(os.fsencode(path), 1 << 20), 0, Stamp.of(os.stat(path))):
        part, too_long, _ = read_block(block, FIELDS)
        found += [json.loads(line)["text"].encode() for line in part.data.splitlines()] if b"}" in part.data else []
        found += [too_long] if too_long else []
    return found


def test_the_rest_of_a_file_that_changes_is_named_with_its_first_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.jsonl").write_bytes(b"".join(b'{"text": "line %d"}\n' % number for number in range(20)))
    cut_small(monkeypatch, 64)
    real, read = read_block, list[int]()

    def changing(block: Any, fields: Sequences) -> Any:
        read.append(block.start)
        if block.start == 192:
            Path("x.jsonl").write_bytes(b"shorter\n")
        return real(block, fields)

    monkeypatch.setattr("simdocs.corpora.containers.line_blocks.read_block", changing)
    found = simdocs.dedupe("x.jsonl", jobs=1)
    assert found.skipped.by_reason == {"changed": [("x.jsonl", "from line 12 on")]}
    assert len(found.documents.names) == 11
    assert read == [0, 64, 128, 192, 384]


def test_a_last_line_that_may_be_written_just_now_waits(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"text": "a"}\n{"text": "b')
    stamp = Stamp.of(os.stat(path))
    with path.open("ab") as stream:
        stream.write(b'"}\n')
    (block,) = blocks_of("jsonl", ContainerFile(os.fsencode(path), 100), 0, stamp)
    assert read_block(block, FIELDS).part.data == b'{"text": "a"}\n'
