"""Start-up: help and version wait for nothing that they do not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

from simdocs import __version__
from simdocs.kernels.native import kernels_in_use
from tests.amounts import slow
from tests.cli.program import anew, environment, simdocs

COMMANDS = ("shingle", "signature", "index", "query", "dedupe", "compare", "show", "info", "check", "help")
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
        *slow((["--help"],), (["-h"],), (["--threshold", "0.9", "dedupe"],)),
        *slow(*(([command, option],) for command in COMMANDS for option in ("-h", "--help"))),
    ],
    ids=" ".join,
)
def test_nothing_heavy_is_imported(arguments, of_click):
    done = simdocs(*arguments, env=environment(PYTHONPROFILEIMPORTTIME="1"))
    modules = imported(done.err)
    assert "click" in modules
    assert {name for name in modules if name.split(".")[0] in HEAVY or name in HEAVY} == set()
    assert not (modules & NEEDLESS) - of_click


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("zsh", "simdocs dedupe --"),
        ("fish", "simdocs dedupe --unit "),
        *slow(("bash", "simdocs "), ("bash", "simdocs query x.index ")),
    ],
)
def test_nothing_heavy_is_imported_to_complete_a_line(shell, line):
    word = line.rpartition(" ")[2]
    asked = {"_SIMDOCS_COMPLETE": f"{shell}_complete", "COMP_WORDS": line}
    asked["COMP_CWORD"] = word if shell == "fish" else str(line.count(" "))
    done = simdocs(env=environment(PYTHONPROFILEIMPORTTIME="1", **asked))
    assert done.status == 0 and done.out.strip()
    modules = imported(done.err)
    assert "click.shell_completion" in modules
    assert {name for name in modules if name.split(".")[0] in HEAVY or name in HEAVY} == set()


def test_the_public_module_imports_nothing_before_it_is_used():
    code = "import sys; import simdocs; print(*[name for name in sys.modules if name.startswith('simdocs.')])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
        == "simdocs.version\n"
    )


@pytest.mark.reliability("a signal while simdocs starts")
def test_next_to_nothing_is_imported_before_signals_are_handled():
    """Until then Ctrl-C shows a traceback."""
    everything, bare = (
        imported(
            subprocess.run(
                [sys.executable, "-X", "importtime", "-c", code], capture_output=True, check=True
            ).stderr.decode()
        )
        for code in ("from simdocs.cli import main", "pass")
    )
    assert everything - bare == {"__future__", "simdocs", "simdocs.version", "simdocs.cli"} - bare


def test_the_version_imports_few_modules_beyond_those_of_click(of_click):
    """Measured: 43, of which 28 are the program's own. NumPy would be 100 more, rich 60."""
    modules = imported(anew("--version", env=environment(PYTHONPROFILEIMPORTTIME="1")).err)
    assert len(modules - of_click) <= 43


def test_rich_and_tqdm_are_not_imported_if_output_is_no_terminal(here):
    modules = imported(simdocs("dedupe", "docs", cwd=here, env=environment(PYTHONPROFILEIMPORTTIME="1")).err)
    assert "numpy" in modules
    assert not {name.split(".")[0] for name in modules} & {"rich", "tqdm"}


@pytest.mark.parametrize("command", ["info", "check"])
def test_rich_and_tqdm_are_not_imported_for_artifacts_if_output_is_no_terminal(command, here):
    assert simdocs("signature", "docs", "-o", "x.signatures", cwd=here).status == 0
    done = simdocs(command, "x.signatures", cwd=here, env=environment(PYTHONPROFILEIMPORTTIME="1"))
    modules = imported(done.err)
    assert done.status == 0 and "numpy" in modules
    assert not {name.split(".")[0] for name in modules} & {"rich", "tqdm"}


def test_version_is_printed():
    for option in ("--version", "-V"):
        assert simdocs(option) == (0, f"simdocs {__version__} (kernels: {kernels_in_use()})\n".encode(), "")
