"""Start-up: help and version wait for nothing that they do not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

from simdocs import __version__
from simdocs.kernels.native import kernels_in_use
from tests.cli.program import anew, environment, simdocs

HEAVY = {"numpy", "rich", "tqdm", "mmh3", "multiprocessing", "importlib.metadata"}
NEEDLESS = {"json", "secrets", "traceback", "hashlib", "ctypes", "subprocess", "tempfile"}
"""Each takes 1 to 5 ms, and is for what such a run does not do."""


@pytest.fixture(scope="module")
def of_click() -> set[str]:
    """Modules that Click imports."""
    done = subprocess.run([sys.executable, "-X", "importtime", "-c", "import click"], capture_output=True, check=True)
    return imported(done.stderr.decode())


def imported(err: str) -> set[str]:
    """Modules that a run imported, from what the interpreter tells about the time that it took."""
    return {line.rsplit("|", 1)[1].strip() for line in err.splitlines() if line.startswith("import time:")}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        [],
        ["dedupe", "--help"],
        ["index", "-h"],
        ["help", "query"],
        ["dedupe", "-k", "0"],
        ["dedup"],
    ],
    ids=" ".join,
)
def test_nothing_heavy_is_imported(arguments, of_click):
    done = simdocs(*arguments, env=environment(PYTHONPROFILEIMPORTTIME="1"))
    modules = imported(done.err)
    assert "click" in modules
    assert {name for name in modules if name.split(".")[0] in HEAVY or name in HEAVY} == set()
    assert not (modules & NEEDLESS) - of_click


def test_nothing_heavy_is_imported_to_complete_a_line():
    asked = {"_SIMDOCS_COMPLETE": "zsh_complete", "COMP_WORDS": "simdocs dedupe --", "COMP_CWORD": "2"}
    done = simdocs(env=environment(PYTHONPROFILEIMPORTTIME="1", **asked))
    assert done.status == 0 and done.out.strip()
    modules = imported(done.err)
    assert "click.shell_completion" in modules
    assert {name for name in modules if name.split(".")[0] in HEAVY or name in HEAVY} == set()


@pytest.mark.reliability("a signal while simdocs starts")
def test_next_to_nothing_is_imported_before_signals_are_handled():
    """Until then Ctrl-C shows a traceback."""
    everything, bare = (
        imported(
            subprocess.run(
                [sys.executable, "-X", "importtime", "-c", code], capture_output=True, check=True
            ).stderr.decode()
        )
        for code in ("from simdocs.__main__ import console", "pass")
    )
    assert everything - bare == {"__future__", "simdocs", "simdocs.version", "simdocs.__main__"} - bare


def test_the_version_imports_few_modules_beyond_those_of_click(of_click):
    """Measured: 43, of which 29 are the program's own. NumPy would be 100 more, rich 60."""
    modules = imported(anew("--version", env=environment(PYTHONPROFILEIMPORTTIME="1")).err)
    assert len(modules - of_click) <= 43


@pytest.mark.parametrize("words", ["dedupe docs", "signature docs -o x.signatures"])
def test_rich_and_tqdm_are_not_imported_if_output_is_no_terminal(words, here):
    done = simdocs(*words.split(), cwd=here, env=environment(PYTHONPROFILEIMPORTTIME="1"))
    modules = imported(done.err)
    assert done.status == 0 and "numpy" in modules
    assert not {name.split(".")[0] for name in modules} & {"rich", "tqdm"}


def test_version_is_printed():
    for option in ("--version", "-V"):
        assert simdocs(option) == (0, f"simdocs {__version__} (kernels: {kernels_in_use()})\n".encode(), "")
