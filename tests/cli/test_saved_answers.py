"""dedupe -o NAME.answer: what it holds, for documents from everywhere, and what it cannot be combined with."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import simdocs

Line = dict[str, Any]


def saved(cwd: Path, *arguments: str | bytes) -> tuple[Line, list[Line]]:
    """The head and the rows of the answer of dedupe with these arguments."""
    done = simdocs("dedupe", *arguments, "-t", "0.5", "-q", "-o", ".x.answer", cwd=cwd)
    assert (done.out, done.err) == (b"", "")
    shutil.copyfile(cwd / ".x.answer", cwd / "x.answer")  # a directory that is walked may hold it only if it is hidden
    head, *rows, end = map(json.loads, (cwd / ".x.answer").read_bytes().splitlines())
    assert end["rows"] == len(rows)
    return head, rows


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return lay(tmp_path, {"docs/a": A, "docs/b": A1, "docs/z": B, "new/c": A2, "new/d": B})


def test_the_rows_are_those_of_the_plain_answer(place: Path) -> None:
    _, rows = saved(place, "docs", "new")
    plain = simdocs("dedupe", "docs", "new", "-t", "0.5", "--format", "jsonl", cwd=place)
    columns = ("kept", "duplicate", "jaccard", "estimate")
    assert [{name: row[name] for name in columns} for row in rows] == list(map(json.loads, plain.out.splitlines()))
    assert [row["group"] for row in rows] == [0, 0, 1]


def test_every_field_is_described(place: Path) -> None:
    head, rows = saved(place, "docs", "new")
    *_, end = map(json.loads, (place / "x.answer").read_bytes().splitlines())
    page = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    _, *tables = page.partition("## NAME.answer")[2].split(" line | |\n")
    listed = [
        re.findall(r"^\| `(\w+)` \|", table.partition("| Row | |")[at], re.MULTILINE)
        for at, table in ((0, tables[0]), (2, tables[0]), (0, tables[1]))
    ]
    assert [sorted(each) for each in listed] == [sorted(head), sorted(rows[0]), sorted(end)]


def test_any_number_of_workers_gives_the_same_bytes(place: Path) -> None:
    answers = set()
    for jobs in ("-j1", "-j7"):
        saved(place, "docs", "new", jobs)
        answers.add((place / ".x.answer").read_bytes())
    assert len(answers) == 1


def test_arguments_are_counted_and_their_directories_are_named(place: Path) -> None:
    head, _ = saved(place, "docs", "./new")
    assert head["arguments"] == [{"name": "docs", "documents": 3}, {"name": "./new", "documents": 2}]
    assert [(root["path"], root["named"], root["argument"]) for root in head["roots"]] == [
        (f"{place}/docs/", 5, 0),
        (f"{place}/./new/", 6, 1),
    ]
    assert head["roots"][0]["inode"] == (place / "docs").stat().st_ino


def test_compressed_files_count_as_they_lie_on_the_disk(tmp_path: Path) -> None:
    data = gzip.compress(A1, mtime=0)
    lay(tmp_path, {"docs/a": A, "docs/b.gz": data})
    _, (row,) = saved(tmp_path, "docs")
    assert (row["duplicate_size"], row["duplicate_file_size"]) == (len(A1), len(data))
    assert row["duplicate_content"] == hashlib.sha256(A1).hexdigest()[:32]


def test_an_artifact_gives_the_rows_that_its_documents_give(place: Path) -> None:
    assert simdocs("index", "docs", "new", "-q", "-o", "x.index", cwd=place).status == 0
    fresh, of_artifact = saved(place, "docs", "new"), saved(place, "x.index")
    assert of_artifact[1] == fresh[1]
    for field in ("root", "arguments", "roots", "documents", "groups", "kept", "duplicates"):
        assert of_artifact[0][field] == fresh[0][field], field
    run = json.loads((place / "x.index/run.json").read_text())
    (place / "x.index/run.json").write_text(json.dumps(run | {"given": [["docs", 7]]}))
    assert saved(place, "x.index")[0]["arguments"] == [{"name": "x.index", "documents": 5}]


def test_a_kept_document_of_an_index_has_the_root_of_the_index(place: Path) -> None:
    (place / "there").mkdir()
    assert simdocs("index", "docs", "-q", "-o", "there/x.index", cwd=place).status == 0
    head, rows = saved(place / "new", ".", "--against", "../there/x.index")
    assert (head["root"], head["index_root"]) == (f"{place}/new", str(place))
    roots = head["roots"]
    assert {(row["kept"], roots[row["kept_root"]]["path"]) for row in rows} == {
        ("docs/a", f"{place}/docs/"),
        ("docs/z", f"{place}/docs/"),
    }
    assert [roots[row["kept_root"]]["argument"] for row in rows] == [None, None]
    assert [(row["duplicate"], roots[row["duplicate_root"]]["argument"]) for row in rows] == [("./c", 0), ("./d", 0)]


def test_only_changed_documents_keep_their_own_totals(place: Path) -> None:
    build = ("index", "docs", "new", "-q", "-o", "x.index")
    assert simdocs(*build, cwd=place).status == 0
    lay(place, {"docs/y": A2 + b" Again."})
    assert simdocs(*build, cwd=place).status == 0
    head, rows = saved(place, "x.index", "--changed")
    assert [row["duplicate"] for row in rows] == ["docs/y"]
    assert (head["documents"], head["changed"], head["kept"], head["duplicates"], head["groups"]) == (6, 1, 0, 1, 1)
    assert saved(place, "x.index")[0]["changed"] is None
