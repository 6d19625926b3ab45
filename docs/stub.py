"""The stub of the package, for editors and type checkers: each function with its keywords, their types and defaults."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import simdocs
from simdocs.commands import question
from simdocs.options.declaration import Options
from simdocs.options.values import Values

_HEAD = '''\
"""Find near-duplicates among documents. `make docs` writes this file from the options of the commands.

A default of None stands for one that an artifact or another option decides.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Protocol

'''

_RETURNS = {
    "dedupe": "Deduplication",
    "pairs": "SimilarPairs",
    "passages": "Result",
    "query": "SimilarPairs | Result",
    "report": "Report",
    "act": "Result",
    "undo": "Result",
    "shingle": "Shingles | Result",
    "signature": "Signatures | Result",
    "index": "BandIndex | Result",
    "merge": "Shingles | Signatures | BandIndex",
    "compare": "Comparison | SimilarityMatrix | Result",
    "similarity": "float",
    "tune": "Tuning",
    "audit": "Result",
    "show": "Result",
    "info": "Result",
    "check": "Result",
}

_MOST_NAMES = 8
"""A family with more members is not spelled out."""


_DOCUMENTS = "Path | Shingles | Signatures | BandIndex"

_ARGUMENTS = {
    "texts": "Iterable[str | bytes] | ArrowStream | ArrowArray | None",
    "names": "Iterable[Hashable] | ArrowStream | ArrowArray | None",
    "documents": _DOCUMENTS,
    "artifacts": "Path | Shingles | Signatures | BandIndex",
    "artifact": "Path | Shingles | Signatures | BandIndex",
    "index": "Path | BandIndex",
    "file": "Path | Shingles | Signatures | BandIndex",
    "answer": "Path | Deduplication | SavedAnswer",
    "journal": "Path",
    "text": "str | bytes | None",
    "a": "str | bytes",
    "b": "str | bytes",
}


def type_of(kind: Values) -> str:
    """The type of a value as Python callers give it."""
    hint = kind.python
    if kind.family and len(kind.family) <= _MOST_NAMES:
        names = ", ".join(f'"{name}"' for name in kind.family)
        hint = f"Literal[{names}]"
    return hint


def _keyword(name: str, asked: type[Options], default: Any) -> str:
    if name not in asked.options:
        return f"    {name}: {_ARGUMENTS[name]} = {default!r},"
    hint = type_of(asked.options[name].values)
    if default is None and not hint.endswith("None"):
        hint += " | None"
    return f"    {name}: {hint} = {default!r},"


def _function(name: str) -> Iterator[str]:
    from simdocs.api import keywords_of

    asked = question(name)[0]
    yield f"def {name}("
    for argument, (_, words, _) in asked.takes.items():
        default = "" if asked.arguments[argument] in (b"", None, ()) and argument != "file" else " = ..."
        yield f"    {'*' * (words < 0)}{argument}: {_ARGUMENTS[argument]}{default if words > 0 else ''},"
    if keywords_of(asked) and all(words > 0 for _, words, _ in asked.takes.values()):
        yield "    *,"
    yield from (_keyword(each, asked, default) for each, default in keywords_of(asked).items())
    yield f") -> {_RETURNS[name]}: ..."


def stub() -> Iterator[str]:
    """The lines of the stub."""
    yield _HEAD
    homes = {name: home for home, names in simdocs._HOMES.items() for name in names}
    classes = [name for name in simdocs.__all__ if name[0].isupper()]
    for name in classes:
        yield f"from {homes.get(name, 'simdocs.errors')} import {name} as {name}"
    yield "from simdocs.api import open as open, read_answer as read_answer, write_answer as write_answer"
    yield "from simdocs.version import __version__ as __version__"
    yield "\nPath = str | bytes | PathLike[str] | PathLike[bytes]\n"
    for name, method in (("ArrowStream", "stream"), ("ArrowArray", "array")):
        yield f"class {name}(Protocol):"
        yield f"    def __arrow_c_{method}__(self, requested_schema: object = None) -> object: ...\n"
    for name in _RETURNS:
        yield from _function(name)
        yield ""
