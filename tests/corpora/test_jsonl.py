"""A JSON Lines file gives the same documents as its twin for any size of blocks, and each line can be read again."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.corpora import file_list, read_tasks
from simdocs.corpora.containers import recognise
from simdocs.model.skipped import DocumentSkipped, Skip, Skipped
from tests import strategies as some
from tests.corpora.json_lines import names_in, part_of, parts, rows
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


def test_text_field_and_id_field_choose_the_fields_of_a_line() -> None:
    sequences = some.sequences(text_field=("körper",), id_field="text")
    line = '{"körper": "b", "text": "name", "id": true}'.encode()
    part = part_of(b"a", line)
    assert (names_in(part, sequences), rows(part, sequences).texts) == ([b"a#name"], [b"b"])


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


def test_a_file_that_cannot_be_read_is_skipped_with_the_reason(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path / "a.jsonl")
    assert until_unread(name)[1].reason == "vanished"
    os.mkfifo(name)
    assert until_unread(name)[1].reason == "special"
    os.unlink(name)
    loop = tmp_path / "loop.jsonl"
    loop.symlink_to(loop)
    assert until_unread(os.fsencode(loop))[1].reason == "unreadable"


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
