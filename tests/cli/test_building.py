"""shingle, signature and index: artifacts on disk, and what is said of them."""

from __future__ import annotations

import json
import os
import random
import re
from pathlib import Path

import pytest

from simdocs.model.figures import shown_probability
from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import bound_by_modes, environment, simdocs
from tests.commands.building import built, content, opened
from tests.twins import bands as bands_twin

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
    assert content(there / target) == content_of_built(there / f"y.{SUFFIX[command]}")
    run = json.loads((there / target / "run.json").read_bytes())
    assert run["command"] == ["simdocs", command, "docs", "-o", target]
    assert run["root"] == str(there)
    assert run["changed"] == f"0-{len(opened(there / target).documents) - 1}"
    assert simdocs(command, "docs", "-o", target, cwd=there) == (0, b"", "")


def test_the_recorded_command_is_harmless_on_a_terminal(there):
    done = simdocs("shingle", "docs", "-o", "x\x1b[31m.shingles", "-v", cwd=there)
    assert (done.status, "\x1b" in done.err, "x\\x1b[31m.shingles: written in" in done.err) == (0, False, True)


def content_of_built(target: Path) -> dict[str, bytes]:
    built(target, ["docs"])
    return content(target)


@pytest.mark.reliability("any locale")
@pytest.mark.slow
def test_artifacts_are_the_same_bytes_in_any_locale_and_hash_seed(there):
    os.rename("docs/b.txt", "docs/dé\udcff\n")
    lay(there, {"docs/lines.jsonl": json.dumps({"text": "Größe 日本 " * 9, "id": "ü"}, ensure_ascii=False).encode()})
    contents = []
    for at, changes in enumerate(({}, {"LC_ALL": "C", "PYTHONHASHSEED": "1"}, {"LC_ALL": None, "TZ": "Asia/Tokyo"})):
        env = environment(**changes)
        for target, given in (("x.shingles", "docs"), ("x.signatures", "x.shingles"), ("x.index", "x.signatures")):
            command = {suffix: command for command, suffix in SUFFIX.items()}[target[2:]]
            done = simdocs(command, given, "-o", target, f"-j{1 + at % 2}", cwd=there, env=env)
            assert done == (0, b"", "")
        contents.append([content(there / target) for target in ("x.shingles", "x.signatures", "x.index")])
    assert contents[0] == contents[1] == contents[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_building_needs_an_output(there, command):
    done = simdocs(command, "docs", cwd=there)
    assert done[:2] == (2, b"")
    assert f"simdocs: error: -o NAME.{SUFFIX[command]} is missing: name the artifact to write" in done.err
    assert os.listdir(there) == ["docs"]


@pytest.mark.reliability("an output name that something else has")
@pytest.mark.parametrize(("command", "other"), [("index", "signatures"), ("shingle", "index")])
def test_only_an_artifact_of_the_same_kind_is_replaced(there, command, other):
    suffix = SUFFIX[command]
    built(there / f"other.{other}", ["docs"])
    os.rename(there / f"other.{other}", there / "disguised")
    lay(there, {"texts/a": A, f"odd.{suffix}/stranger": A, f"plain.{suffix}": B})
    os.mkdir(there / f"empty.{suffix}")
    os.symlink("docs/a.txt", there / "link")
    before = sorted(str(path) for path in there.rglob("*"))
    targets = (f"x.{other}", "texts", f"odd.{suffix}", f"plain.{suffix}", f"empty.{suffix}", "link", "disguised")
    for target in (*targets, "docs", "gone/x", "/dev/null"):
        done = simdocs(command, "docs", "-o", target, cwd=there)
        assert (done.status, done.out, done.err.count("\n")) == (2, b"", 1), target
        assert done.err.startswith(f"simdocs: error: {target}"), target
    assert sorted(str(path) for path in there.rglob("*")) == before
    assert (there / "docs/a.txt").read_bytes() == A


@pytest.mark.reliability("options that make different texts equal")
@pytest.mark.reliability("artifacts with different parameters")
@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ("x.shingles", ("-k", "4"), ["x.shingles was built with -k 5, not 4: rebuild it, or leave the option out"]),
        (
            "x.signatures",
            ("--unit", "char", "--num-perm", "64", "--seed", "1", "--scheme", "permutation"),
            [
                "x.signatures was built with --unit word, not char: ",
                "x.signatures was built with --num-perm 32, not 64: ",
                "x.signatures was built with --seed 0, not 1: ",
                "x.signatures was built with --scheme fss, not permutation: ",
            ],
        ),
        (
            "x.signatures",
            ("--nfkc",),
            ["x.signatures was built without --nfkc: rebuild it with --nfkc, or leave the option out"],
        ),
        ("x.signatures", ("--text-field", "body"), ["x.signatures was built with --text-field text, not body: "]),
    ],
)
def test_options_that_contradict_an_artifact_are_refused(there, given, options, said):
    num_perm = {} if given == "x.shingles" else {"num_perm": 32}
    built(there / given, ["docs"], unit="word", k=5, **num_perm)
    done = simdocs("index", given, *options, "-o", "x.index", cwd=there)
    assert done[:2] == (2, b"")
    assert [one for one in said if one not in done.err] == []
    assert not (there / "x.index").exists()


def test_options_that_agree_with_an_artifact_are_accepted(there):
    built(there / "x.signatures", ["docs"], unit="word", k=5, num_perm=32, nfkc=True)
    agreeing = ("--unit", "word", "-k", "5", "--nfkc", "--num-perm", "32", "-t", "0.9")
    assert simdocs("index", "x.signatures", *agreeing, "-o", "x.index", cwd=there) == (0, b"", "")


def test_an_artifact_is_the_only_argument(there):
    for kind in ("shingles", "signatures", "index"):
        built(there / f"x.{kind}", ["docs"])
    refused = {
        ("x.shingles", "x.signatures"): "an artifact cannot be mixed with other arguments",
        ("x.shingles", "docs"): "an artifact cannot be mixed with other arguments",
        ("docs", "x.shingles"): "an artifact cannot be mixed with other arguments",
        ("x.shingles", "--hidden"): "--hidden needs documents",
        ("x.shingles", "--include", "*.txt", "--max-size", "1"): "--max-size needs documents",
        ("x.shingles", "--files-from", "list"): "name documents in one way",
    }
    for arguments, why in refused.items():
        done = simdocs("index", *arguments, "-o", "y.index", cwd=there)
        assert (done.status, done.out, why in done.err) == (2, b"", True), arguments
    for command, given in (("shingle", "x.shingles"), ("signature", "x.index"), ("shingle", "x.index")):
        done = simdocs(command, given, "-o", f"y.{SUFFIX[command]}", cwd=there)
        assert (done.status, done.err.count("\n")) == (4, 1)
    assert not any(path.name.startswith("y.") for path in there.iterdir())


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
    assert simdocs(*ask, "-q", cwd=there, before=bound_by_modes) == (3, b"", "")
    old = (there / "x.index").stat().st_ino
    for target in ("x.index", "new.index"):
        strict = simdocs(*ask[:3], target, *ask[4:], "--strict", "-q", cwd=there, before=bound_by_modes)
        assert (strict.status, strict.out, strict.err.count("\n")) == (2, b"", 1)
        assert strict.err.startswith(
            "simdocs: error: --strict: nothing was written, because documents were not compared: "
        )
        assert "1: larger than --max-size" in strict.err
    assert (there / "x.index").stat().st_ino == old
    assert sorted(os.listdir(there)) == ["docs", "x.index"]


def test_the_summary_of_a_build_has_its_facts(there):
    lay(there, {"docs/empty": b"", "docs/short": b"ab"})
    assert simdocs("index", "docs", "-o", "x.index", "--summary-json", "note", cwd=there) == (0, b"", "")
    facts = json.loads((there / "note").read_bytes())
    assert (facts["kind"], facts["documents"], facts["empty"], facts["short"]) == ("index", 5, 1, 1)
    assert facts["bytes"] == len(A + A1 + B) + 2
    assert facts["tokens"] == 1 + sum(
        len({text.lower()[at : at + 9] for at in range(len(text) - 8)}) for text in (A, A1, B)
    )
    assert (facts["bands"], facts["rows"], facts["threshold"]) == (18, 7, 0.8)
    assert facts["parameters"]["shingling"]["k"] == 9
    assert [point[0] for point in facts["curve"]] == [at / 10 for at in range(1, 11)]
    assert facts["curve"][7][1] == facts["probability"]
    assert simdocs("index", "docs", "-o", "y.index", "--summary-json", "docs/a.txt", cwd=there).status == 2
    assert not (there / "y.index").exists()
    assert (there / "docs/a.txt").read_bytes() == A


def test_a_small_k_is_warned_about_once(there):
    lay(there, {f"docs/{at}": B + b"%d" % at for at in range(30)})
    small = advice_on(there, "shingle", "docs", "-o", "x.shingles", "-k", "2")
    assert len(small) == 1
    assert re.search(r"k = 2 is small: .* have 2\d\d characters or more; .* with a chance of 0\.\d\d, ", small[0])
    better = small[0].partition(": -k ")[2].split()[0]
    assert advice_on(there, "shingle", "docs", "-o", "y.shingles", "-k", better) == []
    large = advice_on(there, "signature", "docs", "-o", "x.signatures", "-k", "70")
    assert len(large) == 1
    assert "three edited characters leave a similarity of only 0.0" in large[0]
    # It was said when the shingles were made.
    assert simdocs("shingle", "docs", "-o", "x.shingles", "-k", "2", cwd=there) == (0, b"", "")
    assert advice_on(there, "index", "x.shingles", "-o", "x.index") == []


def test_documents_without_stop_words_bring_advice_on_the_language(there):
    russian = (
        "Паром уходит от северного причала в семь часов утра каждый день кроме воскресенья, когда он уходит в девять"
    )
    lay(there, {f"texts/{at}": f"{russian} {at}".encode() for at in range(3)})
    (said,) = advice_on(there, "index", "texts", "-o", "x.index", "--unit", "stopword")
    assert said.startswith("--language en: 3 of 3 documents (100%) have hardly any of its stop words")
    assert advice_on(there, "index", "texts", "-o", "y.index", "--unit", "stopword", "--language", "ru") == []


def advice_on(there, *arguments: str) -> list[str]:
    """The lines with -v that are warnings; what is said without it, or with -q, is nothing."""
    done = simdocs(*arguments, "-v", "--summary-json", "note", cwd=there)
    assert done[:2] == (0, b"")
    assert simdocs(*arguments, "-q", cwd=there) == (0, b"", "")
    warned = [line for line in done.err.splitlines() if line.startswith("simdocs: warning: ")]
    noted = json.loads((there / "note").read_bytes())["advice"]
    assert warned == [f"simdocs: warning: {line}" for line in noted]
    return noted


def test_verbose_explains_an_index(there):
    done = simdocs("index", "docs", "-o", "x.index", "-t", "0.7", "-v", cwd=there)
    assert done[:2] == (0, b"")
    lines = done.err.splitlines()
    bands, rows = 25, 5
    assert lines[0].startswith(f"3 documents, {len(A + A1 + B)} bytes, ")
    assert 0.9899 <= 1 - (1 - 0.7**rows) ** bands < 0.99
    assert lines[1] == "25 bands of 5 rows find at least 98.99% of pairs at 0.7, more above"
    curve = ", ".join(
        f"{shown_probability(float(bands_twin.least_probability(s / 10, bands, rows)))} at {s / 10:g}"
        for s in range(1, 11)
    )
    assert lines[2] == f"chance of being found: {curve}"
    assert re.fullmatch(r"about \S+ candidates per document, counted in the buckets", lines[3])
    assert re.fullmatch(r"x\.index: written in \d+\.\d\d s", lines[4])
    assert len(lines) == 5


def test_a_summary_without_verbose_leaves_the_curve_to_info(there):
    done = simdocs("index", "docs", "-o", "x.index", "-t", "0.7", "--summary", cwd=there)
    lines = done.err.splitlines()
    assert "chance of being found" not in done.err
    assert lines[1] == "25 bands of 5 rows find at least 98.99% of pairs at 0.7, more above"
    assert len(lines) == 4
    assert b"probability_at_0.1\t" in simdocs("info", "x.index", cwd=there).out


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
