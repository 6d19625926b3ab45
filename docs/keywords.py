"""The typed keywords of the Python API, from the groups of parameters that requests hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from simdocs.parameters import answers, recipes, texts, values
from simdocs.parameters.declaration import Group
from simdocs.requests.building import IndexRequest, ShingleRequest, SignatureRequest
from simdocs.requests.request import Request
from simdocs.requests.searching import DedupeRequest, QueryRequest
from simdocs.requests.sources import SourceRequest
from simdocs.requests.studying import AuditRequest, CompareRequest, ShowRequest, SimilarityRequest, TuneRequest

_HEAD = '''"""The keywords of the Python API with their types, for editors and type checkers.

`make docs` writes this file. Each name is a parameter of `simdocs.parameters`, where its values, its default and its
meaning are declared. If a keyword is not given or is None, the default applies, or the value with which the artifact
was built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict

from simdocs.parameters.values import Path
'''

_QUESTIONS: tuple[type[Request], ...] = (
    *(ShingleRequest, SignatureRequest, IndexRequest, DedupeRequest, QueryRequest, TuneRequest, AuditRequest),
    *(ShowRequest, CompareRequest, SimilarityRequest),
)

_RETURNED_BY = {
    "dedupe": ("pairs", "all_copies", "list"),
    "query": ("all_copies", "list"),
    "compare": ("trace",),
    **dict.fromkeys(("shingle", "signature", "index"), ("dry_run",)),
}
"""Parameters that decide what a function returns: its overloads have them."""

_TYPES: Mapping[type, str] = {
    values.Flag: "bool",
    values.Whole: "int",
    values.Size: "int",
    values.Fraction: "float",
    values.Seconds: "float",
    values.Seed: 'int | Literal["random"]',
    values.FreeText: "str",
    values.PatternList: "tuple[str, ...]",
    values.PathName: "Path",
    values.PathList: "Path | Sequence[Path]",
    values.ArtifactName: "Any",
}

_WIDTH = 120
"""Characters of a line."""

_MOST_NAMES = 8
"""A family with more members is not spelled out."""


def _type_of(kind: values.Values) -> str:
    """The type of a value as Python callers give it."""
    if isinstance(kind, values.Several):
        return f"{_type_of(kind.values)} | Sequence[{_type_of(kind.values)}]"
    if isinstance(kind, values.Choice):
        names = ", ".join(f'"{name}"' for name in kind.family)
        return f"Literal[{names}]" if len(kind.family) <= _MOST_NAMES else "str"
    return _TYPES[type(kind)]


def _fields(group: type[Group], names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        hint = _type_of(group.parameters[name].values)
        yield f"    {name}: {hint}{'' if hint == 'Any' else ' | None'}"


def _header(name: str, bases: list[str]) -> str:
    """The head of a class, in as many lines as it takes."""
    if len(line := f"class {name}({', '.join(bases)}):") <= _WIDTH:
        return line
    if len(line := f"    {', '.join(bases)}") <= _WIDTH:
        return f"class {name}(\n{line}\n):"
    return "\n".join([f"class {name}(", *(f"    {base}," for base in bases), "):"])


def keywords() -> Iterator[str]:
    """The lines of the module."""
    yield _HEAD
    whole = {
        group: f"{group.__name__}Keywords"
        for group in (
            *(texts.Naming, texts.Walking, texts.Sequences, texts.Rereading, texts.OnlyChanged, texts.Normalisation),
            *(recipes.Shingling, recipes.StopWords, recipes.Sketching, recipes.Ignoring, recipes.Templates),
            *(recipes.BandingRequest, answers.Comparing, answers.Updating, answers.Running),
        )
    }
    yield '''
class SourceKeywords(TypedDict, total=False):
    """Texts in memory, and their names."""

    texts: Sequence[str | bytes] | None
    names: Sequence[str | bytes] | None
'''
    for group, name in whole.items():
        about = (group.__doc__ or "").partition("\n")[0]
        yield f'\nclass {name}(TypedDict, total=False):\n    """{about}"""\n'
        yield from _fields(group, tuple(group.parameters))
        yield ""
    for request in _QUESTIONS:
        bases, own = ["SourceKeywords"] if issubclass(request, SourceRequest) else [], list[str]()
        for group, names in request.groups.values():
            if group in whole and names == tuple(group.parameters):
                bases.append(whole[group])
            else:
                kept = tuple(name for name in names if name not in _RETURNED_BY.get(request.question, ()))
                own += _fields(group, kept)
        yield f"\n{_header(f'{request.question.capitalize()}Keywords', [*(bases or ['TypedDict']), 'total=False'])}"
        yield f'    """The keywords of `{request.question}`."""'
        yield from ["", *own] if own else []
        yield ""
