"""The README, the examples and the demo say what the program does."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SCRIPTS = Path(sys.executable).parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
ENVIRONMENT = {"PATH": f"{SCRIPTS}:/usr/bin:/bin", "COLUMNS": "100", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}


def sessions(markdown: str) -> list[tuple[str, str]]:
    """Each command of the console blocks with the output that the text shows for it."""
    steps = []
    for block in re.findall(r"^```console\n(.*?)^```", markdown, re.DOTALL | re.MULTILINE):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = step.partition("\n")
            steps.append((command, output))
    return steps


def at_terminal(command: str, directory: Path) -> str:
    """What somebody at a terminal of 100 columns sees of this command."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(directory)
        os.execve("/bin/sh", ["sh", "-c", command], ENVIRONMENT)
    seen = b""
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(terminal)
    os.waitpid(child, 0)
    return seen.decode().replace("\r\n", "\n")


def without_seconds(output: str) -> str:
    return re.sub(r"in \d+\.\d\d s", "in some time", output)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A directory with a copy of the examples."""
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    return tmp_path


def test_readme_shows_what_its_commands_print(copy: Path) -> None:
    steps = sessions(README)
    assert len(steps) >= 6
    for command, output in steps:
        assert without_seconds(at_terminal(command, copy)) == without_seconds(output), command


def test_readme_names_the_two_commands_and_make_has_them() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in ("demo", "test"):
        assert f"make {target}" in README
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_architecture_names_every_room() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for room in (ROOT / "simdocs").iterdir():
        if not room.name.startswith("__") and room.name != "py.typed":
            assert f"`simdocs/{room.name}{'/' if room.is_dir() else ''}`" in text, room.name


def test_expected_answer_of_the_example_corpus() -> None:
    command = [SCRIPTS / "simdocs", "dedupe", "corpus", "--header"]
    answer = subprocess.run(command, cwd=EXAMPLES, capture_output=True, check=True)
    assert answer.stdout == (EXAMPLES / "EXPECTED.tsv").read_bytes()
    assert answer.stderr == b""


def test_demo_shows_commands_and_answers() -> None:
    demo = subprocess.run(["sh", EXAMPLES / "demo.sh"], env=ENVIRONMENT, capture_output=True, check=True, text=True)
    assert "$ simdocs dedupe corpus" in demo.stdout
    assert "corpus/poems/salt-road-two-lines.txt" in demo.stdout


def test_example_corpus_is_what_the_issue_of_it_promises() -> None:
    files = [path for path in (EXAMPLES / "corpus").rglob("*") if path.is_file()]
    assert len(files) >= 60
    assert any(path.stat().st_size == 0 for path in files)
    assert any(b"\0" in path.read_bytes()[:100] and not path.read_bytes().startswith(b"\xff\xfe") for path in files)
