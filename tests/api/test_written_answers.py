"""Answers and summaries in files: the same bytes as from the commands."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simdocs
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import simdocs as program

DOCS = {"docs/a": A, "docs/b": A1, "docs/c": B, "docs/d": A2, "docs/e": A}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = lay(tmp_path_factory.mktemp("built"), DOCS)
    assert program("index", "docs", "-t", "0.3", "-o", "x.index", "-q", cwd=root).status == 0
    assert program("dedupe", "docs", "-t", "0.3", "-o", "saved.answer", "-q", cwd=root).status == 0
    return root


@pytest.fixture
def docs(built: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(built)
    return built


ANSWERS: list[tuple[Callable[[], Any], str | None, str, str]] = [
    (lambda: simdocs.dedupe("docs"), None, "dedupe docs", "tsv csv jsonl jsonl.gz answer parquet arrow"),
    (lambda: simdocs.dedupe("docs"), "groups", "dedupe docs --list groups", "tsv jsonl"),
    (lambda: simdocs.dedupe("docs"), "kept", "dedupe docs --list kept", "txt"),
    (lambda: simdocs.query("x.index", "docs"), "matches", "query x.index docs --list matches", "csv"),
    (lambda: simdocs.compare("docs/a", "docs/b", diff="words"), None, "compare docs/a docs/b", "jsonl html"),
    (lambda: simdocs.compare("docs/a", "docs/b", "docs/c"), None, "compare docs/a docs/b docs/c", "tsv html"),
    (lambda: simdocs.report("saved.answer", figure="sizes"), None, "report saved.answer --figure sizes", "svg"),
    (lambda: simdocs.report("saved.answer"), None, "report saved.answer", "html"),
]


@pytest.mark.parametrize(("call", "listing", "line", "suffixes"), ANSWERS, ids=[each[2] for each in ANSWERS])
def test_an_answer_is_written_as_by_the_command(docs, call, listing, line, suffixes):
    result = call()
    for suffix in suffixes.split():
        if suffix in ("parquet", "arrow"):
            pytest.importorskip("pyarrow")
        if suffix == "html":
            pytest.importorskip("jinja2")
        result.write(f"by.python.{suffix}", listing)
        assert program(*line.split(), "-o", f"by.program.{suffix}").status == 0
        assert Path(f"by.python.{suffix}").read_bytes() == Path(f"by.program.{suffix}").read_bytes()


def test_an_answer_is_written_in_the_format_that_is_asked_for(docs, tmp_path):
    found = simdocs.dedupe("docs")
    found.write(tmp_path / "x", format="csv")
    assert (tmp_path / "x").read_bytes().startswith(b"kept,duplicate,jaccard,estimate\r\n")
    found.write(tmp_path / "x.tsv", header=True)
    assert (tmp_path / "x.tsv").read_text().startswith("kept\tduplicate\tjaccard\testimate\n")
    found.write(tmp_path / "x.txt", format="table")
    assert "kept, duplicate" in (tmp_path / "x.txt").read_text()


def test_what_cannot_be_written_is_refused_and_nothing_is_replaced(docs, tmp_path):
    found = simdocs.dedupe("docs")
    refused: dict[str, tuple[Any, dict[str, Any]]] = {
        r"^-o x\.json: simdocs cannot write \.json here: use": (found, {"path": "x.json"}),
        r"^the path must be a file, not -: use /dev/stdout": (found, {"path": "-"}),
        r"^listing must be one of kept, duplicates, groups, not 'x'$": (
            found,
            {"path": "x.tsv", "listing": "x"},
        ),
        r"^-o x\.answer: simdocs cannot write \.answer": (simdocs.pairs("docs"), {"path": "x.answer"}),
    }
    for message, (result, keywords) in refused.items():
        with pytest.raises(simdocs.UsageError, match=message):
            result.write(**keywords)
    with pytest.raises(simdocs.OutputError, match="this is a directory"):
        found.write(tmp_path)
    with pytest.raises(simdocs.UsageError, match=r"^docs/a: this file was read for the answer and would be"):
        found.write("docs/a")
    assert Path("docs/a").read_bytes() == A
    assert not list(docs.glob("x.[tja]*"))


SUMMARIES: list[tuple[Callable[..., Any], str]] = [
    (lambda **more: simdocs.dedupe("docs", jobs=1, **more), "dedupe docs"),
    (lambda **more: simdocs.pairs("docs", jobs=1, **more), "pairs docs"),
    (lambda **more: simdocs.query("x.index", "docs", jobs=1, **more), "query x.index docs"),
    (lambda **more: simdocs.tune("docs", jobs=1, **more), "tune docs"),
    (lambda **more: simdocs.audit("docs", jobs=1, **more), "audit docs"),
    (lambda **more: simdocs.report("saved.answer", figure="sizes", **more), "report saved.answer --figure sizes"),
    (lambda **more: simdocs.index("docs", output="made.index", **more), "index docs -o made.index --rebuild"),
    (lambda **more: simdocs.merge("x.index", output="merged.index", **more), "merge x.index -o merged.index"),
]


def summary(path: str) -> dict[str, Any]:
    """A summary without what differs: times, how a call is spelled, and what was there before."""
    found: dict[str, Any] = json.loads(Path(path).read_bytes())
    assert isinstance(found.pop("seconds"), float)
    return {name: value for name, value in found.items() if name not in ("next", "advice", "update")}


@pytest.mark.parametrize(("call", "line"), SUMMARIES, ids=[each[1] for each in SUMMARIES])
def test_a_summary_is_written_as_by_the_command(docs, call, line):
    result = call(summary_json="python.json")
    how = "-q" if line.startswith(("merge", "report")) else "-j1"
    assert program(*line.split(), how, "--summary-json", "program.json").status == 0
    assert summary("python.json") == summary("program.json")
    if isinstance(result, simdocs.Result):
        facts = {"seconds": json.loads(Path("python.json").read_bytes())["seconds"]}
        assert json.loads(json.dumps(result.summary() | facts)) == json.loads(Path("python.json").read_bytes())
        assert result.summary()["seconds"] is None


def test_a_summary_of_what_was_done_to_files(tmp_path, monkeypatch):
    monkeypatch.chdir(lay(tmp_path, DOCS))
    simdocs.dedupe("docs").write("x.answer")
    done = simdocs.act("x.answer", move="away", yes=True, max_removed=1.0, summary_json="act.json")
    assert json.loads(Path("act.json").read_bytes())["acted"] == len(done) == 3
    back = simdocs.undo(done.summary()["journal"], yes=True, summary_json="undo.json")
    assert json.loads(Path("undo.json").read_bytes())["put_back"] == len(back) == 3


def test_nothing_is_published_if_the_summary_cannot_be_written(docs, tmp_path):
    with pytest.raises(simdocs.OutputError, match="there is no directory"):
        simdocs.index("docs", output=tmp_path / "y.index", summary_json=tmp_path / "nowhere" / "x.json")
    assert os.listdir(tmp_path) == []
    with pytest.raises(simdocs.UsageError, match=r"^--summary-json must be a file, not -"):
        simdocs.dedupe("docs", summary_json="-")
    with pytest.raises(simdocs.UnjudgedError):
        simdocs.dedupe("docs", max_size=10, strict=True, summary_json=tmp_path / "x.json")
    assert os.listdir(tmp_path) == []


def test_a_report_shows_what_was_found_already(docs):
    found = simdocs.dedupe("docs", threshold=0.3)
    found.write("x.answer")
    answer = simdocs.read_answer("x.answer")
    assert (len(answer), [pair.group for pair in answer]) == (len(found), [pair.group for pair in answer.pairs()])
    for figure in (None, "sizes"):
        for number, one in enumerate((found, answer, "x.answer")):
            simdocs.report(one, figure=figure).write(f"{number}.svg" if figure else f"{number}.html")
    for suffix in ("svg", "html"):
        assert len({Path(f"{number}.{suffix}").read_bytes() for number in range(3)}) == 1
    none = simdocs.dedupe("docs/a", "docs/c")
    none.write("none.answer")
    assert len(simdocs.report(simdocs.read_answer("none.answer")).groups) == 0


CAFE = "Le café a été fermé de six à trois heures, dit le gérant à l'été. " * 2


def shown(report: Any) -> list[Any]:
    """Both texts of each pair of a report, or why they are not in it."""
    every = [each for group in report.shown.values() for each in group.values()]
    return [
        each if isinstance(each, str) else tuple("".join(getattr(one, side) for one in each.passages) for side in "ab")
        for each in every
    ]


def test_a_report_has_texts_as_they_were_read_or_why_not(tmp_path, monkeypatch):
    def rows(**texts: str) -> bytes:
        return b"".join(json.dumps({"id": f"x/{name[0]}", "text": texts[name]}).encode() + b"\n" for name in texts)

    monkeypatch.chdir(tmp_path)
    old, new = rows(a=A.decode(), b=A1.decode()), rows(a=B.decode(), b=f"{B.decode()}!")
    lay(tmp_path, {"a": CAFE.encode("latin-1"), "in.jsonl": rows(a=f"{CAFE}!", a2="another", b=f"{CAFE}?")})
    lay(tmp_path, {"old.jsonl": old, "new.jsonl": new})
    sources = ("a", "in.jsonl", "old.jsonl", "new.jsonl")
    found = simdocs.dedupe(*sources, "old.jsonl", encoding="latin-1", threshold=0.5)
    found.write("x.answer")
    os.unlink("old.jsonl")
    lay(tmp_path, {"new.jsonl": new.replace(b"!", b"?")})
    pairs = [(CAFE, f"{CAFE}!"), (CAFE, f"{CAFE}?")]
    for given in (found, "x.answer"):
        report = simdocs.report(given)
        assert shown(report) == [*pairs, "old.jsonl is gone", "new.jsonl#x/a has changed, new.jsonl#x/b has changed"]
        assert (report.summary()["pairs_shown"], report.summary()["unreadable"]) == (2, 2)
    head = json.loads(Path("x.answer").read_text().partition("\n")[0])
    assert [(each["path"], each["named"]) for each in head["roots"]] == [(f"{tmp_path}/", 0)] * 4
    assert [each["argument"] for each in head["roots"]] == [0, 1, 2, 3]
    held = simdocs.dedupe(texts=[each.encode("utf-16") for each in (CAFE, f"{CAFE}!")])
    assert shown(simdocs.report(held)) == pairs[:1]
    held.write("held.answer")
    assert simdocs.report("held.answer").notes == (
        "some texts are not in the report: 0 came from no file, 1 came from no file",
    )
