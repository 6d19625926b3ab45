"""Artifacts, saved answers and lists are on this machine: an object in their place is refused before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

import simdocs
from tests.cli.missing_library import environment_without
from tests.cli.program import simdocs as program
from tests.stores.laid import BUCKET
from tests.stores.server import ObjectStore


@pytest.mark.reliability("an artifact in a store")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("index", "rows.jsonl", "-o", "s3://b/x.index"), "-o must be a path on this machine"),
        (("dedupe", "rows.jsonl", "-o", "s3://b/x.answer"), "must be "),
        (("dedupe", "rows.jsonl", "--kept-rows", "hdfs://b/x.jsonl"), "--kept-rows must be a path on this machine"),
        (("dedupe", "rows.jsonl", "--summary-json", "s3://b/x"), "--summary-json must be a path on this machine"),
        (("dedupe", "--files-from", "s3://b/list"), "--files-from must be a path on this machine"),
        (("query", "s3://b/x.index", "rows.jsonl"), "or its path on this machine"),
        (("check", "s3://b/x.index"), "an artifact must be on this machine"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_place_in_a_store_is_refused_where_it_must_be_on_this_machine(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "rows.jsonl").write_bytes(b'{"text": "a text"}\n')
    for given in (arguments, [word.replace("://", "://KEY:SECRET@") for word in arguments]):
        done = program(*given, cwd=tmp_path)
        assert done.status == 2
        assert said in done.err
        assert "SECRET" not in done.err
        assert not done.out
    assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]


def test_an_artifact_in_a_store_is_no_directory_of_texts(store: ObjectStore) -> None:
    store.put(BUCKET, "x.index/manifest.json", b"{}")
    with pytest.raises(simdocs.InputError, match="artifacts are read from a disk only"):
        simdocs.dedupe("s3://bucket/x.index")


def test_without_pyarrow_one_line_says_what_to_install(tmp_path: Path) -> None:
    env = environment_without(tmp_path, "pyarrow", "pyarrow.fs")
    done = program("dedupe", "s3://bucket/docs", cwd=tmp_path, env=env)
    assert done.status == 2
    assert done.err == ("simdocs: error: reading s3:// needs pyarrow: pip install 'simdocs[datasets]'\n")
