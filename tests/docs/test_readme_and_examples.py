"""The commands in the README, the guides and the examples print what the pages show."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.stand_in import where_it_is
from tests.docs.executed import (
    DOCS,
    ENVIRONMENT,
    EXAMPLES,
    ROOT,
    SCRIPTS,
    at_terminal,
    execute,
    missing_for_sessions,
    sessions,
    without_seconds,
)

README = ROOT / "README.md"
LECTURES = "examples/lectures/README.md"
PAGES_WITH_SESSIONS = {
    "README.md": 10,
    "docs/output.md": 10,
    "docs/guide.md": 40,
    "docs/choosing.md": 20,
    "docs/datasets.md": 20,
    "docs/report.md": 4,
    "docs/merge.md": 10,
    LECTURES: 15,
}
"""Pages whose commands are run, and the minimum number of commands on each."""


def parts(page: str) -> dict[str, list[tuple[str, str]]]:
    """Return the commands of each section of a page, or all together if the sections use each other's artifacts."""
    sections = sessions(ROOT / page)
    return {"": [step for steps in sections.values() for step in steps]} if page == LECTURES else sections


SESSIONS = {(page, section): steps for page in PAGES_WITH_SESSIONS for section, steps in parts(page).items()}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A directory with a copy of the examples."""
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    return tmp_path


@pytest.mark.parametrize(("page", "section"), SESSIONS)
def test_commands_print_what_the_page_shows(page: str, section: str, copy: Path) -> None:
    if missing := missing_for_sessions(ROOT / page).get(section):
        pytest.skip(f"no {', '.join(missing)} here")
    here = copy / "examples" / "lectures" if page == LECTURES else copy
    for command, output in SESSIONS[page, section]:
        assert without_seconds(at_terminal(command, here)) == without_seconds(output), command


def test_the_code_on_the_page_about_data_sets_runs(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(copy)
    monkeypatch.setenv("PATH", f"{where_it_is()}:{ENVIRONMENT['PATH']}")
    at_terminal("python3 examples/tables.py csv reports.csv", copy)
    missing = execute(DOCS / "datasets.md")["missing"]
    if missing:
        pytest.skip(f"no {', '.join(sorted(missing))} here: the blocks that need them were not run")


@pytest.mark.parametrize("page", PAGES_WITH_SESSIONS)
def test_every_command_of_a_page_is_found(page: str) -> None:
    found = sum(len(steps) for (of, _), steps in SESSIONS.items() if of == page)
    assert found == len(re.findall(r"^\$ ", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE))
    assert found >= PAGES_WITH_SESSIONS[page]


def test_every_page_with_a_session_is_run() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *EXAMPLES.rglob("*.md")]
    with_sessions = {str(page.relative_to(ROOT)) for page in pages if "```console" in page.read_text(encoding="utf-8")}
    assert with_sessions == set(PAGES_WITH_SESSIONS)


def test_the_readme_names_make_targets_that_exist_and_smoke_names_tests_that_do() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in ("demo", "smoke", "test"):
        assert f"make {target}" in README.read_text(encoding="utf-8")
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    (paths,) = re.findall(r"^SMOKE := (.*?[^\\])\n", makefile, re.MULTILINE | re.DOTALL)
    assert [path for path in paths.replace("\\\n", "").split() if not (ROOT / "tests" / path).exists()] == []


def test_the_example_corpus_gives_its_expected_answer() -> None:
    command = [SCRIPTS / "simdocs", "dedupe", "corpus", "--header"]
    answer = subprocess.run(command, cwd=EXAMPLES, capture_output=True, check=True)
    assert answer.stdout == (EXAMPLES / "EXPECTED.tsv").read_bytes()
    assert answer.stderr == b""


def test_the_demo_shows_commands_and_answers() -> None:
    env = ENVIRONMENT | {"PATH": f"{where_it_is()}:{ENVIRONMENT['PATH']}"}
    demo = subprocess.run(["sh", EXAMPLES / "demo.sh"], env=env, capture_output=True, check=True, text=True)
    assert "$ simdocs dedupe corpus" in demo.stdout
    assert "corpus/poems/salt-road-two-lines.txt" in demo.stdout
