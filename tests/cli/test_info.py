"""info: what an artifact is, in keys and values, and the S-curve of an index."""

from __future__ import annotations

import json
import random
import re
import shlex
from pathlib import Path

import pytest

from simdocs.model.figures import shown_probability
from tests.cli.corpus import A, lay
from tests.cli.program import simdocs
from tests.twins.bands import chance, least_probability

COMMAND = {"shingles": "shingle", "signatures": "signature", "index": "index"}


COUNTS = {"documents": "7", "empty": "1", "short": "1", "invalid_bytes": "1", "utf_16_or_32": "1"}


@pytest.fixture
def there(here: Path) -> Path:
    """And docs of every kind, with odd names, a hidden file and a binary one."""
    files = {"empty": b"", "short": b"ab", "latin": b"caf\xe9 au lait"}
    lay(here, {f"docs/{name}": data for name, data in files.items()})
    lay(here, {"docs/.hidden": A, "docs/binary": b"\0"})
    (here / "docs" / "wide").write_bytes("ein langer Text".encode("utf-16"))
    return here


def built(where: Path, kind: str, *arguments: str) -> str:
    done = simdocs(COMMAND[kind], "docs", "-o", f"x.{kind}", *arguments, cwd=where)
    assert done.status == 0, done.err
    return f"x.{kind}"


def facts(where: Path, artifact: str) -> dict[str, str]:
    done = simdocs("info", artifact, cwd=where)
    assert (done.status, done.err) == (0, "")
    return {key.decode(): value.decode("utf-8", "surrogateescape") for key, value in done.rows}


@pytest.mark.parametrize("kind", COMMAND)
def test_info_has_the_facts_of_each_kind_of_artifact(there, kind):
    told = facts(there, built(there, kind, "--unit", "word", "-k", "2", "--nfkc", "--seed", "9"))
    assert told["kind"] == kind
    assert told.items() >= COUNTS.items()
    texts = [path for path in (there / "docs").iterdir() if path.name not in (".hidden", "binary")]
    assert told["bytes"] == str(sum(path.stat().st_size for path in texts))
    manifest = json.loads((there / f"x.{kind}" / "manifest.json").read_bytes())
    assert told["made_from"] == manifest["made_from"]
    assert told["distinct_texts"] == "6"
    assert (told["unit"], told["k"], told["nfkc"], told["keep_case"], told["seed"]) == ("word", "2", "yes", "no", "9")
    assert told["root"] == str(there)
    assert told["command"] == f"simdocs {COMMAND[kind]} docs -o x.{kind} --unit word -k 2 --nfkc --seed 9"
    assert (told["skipped_hidden"], told["skipped_binary"]) == ("1", "1")
    later = {"num_perm": kind != "shingles", "threshold": kind == "index", "bands": kind == "index"}
    assert {name: name in told for name in later} == later
    assert ("probability" in told) == ("candidates_a_document" in told) == (kind == "index")
    for name, array in manifest["arrays"].items():
        dtype, shape = told[f"{name}.npy"].split(" ", 1)
        assert shape == str(tuple(array["shape"]))
        assert dtype == (array["dtype"] if isinstance(array["dtype"], str) else "structured")


def test_the_command_can_be_copied_to_a_shell(here):
    (here / "docs").rename(here / "my docs")
    words = ["index", "my docs", "-o", "it's.index", "--exclude", "*.log"]
    assert simdocs(*words, cwd=here).status == 0
    told = facts(here, "it's.index")["command"]
    assert told == "simdocs index 'my docs' -o 'it'\"'\"'s.index' --exclude '*.log'"
    assert shlex.split(told) == ["simdocs", *words]


@pytest.mark.parametrize(("count", "first", "last"), [(0, 0, 0), (3, 3, 0), (4, 3, 1), (9, 3, 3)])
def test_info_names_the_first_and_last_documents(tmp_path, count, first, last):
    (tmp_path / "docs").mkdir()
    names = [f"docs/{number}" for number in range(count)]
    lay(tmp_path, dict.fromkeys(names, A))
    rows = simdocs("info", built(tmp_path, "signatures"), cwd=tmp_path).rows
    assert [value.decode() for key, value in rows if key == b"first"] == names[:first]
    assert [value.decode() for key, value in rows if key == b"last"] == names[count - last :]


@pytest.mark.parametrize("arguments", [("--threshold", "0.777"), ("--bands", "9", "--rows", "3")])
def test_the_figures_of_the_s_curve_follow_the_formula(here, arguments):
    told = facts(here, built(here, "index", *arguments))
    bands, rows, threshold = int(told["bands"]), int(told["rows"]), float(told["threshold"])
    assert float(told["probability"]) == pytest.approx(
        float(least_probability(threshold, bands, rows)), rel=1e-5, abs=1e-14
    )
    for tenth in range(1, 11):
        assert float(told[f"probability_at_{tenth / 10:g}"]) == pytest.approx(
            float(least_probability(tenth / 10, bands, rows)), rel=1e-5, abs=1e-14
        )
    drawn = simdocs("info", "x.index", "--format", "table", cwd=here).out.decode()
    marked = "0.777" if threshold == 0.777 else "0.80"  # a threshold between two rows has its own
    assert re.findall(r"^(\S+) .* threshold$", drawn, re.MULTILINE) == [marked]
    bars = re.findall(r"^(\d\.\d\d) .* ([<>]?\d\.\d{4})(?: +threshold)?$", drawn, re.MULTILINE)
    assert bars == [(f"{step / 20:.2f}", shown_probability(chance(step / 20, bands, rows))) for step in range(1, 21)]


def test_info_counts_the_candidates_of_an_index(tmp_path):
    chance = random.Random(1)
    words = [f"w{number}" for number in range(5000)]
    text = chance.choices(words, k=400)
    (tmp_path / "docs").mkdir()
    for number in range(200):
        changed = [chance.choice(words) if chance.random() < 0.1 else word for word in text]
        (tmp_path / "docs" / str(number)).write_text("\n".join(changed))
    told = facts(tmp_path, built(tmp_path, "index", "--unit", "line"))
    ask = ("pairs", "x.index", "-q", "-o", "pairs", "--summary-json", "summary")
    assert simdocs(*ask, cwd=tmp_path).status == 0
    pairs = json.loads((tmp_path / "summary").read_bytes())["candidates"]
    assert float(told["candidates_a_document"]) == pytest.approx(2 * pairs / 200, rel=0.01)
    assert ("fewer_candidates_with_num_perm" in told) == (2 * pairs / 200 > 100)


def test_info_counts_the_documents_that_were_new_or_changed_in_the_last_run(there):
    assert facts(there, built(there, "index"))["new_or_changed"] == COUNTS["documents"]
    assert facts(there, built(there, "index"))["new_or_changed"] == "0"
    lay(there, {"docs/a.txt": A[::-1], "docs/more": A})
    assert facts(there, built(there, "index"))["new_or_changed"] == "2"


@pytest.mark.reliability("a damaged run.json")
@pytest.mark.parametrize(
    "run",
    [
        *(None, "", "[" * 99999, '{"root": 5, "command": "x", "skipped": [1]}', '{"changed": "0-99999999"}'),
        '{"start": "\\ud800\\u001b", "command": ["\\ud800", 1, null], "skipped": {"\\udfff": [], "x": 3}}',
    ],
)
def test_info_works_whatever_run_json_holds(here, run):
    before = facts(here, built(here, "signatures"))
    file = here / "x.signatures" / "run.json"
    file.unlink() if run is None else file.write_text(run)
    told = facts(here, "x.signatures")
    dropped = ("simdocs", "start", "root", "command", "new_or_changed")
    assert told.items() >= {key: value for key, value in before.items() if key not in dropped}.items()
