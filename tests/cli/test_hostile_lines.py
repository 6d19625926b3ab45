"""Lines that nobody writes by accident: they are reported or read, soon and in little memory."""

from __future__ import annotations

import gzip
import json

import pytest

from tests.cli.bounded import harmless, within_limits
from tests.cli.corpus import A, lay

DEEP = [b"[" * depth + b"1" + b"]" * depth for depth in (90, 5000, 200_000)]
NUMBERS = [b"NaN", b"-Infinity", b"-0.0", b"1e999", b"1" + b"0" * 4299, b"9" * 100_000, b"18446744073709551616", b"01"]
TEXTS = ["", "\0", "\n", "-", "../b", "\x1b[31m", "\x85", "\u202e" * 999, "\ud800", "#1", "y" * 9999]
VALUES = [b"null", b"true", b"{}", b'["a"]', b'{"a":' * 200_000, *DEEP, *NUMBERS]
VALUES += [json.dumps(one).encode() for one in TEXTS]
LINES = [b"", b"\t\r", b"\0", b"\xff", b"\xef\xbb\xbf", b"null", b"{}{}", b'{"text"}', b"x" * 100_000]
LINES += [b'{"text": %s}' % value for value in VALUES]
LINES += [b'{"text": "a", "id": %s}' % value for value in VALUES] + [
    b'{"text": "a", "more": %s}' % value for value in VALUES
]
LINES += [b'{"id": 7, "text": "b", "id": 8, "text": "c"}', json.dumps({"text": A.decode(), "id": "one"}).encode()]
WHOLE = b"\n".join([*LINES, json.dumps({"text": A.decode().upper(), "id": "other"}).encode()])


@pytest.mark.reliability("hostile JSON Lines")
@pytest.mark.parametrize(("name", "options"), [("x.jsonl", ["--id-field", "more"]), ("x.jsonl.gz", [])])
def test_good_lines_among_hostile_ones_are_compared(tmp_path, name, options):
    lay(tmp_path, {name: gzip.compress(WHOLE) if name.endswith(".gz") else WHOLE})
    done = within_limits("dedupe", name, "--exact", "-v", *options, cwd=tmp_path)
    last = len(WHOLE.split(b"\n"))
    names = ("one", "other") if not options else (str(last - 1), str(last))
    assert done.status == 3
    assert any(row == tuple(f"{name}#{one}" for one in names) for row in done.names)
    assert "Traceback" not in done.err
    assert f"{name}, line 4: skipped: not UTF-8\n" in done.err
    harmless(done.err)


@pytest.mark.reliability("hostile JSON Lines")
def test_an_index_of_hostile_lines_is_sound(tmp_path):
    lay(tmp_path, {"x.jsonl": WHOLE})
    for words in (["index", "x.jsonl", "-o", "x.index"], ["query", "x.index", "x.jsonl"]):
        done = within_limits(*words, cwd=tmp_path)
        assert (done.status, "Traceback" in done.err) == (3, False)
        harmless(done.err)
    assert within_limits("check", "x.index", cwd=tmp_path) == (0, b"", "")
