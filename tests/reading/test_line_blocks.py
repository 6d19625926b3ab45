"""An artifact of a file of lines does not depend on where its blocks end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import simdocs
from simdocs.model.skipped import Skipped
from tests.asked import ASKED
from tests.commands.building import content
from tests.reading.small_chunks import cut_small
from tests.runs import answered

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
