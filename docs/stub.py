"""The stub of the package, for editors and type checkers: each function with its keywords, their types and defaults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import simdocs
from simdocs.commands import question
from simdocs.options import answers, hash_functions, texts, values
from simdocs.options.asked import Options

_HEAD = '''\
"""Find near-duplicates among documents. `make docs` writes this file from the options of the commands.

A default of None stands for one that an artifact or another option decides.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Protocol

'''

_TYPES: Mapping[type, str] = {
    values.Flag: "bool",
    values.Whole: "int",
    values.Size: "int",
    values.Fraction: "float",
    values.Seconds: "float",
    values.Seed: 'int | Literal["random"]',
    values.FreeText: "str",
    texts.Delimiter: "str",
    texts.FieldNames: "str | Sequence[str]",
    values.PatternList: "Sequence[str]",
    hash_functions.HashFunctions: "str | Sequence[str]",
    answers.Settings: "Mapping[str, str] | Sequence[str]",
    values.PathName: "Path",
    values.PathList: "Path | Sequence[Path]",
}

_ARTIFACTS = {"shingles": "Shingles", "signatures": "Signatures", "index": "BandIndex"}

_RETURNS = {
    "dedupe": "Deduplication",
    "pairs": "SimilarPairs",
    "passages": "RepeatedPassages",
    "query": "Matches | Quotations",
    "report": "Report",
    "act": "Acted",
    "undo": "PutBack",
    "shingle": "Shingles | DryRun",
    "signature": "Signatures | DryRun",
    "index": "BandIndex | DryRun",
    "merge": "Shingles | Signatures | BandIndex",
    "compare": "Comparison | SimilarityMatrix | SlotTrace | CommonPassages",
    "similarity": "float",
    "tune": "Tuning",
    "audit": "Audit",
    "show": "tuple[tuple[float | int | str | bytes, ...], ...]",
    "info": "ArtifactInfo",
    "check": "CheckResult",
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


def type_of(kind: values.Values) -> str:
    """The type of a value as Python callers give it."""
    if isinstance(kind, values.Several):
        return f"{type_of(kind.values)} | Sequence[{type_of(kind.values)}]"
    if isinstance(kind, values.Choice):
        names = ", ".join(f'"{name}"' for name in kind.family)
        return f"Literal[{names}]" if len(kind.family) <= _MOST_NAMES else "str"
    if isinstance(kind, values.ArtifactName):
        return " | ".join(("Path", *(_ARTIFACTS[name] for name in kind.kinds)))
    return _TYPES[type(kind)]


def _keyword(name: str, asked: type[Options], default: Any) -> str:
    if name not in asked.options:
        return f"    {name}: {_ARGUMENTS[name]} = {default!r},"
    hint = type_of(asked.options[name].values)
    if default is None and not hint.endswith("None"):
        hint += " | None"
    return f"    {name}: {hint} = {default!r},"


def _function(name: str) -> Iterator[str]:
    from simdocs.api import keywords_of

    asked = question(name).options
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
    yield "from simdocs.model.inspection import ArtifactInfo, CheckResult"
    yield "from simdocs.version import __version__ as __version__"
    yield "\nPath = str | bytes | PathLike[str] | PathLike[bytes]\n"
    for name, method in (("ArrowStream", "stream"), ("ArrowArray", "array")):
        yield f"class {name}(Protocol):"
        yield f"    def __arrow_c_{method}__(self, requested_schema: object = None) -> object: ...\n"
    for name in _RETURNS:
        yield from _function(name)
        yield ""
