"""dedupe --explain says why each document is kept, or a duplicate of another one."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

import simdocs as library
from tests.cli.corpus import A1, A2, A, B, jaccard, lay
from tests.cli.program import simdocs
from tests.cli.terminal import on_terminal
from tests.cli.traps import trap

A3 = A2.replace(b"on board", b"in the office").replace(b"northern", b"old")
"""Similar to A2, and less so to A."""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Four similar texts, of which one is a copy; another text; and an empty one."""
    copy = A.upper()
    return lay(tmp_path, {"d/a": A, "d/b": A2, "d/c": A3, "d/copy": copy, "d/other": B, "d/void": b" "})


def rows(*words: Any, cwd: Path, status: int = 0) -> dict[str, dict[str, Any]]:
    """The rows of an explanation by document."""
    done = simdocs("dedupe", *words, "--explain", "--format", "jsonl", cwd=cwd)
    assert done.status == status, done.err
    made = [json.loads(line) for line in done.out.splitlines()]
    assert len({row["document"] for row in made}) == len(made)
    return {row["document"]: row for row in made}


COLUMNS = [
    *("kept", "document", "reason", "compared_with", "jaccard", "estimate", "bands_met", "bands", "documents"),
    "smallest_to_kept",
]


def test_every_document_has_a_row_with_its_reason(here):
    found = rows("d", "-t", "0.8", cwd=here)
    assert {name: (row["kept"], row["reason"]) for name, row in found.items()} == {
        "d/a": ("d/a", "chosen"),
        "d/b": ("d/a", "similar"),
        "d/copy": ("d/a", "identical"),
        "d/c": ("d/c", "unmatched"),
        "d/other": ("d/other", "unmatched"),
        "d/void": ("d/void", "empty"),
    }
    assert list(found) == ["d/a", "d/b", "d/copy", "d/c", "d/other", "d/void"]
    assert all(list(row) == COLUMNS for row in found.values())
    assert f"{found['d/b']['jaccard']:.6f}" == f"{found['d/a']['smallest_to_kept']:.6f}" == jaccard(A, A2)
    assert found["d/copy"]["bands_met"] == [*range(1, found["d/a"]["bands"] + 1)]


def test_the_chain_of_a_component_is_listed_with_both_similarities_of_each_link(here):
    found = rows("d", "-t", "0.8", "--cluster", "components", cwd=here)
    assert list(found["d/c"]) == [*COLUMNS, "smallest_of_two", "all_compared", "links"]
    assert (found["d/c"]["reason"], found["d/c"]["kept"]) == ("linked", "d/a")
    links = found["d/c"]["links"]
    assert [(link["document"], f"{link['jaccard']:.6f}") for link in links] == [
        ("d/b", jaccard(A, A2)),
        ("d/c", jaccard(A2, A3)),
    ]
    assert [list(link) for link in links] == [["document", "jaccard", "estimate"]] * 2
    assert (found["d/a"]["all_compared"], f"{found['d/a']['smallest_of_two']:.6f}") == ("yes", jaccard(A, A3))


def test_a_table_has_a_sentence_for_each_document(here):
    words = ("dedupe", "d", "--explain", "--cluster", "components")
    bands = {name: len(row["bands_met"] or ()) for name, row in rows("d", "--cluster", "components", cwd=here).items()}
    sentences = [
        f"d/a: kept: chosen among 4 documents; smallest similarity to it {jaccard(A, A3)}, of any two {jaccard(A, A3)}",
        f"  d/b: duplicate: similarity {jaccard(A, A2)}, {bands['d/b']} of 18 bands agree",
        f"  d/c: duplicate: similarity {jaccard(A, A3)}, below the threshold, {bands['d/c']} of 18 bands agree",
        f"    linked by d/a and d/b: {jaccard(A, A2)}",
        f"    linked by d/b and d/c: {jaccard(A2, A3)}",
        "  d/copy: duplicate: identical text, 18 of 18 bands agree",
        "d/other: kept: no other kept document is similar to it",
        "d/void: kept: it has no shingles",
    ]
    done = simdocs(*words, "--format", "table", cwd=here)
    assert done.out.decode().splitlines() == sentences
    shown = on_terminal(*words, "-q", cwd=here)
    assert shown.out.replace(b"\r", b"").replace(b"\x1b[1m", b"").replace(b"\x1b[0m", b"") == done.out


def test_a_kept_document_is_shown_with_the_nearest_one_that_is_kept_before_it(here):
    row = rows("d", cwd=here)["d/c"]
    assert (row["reason"], row["compared_with"], f"{row['jaccard']:.6f}") == ("unmatched", "d/a", jaccard(A, A3))
    done = simdocs("dedupe", "d", "--explain", "--format", "table", cwd=here)
    told = "d/c: kept: no other kept document is similar to it"
    near = f"    nearest is d/a: similarity {jaccard(A, A3)}, {len(row['bands_met'])} of 18 bands agree"
    assert f"{told}\n{near}\n".encode() in done.out
    assert rows("d", "--exact", cwd=here)["d/c"]["compared_with"] in (None, "d/a")
    apart = rows("d", "-t", "0.95", "--bands", "32", "--cluster", "components", cwd=here)
    assert {name: row["compared_with"] for name, row in apart.items() if row["kept"] == name} == {
        "d/a": None,
        "d/b": "d/a",
        "d/c": "d/b",
        "d/other": None,
        "d/void": None,
    }
    assert [f"{apart[name]['jaccard']:.6f}" for name in ("d/b", "d/c")] == [jaccard(A, A2), jaccard(A2, A3)]
    assert apart["d/b"]["links"] is None


def test_python_has_the_same_rows_as_objects(here, monkeypatch):
    monkeypatch.chdir(here)
    found = library.dedupe("d", threshold=0.8, cluster="components", explain=True)
    assert found.explained is not None
    by_program = rows("d", "-t", "0.8", "--cluster", "components", cwd=here)
    assert [one.document for one in found.explained] == sorted(by_program)
    for one in found.explained:
        row = by_program[one.document]
        assert (one.kept, one.document, one.reason, one.documents) == (
            *(row["kept"], row["document"], row["reason"], row["documents"]),
        )
        assert list(one.bands_met or ()) == (row["bands_met"] or [])
        assert [link.document for link in one.links or ()] == [link["document"] for link in row["links"] or ()]
        assert one.all_compared == {"yes": True, "no": False, None: None}[row["all_compared"]]
    assert found.duplicate_names == ["d/b", "d/c", "d/copy"]
    assert library.dedupe("d").explained is None


ODD = (b"comma,", b"tab\tand\\", b"line\nend", b"\xff", b'"quoted"')


def test_names_in_a_list_can_be_told_apart_in_every_format(tmp_path):
    texts = dict(zip(ODD, (A, A2, A3, A3.replace(b"storms", b"high winds"), A1), strict=True))
    for name, text in texts.items():
        (tmp_path / os.fsdecode(name)).write_bytes(text)
    words = ("--explain", "--cluster", "components", "-t", "0.65", "-q")
    names = [b"./" + name for name in sorted(ODD)]
    lines = [
        json.loads(line) for line in simdocs("dedupe", ".", *words, "--format", "jsonl", cwd=tmp_path).out.splitlines()
    ]
    chains = [[chained(link) for link in line["links"] or ()] for line in lines]
    assert sorted({name for chain in chains for name in chain} | {chained(lines[0])}) == names
    plain = [line.split(b"\t") for line in simdocs("dedupe", ".", *words, cwd=tmp_path).out.splitlines()]
    assert [listed(unescaped(row[-1]))[::3] for row in plain] == chains
    page = simdocs("dedupe", ".", *words, "--format", "csv", cwd=tmp_path).out.decode("utf-8", "surrogateescape")
    table = list(csv.reader(io.StringIO(page, newline="")))[1:]
    assert [listed(row[-1].encode("utf-8", "surrogateescape"))[::3] for row in table] == chains
    shown = simdocs("dedupe", ".", *words, "--format", "table", cwd=tmp_path).out.decode()
    assert len([line for line in shown.splitlines() if not line.startswith("    ")]) == len(ODD)
    assert "\\xff" in shown and "line\\nend" in shown


def chained(link: dict[str, Any]) -> bytes:
    """The name of a document in JSON."""
    import base64

    return base64.b64decode(link["document_b64"]) if "document_b64" in link else link["document"].encode()


def unescaped(field: bytes) -> bytes:
    """A field of TSV as it was."""
    out, rest = b"", field
    while rest:
        taken = 2 if rest.startswith(b"\\") else 1
        out += {b"\\t": b"\t", b"\\n": b"\n", b"\\r": b"\r", b"\\\\": b"\\"}.get(rest[:taken], rest[:taken])
        rest = rest[taken:]
    return out


def listed(field: bytes) -> list[bytes]:
    """The parts of a list: a comma stands between two of them, and a backslash before a comma or backslash in one."""
    parts, rest = [b""], field
    while rest:
        if rest.startswith(b"\\"):
            parts[-1] += rest[1:2]
            rest = rest[2:]
            continue
        parts = [*parts, b""] if rest.startswith(b",") else [*parts[:-1], parts[-1] + rest[:1]]
        rest = rest[1:]
    return parts if field else []


def test_documents_of_an_index_are_kept_because_they_are_in_it(here):
    assert simdocs("index", "d/a", "d/other", "-t", "0.8", "-q", "-o", "x.index", cwd=here).status == 0
    found = rows("d", "--against", "x.index", cwd=here)
    assert {name: row["reason"] for name, row in found.items()} == {
        "d/a": "indexed",
        "d/b": "similar",
        "d/copy": "identical",
        "d/c": "unmatched",
        "d/void": "empty",
    }
    assert found["d/a"]["compared_with"] is None
    assert found["d/b"]["bands_met"] == rows("d/a", "d/b", "-t", "0.8", cwd=here)["d/b"]["bands_met"]


def test_documents_of_an_index_are_not_compared_with_each_other(here):
    assert simdocs("index", "d/a", "d/b", "-q", "-o", "x.index", cwd=here).status == 0
    (here / "new").write_bytes(A1)
    (here / "other").write_bytes(A3)
    found = rows("new", "other", "--against", "x.index", cwd=here)
    assert {name: (row["kept"], row["compared_with"]) for name, row in found.items()} == {
        "d/a": ("d/a", None),
        "d/b": ("d/b", None),
        "new": ("d/a", "d/a"),
        "other": ("d/b", "d/b"),
    }


def test_rows_and_chains_with_a_name_that_leads_elsewhere_are_left_out(tmp_path):
    texts = (A, A2, A3, B)
    lines = b"".join(b"%s\n" % json.dumps({"text": text.decode()}).encode() for text in texts)
    lay(tmp_path, {"x.jsonl": lines})
    assert simdocs("index", "x.jsonl", "-q", "-o", "x.index", cwd=tmp_path).status == 0
    lay(tmp_path, {"x.jsonl#2": b"a file"})
    found = rows("x.index", cwd=tmp_path, status=3)
    assert list(found) == ["x.jsonl#1", "x.jsonl#3", "x.jsonl#4"]
    found = rows("x.index", "--cluster", "components", cwd=tmp_path, status=3)
    assert list(found) == ["x.jsonl#1", "x.jsonl#4"]


@pytest.mark.parametrize("kind", ["shingle", "signature", "index"])
def test_an_artifact_has_the_same_explanations_as_its_documents(here, kind):
    more = ("-t", "0.8") if kind == "index" else ()
    artifact = f"x.{ {'shingle': 'shingles', 'signature': 'signatures'}.get(kind, kind) }"
    assert simdocs(kind, "d", *more, "-q", "-o", artifact, cwd=here).status == 0
    for cluster in ("greedy", "components"):
        words = ("-t", "0.8", "--cluster", cluster)
        assert rows(artifact, *words, cwd=here) == rows("d", *words, cwd=here)


def test_documents_of_an_index_that_are_gone_have_no_row_and_are_in_no_chain(here):
    assert simdocs("index", "d", "-t", "0.8", "-q", "-o", "x.index", cwd=here).status == 0
    (here / "d/b").unlink()
    (here / "d/copy").write_bytes(B)
    found = rows("x.index", "--cluster", "components", cwd=here, status=3)
    assert {name: row["reason"] for name, row in found.items()} == {
        **dict.fromkeys(("d/a", "d/c", "d/other"), "unmatched"),
        "d/void": "empty",
    }


def test_a_document_that_is_gone_when_it_is_read_again_is_kept_unverified(here):
    env = trap(here, "os.unlink('d/b')", "open", "d/a", at=2, again=True)
    done = simdocs("dedupe", "d", "-t", "0.8", "--explain", "-j1", cwd=here, env=env)
    assert done.status == 3
    assert {line.split(b"\t")[1]: line.split(b"\t")[2] for line in done.out.splitlines()} == {
        b"d/a": b"chosen",
        b"d/b": b"unverified",
        b"d/copy": b"identical",
        b"d/c": b"unmatched",
        b"d/other": b"unmatched",
        b"d/void": b"empty",
    }


def test_only_groups_with_changed_documents_are_explained_with_their_whole_size(here):
    assert simdocs("index", "d", "-t", "0.8", "-q", "-o", "x.index", cwd=here).status == 0
    (here / "d/b").write_bytes(A1)
    assert simdocs("index", "d", "-t", "0.8", "-q", "-o", "x.index", cwd=here).status == 0
    found = rows("x.index", "--changed", cwd=here)
    assert {name: (row["reason"], row["documents"]) for name, row in found.items()} == {
        "d/a": ("chosen", 3),
        "d/b": ("similar", 3),
    }


def test_documents_that_meet_a_limit_are_kept_because_of_it(tmp_path):
    words = B.split()
    for at in range(9):
        changed = [*words[:at], b"x%d" % at, *words[at + 1 :]]
        lay(tmp_path, {f"{at}": b" ".join(changed)})
    found = rows(".", "-t", "0.99", "--bands", "128", "--max-candidates", "1", cwd=tmp_path, status=3)
    assert {row["reason"] for row in found.values()} == {"unmatched", "capped"}
    assert {row["compared_with"] for row in found.values()} == {None}  # every bucket with two of them is full
    shown = simdocs(
        "dedupe",
        ".",
        "-t",
        "0.99",
        "--bands",
        "128",
        "--max-candidates",
        "1",
        "--explain",
        "--format",
        "table",
        cwd=tmp_path,
    )
    assert shown.out.count(b"not compared with all kept documents, because too many share a bucket with it") == 7


def test_documents_without_tokens_are_kept_because_of_that(tmp_path):
    lay(tmp_path, {"a": B + A, "b": B, "form": B})
    found = rows("a", "b", "--template", "form", cwd=tmp_path)
    assert {name: row["reason"] for name, row in found.items()} == {"a": "unmatched", "b": "ignored"}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--list", "kept"], "--list and --explain cannot be combined: --explain lists all documents"),
        (["--diff", "words"], "--diff and --explain cannot be combined: ask for one of them at a time"),
    ],
)
def test_other_answers_than_groups_cannot_be_explained(here, more, why):
    done = simdocs("dedupe", "d", "--explain", *more, cwd=here)
    assert (done.status, done.out) == (2, b"")
    assert why in done.err
