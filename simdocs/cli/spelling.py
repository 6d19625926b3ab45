"""The spelling of parameters on the command line. Only this module knows how options are spelled."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from simdocs import errors
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
"""What stands on a command line for arguments of Python that are no parameters. Texts in memory come through a pipe."""

METAVARS: Mapping[str, str] = MappingProxyType(
    {
        "files_from": "FILE",
        "files0_from": "FILE",
        "include": "GLOB",
        "exclude": "GLOB",
        "max_size": "SIZE",
        "text_field": "NAME",
        "id_field": "NAME",
        "shingles": "X.shingles",
        "root": "DIR",
        "k": "K",
        "language": "CODE",
        "stop_words": "FILE",
        "seed": "N|random",
        "num_perm": "K",
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
        "list": "WHAT",
        "top": "N",
        "nearest": "N",
        "output": "PATH",
        "color": "WHEN",
        "jobs": "N",
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
    """The spelling that a mistyped option may stand for: one that begins so, or looks alike; empty: none does."""
    from difflib import get_close_matches

    known = sorted(spellings)
    if len(option) == len("--x") and option[1:] in known:
        return option[1:]
    begun = [spelling for spelling in known if len(option) > len("--") and spelling.startswith(option)]
    longer = [spelling for spelling in known if option.startswith(f"{spelling}-") and len(spelling) > len("--")]
    return next(iter(begun or get_close_matches(option, known, 1, 0.7) or longer), "")


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
            words += [spelling(name), *(() if each is True else (_quoted(str(each)),))]
    return " ".join(["simdocs", question, *map(_quoted, arguments), *words])


def _quoted(word: str) -> str:
    """A word as a shell reads it. Bytes that a terminal would not show are escapes, as bash, zsh and ksh know them."""
    from shlex import quote

    if word.isprintable():
        return quote(word)
    escaped = ("".join(f"\\x{byte:02x}" for byte in os.fsencode(mark)) for mark in word)
    return (
        "$'"
        + "".join(
            escape if not mark.isprintable() or mark in "\\'" else mark
            for mark, escape in zip(word, escaped, strict=True)
        )
        + "'"
    )
