"""A JSON Lines file gives the same documents as its twin for any size of blocks, and each line can be read again."""

from __future__ import annotations

import errno
import gzip
import json
import os
import pickle
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.corpora import file_list, read_tasks
from simdocs.corpora.containers import jsonl, recognise, reopened
from simdocs.corpora.containers import lines as of_lines
from simdocs.corpora.containers.container import Locator
from simdocs.corpora.stamp import Stamp
from simdocs.model.skipped import DocumentSkipped, Skip, Skipped
from tests import strategies as some
from tests.corpora.json_lines import names_in, part_of, parts, reread, rows
from tests.corpora.small_chunks import cut_small

SEQUENCES = some.sequences()
MIB = 1 << 20
BOM = b"\xef\xbb\xbf"

Document = tuple[bytes, bytes, int, int]
"""Name, text, start, extent."""


@pytest.fixture(autouse=True)
def nothing_left_open() -> Iterator[None]:
    before = set(os.listdir("/dev/fd"))
    yield
    assert set(os.listdir("/dev/fd")) == before


@pytest.fixture
def reader() -> Iterator[reopened.Reopened]:
    reader = reopened.Reopened()
    yield reader
    reader.close()


def documents(name: bytes, limit: int = MIB) -> tuple[list[Document], list[Skip]]:
    """Return the documents and skips of a file's blocks, which are pickled as on the way to a worker."""
    found: list[Document] = []
    skips: list[Skip] = []
    for part in parts(name, limit):
        sent = pickle.loads(pickle.dumps(part))
        read = rows(sent)
        starts = [where.start for where in read.locators]
        found += zip(names_in(sent), read.texts, starts, [where.extent for where in read.locators], strict=True)
        skips += sorted(read.skips + read.textless, key=lambda skip: skip.line)
    return found, skips


def twin(name: bytes, content: bytes, limit: int) -> tuple[list[Document], list[tuple[str, int]]]:
    """Return the documents and skips of a file from its whole content. The skips have no details."""
    found, skips = [], []
    start = 3 if content.startswith(BOM) else 0
    for number, line in enumerate(content[start:].split(b"\n"), 1):
        if len(line) > limit:
            skips.append(("oversized", number))
        elif line.strip():
            try:
                value = json.loads(line.decode())
                text, identity = value["text"].encode("utf-8", "surrogatepass"), value.get("id")
                spelt = str(identity if type(identity) in (str, int) else number).encode("utf-8", "surrogatepass")
                found.append((name + b"#" + spelt, text, start, len(line)))
            except Exception:
                skips.append(("malformed", number))
        start += len(line) + 1
    return found, skips


GOOD = [
    b'{"text": "plain"}',
    b'{"id": "a", "text": ""}\r',
    b' {"text": "\\u00e9 \\ud83d\\ude00 \\ud800", "id": 17, "more": [NaN, {}]}',
    '{"text": "größer\u2028", "id": "ü#\\ud9ff\\n", "text": "last"}'.encode(),
    b'{"text": "' + b"long " * 30 + b'", "id": null}',
    b'{"text": "n", "id": -12345678901234567890}',
    b'{"text": "a", "id": true}',
    b'{"text": "a", "id": 1.0}',
    b'{"text": "a", "id": {}}',
]
BLANK = [b"", b"\r", b" \t \x0b\x0c"]
BAD = [
    (b"{", "not JSON: Expecting property name enclosed in double quotes, column 2"),
    (b"[1]", "an array: JSON Lines have one object on each line, and --input-format json reads an array"),
    (b"null", "not a JSON object"),
    (b'{"id": 1}', "field 'text' (--text-field) is missing; the line has 'id'"),
    (b'{"text": null}', "field 'text' is null"),
    (b'{"text": ["a"]}', "field 'text' is not a string"),
    (b'{"text": "a", "id": "b\\u0000c"}', "field 'id' holds a NUL"),
    (b'{"text": "\xff"}', "not UTF-8"),
    (b'{"text": "\xed\xa0\x80"}', "not UTF-8"),
    (b'{"text": "a"} {"text": "b"}', "not JSON: Extra data, column 15"),
    (b'{"text": "a\tb"}', "not JSON: Invalid control character at, column 12"),
    (b"\x00", "not JSON: Expecting value, column 1"),
    (BOM + b'{"text": "a"}', "not JSON: Unexpected UTF-8 BOM (decode using utf-8-sig), column 1"),
    (b"[" * 200_000, "nested too deeply"),
    (b'{"text": "a", "more": ' + b"9" * 5000 + b"}", "a number of too many digits"),
]

lines_of_a_file = st.lists(st.sampled_from(GOOD + BLANK + [line for line, _ in BAD[:-2] if b"u0000" not in line]))


def test_json_lines_files_are_known_by_their_names() -> None:
    named = [b"a.jsonl", b"d/a.JSONL.Gz", b"a.js", b"a.gz", b"jsonl", b"a.jsonl.txt"]
    assert [recognise.format_of(name, SEQUENCES) for name in named] == ["jsonl", "jsonl", *[""] * 4]
    assert not any(recognise.format_of(name, some.sequences(plain=True)) for name in named)


@given(
    lines_of_a_file, st.sampled_from([b"", BOM]), st.booleans(), st.booleans(), st.integers(1, 300), st.integers(0, 250)
)
def test_any_cut_into_blocks_gives_the_same_documents(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[bytes],
    mark: bytes,
    ended: bool,
    compressed: bool,
    block: int,
    limit: int,
) -> None:
    content = mark + b"\n".join(lines) + b"\n" * (ended and bool(lines))
    path = tmp_path_factory.getbasetemp() / ("cut.jsonl.gz" if compressed else "cut.jsonl")
    path.write_bytes(gzip.compress(content, mtime=0) if compressed else content)
    name = os.fsencode(path)
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, block)
        found, skips = documents(name, limit)
        assert (found, [(skip.reason, skip.line) for skip in skips]) == twin(name, content, limit)
        for part in parts(name, limit):
            assert not part.data or content[part.start : part.start + part.extent] == part.data
            assert len(part.data) <= limit + 2 * max(block, 3)
    whole, _ = documents(name, limit)
    assert whole == found
    with closing(reopened.Reopened()) as reader:
        for _, text, start, extent in found:
            line, _ = reread(reader, name, start, extent)
            assert line == content[start : start + extent]
            assert jsonl.JSON_LINES.text_of(line, SEQUENCES) == text


def test_documents_of_a_file_are_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(BOM + b"\n".join(GOOD))
    name = os.fsencode(path)
    found, skips = documents(name)
    named = [b"1", b"a", b"17", "ü#".encode() + b"\xed\xa7\xbf\n", b"5", b"-12345678901234567890", b"7", b"8", b"9"]
    assert [document[0] for document in found] == [name + b"#" + part for part in named]
    assert [document[1] for document in found[:4]] == [b"plain", b"", "é 😀 ".encode() + b"\xed\xa0\x80", b"last"]
    assert found[1][2:] == (3 + len(GOOD[0]) + 1, len(GOOD[1]))
    assert skips == []


@pytest.mark.parametrize(("line", "detail"), BAD, ids=range(len(BAD)))
def test_malformed_lines_are_reported_with_the_reason(line: bytes, detail: str) -> None:
    part = part_of(b"a.jsonl", b'\n{"text": "good"}\n' + line + b"\n", 100, 7)
    read = rows(part)
    assert names_in(part) == [b"a.jsonl#8"]
    assert [where.start for where in read.locators] == [101]
    assert [skip._replace(detail=skip.detail) for skip in read.skips + read.textless] == [
        Skip("malformed", b"a.jsonl", detail, 9)
    ]
    assert jsonl.JSON_LINES.text_of(line, SEQUENCES) is None


def test_text_field_and_id_field_choose_the_fields_of_a_line() -> None:
    sequences = some.sequences(text_field=("körper",), id_field="text")
    line = '{"körper": "b", "text": "name", "id": true}'.encode()
    part = part_of(b"a", line)
    assert (names_in(part, sequences), rows(part, sequences).texts) == ([b"a#name"], [b"b"])
    assert jsonl.JSON_LINES.text_of(line, sequences) == b"b"


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_line_as_long_as_the_limit_is_read_wherever_a_block_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: bytes
) -> None:
    line = b'{"text": "a line of as many bytes as are allowed"}'
    cut_small(monkeypatch, len(line))
    (tmp_path / "a.jsonl").write_bytes(line + end)
    found, skips = documents(bytes(tmp_path / "a.jsonl"), len(line))
    assert (len(found), skips) == (1, [])
    assert len(documents(bytes(tmp_path / "a.jsonl"), len(line) - 1)[1]) == 1


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_line_above_the_limit_is_never_held_in_memory(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.jsonl{suffix}"
    long = b'{"text": "' + b"a" * (16 * MIB) + b'"}'
    content = GOOD[0] + b"\n" + long + b"\n" + long + b"\n" + GOOD[0] + b"\n" + long
    path.write_bytes(gzip.compress(content, 1) if suffix else content)
    name = os.fsencode(path)
    detail = f"{len(long)} bytes"
    del content
    tracemalloc.start()
    try:
        found, skips = documents(name)
        assert tracemalloc.get_traced_memory()[1] < 8 * MIB
    finally:
        tracemalloc.stop()
    assert [document[0] for document in found] == [name + b"#1", name + b"#4"]
    assert skips == [Skip("oversized", name, detail, number) for number in (2, 3, 5)]


def until_unread(name: bytes) -> tuple[list[Any], DocumentSkipped]:
    got: list[Any] = []
    with pytest.raises(DocumentSkipped) as caught:
        got.extend(parts(name, MIB))
    return got, caught.value


def test_whole_lines_before_damage_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    content = b"".join(b'{"text": "%d"}\n' % number**9 for number in range(40_000))
    compressed = gzip.compress(content)
    path.write_bytes(compressed[: len(compressed) // 2])
    got, skip = until_unread(os.fsencode(path))
    data = b"".join(lines.data for lines in got)
    first_unread = data.count(b"\n") + 1
    assert (skip.reason, skip.detail) == ("malformed", f"a gzip file cut short, from line {first_unread} on")
    assert len(content) // 3 < len(data)
    assert data.endswith(b"\n")
    assert content.startswith(data)


def test_a_file_is_closed_after_an_error_and_opened_again_for_the_next_line(
    tmp_path: Path, reader: reopened.Reopened
) -> None:
    """The descriptor of a file on a network file system may be of no use after an error."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo\n")
    name = os.fsencode(path)
    before = set(os.listdir("/dev/fd"))
    assert reread(reader, name, 0, 3)[0] == b"one"
    with mock.patch.object(os, "pread", side_effect=OSError(errno.ESTALE, "stale")), pytest.raises(DocumentSkipped):
        reread(reader, name, 4, 3)
    assert set(os.listdir("/dev/fd")) == before
    assert reread(reader, name, 4, 3)[0] == b"two"


@pytest.mark.parametrize("bad", range(4))
def test_an_error_skips_the_line_that_has_it_and_no_other(tmp_path: Path, reader: reopened.Reopened, bad: int) -> None:
    path, pread = tmp_path / "a.jsonl", os.pread
    path.write_bytes(b"one\ntwo\nsix\nten\n")

    def failing(file: int, size: int, at: int) -> bytes:
        if at == 4 * bad:
            raise OSError(errno.EIO, "bad sector")
        return pread(file, size, at)

    with mock.patch.object(os, "pread", failing):
        found = list(reader.read(os.fsencode(path), [Locator(4 * line, 3, line + 1) for line in range(4)], SEQUENCES))
    assert [each.reason if isinstance(each, DocumentSkipped) else each[0] for each in found] == [
        "unreadable" if line == bad else word for line, word in enumerate((b"one", b"two", b"six", b"ten"))
    ]


def test_lines_read_before_a_file_changed_are_read_again(tmp_path: Path, reader: reopened.Reopened) -> None:
    path, pread = tmp_path / "a.jsonl", os.pread
    path.write_bytes(b"one\ntwo\n")
    other = tmp_path / "other"
    other.write_bytes(b"ONE\nTWO\n")

    def swapping(file: int, size: int, at: int) -> bytes:
        if at == 4 and other.exists():
            other.rename(path)
        return pread(file, size, at)

    with mock.patch.object(os, "pread", swapping):
        found = list(reader.read(os.fsencode(path), [Locator(0, 3, 1), Locator(4, 3, 2)], SEQUENCES))
    assert [each[0] for each in found if isinstance(each, tuple)] == [b"ONE", b"TWO"]


def test_a_file_that_cannot_be_read_is_skipped_with_the_reason(tmp_path: Path, reader: reopened.Reopened) -> None:
    name = os.fsencode(tmp_path / "a.jsonl")
    assert until_unread(name)[1].reason == "vanished"
    os.mkfifo(name)
    assert until_unread(name)[1].reason == "special"
    with pytest.raises(DocumentSkipped, match="special"):
        reread(reader, name, 0, 1)
    os.unlink(name)
    with pytest.raises(DocumentSkipped, match="vanished"):
        reread(reader, name, 0, 1)
    loop = tmp_path / "loop.jsonl"
    loop.symlink_to(loop)
    assert until_unread(os.fsencode(loop))[1].reason == "unreadable"


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_line_of_a_changed_file_is_read_again(tmp_path: Path, suffix: str, reader: reopened.Reopened) -> None:
    path = tmp_path / f"a.jsonl{suffix}"
    name = os.fsencode(path)

    def write(content: bytes, to: Path = path) -> None:
        to.write_bytes(gzip.compress(content) if suffix else content)

    write(b"one\ntwo\n")
    [lines] = parts(name, MIB)
    assert reread(reader, name, 4, 3) == (b"two", lines.stamp)
    other = tmp_path / "other"
    write(b"ONE\nTWO\n", other)
    other.rename(path)
    line, stamp = reread(reader, name, 4, 3)
    assert line == b"TWO"
    assert stamp == Stamp.of(path.stat()) != lines.stamp
    write(b"short")
    with pytest.raises(DocumentSkipped, match="changed"):
        reread(reader, name, 4, 3)
    assert reread(reader, name, 0, 5)[0] == b"short"
    if suffix:
        path.write_bytes(b"no longer gzip at all")
        with pytest.raises(DocumentSkipped, match="changed"):
            reread(reader, name, 0, 3)
    path.unlink()
    with pytest.raises(DocumentSkipped, match="vanished"):
        reread(reader, name, 0, 3)


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_lines_in_order_are_read_without_opening_the_file_again(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch, reader: reopened.Reopened
) -> None:
    opened: list[bytes] = []
    before = len(os.listdir("/dev/fd"))
    monkeypatch.setattr(
        of_lines, "open_file", lambda name, do=of_lines.open_file, **how: opened.append(name) or do(name, **how)
    )
    files = [os.fsencode(tmp_path / f"{number}.jsonl{suffix}") for number in range(5)]
    content = b"".join(b'{"text": "%d"}\n' % number**5 for number in range(2000))
    for name in files:
        Path(os.fsdecode(name)).write_bytes(gzip.compress(content) if suffix else content)
    found, _ = documents(files[0])
    opened.clear()
    for _, text, start, extent in found:
        for name in files[:4]:
            assert jsonl.JSON_LINES.text_of(reread(reader, name, start, extent)[0], SEQUENCES) == text
    assert opened == files[:4]
    for number in (0, 4, 3, 0, 1):  # 1 was closed for 4, because 0 was used after it
        reread(reader, files[number], 0, 3)
    assert opened == [*files, files[1]]
    assert len(set(os.listdir("/dev/fd"))) == before + reopened.MOST_OPEN


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_line_that_is_said_to_be_longer_than_its_file_takes_no_memory(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch, reader: reopened.Reopened
) -> None:
    """A forged artifact may say so. In a file with a hole, memory is not filled until it runs out."""
    monkeypatch.setattr(of_lines, "MOST", 1 << 24)
    short, hole = tmp_path / f"a.jsonl{suffix}", tmp_path / f"hole.jsonl{suffix}"
    for path in (short, hole):
        path.write_bytes(gzip.compress(b"one\ntwo\n") if suffix else b"one\ntwo\n")
    os.truncate(hole, 1 << 27)
    tracemalloc.start()
    try:
        for path, extent in ((short, 1 << 24), (short, 1 << 47), (hole, 1 << 26), (hole, 1 << 47)):
            with pytest.raises(DocumentSkipped, match="changed"):
                reread(reader, os.fsencode(path), 4, extent)
        assert tracemalloc.get_traced_memory()[1] < 3 * of_lines._AT_ONCE
    finally:
        tracemalloc.stop()


def tasks_of(
    contents: dict[str, bytes], folder: Path, held: dict[int, bytes], sequences: some.Sequences = SEQUENCES
) -> list[object]:
    """Return the tasks for files with these contents, in short, and then the skips. None: the file is missing."""
    for name, content in contents.items():
        if content is not None:
            (folder / name).write_bytes(content)
    names = [os.fsencode(folder / name) for name in contents]
    found = file_list.FileList.of(names, [len(one or b"") for one in contents.values()], held, texts=False)
    skipped = Skipped()
    done: list[object] = []
    for task, files in read_tasks.Cutting(found, 100, sequences, lambda skip, _: skipped.add(skip)).tasks():
        if isinstance(task, read_tasks.Files):
            assert task.limit == 100
            done.append(([os.path.basename(name).decode() for name in task.names], task.held, files))
        else:
            done.append((os.path.basename(task.name).decode(), task.data, files))
    assert sum(entry[-1] for entry in done) == len(contents)  # type: ignore[index]
    return [
        *done,
        {reason: [os.path.basename(skip.name) for skip in skipped.kept(reason)] for reason in skipped.counts},
    ]


def test_tasks_are_in_row_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_small(monkeypatch, 4)
    contents = {
        "a": b"a",
        "b.gz": b"b",
        "c.jsonl": b"1\n2\n3",
        "d.jsonl": b"",
        "e": b"e",
        "f.jsonl": b"held",
        "g.jsonl.gz": b"not gzip",
        "h.jsonl": None,
        "i.jsonl.gz": gzip.compress(b"4\n5\n") + b"damage",
        "j": b"j",
    }
    assert tasks_of(contents, tmp_path, {0: b"A", 5: b"F"}) == [
        (["a", "b.gz"], {0: b"A"}, 2),
        ("c.jsonl", b"1\n2\n", 0),
        ("c.jsonl", b"3", 1),
        ("d.jsonl", b"", 1),
        (["e", "f.jsonl"], {1: b"F"}, 2),
        ([], {}, 1),
        ([], {}, 1),
        ("i.jsonl.gz", b"4\n5\n", 1),
        (["j"], {}, 1),
        {"malformed": [b"g.jsonl.gz", b"i.jsonl.gz"], "vanished": [b"h.jsonl"]},
    ]
    assert tasks_of(contents, tmp_path, {}, some.sequences(plain=True)) == [(list(contents), {}, 10), {}]
    assert tasks_of({}, tmp_path, {}) == [{}]


def test_tasks_are_batches_by_size_where_gzip_counts_fourfold(tmp_path: Path) -> None:
    plain = {f"{number}.txt": bytes(200_000) for number in range(3)}
    compressed = {f"{number}.gz": bytes(100_000) for number in range(3)}
    assert [entry[-1] for entry in tasks_of(plain | compressed, tmp_path, {})[:-1]] == [2, 1, 1, 1, 1]  # type: ignore[index]
