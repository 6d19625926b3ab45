"""Completion: what the program offers to shells, and what the files for bash, zsh and fish make of it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from simdocs.cli.program import simdocs as program
from simdocs.options.declaration import SHARED
from simdocs.options.families import LISTS, MATCH_LISTS
from tests.asked import OPTIONS
from tests.cli.program import PROGRAM, Done, environment, simdocs, started
from tests.cli.shells import COMPLETION, SHELLS, typed

COMMANDS = tuple(program.commands)
FAMILIES = {f"--{name}": OPTIONS[name].values.family for name in ("unit", "format")}


def asked(*words: str, cwd: Path | None = None, **more: str) -> Done:
    """What the program says may stand in the place of the last word."""
    there = {"_SIMDOCS_COMPLETE": "zsh_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    there |= {"PYTHONIOENCODING": "utf-8:strict"}  # what most locales amount to
    return simdocs(cwd=cwd, env=environment(**there | more))


def offered(*words: str) -> list[tuple[str, str, str]]:
    """Kind, value and meaning of each."""
    done = asked(*words)
    assert (done.status, done.err) == (0, "")
    lines = done.out.decode().split("\n")[:-1]
    return list(zip(lines[::3], lines[1::3], lines[2::3], strict=True)) if lines != [""] else []


def values(*words: str) -> list[str]:
    return [value for _, value, _ in offered(*words)]


def test_commands_are_offered_each_with_what_it_does():
    listed = offered("simdocs", "")
    assert tuple(name for _, name, _ in listed) == COMMANDS
    help_text = " ".join(simdocs("--help", env=environment(COLUMNS="200")).out.decode().split())
    assert all(meaning in help_text for _, name, meaning in listed if name != "help")


@pytest.mark.parametrize("command", ["dedupe", "query", "compare"])
def test_every_option_of_help_is_offered_and_no_other(command):
    whole = simdocs(command, "--help-all").out.decode()
    _, _, options = re.split(r"^(\w.*:)$", whole, maxsplit=1, flags=re.MULTILINE)
    helped = re.findall(r"^  (-.*?)(?:  |$)", options, re.MULTILINE)
    spelt = {spelling.split()[0] for row in helped for spelling in row.split(", ")}
    of_help = {"-h", "--help", "--help-all"}
    assert spelt - of_help
    assert set(values("simdocs", command, "-")) == spelt | of_help


def test_an_option_is_not_offered_twice_unless_it_may_be_given_twice():
    assert values("simdocs", "dedupe", "--unit", "word", "--uni") == []
    assert values("simdocs", "dedupe", "--include", "*.txt", "--incl") == ["--include"]


@pytest.mark.parametrize("option", ["--unit", "--format"])
def test_choices_are_offered_with_their_meaning(option):
    found = {value: meaning for _, value, meaning in offered("simdocs", "dedupe", option, "")}
    assert found == {name: member.help for name, member in FAMILIES[option].items()}


def test_formats_and_other_values_are_offered():
    assert values("simdocs", "dedupe", "--list", "") == list(LISTS)
    assert values("simdocs", "query", "old.index", "--list", "") == list(MATCH_LISTS)
    assert values("simdocs", "dedupe", "--unit=w") == ["--unit=word"]
    assert set(values("simdocs", "help", "s")) == {name for name in (*COMMANDS, *SHARED) if name.startswith("s")}
    assert set(values("simdocs", "help", "")) == {*COMMANDS, *SHARED, "guide"}


KINDS = {
    "file": (
        "dedupe x",
        "dedupe -- -x",
        "query old.index x",
        "dedupe --files-from x",
        "index -o x",
        "index --output=x",
    ),
    "dir": ("query x", "check x y", "dedupe --shingles x", "dedupe --root x", "dedupe --against=x"),
    "": ("dedupe -k x", "dedupe --threshold .", "dedupe --include x", "dedupe --text-field x"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_names_of_files_or_directories_or_nothing_are_left_to_the_shell(kind):
    for line in KINDS[kind]:
        word = line.split()[-1].rpartition("=")[2]
        assert offered("simdocs", *line.split()) == ([(kind, word, "_")] if kind else [])
    if kind == "file":  # bash makes `=` a word of its own, also where it is the name of a file
        assert asked("simdocs", "query", "=", "x", _SIMDOCS_COMPLETE="bash_complete").out.startswith(b"file")


@pytest.mark.parametrize(
    "line",
    [
        "dedup x", "--unknown x", "dedupe --unit zzz --keep ", "dedupe -k 0 -t nan x", "info a b c", 'dedupe "a b',
        "dedupe a\\", "dedupe --=", "dedupe \udcff", "query --threshold", "-",
    ],
)  # fmt: skip
def test_a_malformed_request_for_completion_does_no_harm(line, tmp_path):
    words = f"simdocs {line}".split(" ")
    assert asked(*words, cwd=tmp_path)[::2] == (0, "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", ["bash", "zsh_sources"])
def test_a_request_that_no_shell_makes_prints_nothing(what):
    assert asked("simdocs", "", _SIMDOCS_COMPLETE=what) == (1, b"", "")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_program_prints_the_completion_file_of_each_shell(shell):
    done = simdocs(env=environment(_SIMDOCS_COMPLETE=f"{shell}_source"))
    assert done == (0, COMPLETION[shell].read_bytes(), "")


LINES = {
    "simdocs dedu": ["dedupe"],
    "simdocs dedupe --lang": ["dedupe", "--language"],
    "simdocs dedupe --unit wo": ["dedupe", "--unit", "word"],
    "simdocs dedupe --unit=wo": ["dedupe", "--unit=word"],
    "simdocs dedupe --unit=word --keep=lo": ["dedupe", "--unit=word", "--keep=longest"],
    "simdocs dedupe pl": ["dedupe", "plain.txt"],
    "simdocs dedupe plain.txt my": ["dedupe", "plain.txt", "my file.txt"],
    "simdocs dedupe 'my f": ["dedupe", "my file.txt"],
    "simdocs dedupe my\\ f": ["dedupe", "my file.txt"],
    "simdocs dedupe sub": ["dedupe", "sub directory/"],
    "simdocs dedupe sub\\ directory/in": ["dedupe", "sub directory/inner.txt"],
    "simdocs dedupe -o pl": ["dedupe", "-o", "plain.txt"],
    "simdocs dedupe --files-from my": ["dedupe", "--files-from", "my file.txt"],
    "simdocs dedupe --files-from=my": ["dedupe", "--files-from=my file.txt"],
    "simdocs query old": ["query", "old.index/"],
    "simdocs query old.index/ --list ": ["query", "old.index/", "--list", "matches"],
    "simdocs dedupe -k ": ["dedupe", "-k"],
    "simdocs dedup --unit=wo": ["dedup", "--unit=wo"],
}


@pytest.fixture
def there(tmp_path: Path) -> Path:
    for name in ("plain.txt", "my file.txt", "sub directory/inner.txt", "old.index/manifest.json", "old.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize("shell", SHELLS)
def test_a_tab_completes_lines_in_each_shell(shell, there):
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    lines = typed(shell, list(LINES), there)
    found = {line: [word.rstrip("/") for word in words] for line, words in zip(LINES, lines, strict=True)}
    assert found == {line: ["simdocs", *(word.rstrip("/") for word in words)] for line, words in LINES.items()}


def test_bash_is_silent_if_the_program_is_missing(tmp_path):
    if shutil.which("bash") is None:
        pytest.skip("no bash here")
    script = f"""
        source {COMPLETION["bash"]} || exit 9
        COMP_WORDS=(./gone dedupe --un) COMP_CWORD=2
        _simdocs_completion ./gone --un dedupe
        echo "${{#COMPREPLY[@]}}"
        COMP_WORDS[0]={PROGRAM}
        _simdocs_completion {PROGRAM} --un dedupe
        echo "${{COMPREPLY[@]}}"
        compgen -v | grep -cxE 'kind|value|type|completion|response' || true
    """
    with started(["bash", "--norc", "-c", script], cwd=tmp_path) as process:
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, b"0\n--unit\n0\n", b"")
