"""dedupe -o NAME.answer: what it holds, for documents from everywhere, and what it cannot be combined with."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import simdocs

Line = dict[str, Any]


def saved(cwd: Path, *arguments: str | bytes, threshold: str = "0.5") -> tuple[Line, list[Line]]:
    """The head and the rows of the answer of dedupe with these arguments."""
    done = simdocs("dedupe", *arguments, "-t", threshold, "-q", "-o", ".x.answer", cwd=cwd)
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
    for jobs in ("-j1", "-j2", "-j7"):
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


def test_names_that_are_not_utf_8_are_in_base64(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name, text in ((b"caf\xe9", A), (b"tea", A1)):
        Path(os.fsdecode(os.path.join(bytes(tmp_path), b"docs", name))).write_bytes(text)
    _, (row,) = saved(tmp_path, "docs")
    assert (row["kept_b64"], row["duplicate"]) == ("ZG9jcy9jYWbp", "docs/tea")


def test_compressed_files_count_as_they_lie_on_the_disk(tmp_path: Path) -> None:
    data = gzip.compress(A1, mtime=0)
    lay(tmp_path, {"docs/a": A, "docs/b.gz": data})
    _, (row,) = saved(tmp_path, "docs")
    assert (row["duplicate_size"], row["duplicate_file_size"]) == (len(A1), len(data))
    assert row["duplicate_content"] == hashlib.sha256(A1).hexdigest()[:32]


@pytest.mark.parametrize("kind", ["shingle", "signature", "index"])
def test_an_artifact_gives_the_rows_that_its_documents_give(place: Path, kind: str) -> None:
    target = {"shingle": "x.shingles", "signature": "x.signatures", "index": "x.index"}[kind]
    assert simdocs(kind, "docs", "new", "-q", "-o", target, cwd=place).status == 0
    fresh, of_artifact = saved(place, "docs", "new"), saved(place, target)
    assert of_artifact[1] == fresh[1]
    for field in ("root", "arguments", "roots", "documents", "groups", "kept", "duplicates"):
        assert of_artifact[0][field] == fresh[0][field], field


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
    done = simdocs("report", ".x.answer", "--summary", "-o", "page.html", cwd=place)
    assert done.err.startswith("6 documents, 1 new or changed; 1 duplicate in 1 group;")
    assert "Only groups with a document that was new or changed" in (place / "page.html").read_text("utf-8")
    assert saved(place, "x.index")[0]["changed"] is None


def test_rows_of_data_sets_are_marked(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"id": str(at), "text": text.decode()}) + "\n" for at, text in enumerate((A, A1)))
    lay(tmp_path, {"docs/x.jsonl": lines.encode(), "docs/y": A2})
    _, rows = saved(tmp_path, "docs")
    assert [(row["duplicate"], row["duplicate_container"]) for row in rows] == [
        ("docs/x.jsonl#1", len("docs/x.jsonl")),
        ("docs/y", 0),
    ]


@pytest.mark.parametrize("option", [("--list", "kept"), ("--list", "kept", "-0")])
def test_other_answers_have_no_place_in_it(place: Path, option: tuple[str, ...]) -> None:
    done = simdocs("dedupe", "docs", *option, "-o", "x.answer", cwd=place)
    assert (done.status, done.out) == (2, b"")
    assert f"{option[0]} has no place in .answer" in done.err
    assert not (place / "x.answer").exists()


def test_it_is_not_compressed_and_no_other_command_writes_it(place: Path) -> None:
    done = simdocs("dedupe", "docs", "-o", "x.answer.gz", cwd=place)
    assert (done.status, "leave .gz out" in done.err) == (2, True)
    assert simdocs("index", "docs", "-q", "-o", "x.index", cwd=place).status == 0
    done = simdocs("query", "x.index", "new", "-o", "x.answer", cwd=place)
    assert (done.status, "cannot write .answer" in done.err) == (2, True)


def test_with_strict_nothing_is_written_if_a_document_could_not_be_compared(place: Path) -> None:
    lay(place, {"docs/big": A * 9})
    done = simdocs("dedupe", "docs", "--max-size", "500", "--strict", "-o", "x.answer", cwd=place)
    assert (done.status, (place / "x.answer").exists()) == (2, False)


def test_exit_code_and_summary_are_those_of_any_answer(place: Path) -> None:
    done = simdocs("dedupe", "docs", "-t", "0.5", "--exit-code", "-o", "x.answer", "--summary", cwd=place)
    assert done.status == 1
    assert "1 duplicate of 1 document" in done.err
