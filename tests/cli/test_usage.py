"""Usage errors: one line each, that says what is wrong, with what, and what to do."""

from __future__ import annotations

import os
import unicodedata

import pytest

from tests.cli.corpus import lay
from tests.cli.every import EVERY, READING
from tests.cli.program import Done, in_shell, simdocs
from tests.cli.traps import trap


def is_one_line(done: Done) -> bool:
    """Whether it failed as failures should: status 2, nothing but one harmless line on standard error."""
    line, end, rest = done.err.partition("\n")
    controls = [one for one in line if unicodedata.category(one)[0] == "C"]
    return (done.status, done.out, end, rest, controls) == (2, b"", "\n", "", []) and line.startswith(
        "simdocs: error: "
    )


WRONG_VALUES = [
    {
        "--unit": ("letter", "stopword"),
        "-k": ("0", "1000"),
        "--language": ("xx", "'en'"),
        "--seed": ("4294967296", "2^32"),
        "--max-size": ("12Q", "256M"),
        "--threshold": ("0", "0"),
        "--recall": ("1.5", "1.5"),
        "--num-perm": ("65537", "65536"),
        "--scheme": ("minhash", "'permutation'"),
        "--rule": ("best", "'nearest'"),
        "--bands": ("0", "0"),
        "--rows": ("-3", "-3"),
        "--keep": ("last", "'newest'"),
        "--cluster": ("x", "'components'"),
        "--verify": ("no", "'estimate'"),
        "--max-candidates": ("0", "0"),
        "--list": ("all", "'duplicates'"),
        "--format": ("xml", "'jsonl'"),
        "--color": ("yes", "'always'"),
        "-j": ("0", "0"),
    },
    {
        "-k": ("nine", "'nine'"),
        "--seed": ("-1", "'-1'"),
        "--max-size": ("-1", "'-1'"),
        "-t": ("", "''"),
        "--recall": ("0", "0"),
        "--num-perm": ("0", "0"),
        "-j": ("2.5", "'2.5'"),
    },
    {"-k": ("1001", "1000"), "--seed": ("", "''"), "--max-size": ("1.5M", "'1.5M'"), "-t": ("inf", "inf")},
    {"-t": ("nan", "nan")},
    {"--recall": ("nan", "nan")},
    {"--seed": ("9" * 5000, "2^32")},
]


@pytest.mark.parametrize("values", WRONG_VALUES, ids=[" ".join(row) for row in WRONG_VALUES])
def test_all_wrong_values_are_reported_together(here, values):
    done = simdocs(
        "dedupe", "docs", *[part for option, (value, _) in values.items() for part in (option, value)], cwd=here
    )
    assert is_one_line(done)
    for option, (value, said) in values.items():
        assert f"'{option}'" in done.err or f"/ '{option}'" in done.err or f"'{option}' /" in done.err
        assert value[:50] in done.err
        assert said in done.err
    assert "unexpected" not in done.err


def test_all_contradictions_are_reported_together(here):
    done = simdocs("dedupe", "docs", "--files-from", "x", "--pairs", "--list", "kept", "-q", "-v", cwd=here)
    assert is_one_line(done)
    for what in ("--files-from", "--pairs and --list", "-q and -v"):
        assert what in done.err


NONSENSE = [
    ([], "nothing to read"),
    (["-0", "docs"], "--list"),
    (["--list", "kept", "-0", "--format", "csv", "docs"], "--format"),
    (["--all-copies", "docs"], "--pairs"),
    (["--pairs", "--list", "kept", "docs"], "--pairs"),
    (["--pairs", "--cluster", "components", "docs"], "--cluster components"),
    (["-q", "-v", "docs"], "-q"),
    (["docs", "--files-from", "-"], "--files-from"),
    (["-", "docs", "-"], "standard input"),
    (["--recall", "1", "docs"], "recall of 1"),
    (["--num-perm", "4", "-t", ".1", "docs"], "use --num-perm 29 or more"),
    (["--bands", "20", "--rows", "7", "docs"], "140"),
    (["--rows", "9", "--num-perm", "8", "docs"], "need --num-perm 9 or more, not 8"),
    (["-t", "1e-320", "docs"], "threshold"),
    (["-t", "1e-300", "docs"], "threshold"),
    (["--unit"], "--unit"),
    (["docs", "-o", "same", "--summary-json", "same"], "same"),
]


@pytest.mark.parametrize(("arguments", "said"), NONSENSE, ids=[" ".join(row[0]) or "none" for row in NONSENSE])
def test_options_that_make_no_sense_are_one_line(here, arguments, said):
    done = simdocs("dedupe", *arguments, cwd=here)
    assert is_one_line(done)
    assert said in done.err
    assert "unexpected" not in done.err
    assert len(done.err) < 500


def test_values_are_checked_before_documents_are_looked_at(here):
    done = simdocs("dedupe", "gone", "--bands", "20", "--rows", "7", "-o", "x", cwd=here)
    assert is_one_line(done)
    assert "gone" not in done.err


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["dedup", "docs"], "dedupe"),
        (["shingel"], "shingle"),
        (["dedupe", "--treshold", ".9", "docs"], "--threshold"),
    ],
)
def test_a_misspelt_command_or_option_brings_a_suggestion(here, arguments, meant):
    done = simdocs(*arguments, cwd=here)
    assert is_one_line(done)
    assert "did you mean" in done.err.lower()
    assert meant in done.err


@pytest.mark.parametrize("arguments", [["frobnicate"], ["dedupe", "docs", "-Z"]])
def test_an_unknown_command_or_option_is_one_line(here, arguments):
    assert is_one_line(simdocs(*arguments, cwd=here))


def test_no_command_shows_the_help():
    """The help is no error message: it may go to standard error, but as it is."""
    done = simdocs()
    assert (done.status, done.out) == (2, b"")
    assert is_one_line(done) or done.err.startswith("Usage: simdocs ")
    assert len(done.err.split("\n")[0]) < 300


HOSTILE = b"\x1b]52;c;aGk=\x07two\nlines\rback\xff\xfe" + "\u202etxt\x9b31m".encode()


@pytest.mark.parametrize(
    "before",
    [
        ["dedupe"],
        ["dedupe", "--unit"],
        ["dedupe", "--format"],
        ["shingle", "--show"],
        [],
        ["dedupe", "docs", "-o"],
        ["info", "docs.index"],
    ],
    ids=lambda before: " ".join(before) or "command",
)
def test_values_named_in_an_error_are_harmless(here, before):
    value = HOSTILE + b"/gone" if before[-1:] in (["dedupe"], ["--show"], ["-o"]) else HOSTILE
    assert is_one_line(simdocs(*before, value, cwd=here))


def test_an_unknown_option_named_in_an_error_is_harmless(here):
    assert is_one_line(simdocs("dedupe", b"--" + HOSTILE, "docs", cwd=here))


def test_an_output_named_in_an_error_is_harmless(here):
    path = b"docs/" + HOSTILE
    (here / "docs" / "c.txt").rename(here / os.fsdecode(path))
    done = simdocs("dedupe", "docs", "-o", path, cwd=here)
    assert is_one_line(done)
    assert "one of the documents" in done.err


@pytest.mark.reliability("unexpected error")
def test_debug_shows_the_traceback(here):
    for done in (
        simdocs("dedupe", "gone", "--debug", cwd=here),
        in_shell("SIMDOCS_DEBUG=1 simdocs dedupe gone", cwd=here),
    ):
        assert done.status == 2
        assert "Traceback (most recent call last)" in done.err
        assert "gone: No such file or directory" in done.err


@pytest.mark.reliability(
    "unexpected error",
    "an unexpected error of the program itself",
    "Prints one line that mentions `--debug`; status 2.",
)
@pytest.mark.parametrize("command", EVERY)
def test_an_unexpected_error_is_one_line_in_every_command(shelved, command):
    """One line, and how to see more."""
    opened = "manifest.json" if command in ("info", "check") else ".txt"
    env = trap(shelved, "raise RuntimeError('what is this?')", "open", opened)
    words = [*EVERY[command], *(["-j1"] if command in READING else [])]
    line = "simdocs: error: RuntimeError: what is this? (unexpected: --debug shows where)\n"
    assert simdocs(*words, cwd=shelved, env=env) == (2, b"", line)
    if command == "dedupe":
        debug = simdocs(*words, "--debug", cwd=shelved, env=env)
        assert (debug.status, debug.out, debug.err[:9], debug.err.endswith(line)) == (2, b"", "Traceback", True)
        assert simdocs(*words, cwd=shelved, env=env | {"SIMDOCS_DEBUG": "1"}) == debug


def test_debug_changes_no_answer(here, answer):
    assert simdocs("dedupe", "docs", "--debug", cwd=here) == (0, answer, "")
    assert simdocs("dedupe", "docs", "--debug", "--max-size", "1", cwd=here).status == 3


def test_options_may_stand_anywhere(here):
    lay(here, {"-t": b"a file with an option's name"})
    plain = simdocs("dedupe", "-t", ".5", "docs", "--header", cwd=here)
    assert simdocs("dedupe", "docs", "--header", "-t.5", cwd=here) == plain
    assert simdocs("dedupe", "--header", "--threshold=.5", "--", "docs", cwd=here) == plain
    assert plain.status == 0
    dashed = simdocs("dedupe", "--list", "kept", "--", "-t", cwd=here)
    assert dashed == (0, b"-t\n", "")


@pytest.mark.reliability("dashes")
def test_a_file_with_the_name_of_an_option_is_mentioned(tmp_path):
    lay(tmp_path, {"-rf": b"a text", "--x\n": b"a text", "--kept": b"a text"})
    for wrong, name in (("-rf", "./-rf"), ("--x\n", "./--x\\n"), ("--kept", "./--kept")):
        done = simdocs("dedupe", wrong, cwd=tmp_path)
        assert is_one_line(done)
        assert done.err.endswith(f": the file of that name is {name}\n")
    assert "the file of that name" not in simdocs("dedupe", "-z", cwd=tmp_path).err


def test_language_goes_with_stop_words_only(tmp_path):
    lay(tmp_path, {"a": b"a text"})
    for command in (("dedupe", "a"), ("shingle", "--show", "a"), ("signature", "a", "-o", "x.signatures")):
        done = simdocs(*command, "--language", "de", cwd=tmp_path)
        assert is_one_line(done)
        assert "--language goes with --unit stopword" in done.err
        assert simdocs(*command, "--language", "de", "--unit", "stopword", cwd=tmp_path).status == 0


def test_lock_wait_must_be_a_number_of_seconds(tmp_path):
    lay(tmp_path, {"docs/a": b"a text"})
    for wrong in ("nan", "-1", "soon"):
        done = simdocs("index", "docs", "-o", "x.index", "--lock-wait", wrong, cwd=tmp_path)
        assert is_one_line(done)
        assert wrong in done.err
    assert simdocs("index", "docs", "-o", "x.index", "--lock-wait", "inf", cwd=tmp_path).status == 0
