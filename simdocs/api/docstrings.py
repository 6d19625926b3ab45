"""The docstrings of the public functions, with the meaning and the default of each keyword."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from inspect import Parameter as Argument
from inspect import Signature, getdoc
from types import MappingProxyType
from typing import Any, TypeVar

from simdocs.errors import spelled
from simdocs.parameters.declaration import Parameter
from simdocs.parameters.values import Choice, Several
from simdocs.requests.request import Request

_MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "texts": "Sequence of texts (str or bytes) to read instead of files.",
        "text": "Text (str or bytes) to read instead of a file.",
        "names": "Names of the texts. [0, 1, 2, ...]",
        "include": "Only read files whose name matches one of these patterns. A pattern with a slash is compared with"
        " the path below the directory that was given.",
        "exclude": "Skip files and directories that match one of these patterns.",
        "template": "Path of a text whose tokens are left out, such as a form or a page header, or several paths.",
        "output": "Also write the artifact to this path, completely or not at all.",
        "diff": "Also return where the two texts differ, as `difference`.",
        "max_size": "Skip documents with more bytes.",
        "max_candidates": "Compare with at most this many kept documents per bucket.",
        "jobs": "Number of worker processes. [1] With engine='spark', the number of tasks at a time. [all cores]",
        "spark_master": "Cluster of Spark, such as 'yarn' or 'spark://HOST:7077', unless a session is active."
        " ['local[*]']",
        "spark_conf": "Settings of Spark, as a mapping, unless a session is active.",
        "strict": "Raise UnjudgedError if a document could not be compared. [False]",
        "lock_wait": "Wait up to this many seconds while another run writes the artifact, then raise LockedError.",
    }
)
"""Keywords whose meaning or default in Python is not that of the option."""

_WIDTH = 96

Function = TypeVar("Function", bound=Callable[..., Any])


def with_keywords_of(request: type[Request], *arguments: str) -> Callable[[Function], Function]:
    """A decorator that makes help() show each keyword of a function, with its meaning and default."""
    named = request.arguments
    keywords = [*(name for name in ("text", "texts", "names") if name in named), *request.accepts]
    needed = Argument.empty if "text" not in named else None
    first = [Argument(name, Argument.POSITIONAL_OR_KEYWORD, default=needed) for name in arguments]
    several = [name for name in ("documents", "artifacts") if name in named]
    first += [Argument(name, Argument.VAR_POSITIONAL) for name in several]
    signature = Signature([*first, *(Argument(name, Argument.KEYWORD_ONLY, default=None) for name in keywords)])

    def decorate(function: Function) -> Function:
        function.__signature__ = signature  # type: ignore[attr-defined]
        function.__doc__ = docstring(getdoc(function) or "", keywords, request.accepts)
        return function

    return decorate


def docstring(first: str, keywords: Sequence[str], parameters: Mapping[str, Parameter]) -> str:
    """A docstring that begins with the text `first` and lists these keywords.

    parameters: the declarations of the keywords that have one.
    """
    lines = [*first.rstrip().splitlines(), "", "Keywords, with their defaults in brackets:", ""]
    for name in keywords:
        lines += _entry(name, parameters.get(name))
    return "\n".join(lines)


@cache
def _entry(name: str, parameter: Parameter | None) -> tuple[str, ...]:
    """The lines about a keyword. parameter: its declaration, if it has one."""
    text = _MEANINGS.get(name) or spelled(parameter.help if parameter else "")
    if parameter is None:
        return tuple(_wrapped(f"{name}: {text}", 4))
    family = parameter.values.family if isinstance(parameter.values, Choice | Several) else {}
    explained = any(" " in member.help for member in family.values())
    if family and not explained:
        text += f" One of {', '.join(map(repr, family))}."
    if (default := _default(parameter)) and not text.endswith("]"):
        text += f" [{default}]"
    lines = [*_wrapped(f"{name}: {text}", 4)]
    if explained:
        lines += (line for each in family for line in _wrapped(f"{each!r}: {spelled(family[each].help)}", 8))
    return tuple(lines)


def _default(parameter: Parameter) -> str:
    return spelled(parameter.shown_default) if parameter.default is None else repr(parameter.default)


def _wrapped(text: str, indent: int) -> Iterator[str]:
    """Yield the text in lines, indented. textwrap would take three times as long."""
    line = " " * (indent - 1)
    for word in text.split():
        if len(line) + len(word) >= _WIDTH:
            yield line
            line = " " * (indent + 3)
        line += f" {word}"
    yield line
