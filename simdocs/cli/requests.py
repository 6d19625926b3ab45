"""From options to parameters."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import Any

import click

from simdocs.families import default_k
from simdocs.parameters import Banding, Grouping, Normalisation, Sequences, Shingling, Sketching, Walking

Options = dict[str, Any]


def shingling_of(options: Options) -> Shingling:
    """The shingling parameters; k by unit where none is given."""
    normalisation = Normalisation(**{name: options[name] for name in Normalisation.__slots__})
    k = options["k"] or default_k(options["unit"])
    return Shingling(options["unit"], k, options["language"], options["multiset"], options["seed"], normalisation)


def sequences_of(options: Options) -> Sequences:
    """Which files hold many documents, and where in a line they stand."""
    return Sequences(**{name: options[name] for name in Sequences.__slots__})


def sequences_beside(options: Options, others: Sequences) -> Sequences:
    """The same of documents that are compared with those of an index: as it has it, where nothing else is said."""
    return replace(others, **{name: options[name] for name in Sequences.__slots__ if given(name)})


def walking_of(options: Options) -> Walking:
    """Which files of a tree are documents."""
    return Walking(**{name: options[name] for name in Walking.__slots__})


def sketching_of(options: Options) -> Sketching:
    """How tokens become a signature."""
    return Sketching(options["scheme"], options["num_perm"])


def banding_of(options: Options) -> Banding:
    """How signatures are cut into bands."""
    return Banding(**{name: options[name] for name in Banding.__slots__})


def grouping_of(options: Options) -> Grouping:
    """What is decided about candidates."""
    return Grouping(**{name: options[name] for name in Grouping.__slots__})


def check_sources(options: Options) -> list[str]:
    """What is wrong with the documents named: at most one way of naming, at least one."""
    ways = [name for name in ("docs", "files_from", "files0_from") if options[name]]
    if len(ways) > 1:
        return ["DOCS, --files-from and --files0-from do not go together: name documents in one way"]
    if not ways:
        return ["nothing to read: name files or directories, or - for standard input"]
    if options["docs"].count(b"-") > 1:
        return ["- names standard input, which can be read only once"]
    return []


_OF_CHANCE = ("recall", "rule", "bands", "rows", "max_candidates", "verify", "against")
"""Options about what may be missed, or is not compared: with --exact nothing is."""


def check_asking(options: Options) -> list[str]:
    """What is wrong with the answer asked for."""
    problems = check_streams(options)
    if options["pairs"] and options["listed"]:
        problems.append("--pairs and --list do not go together")
    if options["all_copies"] and not options["pairs"]:
        problems.append("--all-copies goes with --pairs")
    for mode, wanted in (("--pairs", options["pairs"]), ("--against", options["against"])):
        if wanted and options["cluster"] == "components":
            problems.append(f"{mode} and --cluster components do not go together")
    if options["exact"]:
        problems += [f"{spelt(name)} and --exact do not go together" for name in _OF_CHANCE if given(name)]
    if options["pairs"] and options["against"]:
        problems.append("--pairs and --against do not go together")
    return problems


def check_streams(options: Options) -> list[str]:
    """What is wrong with where things go, and how loudly."""
    problems = []
    if options.get("nul") and not options["listed"]:
        problems.append("-0 goes with --list")
    if options.get("nul") and options["form"]:
        problems.append("-0 and --format do not go together")
    suffix = os.path.splitext(options["output"] or "")[1]
    if options.get("nul") and suffix in (".jsonl", ".csv", ".table"):
        problems.append(f"-0 and -o NAME{suffix} do not go together")
    if suffix in (".gz", ".zst", ".bz2", ".xz"):
        problems.append(f"-o NAME{suffix}: answers are not compressed: write to a pipe")
    paths = [os.path.realpath(path) for path in (options["output"], options["summary_json"]) if path]
    if len(set(paths)) < len(paths):
        problems.append("-o and --summary-json name the same file")
    if options["summary_json"] == "-":
        problems.append("--summary-json names a file: - is where answers go")
    if options["quiet"] and options["verbose"]:
        problems.append("-q and -v do not go together")
    return problems


def check_shingling(options: Options) -> list[str]:
    """What is wrong with how documents are to be shingled, where nothing else decides the unit."""
    return ["--language goes with --unit stopword"] if given("language") and options["unit"] != "stopword" else []


def given(name: str) -> bool:
    """Whether this option stands on the command line."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def spelt(name: str) -> str:
    """An option as it stands on the command line, by its parameter's name."""
    for parameter in click.get_current_context().command.params:
        if parameter.name == name:
            return max(parameter.opts, key=len)
    return name


def refuse(problems: list[str]) -> None:
    """One UsageError about all of them."""
    if problems:
        raise click.UsageError("; ".join(problems), click.get_current_context(silent=True))


def hint_at_terminal() -> None:
    """Say that we wait, when standard input is somebody's keyboard."""
    if sys.stdin is not None and sys.stdin.isatty():
        from simdocs.views import messages

        messages.say("simdocs: reading standard input: type, then Ctrl-D")
