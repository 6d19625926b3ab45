"""Artifacts, saved answers and lists are on this machine: an object in their place is refused before any work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import simdocs
from simdocs.names import flag
from simdocs.options.answers import ROW_OUTPUTS
from tests.asked import ASKED
from tests.cli.missing_library import environment_without
from tests.cli.program import simdocs as program
from tests.stores.laid import BUCKET, sentences
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


def test_the_table_of_outputs_names_those_that_may_be_in_a_store() -> None:
    dedupe = ASKED["dedupe"].options
    declared = {"-o": dedupe["output"], "report -o": ASKED["report"].options["output"]}
    declared |= {flag(name): dedupe[name] for name in (*ROW_OUTPUTS, "summary_json")}
    declared |= {"an artifact": ASKED["index"].options["output"]}
    lines = Path(simdocs.__file__).parent.parent.joinpath("docs/stores.md").read_text().splitlines()
    table = [line for line in lines if line.startswith("| ") and line.count("|") == 5]
    for name, parameter in declared.items():
        assert parameter.values.shell == "file"
        (row,) = (line for line in table if name in line.split("|")[1] and (name != "-o" or "the answer" in line))
        assert row.split("|")[3].strip().startswith("no" if parameter.values.here else ("yes", "a prefix"))


def test_an_artifact_in_a_store_is_no_directory_of_texts(store: ObjectStore) -> None:
    store.put(BUCKET, "x.index/manifest.json", b"{}")
    with pytest.raises(simdocs.InputError, match="artifacts are read from a disk only"):
        simdocs.dedupe("s3://bucket/x.index")


def test_without_pyarrow_one_line_says_what_to_install(tmp_path: Path) -> None:
    env = environment_without(tmp_path, "pyarrow", "pyarrow.fs")
    done = program("dedupe", "s3://bucket/docs", cwd=tmp_path, env=env)
    assert done.status == 2
    assert done.err == ("simdocs: error: reading s3:// needs pyarrow: pip install 'simdocs[datasets]'\n")


def test_a_file_whose_path_begins_like_a_store_is_read_by_another_spelling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, data in sentences(1).items():
        path = tmp_path / "s3:" / "bucket" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    found: Any = simdocs.dedupe("./s3://bucket/docs")
    assert len(found.pairs.left) == 1
