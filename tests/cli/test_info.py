"""info: what an artifact is, in keys and values, and the S-curve of an index."""

from __future__ import annotations

import json
import random
import shlex
from pathlib import Path

import pytest

from tests.cli.corpus import A, lay
from tests.cli.program import simdocs

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
