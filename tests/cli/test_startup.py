"""Start-up: help and version wait for nothing that they do not need."""

from __future__ import annotations

import re

import pytest

from simdocs import __version__
from tests.cli.program import environment, simdocs

HEAVY = {"numpy", "rich", "tqdm", "mmh3", "multiprocessing", "importlib.metadata"}


def imported(err: str) -> set[str]:
    """Modules that a run imported, from what the interpreter tells about the time that it took."""
    return {line.rsplit("|", 1)[1].strip() for line in err.splitlines() if line.startswith("import time:")}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["--help"],
        ["dedupe", "--help"],
        ["shingle", "-h"],
        ["dedupe", "-k", "0"],
        ["dedup"],
    ],
    ids=" ".join,
)
def test_nothing_heavy_is_imported(arguments):
    done = simdocs(*arguments, env=environment(PYTHONPROFILEIMPORTTIME="1"))
    modules = imported(done.err)
    assert "click" in modules
    assert {name for name in modules if name.split(".")[0] in HEAVY or name in HEAVY} == set()


def test_nothing_is_drawn_where_nobody_looks(here):
    modules = imported(simdocs("dedupe", "docs", cwd=here, env=environment(PYTHONPROFILEIMPORTTIME="1")).err)
    assert "numpy" in modules
    assert not {name.split(".")[0] for name in modules} & {"rich", "tqdm"}


def test_version():
    for option in ("--version", "-V"):
        assert simdocs(option) == (0, f"simdocs {__version__}\n".encode(), "")


def test_help_names_commands_in_pipeline_order():
    text = simdocs("--help").out.decode()
    assert simdocs("-h").out.decode() == text
    commands = text.split("Commands:\n")[1]
    assert commands.index("shingle") < commands.index("dedupe")


def test_help_of_dedupe():
    done = simdocs("dedupe", "--help")
    assert (done.status, done.err) == (0, "")
    text = done.out.decode()
    assert simdocs("dedupe", "-h").out.decode() == text
    assert max(map(len, text.split("\n"))) <= 100
    assert text.count("  simdocs dedupe ") >= 2
    for option in ("--unit", "-k", "--threshold", "--recall", "--num-perm", "--keep", "--max-candidates", "--seed"):
        described = re.search(rf" {option}(?![\w-]).*?\n  -", text, re.DOTALL)
        assert described, option
        assert "default:" in described[0], option
    for status in "0123":
        assert re.search(rf"^ +{status}  \w", text, re.MULTILINE)


def test_help_comes_first(here):
    """Also among other words, and without looking at a document."""
    assert simdocs("dedupe", "gone", "--help", cwd=here) == simdocs("dedupe", "--help")
