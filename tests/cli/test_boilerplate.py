"""--ignore-common and --template on the command line: what is said, and what cannot be combined."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.cli.corpus import lay
from tests.cli.forged import Arrays, exchange, put, signed_anew
from tests.cli.program import Done, simdocs

TEMPLATE = b"This page is part of the manual of the ferry company, and tells passengers what they must know: "


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with six different pages of one template, a copy of one, and the template alone."""
    dice = random.Random(4)
    texts = {f"docs/{page}": TEMPLATE + b" ".join(b"w%d" % dice.randrange(10**6) for _ in range(6)) for page in "123"}
    texts |= {f"docs/{page}": TEMPLATE + b" ".join(b"v%d" % dice.randrange(10**6) for _ in range(6)) for page in "456"}
    files = texts | {"docs/copy": texts["docs/3"], "docs/form": TEMPLATE, "template": TEMPLATE, "other": TEMPLATE[9:]}
    files |= {"empty": b"", "blank": b" \n", "binary": b"\0\1", "new/page": texts["docs/5"] + b"!"}
    root = lay(tmp_path_factory.mktemp("pages"), files)
    for built in ("shingle docs -o x.shingles", "signature docs --ignore-common 0.5 -o x.signatures"):
        assert run(root, built).status == 0
    for built in ("index x.signatures -o x.index", "index docs -o plain.index", "index docs/1 docs/2 -o few.index"):
        assert run(root, built).status == 0
    assert run(root, "index docs --template template -o template.index").status == 0
    return root


def run(where: Path, line: str) -> Done:
    return simdocs(*line.split(), cwd=where)


def test_the_answer_and_the_summary_are_without_boilerplate(pages):
    done = run(pages, "dedupe docs -t 0.5 --ignore-common 0.5 -v --summary-json note")
    assert done.out == b"docs/3\tdocs/copy\t1.000000\t1.000000\n"
    assert "simdocs: docs/form: skipped: all its tokens are left out\n" in done.err
    assert "88 tokens are left out of all documents: 68.5% of their tokens\n" in done.err
    facts = json.loads((pages / "note").read_bytes())
    assert (facts["ignored_tokens"], facts["skipped"], facts["empty"]) == (88, {"ignored": 1}, 0)
    assert facts["ignored_share"] == pytest.approx(0.685, abs=5e-4)
    told = dict(row[:2] for row in run(pages, "info x.index").rows if len(row) == 2)
    assert (told[b"ignore_common"], told[b"ignored_tokens"], told[b"all_ignored"]) == (b"0.5", b"88", b"1")
    assert run(pages, "check x.index x.signatures template.index") == (0, b"", "")


def test_a_query_leaves_out_what_the_index_leaves_out(pages):
    first, *others = run(pages, "query x.index new docs/form --nearest 4").rows
    assert first[1] == b"docs/5"
    assert all(float(row[2]) < 0.2 for row in others)
    for line in ("query x.index new --nearest 4", "query x.index new", "pairs x.index --exact -t 0.1"):
        assert run(pages, f"{line} --shingles x.shingles").out == run(pages, line).out != b""
    others = run(pages, "query plain.index new --nearest 4").rows[1:]
    assert len(others) == 3
    assert all(float(row[2]) > 0.4 for row in others)
    assert run(pages, "dedupe new --against x.index --list duplicates").out == b"new/page\n"


OPTION = "rebuild it, or leave the option out"
REFUSED = {
    "dedupe x.index --ignore-common 0.4": f"x.index was built with --ignore-common 0.5, not 0.4: {OPTION}",
    "dedupe plain.index --template template": f"plain.index was built without --template: {OPTION}",
    "dedupe template.index --template other": "template.index was built with another --template",
    "dedupe docs --template template --template blank": "blank: this template is empty, so it has no tokens",
    "dedupe docs --template binary": "binary: a binary file (a NUL byte in the first 8 KiB)",
    "dedupe - --template -": "- names standard input, which can be read only once",
}


def test_what_cannot_be_left_out_is_refused_with_a_reason(pages):
    for line, said in REFUSED.items():
        done = run(pages, line)
        assert (done.status, done.out, done.err.count("\n"), said in done.err) == (2, b"", 1, True), line
    said = "x.signatures: does not have the parameters of few.index: ignore_common is 0.5"
    done = run(pages, "query few.index x.signatures")
    assert (done.status, said in done.err) == (4, True)


def test_a_warning_says_that_nothing_is_left_of_any_document_or_nothing_is_left_out(pages):
    lay(pages, {"strange": b"qqqqqqqqqqqqqqqq", "void": b""})
    nothing_left = "all tokens of all 8 documents are left out, so none is similar to another"
    no_template = "--template leaves out nothing: no document has any of its tokens"
    for command in ("dedupe docs void", "index docs void -o none.index --rebuild"):
        assert f"simdocs: warning: {nothing_left}" in run(pages, f"{command} --ignore-common 0.001").err
        assert nothing_left not in run(pages, f"{command} --ignore-common 0.5").err
        assert no_template not in run(pages, f"{command} --template template").err
        assert f"simdocs: warning: {no_template}" in run(pages, f"{command} --template strange").err
    assert run(pages, "query none.index new").err == ""
    assert "all tokens" not in run(pages, "dedupe docs/1 void --template docs/1").err


def test_signatures_without_other_tokens_do_not_meet(pages):
    assert run(pages, "index docs/1 docs/2 docs/3 --ignore-common 0.5 -o three.index").status == 0
    done = run(pages, "query three.index x.signatures")
    assert done.status == 4
    assert "x.signatures: leaves out other tokens than three.index, because common tokens depend on the" in done.err
    assert run(pages, "query three.index x.shingles").status == 0


def test_an_update_is_built_anew_if_other_tokens_are_common_and_says_so(pages, tmp_path):
    lay(tmp_path, {f"docs/{path.name}": path.read_bytes() for path in (pages / "docs").iterdir()})
    build = "index docs -o x.index --ignore-common 0.5 --summary"
    assert run(tmp_path, build).status == 0
    assert "8 unchanged, 0 changed, 0 new, 0 removed" in run(tmp_path, build).err
    lay(tmp_path, {f"docs/x{n}": b"Something else, number %d of twelve." % n for n in range(12)})
    done = run(tmp_path, build)
    assert "rebuilt from scratch: other tokens are left out now\n" in done.err
    assert "8 unchanged, 0 changed, 12 new, 0 removed" in done.err


def test_tune_leaves_the_same_out_and_passes_it_on(pages):
    done = run(pages, "tune docs --ignore-common 0.5 --template template --summary")
    last = done.err.splitlines()[-1]
    assert last.startswith("simdocs: next: simdocs dedupe docs --ignore-common 0.5 --template template")
    assert done.out == run(pages, "tune x.index").out != run(pages, "tune docs").out


def test_a_crowd_on_one_template_is_reported_before_the_answer_and_not_without_the_template(tmp_path):
    dice = random.Random(7)
    words = [b"w%d" % dice.randrange(10**6) for _ in range(700)]
    texts = {f"docs/{n}": b" ".join(words[:30] + dice.sample(words[30:], 6)) for n in range(150)}
    lay(tmp_path, texts)
    dedupe = "dedupe docs -v --summary-json note"
    done = run(tmp_path, dedupe)
    advice = json.loads((tmp_path / "note").read_bytes())["advice"]
    assert "if the documents share a template, leave it out with --template FILE or --ignore-common F" in advice[0]
    assert done.err.startswith(f"simdocs: {advice[0]}\n")
    assert done.err.count(advice[0]) == 1
    assert run(tmp_path, dedupe.replace("-v", "")).err == ""
    assert "share a template" not in run(tmp_path, f"{dedupe} --ignore-common 0.5").err


def fact(field: str, value: int) -> Callable[[Arrays], None]:
    return lambda arrays: arrays["documents"][field].__setitem__(0, value)


def fewer(arrays: Arrays) -> None:
    arrays["ignored"] = arrays["ignored"][1:]


BROKEN = {
    "unsorted": (lambda arrays: exchange(arrays["ignored"], 3, 4), "ignored.npy: damaged: does not ascend without"),
    "another token": (put("ignored", 0, 1), "ignored.npy: damaged: does not have the digest in manifest.json"),
    "a token less": (fewer, "ignored.npy: damaged: does not have the digest in manifest.json"),
    "too many left out": (fact("ignored", 1 << 20), "documents.npy: damaged: the numbers of units and tokens"),
    "wrongly left out": (fact("flags", 64), "documents.npy: damaged: the number of tokens that are left out of a doc"),
    "signed": (put("signatures", 7, np.arange(128)), "signatures.npy: damaged: a document without tokens has a sign"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_check_finds_forged_tokens_that_are_left_out(pages, tmp_path, how):
    change, said = BROKEN[how]
    shutil.copytree(pages / "x.signatures", tmp_path / "x.signatures")
    signed_anew(tmp_path / "x.signatures", change)
    done = run(tmp_path, "check x.signatures")
    assert (done.status, said in done.err) == (4, True), done.err
    if how == "a token less":  # other tokens are never left out than those of the manifest
        assert run(tmp_path, "dedupe x.signatures").status == 4
