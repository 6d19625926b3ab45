"""shingle, signature and index: artifacts on disk, and what is said of them."""

from __future__ import annotations

import json
import os
import random
import re

import pytest

from tests.cli.corpus import A, lay
from tests.cli.program import bound_by_modes, simdocs
from tests.commands.building import built, content

SUFFIX = {"shingle": "shingles", "signature": "signatures", "index": "index"}
COMMANDS = list(SUFFIX)


@pytest.fixture
def there(here, monkeypatch):
    """The directory itself, to build in."""
    monkeypatch.chdir(here)
    return here


@pytest.mark.parametrize("command", COMMANDS)
def test_building_prints_nothing_and_leaves_only_the_artifact(there, command):
    target = f"x.{SUFFIX[command]}"
    assert simdocs(command, "docs", "-o", target, cwd=there) == (0, b"", "")
    assert sorted(os.listdir(there)) == ["docs", target]
    built(there / f"y.{SUFFIX[command]}", ["docs"])
    assert content(there / target) == content(there / f"y.{SUFFIX[command]}")
    run = json.loads((there / target / "run.json").read_bytes())
    assert run["command"] == ["simdocs", command, "docs", "-o", target]
    assert run["root"] == str(there)
    assert run["changed"] == "0-2"


@pytest.mark.reliability("options that make different texts equal")
@pytest.mark.reliability("artifacts with different parameters")
def test_options_that_contradict_an_artifact_are_refused(there):
    built(there / "x.signatures", ["docs"], unit="word", k=5, num_perm=32)
    contradicting = ("--unit", "char", "--num-perm", "64", "--nfkc", "--text-field", "body")
    done = simdocs("index", "x.signatures", *contradicting, "-o", "x.index", cwd=there)
    assert done[:2] == (2, b"")
    for what in (
        "with --unit word, not char",
        "with --num-perm 32, not 64",
        "without --nfkc",
        "with --text-field text",
    ):
        assert f"x.signatures was built {what}" in done.err
    assert not (there / "x.index").exists()
    agreeing = ("--unit", "word", "-k", "5", "--num-perm", "32", "-t", "0.9")
    assert simdocs("index", "x.signatures", *agreeing, "-o", "x.index", cwd=there) == (0, b"", "")


@pytest.mark.reliability("artifacts and temporary files in a directory")
def test_artifacts_in_a_directory_of_documents_are_passed_by(there):
    built(there / "docs/x.index", ["docs"])
    os.rename(there / "docs/x.index", there / "docs/an index")
    built(there / "docs/x.shingles", ["docs"])
    done = simdocs("shingle", "docs", "-o", "docs/y.shingles", "--summary-json", "note", cwd=there)
    assert done == (0, b"", "")
    facts = json.loads((there / "note").read_bytes())
    # Its own draft is one of them.
    assert (facts["documents"], facts["skipped"]) == (3, {"artifact": 3})


def test_unreadable_documents_are_named_and_left_out_of_the_artifact(there):
    lay(there, {"docs/closed": A, "docs/large": A * 9, "docs/more.jsonl": b'{"text": "a"}\n{"text": 1}\n'})
    os.chmod(there / "docs/closed", 0)
    ask = ("index", "docs", "-o", "x.index", "--max-size", "500")
    done = simdocs(*ask, cwd=there, before=bound_by_modes)
    assert (done.status, done.out) == (3, b"")
    assert [line.split(": ")[1] for line in done.err.splitlines()] == [
        "docs/closed",
        "docs/large",
        "docs/more.jsonl, line 2",
    ]
    run = json.loads((there / "x.index/run.json").read_bytes())
    assert run["skipped"] == {"unreadable": 1, "oversized": 1, "malformed": 1}
    old = (there / "x.index").stat().st_ino
    strict = simdocs(*ask, "--strict", "-q", cwd=there, before=bound_by_modes)
    assert (strict.status, strict.out, strict.err.count("\n")) == (2, b"", 1)
    assert strict.err.startswith("simdocs: error: --strict: nothing was written, because documents were not compared: ")
    assert (there / "x.index").stat().st_ino == old
    assert sorted(os.listdir(there)) == ["docs", "x.index"]


@pytest.mark.reliability("texts that are half boilerplate")
def test_boilerplate_brings_advice_to_raise_num_perm(there):
    dice = random.Random(2)
    common = " ".join(f"common{dice.randrange(10**6)}" for _ in range(60))
    lines = [{"text": f"{common} {' '.join(f'w{dice.randrange(10**6)}' for _ in range(27))}"} for _ in range(500)]
    (there / "x.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    ask = ("index", "x.jsonl", "-o", "x.index", "-v")
    said = simdocs(*ask, cwd=there).err
    found = re.search(
        r"about ([\d.,]+) candidates per document, counted in the buckets: --num-perm (\d+) would need about ([\d.]+)",
        said,
    )
    assert found
    assert float(found[1]) > 100 > float(found[3])
    # And it is so.
    again = simdocs(*ask, "--num-perm", found[2], "--rebuild", cwd=there).err
    few = re.search(r"about ([\d.]+) candidates per document, counted in the buckets$", again, re.MULTILINE)
    assert few
    assert float(few[1]) == pytest.approx(float(found[3]), rel=0.5)
    found_again = json.loads(simdocs("pairs", "x.index", "--summary-json", "/dev/stdout", cwd=there).out)
    assert found_again["candidates"] * 2 / 500 == pytest.approx(float(few[1]), rel=0.5)
