"""The spelling of parameters on the command line. Only this module knows how options are spelled."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from simdocs import errors
from simdocs.model.names import shell_word
from simdocs.parameters import PARAMETERS
from simdocs.views.wrapping import COMMAND, END

_DECLARATIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "k": ("-k",),
        "threshold": ("-t", "--threshold"),
        "itself": ("--self",),
        "nul": ("-0",),
        "output": ("-o", "--output"),
        "jobs": ("-j", "--jobs"),
        "quiet": ("-q", "--quiet"),
        "verbose": ("-v", "--verbose"),
    }
)
"""The spellings of parameters that are not simply `--` and the name."""

_ARGUMENTS: Mapping[str, str] = MappingProxyType({"documents": "DOCS", "texts": "- for standard input"})
"""The words on a command line for Python arguments that are no parameters. Texts in memory come through a pipe."""

METAVARS: Mapping[str, str] = MappingProxyType(
    {
        "files_from": "FILE",
        "files0_from": "FILE",
        "include": "GLOB",
        "exclude": "GLOB",
        "max_size": "SIZE",
        "text_field": "NAME",
        "id_field": "NAME",
        "delimiter": "CHAR",
        "shingles": "X.shingles",
        "root": "DIR",
        "k": "K",
        "language": "CODE",
        "stop_words": "FILE",
        "seed": "N|random",
        "num_perm": "K",
        "functions": "LIST",
        "permutation_file": "FILE",
        "ignore_common": "NUM",
        "template": "FILE",
        "threshold": "NUM",
        "recall": "NUM",
        "bands": "B",
        "rows": "R",
        "max_candidates": "N",
        "max_memory": "SIZE",
        "sample": "N",
        "against": "Y.index",
        "move": "DIR",
        **dict.fromkeys(("protect", "only"), "GLOB"),
        "max_removed": "SHARE",
        "list": "WHAT",
        "top": "N",
        **dict.fromkeys(("nearest", "min_passage"), "N"),
        "output": "PATH",
        **dict.fromkeys(("kept_rows", "removed_rows", "flagged_rows"), "PATH"),
        "report": "FILE",
        "report_size": "SIZE",
        "group": "N",
        "jobs": "N",
        "spark_master": "URL",
        "spark_conf": "KEY=VALUE",
        "summary_json": "FILE",
        "lock_wait": "SECONDS",
    }
)
"""The placeholder for the value of each option in help. Members of families have NAME."""


_OF_OTHER_PROGRAMS: tuple[tuple[str, str, str], ...] = (
    ("-r -R --recursive", "--include", "directories are read recursively in any case"),
    ("--json --jsonl", "--format", "use --format jsonl"),
    ("--csv", "--format", "use --format csv"),
    ("--tsv", "--format", "use --format tsv"),
    (
        "--delete --remove --rm --move -d -dN",
        "",
        "save the answer with simdocs dedupe DOCS -o NAME.answer, and then use simdocs act NAME.answer --move DIR",
    ),
    ("-l -f", "--all-copies", "use --list duplicates"),
    ("--min-size", "--files0-from", "choose by size with find DOCS -type f -size +1k -print0, and --files0-from -"),
    ("--ignore-case -i", "--keep-case", "upper and lower case are the same, unless you give --keep-case"),
    ("--limit -n", "--top", "use --top {value}"),
    ("--limit -n", "", "use head -n {value}"),
    ("--index", "--nearest", "the index is the first argument, as in simdocs query X.index DOCS"),
    ("--index", "--against", "use --against X.index"),
    ("--sort --count --index", "", ""),
    ("--version -V", "", "use simdocs --version"),
    ("-name -iname", "--include", "use --include {value}"),
    ("-print0", "-0", "use -0 with --list"),
)
"""Options of other programs, an option that a command needs for the advice, and the advice. The first row counts.

If the advice is empty, the error suggests nothing: what is spelled alike is not what was meant."""

OTHER_COMMANDS: Mapping[str, str] = MappingProxyType(
    {"diff": "compare", "search": "query", "find": "dedupe", "update": "index", "version": "--version"}
)
"""Commands of other programs, and those of simdocs that do this."""

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
"""Hyphens, dashes and the minus sign, which editors and web pages put in the place of `-`."""


def declarations(parameter: str) -> tuple[str, ...]:
    """All spellings of a parameter as an option."""
    return _DECLARATIONS.get(parameter) or (f"--{parameter.replace('_', '-')}",)


def spelling(parameter: str) -> str:
    """The usual spelling of a parameter as an option. It is the short one for a few that are mostly typed like that."""
    if parameter not in PARAMETERS:
        return _ARGUMENTS.get(parameter, parameter)
    spellings = declarations(parameter)
    return spellings[0] if parameter in ("output", "jobs", "quiet", "verbose") else spellings[-1]


def nearest_option(option: str, spellings: Iterable[str]) -> str:
    """The spelling that a mistyped option may stand for: one that begins so, or looks alike; empty: none does."""
    from difflib import get_close_matches

    known = sorted(spellings)
    if len(option) == len("--x") and option[1:] in known:
        return option[1:]
    begun = [spelling for spelling in known if len(option) > len("--") and spelling.startswith(option)]
    longer = [spelling for spelling in known if option.startswith(f"{spelling}-") and len(spelling) > len("--")]
    return next(iter(begun or get_close_matches(option, known, 1, 0.7) or longer), "")


def of_other_programs(option: str, spellings: Sequence[str], words: Sequence[str]) -> str | None:
    """The error about an option that other programs have; None if this is none.

    spellings: of the options of the command. words: the command line.
    """
    for options, needed, advice in _OF_OTHER_PROGRAMS:
        if option in options.split() and (not needed or needed in spellings):
            text = f"no option {option!r}"
            return f"{text}: {advice.format(value=_value_of(option, words))}" if advice else text
    return None


def _value_of(option: str, words: Sequence[str]) -> str:
    """The value that a command line gives an unknown option, or a placeholder."""
    from shlex import quote

    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word.startswith(option):
            value = word.removeprefix(option).removeprefix("=") or following
            return quote(value) if "*" in value or (value.isascii() and value.isdecimal()) else "N"
    return "N"


def lookalike(word: str, spellings: Sequence[str], words: Sequence[str]) -> str:
    """The error about a word that looks like a long option, but is read as a short one or as a file; empty: it is not.

    `-threshold` is read as `-t hreshold`, and what begins with a typographic dash as the name of a file.
    """
    name = word.partition("=")[0]
    if name[:1] in _DASHES and name and not os.path.lexists(word):
        rest = name.lstrip(f"{_DASHES}-")
        meant = next((each for each in (f"--{rest}", f"-{rest}") if each in spellings), "")
        return f"{name!r} begins with a dash that is not '-'" + (f": did you mean {meant}?" if meant else "")
    if not name.startswith("-") or name.startswith("--") or len(name) <= len("-x"):
        return ""
    if f"-{name}" in spellings:
        return f"no option {name!r}: did you mean -{name}?"
    return of_other_programs(name, spellings, words) or ""


def spelled(message: str) -> str:
    """A message with each mention of a parameter spelled as an option, and each suggested call as a command."""
    return errors.spelled(message, spelling, command_line)


def marked(message: str) -> str:
    """The message like `spelled`, with marks around its commands, for `views.messages`."""
    return errors.spelled(message, spelling, lambda *call: f"{COMMAND}{command_line(*call)}{END}")


def command_line(question: str, arguments: Sequence[str], keywords: Mapping[str, object]) -> str:
    """The command line that stands for a call, as it can be pasted into a shell."""
    if question == errors.SHELL:
        return arguments[0]
    words = []
    for name, value in keywords.items():
        for each in value if isinstance(value, list | tuple) else (value,):
            words += [spelling(name), *(() if each is True else (shell_word(str(each)),))]
    return " ".join(["simdocs", question, *map(shell_word, arguments), *words])
