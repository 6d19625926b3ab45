"""Start-up: help and version wait for nothing that they do not need."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from simdocs import __version__
from tests.cli.program import anew, environment, simdocs

COMMANDS = ("shingle", "signature", "index", "query", "dedupe", "info", "check")
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
        ["--help"],
        [],
        *([command, "--help"] for command in COMMANDS),
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


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("bash", "simdocs "),
        ("zsh", "simdocs dedupe --"),
        ("fish", "simdocs dedupe --unit "),
        ("bash", "simdocs query x.index "),
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


def test_the_version_imports_few_modules_beyond_those_of_click(of_click):
    """Measured: 30, of which 20 are the program's own. NumPy would be 100 more, rich 60."""
    modules = imported(anew("--version", env=environment(PYTHONPROFILEIMPORTTIME="1")).err)
    assert len(modules - of_click) <= 40


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
        assert simdocs(option) == (0, f"simdocs {__version__}\n".encode(), "")


def test_help_names_commands_in_pipeline_order():
    text = simdocs("--help").out.decode()
    assert simdocs("-h").out.decode() == text
    commands = text.split("Commands:\n")[1]
    assert commands.index("shingle") < commands.index("dedupe")


def test_help_of_dedupe_has_examples_and_defaults():
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


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_the_statuses_that_the_command_can_have(command):
    statuses = {"query": "0 1 2 3 4", "dedupe": "0 1 2 3 4", "info": "0 2 4", "check": "0 2 4"}
    _, text = simdocs(command, "--help").out.decode().split("Exit status:\n")
    found = re.findall(r"^  (\d+) +\w", text, re.MULTILINE)
    assert found == statuses.get(command, "0 2 3 4 75").split()


def test_help_is_shown_before_anything_is_checked(here):
    """Also among other words, and without looking at a document."""
    assert simdocs("dedupe", "gone", "--help", cwd=here) == simdocs("dedupe", "--help")
