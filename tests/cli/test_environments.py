"""Every command does the same in every surrounding: environment, locale, interpreter's options, umask."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.amounts import slow
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.every import EVERY, WRITING
from tests.cli.program import Done, environment, simdocs
from tests.commands.building import content

LINES = "\n".join(json.dumps({"id": name, "téxt": f"Größe 日本 Straße {name} " * 9}) for name in ("ü", "I", "\ud800"))

ASKED = {
    "index": ["index", "docs", "-o", "new.index", "--text-field", "téxt"],
    "query": ["query", "new.index", "more", "--text-field", "téxt", "--include", "?.txt", "--include", "ä*"],
    "pairs": ["pairs", "docs", "--format", "jsonl", "--text-field", "téxt", "--nfkc"],
    "dedupe --against": ["dedupe", "more", "--against", "new.index", "--text-field", "téxt", "-o", "ä.tsv"],
    "show": ["show", "docs/dé.txt", "--unit", "word", "-k", "1"],
    "info": ["info", "new.index", "--format", "jsonl"],
}
"""In this order: later ones are about what earlier ones wrote."""

pytestmark = pytest.mark.xdist_group("environments")
"""The locales are made once: this takes longer than a test."""

ALL_PYTHON_CAN_SAY = ("-bb", "-X", "dev", "-W", "error")

SURROUNDINGS = {
    "optimised, another hash seed": ({"PYTHONOPTIMIZE": "2", "PYTHONHASHSEED": "1", "LC_ALL": None}, ()),
    "every warning an error": ({"PYTHONHASHSEED": "0", "LC_ALL": "C"}, ALL_PYTHON_CAN_SAY),
    "C, and really so, another time": (
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "0"},
        (),
    ),
    "Turkish": ({"LC_ALL": "tr_TR.UTF-8"}, ()),
    "Latin-1": ({"LC_ALL": "de_DE.ISO-8859-1"}, ()),
}
SHORT = ("every warning an error", "C, and really so, another time")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents under names of all kinds, in a directory of such a name."""
    files = {"docs/dé.txt": A, "docs/b\udcff\n.txt": A1, "docs/c.txt": B, "docs/l.jsonl": LINES.encode()}
    more = {"more/ä1": A2, "more/ü.txt": B.upper(), "more/no": A}
    return lay(tmp_path_factory.mktemp("d\u00e9\udcff"), files | more)


@pytest.fixture(scope="session")
def locales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the locales that not every machine has."""
    where = tmp_path_factory.mktemp("locales")
    for source, charset in (("tr_TR", "UTF-8"), ("de_DE", "ISO-8859-1")):
        made = shutil.which("localedef") and subprocess.run(
            ["localedef", "-i", source, "-f", charset, where / f"{source}.{charset}"], capture_output=True, check=False
        )
        if not made or made.returncode:
            pytest.skip(f"no locale {source}.{charset} can be made here: localedef, or what it reads, is missing")
    return where


def all_of_it(place: Path, options: Sequence[str], env: dict[str, str]) -> dict[str, object]:
    """What every command prints, and what is in the files that it writes."""
    told: dict[str, object] = {}
    for name, arguments in ASKED.items():
        done = simdocs(*arguments, cwd=place, env=env, options=options, served=True)
        assert (done.status, done.err) == (0, ""), name
        told[name] = lasting(done) if name == "info" else done.out
    told["answer"] = (place / "ä.tsv").read_bytes()
    told["root"] = json.loads((place / "new.index" / "run.json").read_bytes())["root"]
    told["artifact"] = content(place / "new.index")
    return told


def lasting(done: Done) -> list[bytes]:
    """What info tells, without what differs between two equal runs."""
    return [line for line in done.out.splitlines() if b'"start"' not in line and b'"new_or_changed"' not in line]


@pytest.fixture(scope="module")
def expected(place: Path) -> dict[str, object]:
    told = all_of_it(place, (), environment())
    assert [told[name] for name in ("index", "dedupe --against")] == [b"", b""]
    assert [len(told[name].splitlines()) for name in ("query", "pairs", "answer")] == [3, 1, 3]
    return told


@pytest.mark.reliability("cron")
@pytest.mark.parametrize("command", ["index", "query", "dedupe", "report", "act", "check"])
def test_every_command_works_as_cron_runs_it(built, command):
    """Hardly a variable, no terminal, nobody's files but the owner's, in the root directory."""
    there = {
        "docs",
        "more",
        *(f"x.{kind}" for kind in ("shingles", "signatures", "index", "answer", "answer.journal.jsonl")),
    }
    words = [str(built / word) if word in there or "." in word else word for word in EVERY[command]]
    done = simdocs(*words, cwd="/", env={"PATH": "/usr/bin:/bin"}, umask=0o077, served=True)
    assert (done.status, done.err) == (0, "")
    assert (done.out != b"") == (command in WRITING)
    assert {one.name for one in built.iterdir()} - there == {word for word in EVERY[command] if "new" in word}


@pytest.mark.reliability("any locale")
@pytest.mark.reliability("another locale for the build than for the query")
@pytest.mark.reliability("time zones and SOURCE_DATE_EPOCH")
@pytest.mark.reliability("PYTHONHASHSEED, PYTHONOPTIMIZE=2, -W error, -bb, -X dev")
@pytest.mark.parametrize("surrounding", [*SHORT, *slow(*(name for name in SURROUNDINGS if name not in SHORT))])
def test_every_command_prints_the_same_bytes_in_every_environment(place, expected, request, surrounding):
    variables, options = SURROUNDINGS[surrounding]
    if "_" in (variables["LC_ALL"] or ""):
        variables = variables | {"LOCPATH": str(request.getfixturevalue("locales"))}
    told = all_of_it(place, options, environment(**variables))
    assert [name for name in told if told[name] != expected[name]] == []


@pytest.mark.slow
def test_the_locales_made_for_these_tests_are_what_their_names_say(locales):
    """Or else those tests would say nothing."""
    script = "import locale, sys; locale.setlocale(locale.LC_ALL, ''); print(f'{0.5:n}', sys.getfilesystemencoding())"
    for name, encoding in (("tr_TR.UTF-8", "utf-8"), ("de_DE.ISO-8859-1", "iso8859-1")):
        env = environment(LC_ALL=name, LOCPATH=str(locales))
        done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, check=True)
        assert done.stdout.split() == [b"0,5", encoding.encode()]
