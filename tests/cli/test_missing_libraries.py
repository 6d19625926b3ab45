"""Without an optional library no rows and no documents are lost in silence."""

from __future__ import annotations

import os

import pytest

from simdocs.options.families import COMPRESSIONS
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.missing_library import environment_without
from tests.cli.program import simdocs
from tests.packing import needs_zstd, packed

ZSTD = COMPRESSIONS["zstd"].module
INSTALL = "pip install 'simdocs[datasets]'"
PARQUET_WHY, ZSTD_WHY = f"reading Parquet needs pyarrow: {INSTALL}", f"reading Zstandard needs {ZSTD}: {INSTALL}"
LINES = [b'{"text": "%s"}\n' % text for text in (A, A1, B, A2)]
MAGIC = b"\x28\xb5\x2f\xfd" + bytes(9)


@pytest.fixture(name="absent")
def absent_libraries(tmp_path_factory) -> dict[str, str]:
    return environment_without(tmp_path_factory.mktemp("absent"), "pyarrow", "pyarrow.parquet", ZSTD)


@pytest.mark.parametrize(("suffix", "why"), [(".parquet", PARQUET_WHY), (".jsonl.zst", ZSTD_WHY)])
def test_rows_that_cannot_be_read_do_not_replace_an_earlier_output(tmp_path, absent, suffix, why):
    lay(tmp_path, {"in/a.jsonl": LINES[0], **{f"in/{name}{suffix}": MAGIC for name in "pqr"}, "good/a.jsonl": b"{}\n"})
    done = simdocs("dedupe", "in", "--kept-rows", "good", cwd=tmp_path, env=absent)
    said = f"simdocs: error: in/p{suffix}: {why}\n"
    assert done == (2, b"", said)
    assert os.listdir(tmp_path / "good") == ["a.jsonl"]
    assert sorted(os.listdir(tmp_path)) == ["good", "in"]


def test_rows_in_a_format_that_cannot_be_written_are_refused_before_the_work(tmp_path):
    lay(tmp_path, {"a.jsonl": b"".join(LINES)})
    absent = environment_without(tmp_path, "pyarrow", "pyarrow.parquet", "pyarrow.ipc")
    done = simdocs("dedupe", "a.jsonl", "--kept-rows", "q.parquet", cwd=tmp_path, env=absent)
    assert done == (2, b"", f"simdocs: error: q.parquet: writing Parquet needs pyarrow: {INSTALL}\n")
    assert sorted(os.listdir(tmp_path)) == ["a.jsonl", "hidden"]


def test_a_warning_counts_files_that_need_a_library(tmp_path, absent):
    lay(tmp_path, {"in/a": A, **{f"in/{number}.parquet": MAGIC for number in range(12)}})
    why = PARQUET_WHY.replace("Parquet", "tables")
    done = simdocs("dedupe", "in", cwd=tmp_path, env=absent)
    assert done == (0, b"", f"simdocs: warning: in/0.parquet and 11 more files skipped: {why}\n")
    assert simdocs("dedupe", "in", "-q", cwd=tmp_path, env=absent) == (0, b"", "")
    done = simdocs("compare", "in/a", "in/0.parquet#1", cwd=tmp_path, env=absent)
    assert done == (2, b"", f"simdocs: error: in/0.parquet: {why}\n")


@pytest.mark.parametrize("how", [["dedupe"], ["index", "-o", "x.index"]])
def test_an_argument_of_which_nothing_can_be_read_is_an_error(tmp_path, absent, how):
    lay(tmp_path, {"in/a": A, "in/b": A1, **{f"shards/{number}.parquet": MAGIC for number in range(3)}})
    done = simdocs(*how, "in", "shards", "-q", cwd=tmp_path, env=absent)
    assert done == (2, b"", f"simdocs: error: shards/0.parquet and 2 more files: {PARQUET_WHY}\n")
    assert sorted(os.listdir(tmp_path)) == ["in", "shards"]


@needs_zstd
def test_an_update_does_not_drop_documents_for_lack_of_a_library(tmp_path, absent):
    files = {f"in/{number}.jsonl.zst": packed("zstd", line) for number, line in enumerate(LINES * 3)}
    lay(tmp_path, {"in/a": A, **files})
    ask = ("index", "in", "-o", "x.index", "--checksum")
    assert simdocs(*ask, cwd=tmp_path) == (0, b"", "")
    before = (tmp_path / "x.index/manifest.json").read_bytes()
    lost = "x.index: it has documents of in/0.jsonl.zst, which cannot be read now, so it is not replaced"
    assert simdocs(*ask, cwd=tmp_path, env=absent) == (0, b"", "")  # what did not change is not read
    rebuilt = simdocs(*ask, "--rebuild", cwd=tmp_path, env=absent)
    assert rebuilt.status == 2
    assert f"simdocs: error: {lost}: {ZSTD_WHY}, or accept the loss with --allow-shrink\n" in rebuilt.err
    assert (tmp_path / "x.index/manifest.json").read_bytes() == before
    lay(tmp_path, {"in/new.jsonl.zst": MAGIC})
    assert simdocs(*ask, "--rebuild", "--allow-shrink", cwd=tmp_path, env=absent).status == 0
    again = simdocs(*ask, cwd=tmp_path, env=absent)  # it has no documents of these files any more
    assert (again.status, again.out) == (0, b"")
    assert again.err == f"simdocs: warning: in/0.jsonl.zst and 12 more files skipped: {ZSTD_WHY}\n"
    lay(tmp_path, {"other/new.jsonl.zst": MAGIC})
    assert simdocs(*ask, "other", cwd=tmp_path, env=absent).status == 0


@needs_zstd
def test_documents_that_cannot_be_verified_name_the_library(tmp_path, absent):
    lay(tmp_path, {"in/a.txt.zst": packed("zstd", A), "in/b": A1})
    assert simdocs("index", "in", "-o", "x.index", cwd=tmp_path).status == 0
    done = simdocs("dedupe", "x.index", cwd=tmp_path, env=absent)
    assert done.status == 3
    assert f"simdocs: in/a.txt.zst: skipped: its text cannot be read again ({ZSTD_WHY})\n" in done.err
