"""The typed keywords of the Python API, from the groups of parameters that requests hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from inspect import get_annotations
from pkgutil import iter_modules

from simdocs import requests
from simdocs.parameters import answers, recipes, texts, values
from simdocs.parameters.declaration import Group
from simdocs.requests.building import BuildRequest
from simdocs.requests.drawing import DrawnRequest
from simdocs.requests.request import Request
from simdocs.requests.searching import DedupeRequest, QueryRequest
from simdocs.requests.sources import SourceRequest
from simdocs.requests.studying import CompareRequest

_HEAD = '''"""The keywords of the Python API with their types, for editors and type checkers.

`make docs` writes this file. Each name is a parameter of `simdocs.parameters`, where its values, its default and its
meaning are declared. The classes are those of `simdocs.requests`, with the same bases. If a keyword is not given or is
None, the default applies, or the value with which the artifact was built.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypedDict

from simdocs.parameters.values import Path


class ArrowStream(Protocol):
    """A column of any library that hands it over as Arrow data in pieces."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class ArrowArray(Protocol):
    """A column of any library that hands it over as one array of Arrow data."""

    def __arrow_c_array__(self, requested_schema: object = None) -> Any: ...
'''

_RETURNED_BY: Mapping[type[Request], tuple[str, ...]] = {
    DedupeRequest: ("list",),
    QueryRequest: ("list", "passages"),
    CompareRequest: ("trace", "passages"),
    BuildRequest: ("dry_run",),
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
    texts.Delimiter: "str",
    texts.FieldNames: "str | Sequence[str]",
    values.PatternList: "tuple[str, ...]",
    recipes.HashFunctions: "str | Sequence[str]",
    answers.Settings: "Mapping[str, str] | Sequence[str]",
    values.PathName: "Path",
    values.PathList: "Path | Sequence[Path]",
    values.ArtifactName: "Any",
}

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


def _fields_of(request: type[Request]) -> Iterator[str]:
    """Yield a field for each parameter that a request has and the requests before it in its line do not."""
    if request is SourceRequest:
        yield "    texts: Iterable[str | bytes] | ArrowStream | ArrowArray | None"
        yield "    names: Iterable[Hashable] | ArrowStream | ArrowArray | None"
    left_out = _RETURNED_BY.get(request, ())
    groups = request.groups if _has_fewer(request) else filter(request.groups.get, get_annotations(request))
    for group in groups:
        kind, names = request.groups[group]
        yield from _fields(kind, tuple(name for name in names if name not in left_out))


def _has_fewer(request: type[Request]) -> bool:
    """Whether a request lacks a parameter of its bases, so that its class of keywords cannot have theirs."""
    return any(base.accepts.keys() - request.accepts for base in request.__bases__ if issubclass(base, Request))


def _lines_of(request: type[Request]) -> Iterator[str]:
    bases = [_name(base) for base in request.__bases__ if base is not Request] or ["TypedDict"]
    bases = [_name(SourceRequest)] if _has_fewer(request) else bases
    yield f"\nclass {_name(request)}({', '.join(bases)}, total=False):"
    about = f"The keywords of `{request.question}`." if request.question else (request.__doc__ or "").partition("\n")[0]
    yield f'    """{about}"""'
    fields = list(_fields_of(request))
    yield from ["", *fields] if fields else []
    yield ""


def _name(request: type[Request]) -> str:
    return f"{request.__name__.removesuffix('Request')}Keywords"


def questions() -> Iterator[type[Request]]:
    """Yield the class of each question that has parameters: those of the modules of `simdocs.requests`, in order."""
    for found in iter_modules(requests.__path__, f"{requests.__name__}."):
        for kind in vars(import_module(found.name)).values():
            here = isinstance(kind, type) and issubclass(kind, Request) and kind.__module__ == found.name
            if here and kind.question and kind.accepts and not issubclass(kind, DrawnRequest):
                yield kind


def keywords() -> Iterator[str]:
    """The lines of the module: a class for each request, with the bases of the request."""
    yield _HEAD
    mro = (kind for question in questions() for kind in reversed(question.__mro__) if issubclass(kind, Request))
    for request in dict.fromkeys(mro):
        if request is not Request:
            yield from _lines_of(request)
