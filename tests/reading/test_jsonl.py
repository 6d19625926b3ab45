"""A file of lines gives the same documents as its twin, however it is cut: JSON Lines, and plain text."""

from __future__ import annotations

import gzip
import json
import os
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.model.skipped import Skipped
from simdocs.reading import batches as of_documents
from tests.asked import ASKED
from tests.commands.building import content
from tests.reading.reading import MIB, Document, Found, read, read_blocks
from tests.reading.small_chunks import cut_small
from tests.runs import answered

BOM = b"\xef\xbb\xbf"


@pytest.fixture(autouse=True)
def nothing_left_open() -> Iterator[None]:
    before = set(os.listdir("/dev/fd"))
    yield
    assert set(os.listdir("/dev/fd")) <= before  # others may have been closed meanwhile


Seen = tuple[list[tuple[Document, tuple[int, int]]], list[tuple[int, str]]]
"""Each document, and its place; the number of each row that was skipped, and the reason."""


def seen(found: Found, *, placed: bool = True) -> Seen:
    """What was found. placed: whether documents have places."""
    assert found.trouble is None
    assert placed or set(found.places) <= {(0, 0)}
    reasons = zip((number for number, _ in found.skips), found.reasons, strict=True)
    return list(zip(found.documents, found.places, strict=True)), sorted(reasons)


def twin(content: bytes, limit: int, form: str, *, placed: bool = True) -> Seen:
    """What is in a file, from its whole content."""
    found, skips = [], []
    start = 3 if content.startswith(BOM) else 0
    for number, line in enumerate(content[start:].split(b"\n"), 1):
        place = (start, len(line)) if placed else (0, 0)
        start += len(line) + 1
        if len(line) > limit:
            skips.append((number, "oversized"))
        elif line.strip() and form == "lines":
            found.append(((number, None, line), place))
        elif line.strip():
            try:
                value = json.loads(line.decode())
                text, identity = value["text"].encode("utf-8", "surrogatepass"), value.get("id")
                its_id = str(identity).encode("utf-8", "surrogatepass") if type(identity) in (str, int) else None
                found.append(((number, its_id, text), place))
            except Exception:
                skips.append((number, "malformed"))
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
AN_ARRAY = "an array: JSON Lines have one object on each line, and --input-format json reads an array"
BAD = [
    (b"{", "not JSON: Expecting property name enclosed in double quotes, column 2"),
    (b"[1]", AN_ARRAY),
    (b"[1", "the beginning of " + AN_ARRAY),
    (b"null", "not a JSON object"),
    (b'{"id": 1}', "field 'text' (--text-field) is missing; the line has 'id'"),
    (b'{"text": null}', "field 'text' is null"),
    (b'{"text": 7}', "field 'text' is not a string"),
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


@pytest.mark.parametrize("form", ["jsonl", "lines"])
@given(lines_of_a_file, st.sampled_from([b"", BOM]), st.booleans(), st.integers(1, 300), st.integers(0, 250))
def test_any_cut_gives_the_documents_of_the_twin(
    tmp_path_factory: pytest.TempPathFactory,
    form: str,
    lines: list[bytes],
    mark: bytes,
    ended: bool,
    size: int,
    limit: int,
) -> None:
    content = mark + b"\n".join(lines) + b"\n" * (ended and bool(lines))
    path, packed = (tmp_path_factory.getbasetemp() / name for name in ("cut", "cut.gz"))
    path.write_bytes(content)
    packed.write_bytes(gzip.compress(content, mtime=0))
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, max(size, 3))
        assert seen(read_blocks(path, form, limit=limit)) == twin(content, limit, form)
        for where in (path, packed, content):
            found, skipped = twin(content, limit, form, placed=False)
            assert seen(read(where, form, limit=limit), placed=False) == (found, skipped)
            odd = [each for each in found if each[0][0] % 2], [each for each in skipped if each[0] % 2]
            assert seen(read(where, form, limit=limit, wanted=range(1, 99, 2)), placed=False) == odd


@pytest.mark.parametrize(("line", "detail"), BAD, ids=range(len(BAD)))
def test_malformed_lines_are_reported_with_the_reason(line: bytes, detail: str) -> None:
    found = read(b'\n{"text": "good"}\n' + line + b'\n{"text": "too"}', "jsonl")
    assert (found.numbers, found.skips, found.reasons) == ([2, 4], [(3, detail)], ["malformed"])


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_line_as_long_as_the_limit_is_read_wherever_a_block_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: bytes
) -> None:
    line, path = b'{"text": "a line of as many bytes as are allowed"}', tmp_path / "a.jsonl"
    cut_small(monkeypatch, len(line))
    path.write_bytes(line + end)
    for limit, reasons in ((len(line), []), (len(line) - 1, ["oversized"])):
        assert read(path, "jsonl", limit=limit).reasons == read_blocks(path, limit=limit).reasons == reasons


@pytest.mark.parametrize("how", ["blocks", "pass", "gzip"])
def test_a_line_above_the_limit_is_never_held_in_memory(tmp_path: Path, how: str) -> None:
    path = tmp_path / ("a.jsonl.gz" if how == "gzip" else "a.jsonl")
    long = b'{"text": "' + b"a" * (16 * MIB) + b'"}'
    content = b"\n".join([GOOD[0], long, long, GOOD[0], long])
    path.write_bytes(gzip.compress(content, 1) if how == "gzip" else content)
    detail = f"{len(long)} bytes"
    del content, long
    tracemalloc.start()
    try:
        found = read_blocks(path) if how == "blocks" else read(path, "jsonl")
        assert tracemalloc.get_traced_memory()[1] < 8 * MIB
    finally:
        tracemalloc.stop()
    assert (found.numbers, found.skips) == ([1, 4], [(number, detail) for number in (2, 3, 5)])


def test_whole_lines_before_damage_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    texts = [b"%d" % number**9 for number in range(40_000)]
    compressed = gzip.compress(b"".join(b'{"text": "%b"}\n' % text for text in texts))
    path.write_bytes(compressed[: len(compressed) // 2])
    found = read(path, "jsonl")
    assert found.texts == texts[: found.count]
    assert found.count > len(texts) // 3
    why = simdocs.dedupe(path, exact=True).skipped.by_reason["malformed"]
    assert why == [(str(path), f"a gzip file cut short, from line {found.count + 1:,} on")]


# Names of rows that were seen before are found.


@pytest.mark.parametrize("hashes", [1, 2, 1 << 62])
@given(blocks=st.lists(st.lists(st.sampled_from([b"a", b"b", b"c", b"", b"a\0", b"ab"]), max_size=5), max_size=8))
def test_names_are_repeated_if_they_were_seen_before(hashes: int, blocks: list[list[bytes]]) -> None:
    rows: list[bytes] = []
    names = of_documents.SeenNames(rows.__getitem__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(of_documents, "hash", lambda name: hash(name) % hashes, raising=False)
        for block in blocks:
            seen = set(rows)
            expected = {at for at, name in enumerate(block) if name in seen or name in block[:at]}
            assert names.repeated(block) == expected
            new = [name for at, name in enumerate(block) if at not in expected]
            names.add(new, np.arange(len(rows), len(rows) + len(new)))
            rows += new


LINES = [b'{"text": "a"}', b"", b'{"text": "bcd", "id": 7}\r', b"{", b'{"text": "\xc3\xa4"}', b" \t", b'{"text": "x"}']


FILES = {
    "plain": b"\n".join(LINES),
    "mark and CRLF": b"\xef\xbb\xbf" + b"\r\n".join(LINES) + b"\r\n",
    "one giant line": b'{"text": "%b"}' % (b"one giant line " * 40),
    "a long line": b'{"text": "a", "id": 1}\n' * 3 + b'{"text": "%b"}\n' % (b"long" * 60) + b'{"text": "b"}',
    "no id": b'{"text": "a"}\n' * 9 + b'{"text": "b", "id": 0.5}\n' * 2,
    "blank": b"\n" * 50,
    "repeated": b"".join(b'{"text": "%c", "id": "%c"}\n' % each for each in zip(b"abaac", b"x3xx4", strict=True)),
    "like PDF": b'{"text": "a"}\n' + b"%PDF-1\n" * 30,
    "empty": b"",
    "UTF-16": '{"text": "UTF-16"}\n'.encode("utf-16") * 3,
}


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_artifacts_and_messages_are_the_same_wherever_blocks_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, jobs: int
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.jsonl").write_bytes(data)
    seen = list[Any]()
    for size in [1 << 19, 3, 17, 64] if jobs == 1 else [1 << 19, 37]:
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
