"""Usage errors: one line each, that says what is wrong, with what, and what to do."""

from __future__ import annotations

import json
import os
import re
import unicodedata

import click
import pytest

from simdocs.options.families import FORMATS, UNITS
from tests.cli.corpus import A1, A, lay
from tests.cli.every import DECLARED, EVERY, OPENED, READING
from tests.cli.program import Done, simdocs
from tests.cli.traps import trap


def is_one_line(done: Done) -> bool:
    """Whether it failed as failures should: status 2, nothing but one harmless line on standard error."""
    line, end, rest = done.err.partition("\n")
    controls = [one for one in line if unicodedata.category(one)[0] == "C"]
    return (done.status, done.out, end, rest, controls) == (2, b"", "\n", "", []) and line.startswith(
        "simdocs: error: "
    )


FRACTION = "a number above 0 and up to 1, such as 0.8"
SEED = "a whole number below 2^32, or random"
SIZE = "a size in bytes, such as 500K, 256M or 10MB"
AT_LEAST_1 = "a whole number, 1 or more"
UP_TO_65536 = "a whole number from 1 to 65536"

WRONG_VALUES = [
    {
        "--unit": ("letter", f"one of {', '.join(UNITS)}"),
        "-k": ("five", "a whole number from 1 to 1000"),
        "--seed": ("4294967296", SEED),
        "--max-size": ("12Q", SIZE),
        "--threshold": ("0", FRACTION),
        "--recall": ("1.5", FRACTION),
        "--num-perm": ("65537", UP_TO_65536),
        "--scheme": ("minhash", "one of fss, permutation"),
        "--bands": ("0", UP_TO_65536),
        "--keep": ("last", "one of first, longest, "),
        "--max-candidates": ("0", AT_LEAST_1),
        "--format": ("xml", f"one of {', '.join(FORMATS)}"),
        "--jobs": ("0", "a whole number from 1 to 1024"),
    },
    {
        "-k": ("0", "a whole number from 1 to 1000"),
        "--seed": ("-1", SEED),
        "--max-size": ("-1", SIZE),
        "-t": ("", FRACTION),
        "--recall": ("0", FRACTION),
        "--num-perm": ("0", UP_TO_65536),
        "-j": ("2.5", "a whole number from 1 to 1024"),
    },
    {"-k": ("1001", "from 1 to 1000"), "--seed": ("", SEED), "--max-size": ("1.5M", SIZE), "-t": ("inf", FRACTION)},
    {"--recall": ("nan", FRACTION), "--max-size": ("9999999999G", SIZE)},
    {"-k": ("\u0663", "from 1 to 1000"), "-j": ("1_0", "from 1 to 1024"), "--max-size": ("M", SIZE)},
]
"""Wrong values, and what is said to be wanted."""

SAID_AS = {"-t": "--threshold", "--jobs": "-j"}


@pytest.mark.parametrize("values", WRONG_VALUES, ids=[" ".join(row) for row in WRONG_VALUES])
def test_all_wrong_values_are_reported_together_in_words(here, values):
    words = [part for option, (value, _) in values.items() for part in (option, value)]
    done = simdocs("dedupe", "docs", *words, cwd=here)
    assert is_one_line(done)
    problems = done.err.removeprefix("simdocs: error: ").partition(" (see: simdocs dedupe --help)")[0].split("; ")
    assert len(problems) == len(values)
    for option, (value, wanted) in values.items():
        (problem,) = [line for line in problems if line.split()[0] == SAID_AS.get(option, option)]
        assert f" must be {wanted}" in problem or wanted in problem
        assert problem.endswith(f", not {value!r}")
    assert "unexpected" not in done.err


def test_a_very_long_value_is_shortened_in_the_message(here):
    done = simdocs("dedupe", "docs", "--seed", "9" * 5000, cwd=here)
    assert is_one_line(done)
    assert "9" * 20 in done.err
    assert len(done.err) < 300


NONSENSE = [
    (["--recall", "1", "docs"], "recall of 1"),
    (["--bands", "20", "--rows", "7", "docs"], "140"),
    (["-t", "1e-300", "docs"], "threshold"),
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
        (["dedupe", "--treshold", "0.9", "docs"], "--threshold"),
        (["dedupe", "docs", "--unit", "words"], "word"),
    ],
    ids=" ".join,
)
def test_a_misspelt_command_or_option_brings_a_suggestion(here, arguments, meant):
    done = simdocs(*arguments, cwd=here)
    assert is_one_line(done)
    assert f"did you mean {meant}?" in done.err.lower().replace("'", "")


HOSTILE = b"\x1b]52;c;aGk=\x07two\nlines\rback\xff\xfe" + "\u202etxt\x9b31m".encode()


@pytest.mark.parametrize(
    "before",
    [["dedupe"], ["dedupe", "--unit"], ["show"], [], ["dedupe", "docs", "-o"]],
    ids=lambda before: " ".join(before) or "command",
)
def test_values_named_in_an_error_are_harmless(here, before):
    value = HOSTILE + b"/gone" if before[-1:] in (["dedupe"], ["show"], ["-o"]) else HOSTILE
    assert is_one_line(simdocs(*before, value, cwd=here))


def test_an_output_named_in_an_error_is_harmless(here):
    path = b"docs/" + HOSTILE
    (here / "docs" / "c.txt").rename(here / os.fsdecode(path))
    done = simdocs("dedupe", "docs", "-o", path, cwd=here)
    assert is_one_line(done)
    assert "would be overwritten" in done.err


@pytest.mark.reliability("an unexpected error of simdocs")
def test_every_command_has_a_sample_line():
    """Other tests run these lines on broken streams, in any environment, and under signals."""
    assert {line.partition(" ")[0] for line in EVERY} == {*DECLARED} - {"help", "spark"}


@pytest.mark.parametrize("command", EVERY)
def test_an_unexpected_error_is_one_line_in_every_command(built, command):
    """One line, and how to see more."""
    env = trap(built, "raise RuntimeError('what is this?')", "open", OPENED[command])
    words = [*EVERY[command], *(["-j1"] if command in READING else [])]
    line = "simdocs: error: RuntimeError: what is this? (unexpected: --debug shows where)\n"
    assert simdocs(*words, cwd=built, env=env) == (2, b"", line)
    if command == "dedupe":
        debug = simdocs(*words, "--debug", cwd=built, env=env)
        assert (debug.status, debug.out, debug.err[:9], debug.err.endswith(line)) == (2, b"", "Traceback", True)
        assert simdocs(*words, cwd=built, env=env | {"SIMDOCS_DEBUG": "1"}) == debug


def test_options_may_stand_anywhere(here):
    lay(here, {"-t": b"a file with an option's name"})
    plain = simdocs("dedupe", "-t", ".5", "docs", "--header", cwd=here)
    assert simdocs("dedupe", "docs", "--header", "-t.5", cwd=here) == plain
    assert simdocs("dedupe", "--header", "--threshold=0.5", "--", "docs", cwd=here) == plain
    assert plain.status == 0
    dashed = simdocs("dedupe", "--list", "kept", "--", "-t", cwd=here)
    assert dashed == (0, b"./-t\n", "")


def test_lock_wait_must_be_a_number_of_seconds(tmp_path):
    lay(tmp_path, {"docs/a": b"a text"})
    for wrong in ("nan", "-1", "1m"):
        done = simdocs("index", "docs", "-o", "x.index", "--lock-wait", wrong, cwd=tmp_path)
        assert is_one_line(done)
        assert f"--lock-wait must be a number of seconds, 0 or more, not '{wrong}' (see: " in done.err
    assert simdocs("index", "docs", "-o", "x.index", "--lock-wait", "inf", cwd=tmp_path).status == 0


@pytest.mark.parametrize(("size", "number"), [("0", 0), ("10K", 10 << 10), ("10MB", 10_000_000), ("10MiB", 10 << 20)])
def test_sizes_have_units_of_1024_or_1000(tmp_path, size, number):
    done = simdocs("dedupe", "--files-from", "-", "--max-size", size, "--summary-json", "note", cwd=tmp_path, stdin=b"")
    assert done == (0, b"", "")
    assert json.loads((tmp_path / "note").read_bytes())["parameters"]["walking"]["max_size"] == number


@pytest.mark.parametrize("command", sorted(set(DECLARED) - {"check", "help", "spark"}))
def test_an_option_with_one_value_that_is_given_twice_is_an_error(tmp_path, command):
    declared = DECLARED[command].params
    valued = {
        each.opts[0]: each for each in declared if isinstance(each, click.Option) and not (each.is_flag or each.hidden)
    }
    arguments = ["x" for each in declared if isinstance(each, click.Argument)]
    twice = [word for name in valued for word in (name, "1", name, "2")]
    done = simdocs(command, *arguments, *twice, cwd=tmp_path)
    assert is_one_line(done)
    assert valued
    for name, option in valued.items():
        assert (f"{option.declared.flag} is given more than once" in done.err) == (not option.multiple), name


MIXED = "an artifact cannot be mixed with other arguments: name one artifact, or only documents; simdocs merge puts"
NO_INDEX = "this is not an index: build one with simdocs index"
NO_OUTPUT = "-o NAME.index is missing: name the artifact to write, which is a directory"
FIRST = "this is not an index: the index comes first, and then the documents"

MEANT = {
    "query docs more/d.txt": f"docs: {NO_INDEX} docs -o docs.index",
    "dedupe x.signatures --against docs/": f"docs/: {NO_INDEX} docs/ -o docs.index",
    "dedupe x.index more": MIXED,
    "query gone.index more": "gone.index: no such artifact",
    "query more/d.txt x.index": f"more/d.txt: {FIRST}",
    "index x.index more": NO_OUTPUT,
    "index docs -o out.idx": "out.idx: the name of an index must end in .index: use -o out.index",
    "index docs -o docs": "docs: the name of an index must end in .index: use -o docs.index",
}


@pytest.mark.parametrize("line", MEANT)
def test_arguments_in_the_wrong_place_bring_what_was_meant(built, line):
    before = sorted(str(path) for path in built.rglob("*"))
    done = simdocs(*line.split(), cwd=built)
    assert (done[:2], done.err[: len(MEANT[line]) + 16]) == ((2, b""), f"simdocs: error: {MEANT[line]}")
    assert not re.search(r"\b(remove|delete|rm)\b", done.err)
    assert sorted(str(path) for path in built.rglob("*")) == before
    assert (built / "docs/a.txt").read_bytes() == A


def test_the_command_in_the_message_works(here):
    lay(here, {"f": A1})
    said = simdocs("query", "docs", "f", cwd=here).err.partition("build one with ")[2].split()
    assert simdocs(*said[1:], cwd=here) == (0, b"", "")
