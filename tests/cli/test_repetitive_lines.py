"""Rows that are alike where files are cut, such as those that end with the same metadata."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator

from tests.cli.program import simdocs

SENTENCES = ("This item is no longer available.", "Please choose another one.")
META = {"source": "webcrawl-2026-03", "collection": "regional news and notices", "version": "1.0.3"}


def rows() -> Iterator[dict[str, object]]:
    """Usual rows, then rows that end alike, then two texts in turn: 5 MB of each, which is more than a stretch."""
    drawn = random.Random(7)
    for number in range(9000):
        yield {"text": drawn.randbytes(260).hex(), "id": number}
    for number in range(9000, 18_000):
        yield {"id": number, "text": drawn.randbytes(3).hex() * (number % 4), "meta": [META] * 5}
    for number in range(18_000, 84_000):
        yield {"id": number, "text": SENTENCES[number % 2]}


def test_repetitive_rows_have_the_answer_of_the_same_rows_in_a_compressed_file(tmp_path):
    data = b"".join(json.dumps(row).encode() + b"\n" for row in rows())
    (tmp_path / "x.jsonl").write_bytes(data)
    (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(data, 1))
    expected = simdocs("dedupe", "x.jsonl.gz", "-j1", "--list", "kept", "--num-perm", "16", cwd=tmp_path)
    assert (expected.status, expected.err) == (0, "")
    assert expected.out.count(b"\n") > 9000
    for jobs in ("-j1", "-j2"):
        done = simdocs("dedupe", "x.jsonl", jobs, "--list", "kept", "--num-perm", "16", cwd=tmp_path)
        assert (done.status, done.out, done.err) == (0, expected.out.replace(b".gz#", b"#"), "")
