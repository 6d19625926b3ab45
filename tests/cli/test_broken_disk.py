"""Documents on a disk that cannot be read (EIO) are skipped, and the others are compared."""

from __future__ import annotations

import gzip

import pytest

from tests.amounts import slow
from tests.cli.corpus import A1, A, B, lay
from tests.storage.traced import strace, traced

READS = "read,pread64"
LINES = b"".join(b'{"text": "%s"}\n' % text.replace(b"\n", b" ") for text in (A, A1, B))


@pytest.mark.reliability("a broken sector")
@traced
@pytest.mark.parametrize(("name", "nth"), [
    *(("b.txt", 1), ("b.jsonl.gz", 2)),
    *slow(("b.txt.gz", 1), ("b.jsonl", 1), ("b.jsonl", 2), ("b.jsonl.gz", 1)),
])  # fmt: skip
def test_a_document_that_cannot_be_read_is_skipped(tmp_path, name, nth):
    content = LINES if ".jsonl" in name else A1
    lay(tmp_path, {
        "docs/a.txt": A,
        f"docs/{name}": gzip.compress(content) if name.endswith(".gz") else content,
        "docs/c.txt": A,
    })  # fmt: skip
    fault = ("-P", str(tmp_path / "docs" / name), "-e", f"trace={READS}", "-e", f"inject={READS}:error=EIO:when={nth}+")
    done = strace(("dedupe", "docs", "-j1"), tmp_path / "log", *fault, cwd=tmp_path, env=None)
    assert "(INJECTED)" in (tmp_path / "log").read_text()
    assert (done.status, done.err) == (3, f"simdocs: docs/{name}: skipped: cannot be read (Input/output error)\n")
    assert done.names == [("docs/a.txt", "docs/c.txt")]
