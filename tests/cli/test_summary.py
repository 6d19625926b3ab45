"""The summary of a run, in lines and as --summary-json: what was compared, what was found, and what that frees."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import simdocs
from tests.cli.terminal import on_terminal


def lines(where: Path, *arguments: str) -> list[str]:
    """The summary, the time that it took left out."""
    done = simdocs(*arguments, "--summary", "-o", "answer", cwd=where)
    assert done.status == 0
    return [re.sub(r", in \d+\.\d\d s", "", line) for line in done.err.splitlines()]


def test_the_summary_has_the_bytes_that_deleting_the_duplicates_frees(here):
    lay(here, {"docs/copy.txt": A, "large/a": b"word " * 5000, "large/b": b"Word " * 5000})
    *_, last = lines(here, "dedupe", "docs")
    assert last == f"2 duplicates of 1 document, 2 kept; deleting the duplicates frees {len(A1 + A)} bytes"
    *_, last = lines(here, "dedupe", "large")
    assert last == "1 duplicate of 1 document, 1 kept; deleting the duplicates frees 24.4 KiB"


def freed(where: Path, docs: str) -> tuple[str, tuple[int, int, int]]:
    """The end of the last line of the summary; and text, files and freed bytes of the duplicates as in the JSON."""
    *_, last = lines(where, "dedupe", docs, "--summary-json", "note")
    note = json.loads((where / "note").read_bytes())
    return last.rpartition("; ")[2], (note["duplicate_bytes"], note["duplicate_files"], note["freed_bytes"])


def test_a_duplicate_with_other_names_frees_nothing(here):
    """A walk reads a file once, under its first name. The other names keep the file when that one is deleted."""
    lay(here, {"links/a": B, "links/b": B})
    os.link(here / "links/b", here / "links/c")
    says = f"deleting the duplicates frees 0 bytes, they have {len(B)} bytes of text"
    assert freed(here, "links") == (says, (len(B), 1, 0))


def test_duplicate_lines_are_no_files_and_have_only_text(here):
    row = json.dumps({"text": B.decode()}).encode()
    lay(here, {"rows/a.jsonl": row + b"\n" + row + b"\n"})
    assert freed(here, "rows") == (f"the duplicates have {len(B)} bytes of text", (len(B), 0, 0))
    packed = gzip.compress(B, mtime=0)
    lay(here, {"rows/b.gz": packed})
    says = f"deleting those that are files frees {len(packed)} bytes, all duplicates have {2 * len(B)} bytes of text"
    assert freed(here, "rows") == (says, (2 * len(B), 1, len(packed)))
    lay(here, {"linked/a": B})
    os.symlink("../rows/b.gz", here / "linked/z.gz")
    *_, last = lines(here, "dedupe", "linked", "--follow")
    assert "deleting the duplicates frees 0 bytes" in last


def test_an_answer_without_rows_is_said_in_words(here):
    """Never `0 matches for 0 documents`."""
    lay(here, {"other": B[::-1]})
    assert simdocs("index", "docs", "-o", "x.index", cwd=here).status == 0
    for arguments, said in {
        ("dedupe", "other", "--against", "x.index"): "no duplicates",
        ("query", "x.index", "other"): "no matches",
    }.items():
        summary = lines(here, *arguments)
        assert said in summary
        assert not re.search(r"\b0 (matches|duplicates|documents)\b", "\n".join(summary[summary.index(said) :]))


TOO_FEW = {
    ("pairs", "docs/a.txt"): "there is only one document",
    ("dedupe", "docs/a.txt", "empty"): "there is only one document",
    ("query", "x.index", "empty"): "all documents are empty",
}
ENOUGH = [("dedupe", "docs/a.txt", "docs/c.txt"), ("query", "x.index", "docs/a.txt")]


@pytest.mark.parametrize("arguments", [*TOO_FEW, *ENOUGH], ids=" ".join)
def test_too_few_documents_are_said_in_one_line_to_who_looks(built, arguments):
    lay(built, {"empty/e": b""})
    expected = [f"nothing was compared: {TOO_FEW[arguments]}"] if arguments in TOO_FEW else []
    quiet = simdocs(*arguments, "--exact", cwd=built)
    assert (quiet.status, quiet.err) == (0, "")
    looked = on_terminal(*arguments, "--exact", which=["stderr"], cwd=built)
    for done in (looked, simdocs(*arguments, "--exact", "-v", cwd=built)):
        assert [line for line in done.err.splitlines() if "nothing was compared" in line] == expected
        assert done.out == quiet.out


def test_the_summary_alone_explains_nothing_else(here):
    """--summary without -v names nothing that was passed by."""
    lay(here, {"docs/binary": b"\0", "docs/d.txt": A2})
    summary = simdocs("dedupe", "docs", "--summary", cwd=here)
    verbose = simdocs("dedupe", "docs", "-v", cwd=here)
    assert "docs/binary" not in summary.err
    assert "docs/binary" in verbose.err
    assert len(summary.err.splitlines()) == 3
    assert simdocs("dedupe", "docs", "--summary", "-q", cwd=here).status == 2


def facts_of(where, *arguments, command="dedupe"):
    done = simdocs(command, *arguments, "--summary-json", "note", cwd=where)
    assert done.status == 0
    assert done.err == ""
    return json.loads((where / "note").read_bytes())


def test_the_summary_has_every_parameter(here):
    given = "--unit word -k 4 -t 0.7 --seed 9 --keep longest --nfkc --include *.txt --max-size 1M --bands 32 --rows 4"
    parameters = facts_of(here, "docs", *given.split())["parameters"]
    assert [parameters["walking"][name] for name in ("include", "max_size")] == [["*.txt"], 1 << 20]
    assert [parameters["shingling"][name] for name in ("unit", "k", "seed")] == ["word", 4, 9]
    assert parameters["shingling"]["normalisation"]["nfkc"] is True
    assert parameters["sketching"] == {"scheme": "fss", "num_perm": 128}
    assert [parameters["banding"][name] for name in ("threshold", "bands", "rows")] == [0.7, 32, 4]
    assert parameters["grouping"]["keep"] == "longest"


def test_the_summary_has_a_random_seed(here):
    seeds = {facts_of(here, "docs", "--seed", "random")["parameters"]["shingling"]["seed"] for _ in range(2)}
    assert len(seeds) == 2
    assert all(0 <= seed < 1 << 32 for seed in seeds)


def test_pairs_left_out_are_those_that_all_copies_adds(here):
    """Copies of one text, and copies of two texts that are similar."""
    lay(here, {f"docs/copy{at}": (A, A1)[at % 2] for at in range(5)})
    chained = facts_of(here, "docs", command="pairs")
    every = facts_of(here, "docs", "--all-copies", command="pairs")
    assert (chained["pairs"], every["pairs"], every["pairs_left_out"]) == (6, 21, 0)
    assert chained["pairs_left_out"] == 15
    said = "identical texts are listed as a chain, which leaves out 15 pairs (--all-copies lists every pair)"
    assert said in simdocs("pairs", "docs", "--summary", cwd=here).err.splitlines()
    assert "a chain" not in simdocs("pairs", "docs", "--all-copies", "--summary", cwd=here).err


def test_the_summary_goes_where_a_link_or_device_leads(here):
    done = simdocs("dedupe", "docs", "-o", "answer", "--summary-json", "/dev/stdout", cwd=here)
    assert json.loads(done.out)["documents"] == 3
    assert len((here / "answer").read_bytes().splitlines()) == 1


def test_the_summary_is_the_old_or_the_new_one(here):
    lay(here, {"note": b"old"})
    assert simdocs("dedupe", "gone", "--summary-json", "note", cwd=here).status == 2
    assert simdocs("dedupe", "docs", "--summary-json", "docs/c.txt", cwd=here).status == 2
    assert simdocs("dedupe", "docs", "--summary-json", "gone/note", cwd=here).status == 2
    assert simdocs("dedupe", "docs", "--summary-json", "docs", cwd=here).status == 2
    assert (here / "note").read_bytes() == b"old"
    assert (here / "docs/c.txt").read_bytes() == B
    assert sorted(os.listdir(here)) == ["docs", "note"]


WORDS = [f"w{number}" for number in range(12)]

COUNTED = {
    "docs/a": " ".join(WORDS).encode(),
    "docs/b": " ".join(WORDS).upper().encode(),
    "docs/c": " ".join([*WORDS[:-1], "other"]).encode(),
    "docs/d": b"one two three four",
    "docs/e": b"three four five",
    "docs/f": b"one",
    "docs/g": b"two",
    "docs/h": b" \n",
    "docs/i": b"w0 w1 w2",
    "docs/x.bin": b"\0\1",
    "docs/y.bin": b"\0\2",
    "docs/z": b"x" * 200,
    "form": b"w0 w1 w2",
}
"""By words with k = 2: a and b are the same, c shares 10 of 12 pairs of words with them, f and g are short, and h is
empty. The template has 2 pairs of words, so that nothing is left of i, and c shares 8 of 10."""

ASKED = ["--unit", "word", "-k", "2", "--max-size", "100", "-q", "--summary-json", "note"]

TOLD = {
    "documents": 9,
    "bytes": sum(len(data) for name, data in COUNTED.items() if name < "docs/x"),
    "empty": 1,
    "skipped": {"binary": 2, "oversized": 1},
}

TOKENS = 3 * 11 + 3 + 2 + 1 + 1 + 2

LEFT_OUT = {
    "skipped": TOLD["skipped"] | {"ignored": 1},
    "ignored_tokens": 2,
    "ignored_share": round(4 * 2 / TOKENS, 6),
}


def told(where, wanted, *words):
    """Run a command, and return what the summary says about the facts that are wanted."""
    done = simdocs(*words, *ASKED, cwd=where)
    assert done.status == 3, done
    facts = json.loads((where / "note").read_bytes())
    return {name: facts.get(name) for name in wanted}


@pytest.mark.parametrize("kind", ["shingles", "signatures", "index"])
def test_every_count_in_the_summary_of_a_build_is_right(tmp_path, kind):
    lay(tmp_path, COUNTED)
    build = {"shingles": "shingle", "signatures": "signature", "index": "index"}[kind], "docs", "-o", f"x.{kind}"
    form, left_out = ((), {}) if kind == "shingles" else (("--template", "form"), LEFT_OUT)
    new = {"unchanged": 0, "changed": 0, "new": 9, "removed": 0, "note": "", "renamed": 0}
    wanted = TOLD | {"kind": kind, "short": 2, "tokens": TOKENS, "update": new} | left_out
    assert told(tmp_path, wanted, *build, *form) == wanted
    lay(tmp_path, {"docs/a": b"w0", "docs/new1": b"five six", "docs/new2": b"six five", "docs/new3": b"six"})
    for name in "ef":
        os.remove(tmp_path / "docs" / name)
    os.rename(tmp_path / "docs/d", tmp_path / "docs/moved")
    after = {"unchanged": 5, "changed": 1, "new": 3, "removed": 2, "renamed": 1}
    wanted |= {"documents": 10, "short": 3, "tokens": TOKENS - 10 - 2 - 1 + 3, "update": new | after}
    wanted |= {"bytes": TOLD["bytes"] - len(COUNTED["docs/a"] + COUNTED["docs/e"] + COUNTED["docs/f"]) + 2 + 19}
    wanted |= {"ignored_share": round(3 * 2 / wanted["tokens"], 6)} if left_out else {}
    assert told(tmp_path, wanted, *build, *form) == wanted


def test_every_count_in_the_summary_of_an_answer_is_right(tmp_path):
    lay(tmp_path, COUNTED)
    wanted = TOLD | LEFT_OUT | {"candidates": 1, "verified": 1}
    groups = {"duplicates": 2, "groups": 1, "kept": 7, "largest_group": {"kept": "docs/a", "duplicates": 2}}
    pairs = {"pairs": 2, "pairs_left_out": 1}
    asked = ((("dedupe",), groups), (("dedupe", "--cluster", "components"), groups), (("pairs",), pairs))
    for how, found in asked:
        assert told(tmp_path, wanted | found, *how, "docs", "--template", "form") == wanted | found
    wanted = {name: TOLD[name] for name in ("documents", "bytes", "empty")}
    assert told(tmp_path, wanted, "tune", "docs") == wanted


def test_every_count_in_the_summary_of_a_query_is_right(tmp_path):
    lay(tmp_path, {name: data for name, data in COUNTED.items() if name not in ("docs/y.bin", "docs/z")})
    index = ("index", "docs", "-o", "x.index", "--unit", "word", "-k", "2", "--template", "form")
    assert simdocs(*index, "-q", cwd=tmp_path).status == 0
    lay(tmp_path, {"new/a": COUNTED["docs/a"] + b" more", "new/b": b"nothing like it", "new/c": b"\0"})
    lay(tmp_path, {"new/d": COUNTED["docs/c"], "new/e": b"", "new/f": b"x" * 200})
    wanted = {"documents": 4, "empty": 1, "indexed": 9, "matches": 5, "matched": 2} | {"ignored_tokens": 2}
    wanted |= {"skipped": {"binary": 1, "oversized": 1}, "bytes": 38 + 5 + 15 + 38, "nearest": None}
    done = simdocs("query", "x.index", "new", "--max-size", "100", "-q", "--summary-json", "note", cwd=tmp_path)
    assert done.status == 3
    facts = json.loads((tmp_path / "note").read_bytes())
    assert {name: facts.get(name) for name in wanted} == wanted
