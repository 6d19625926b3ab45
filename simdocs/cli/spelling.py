"""The spelling of parameters on the command line. Only this module knows how options are spelled."""

from __future__ import annotations

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
    """The spelling that a mistyped option may stand for; empty: none looks alike."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(option, sorted(spellings), 1, 0.7)), "")


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
