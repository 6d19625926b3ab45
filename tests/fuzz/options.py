"""Strategies for options. They are drawn from those that the program declares, so a new option is drawn, too."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import click
from hypothesis import strategies as st

from simdocs.cli import options, program
from simdocs.parameters import PARAMETERS
from simdocs.parameters.recipes import HashFunctions
from simdocs.parameters.texts import Delimiter
from simdocs.parameters.values import ArtifactName, Choice, Fraction, PathList, PathName, Seconds, Seed, Size, Whole

COMMANDS: Mapping[str, click.Command] = program.simdocs.commands

Spelling = tuple[bytes, ...]
"""An option as it stands on a command line: its name, and its value if it has one."""

SIMILAR: list[dict[str, Spelling]] = [
    {},
    {"threshold": (b"-t", b".5")},
    {"unit": (b"--unit", b"word"), "k": (b"-k", b"1"), "threshold": (b"-t", b".5")},
    {"unit": (b"--unit", b"word"), "k": (b"-k", b"2"), "threshold": (b"-t", b".4")},
    {"k": (b"-k", b"3"), "threshold": (b"-t", b".3"), "exact": (b"--exact",)},
    {"k": (b"-k", b"2"), "threshold": (b"-t", b".4"), "bands": (b"--bands", b"128"), "rows": (b"--rows", b"1")},
]
"""Options by name with which most runs find duplicates."""

TABLES: list[dict[str, Spelling]] = [
    {"input_format": (b"--input-format", b"csv")},
    {"input_format": (b"--input-format", b"csv"), "delimiter": (b"--delimiter", b";")},
    {"input_format": (b"--input-format", b"tsv"), "id_field": (b"--id-field", b"body")},
    {
        "input_format": (b"--input-format", b"csv"),
        "no_header": (b"--no-header",),
        "text_field": (b"--text-field", b"2"),
        "id_field": (b"--id-field", b"1"),
    },
]
"""Options by name with which rows of files are documents."""

KINDS_OF_ANSWER: list[dict[str, Spelling]] = [
    {},
    {"keep": (b"--keep", b"longest")},
    {"keep": (b"--keep", b"newest")},
    {"pairs": (b"--pairs",)},
    {"pairs": (b"--pairs",), "all_copies": (b"--all-copies",)},
    {"pairs": (b"--pairs",), "measure": (b"--measure", b"containment")},
    {"cluster": (b"--cluster", b"components")},
    {"cluster": (b"--cluster", b"components"), "keep": (b"--keep", b"oldest")},
    {"list": (b"--list", b"kept"), "format": (b"--format", b"jsonl")},
    {"list": (b"--list", b"kept-lines")},
    {"list": (b"--list", b"groups")},
    {"list": (b"--list", b"groups"), "cluster": (b"--cluster", b"components")},
    {"list": (b"--list", b"duplicate-lines"), "keep": (b"--keep", b"longest")},
    {"list": (b"--list", b"duplicates"), "nul": (b"-0",)},
    {"format": (b"--format", b"csv"), "keep": (b"--keep", b"shortest")},
    {"strict": (b"--strict",)},
]
"""Options by name that decide the kind of the answer."""

GLOBS = ["*", "*.txt", "a*", "[!a]*", "*/*", "?", "a/", "/a", "[", "", "**", "\udcff*", "text", "id", "body", "é"]

NO_VALUES = ["", "-1", "0", "nan", "1e400", "x", "9" * 30, "1\n", "é", "\udcff", "-", "--"]

FRACTIONS = [".05", ".25", ".3", ".5", ".6", "75e-2", ".8", "0.9", "1", "1.0"]

SIZES = ["0", "1", "20", "100", "1K", "1m", "2KB", "1KiB", "9G"]

DELIMITERS = [",", ";", "\\t", "|", " ", "e", "'"]

FORMULAS = ["x", "(x+1) mod 5, (3*x+1) mod 5", "x*x mod 7"]

SEEDS = ["0", "1", "4294967295", "random"]


_SLOW = ("engine", "spark_master", "spark_conf")
"""Options of an engine that takes ten seconds to start. Its answers are compared in tests/cli/test_spark.py."""


def options_of(command: str, leave_out: Collection[str] = ()) -> list[click.Option]:
    """Return the options of a command, except those with the names left out, and those of Spark."""
    without = {*leave_out, *_SLOW}
    return [one for one in COMMANDS[command].params if isinstance(one, click.Option) and one.name not in without]


def drawn(
    command: str, names: Sequence[bytes], leave_out: Collection[str] = (), *, valid: bool = True, most: int = 6
) -> st.SearchStrategy[list[Spelling]]:
    """Draw a few options of a command. names: file names for options that take one. valid: only valid values."""
    choice = st.sampled_from(options_of(command, leave_out))
    return st.lists(choice.flatmap(lambda one: _spelt(one, names, valid)), max_size=most, unique_by=lambda one: one[0])


_NOT_FORETOLD = ("diff", "explain", "containment", "passages", "min_passage", "functions")
"""Options of answers whose bytes the twin does not compute, that state hash functions, or with which a sketch decides
by chance what is found."""


_UNTOLD = {
    b"table": "for people",
    b"random": "of another seed each time",
    b"parquet": "binary",
    b"arrow": "binary",
    b"json": "no lines",
}
"""Values of options with which the twin cannot tell the answer, and why."""


def foretold(command: str, leave_out: Collection[str], most: int) -> st.SearchStrategy[list[Spelling]]:
    """Draw options whose effect the twin knows: none that takes a file, and not help."""
    others = [one.name or "" for one in options_of(command) if _takes_path(one) or not one.expose_value]
    some = drawn(command, [], {*leave_out, *others, "debug", *_NOT_FORETOLD}, most=most)
    return some.map(lambda spelt: [one for one in spelt if one[-1] not in _UNTOLD])


def flat(some: Iterable[Spelling], command: str = "") -> list[bytes]:
    """Return options as arguments. With a command, only options of that command are returned."""
    return [part for one in some if not command or name_of(one, command) for part in one]


def name_of(spelling: Spelling, command: str) -> str:
    """Return the name of the option that a command spells like this, or "" if it has none."""
    return next((one.name or "" for one in options_of(command) if spelling[0].decode() in one.opts), "")


def _takes_path(option: click.Option) -> bool:
    kind = option.type
    return isinstance(kind, options.ParameterType) and isinstance(
        kind.parameter.values, PathName | PathList | ArtifactName
    )


def _spelt(option: click.Option, names: Sequence[bytes], valid: bool) -> st.SearchStrategy[Spelling]:
    spelling = st.sampled_from([name.encode() for name in (*option.opts, *option.secondary_opts)])
    if option.is_flag:
        return st.tuples(spelling)
    values = _values(option, names) if valid else _values(option, names) | st.sampled_from(NO_VALUES).map(_encoded)
    return st.tuples(spelling, values)


def _values(option: click.Option, names: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    if option.name == "jobs":  # a thousand workers would only try the machine
        return st.sampled_from([b"1", b"2"])
    kind = option.type.parameter.values if isinstance(option.type, options.ParameterType) else None
    if isinstance(kind, PathName | PathList | ArtifactName):
        return st.sampled_from([name for name in names if name])
    if isinstance(kind, Whole):
        few = st.integers(kind.least, kind.least + 8).map(lambda number: b"%d" % number)
        return few | st.sampled_from([b"64", b"100", b"128"])
    if isinstance(kind, Choice):
        return st.sampled_from(list(kind.family)).map(_encoded)
    words = {Seconds: ["0", ".5", "1e3"], Fraction: FRACTIONS, Size: SIZES, Seed: SEEDS, Delimiter: DELIMITERS}
    words[HashFunctions] = FORMULAS
    return st.sampled_from(words.get(type(kind), GLOBS)).map(_encoded)


def _encoded(value: str) -> bytes:
    return value.encode("utf-8", "surrogateescape")


OF_INDEX = ("threshold", "text_field", "id_field", "input_format", "delimiter", "no_header", "plain")
"""Parameters that are taken from an index if they are not given."""


def parsed(command: str, arguments: Sequence[bytes]) -> dict[str, Any]:
    """Return the values of all parameters of a command by name, with the default of each that is not given.

    The value is None if the index decides it, or if there is no default.
    """
    decoded = [argument.decode("utf-8", "surrogateescape") for argument in arguments]
    # Within the program's own context: a command remembers by which names it was first asked for help.
    whole = click.Context(program.simdocs, **program.simdocs.context_settings)
    values = dict(COMMANDS[command].make_context(command, decoded, whole).params)
    kept = OF_INDEX if command == "query" or values.get("against") else ()
    for name, value in values.items():
        declared = PARAMETERS.get(f"{command}.{name}", PARAMETERS.get(name))
        if value is None and declared is not None and name not in kept:
            values[name] = declared.default
    return values
