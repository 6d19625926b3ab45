"""simdocs report: one page for the groups of a saved answer."""

from __future__ import annotations

import json
import os
import shlex
import xml.etree.ElementTree as Tree
from pathlib import Path

import pytest

import simdocs as library
from simdocs.model.groups import SavedAnswer
from simdocs.options.families import FIGURES
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.missing_library import environment_without
from tests.cli.program import in_shell, simdocs
from tests.cli.stand_in import stand_in
from tests.report_pages import ReportPage, digest, loads_anything
from tests.saved_groups import answer_with

HOSTILE = {
    b"</script><img src=x onerror=alert(1)>.txt": A,
    b"<!--.txt": A1,
    "line\u2028separator.txt".encode(): A2,
    "turned\u202egnp.txt".encode(): A + b"!",
    b"raw\xff\xfebytes.txt": A + b"?",
    b"new\nline 'quoted' \"twice\".txt": A + b"; ",
    b"{{ 7*7 }}&amp;.txt": A + b" </script><script>alert(1)</script><!-- {{ 7*7 }} &lt; \xe2\x80\xae\xff\x1b[31m",
    b"-o.txt": A1 + b"!",
}
"""Names and texts that a page must show as they are."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return lay(tmp_path, {"docs/a.txt": A, "docs/b.txt": A1, "docs/z.txt": B, "new/c.txt": A2, "new/d.txt": B})


def saved(cwd: Path, *arguments: str | bytes) -> None:
    """Save the answer about these documents as page.answer."""
    done = simdocs("dedupe", *arguments, "-o", "page.answer", cwd=cwd)
    assert (done.status, done.out) == (0, b"")


def page_of(cwd: Path, *arguments: str | bytes, options: tuple[str, ...] = ()) -> ReportPage:
    saved(cwd, *arguments, "-t", "0.5")
    done = simdocs("report", "page.answer", *options, "-o", "page.html", cwd=cwd)
    assert (done.status, done.out) == (0, b"")
    return ReportPage((cwd / "page.html").read_bytes())


def test_the_page_has_the_pairs_of_dedupe(place: Path) -> None:
    page = page_of(place, "docs", "new")
    rows = [row[:3] for row in simdocs("dedupe", "docs", "new", "-t", "0.5", cwd=place).rows]
    assert [tuple(map(str.encode, (*names, f"{similarity:.6f}"))) for *names, similarity in page.pairs] == [
        tuple(row) for row in rows
    ]
    for name in ("docs/a.txt", "docs/b.txt", "new/c.txt", "new/d.txt"):
        assert name in page.text
    assert "exact similarity of 0.5 or more" in page.text
    assert "What differs is shown for all 3 pairs." in page.text


def test_the_page_loads_and_runs_nothing_but_its_own_style_and_script(place: Path) -> None:
    page = page_of(place, "docs", "new")
    ((_, script),) = [each for each in page.scripts if each[0] != "application/octet-stream"]
    (style,) = page.styles
    assert page.policy == {
        "default-src": ["'none'"],
        "style-src": [digest(style)],
        "script-src": [digest(script)],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    assert loads_anything(page) == []
    assert "innerHTML" not in script and "eval(" not in script


def test_hostile_names_and_texts_stay_text(tmp_path: Path) -> None:
    lay(tmp_path, {f"docs/{os.fsdecode(name)}": text for name, text in HOSTILE.items()})
    page, tame = (
        page_of(tmp_path, "docs"),
        page_of(lay(tmp_path / "tame", {"docs/a.txt": A, "docs/x/b.txt": A1}), "docs"),
    )
    assert {tag for tag, _ in page.elements} == {tag for tag, _ in tame.elements}
    assert loads_anything(page) == []
    assert len(page.scripts) == len(tame.scripts)
    shown = [name for name in page.data["names"] if name in page.text]
    assert len(shown) == len(HOSTILE)
    assert "docs/</script><img src=x onerror=alert(1)>.txt" in shown
    assert "docs/turned\\u202egnp.txt" in shown
    every = json.dumps(page.packed, ensure_ascii=False)
    assert not {"\u202e", "\u2028", "\x1b", "\ufffd"} & {*every}
    assert "<script>alert(1)</script><!-- {{ 7*7 }} &lt; \\\\u202e\\\\xff\\\\x1b[31m" in every


@pytest.mark.parametrize("options", [[], ["-k", "5", "--multiset", "--keep-case"], ["--unit", "word", "-k", "9"]])
def test_the_commands_of_a_page_compare_as_dedupe_did(tmp_path: Path, options: list[str]) -> None:
    lay(tmp_path, {f"docs/{os.fsdecode(name)}": text for name, text in HOSTILE.items()})
    page = page_of(tmp_path, "docs", *options)
    data = page.data
    for kept, duplicate, similarity in page.pairs:
        places = data["names"].index(kept), data["names"].index(duplicate)
        words = [data["words"].get(str(at)) or shlex.quote(data["names"][at]) for at in places]
        line = (
            f"bash -c {shlex.quote(' '.join(['exec', 'simdocs', 'compare', *words, data['options'], '--format tsv']))}"
        )
        done = in_shell(line, program=stand_in(), cwd=tmp_path)
        measures = dict(row[:2] for row in done.rows)
        name = b"bag_jaccard" if "--multiset" in options else b"jaccard"
        assert measures[name] == f"{similarity:.6f}".encode()


def test_the_largest_groups_are_listed_with_their_first_documents_and_arguments() -> None:
    answer = answer_with(150)
    grouping = {"keep": "as-it-was", "verify": "exact", "cluster": "greedy"}
    more = {"changed": 3, "index_root": "/idx", "skipped": {"binary": 2, "malformed": 1}}
    more["parameters"] = {**answer.head["parameters"], "grouping": grouping}
    more["arguments"] = [{"name": f"d{at}" if at else "", "documents": at} for at in range(13)]
    answer = SavedAnswer({**answer.head, **more}, answer.recipe, answer.source)
    page = ReportPage(library.report(answer, report_size=0).html())
    assert [tag for tag, _ in page.elements].count("article") == 100
    for said in (
        *(
            "new or changed3 ",
            "The 100 largest groups; 50 more can be",
            "documents kept in corpus/archive/2020; and 5 more.",
        ),
        "000017-20.txt0.8292141.12 KiB and 18 more 0 corpus",
        "says Only groups with a document that was new or changed at the last update of the index are listed. Every",
        "Comparedd1 (1 document), d2 (2 documents)",
        "d9 (9 documents), d10 (10 documents), and 2 more Directory/data Against an index of/idx",
        "idx Not compared2: a binary file; 1: malformed Options",
        "Kept of each groupas-it-was ",
    ):
        assert said in page.text


def test_texts_are_in_blocks_that_name_their_first_group(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    report, sizes = library.report(library.dedupe("docs", "new", threshold=0.5)), []
    for most in (1 << 20, 1):
        monkeypatch.setattr("simdocs.views.report_page._BLOCK", most)
        page = ReportPage(report.html())
        sizes.append((page.data["blocks"], [[*block] for block in page.packed[1:]]))
        assert [*page.texts] == ["0", "1"]
    assert sizes == [([0], [["0", "1"]]), ([0, 1], [["0"], ["1"]])]
    assert "What differs is shown for all 3 pairs." in page.text
    report = library.report(library.dedupe("docs", threshold=0.5))
    assert "What differs is shown for the only pair." in ReportPage(report.html()).text


def test_texts_that_are_gone_or_have_changed_are_named(place: Path) -> None:
    simdocs("dedupe", "docs", "new", "-t", "0.5", "-q", "-o", "x.answer", cwd=place)
    os.remove(place / "docs" / "b.txt")
    (place / "new" / "d.txt").write_bytes(B + b"!")
    done = simdocs("report", "x.answer", "-o", "page.html", cwd=place)
    assert done.status == 0
    said = "some texts are not in the report: docs/b.txt is gone; new/d.txt has changed"
    assert done.err == f"simdocs: {said}\n"
    page = ReportPage((place / "page.html").read_bytes())
    assert "What differs is shown for 1 of 3 pairs: the texts of 2 could not be read again." in page.text
    assert "docs/b.txt is gone" in page.text
    assert page.texts["0"]["notes"]["1"] == "docs/b.txt is gone"
    assert page.texts["0"]["pairs"].keys() == {"2"}


def test_without_jinja2_the_error_comes_before_the_work_and_figures_are_drawn(place: Path) -> None:
    saved(place, "docs")
    absent = environment_without(place, "jinja2")
    why = "simdocs: error: writing HTML needs jinja2: pip install 'simdocs[report]'\n"
    assert simdocs("report", "page.answer", "-o", "page.html", cwd=place, env=absent) == (2, b"", why)
    done = simdocs("report", "page.answer", "--figure", "sizes", "-o", "sizes.svg", cwd=place, env=absent)
    assert done == (0, b"", "")
    assert sorted(path.name for path in place.iterdir()) == ["docs", "hidden", "new", "page.answer", "sizes.svg"]


def test_an_answer_without_duplicates_has_a_page_and_figures_too(tmp_path: Path) -> None:
    page = page_of(lay(tmp_path, {"docs/a.txt": A, "docs/b.txt": B}), "docs")
    assert "No near-duplicates were found." in page.text
    for name in FIGURES:
        assert simdocs("report", "page.answer", "--figure", name, "-o", "x.svg", cwd=tmp_path) == (0, b"", "")
        Tree.parse(tmp_path / "x.svg")


def compared(cwd: Path, *arguments: str) -> tuple[ReportPage, list[tuple[str, str]]]:
    """The page of a comparison, and the marked passages with their marks."""
    done = simdocs("compare", *arguments, "-o", "diff.html", cwd=cwd)
    assert (done.status, done.out) == (0, b"")
    drawn = (cwd / "diff.html").read_bytes()
    body = Tree.fromstring(
        "<table>" + (drawn.decode().split("<table", 1)[1].split(">", 1)[1].split("</table>")[0]) + "</table>"
    )
    return ReportPage(drawn), [(each.tag, each.text or "") for each in body.iter() if each.tag in ("del", "ins")]


def test_hostile_texts_and_names_stay_text_in_a_comparison(tmp_path: Path) -> None:
    lay(tmp_path, {f"docs/{os.fsdecode(name)}": text for name, text in HOSTILE.items()})
    names = [f"docs/{os.fsdecode(name)}" for name in HOSTILE if b"script>.txt" not in name][-3:]
    tame, _ = compared(lay(tmp_path / "tame", {"a": A, "b": A1}), "a", "b")
    for name in names:
        page, _ = compared(tmp_path, "docs/</script><img src=x onerror=alert(1)>.txt", name)
        assert {tag for tag, _ in page.elements} <= {tag for tag, _ in tame.elements}
        assert loads_anything(page) == []
