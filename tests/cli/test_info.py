"""info: what an artifact is, in keys and values, and the S-curve of an index."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.cli.program import simdocs

COMMAND = {"shingles": "shingle", "signatures": "signature", "index": "index"}


def built(where: Path, kind: str, *arguments: str) -> str:
    done = simdocs(COMMAND[kind], "docs", "-o", f"x.{kind}", *arguments, cwd=where)
    assert done.status == 0, done.err
    return f"x.{kind}"


def facts(where: Path, artifact: str) -> dict[str, str]:
    done = simdocs("info", artifact, cwd=where)
    assert (done.status, done.err) == (0, "")
    return {key.decode(): value.decode("utf-8", "surrogateescape") for key, value in done.rows}


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
