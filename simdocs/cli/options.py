"""Options, derived from the parameters of requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import click

from simdocs.cli.help import Option, together
from simdocs.cli.param_types import ArtifactPath, ParameterType, listed
from simdocs.cli.spelling import METAVARS, declarations, spelled
from simdocs.parameter_declaration import Parameter
from simdocs.requests.checked_request import CheckedRequest
from simdocs.values import Choice, Flag, PathList, PatternList, Several

documents = click.argument("documents", metavar="[DOCS]...", nargs=-1, type=click.Path(readable=False, path_type=bytes))
"""The documents that a command is about."""


def artifact(name: str, metavar: str, **more: Any) -> Callable[[Any], Any]:
    """An argument that is the path of an artifact."""
    return click.argument(name, metavar=metavar, type=ArtifactPath(), **more)


def of(*requests: type[CheckedRequest]) -> Callable[[Any], Any]:
    """The options for all parameters of these requests, in the order in which parameters are declared."""
    from simdocs.parameters import PARAMETERS

    found: dict[str, Parameter] = {}
    for request in requests:
        found |= request.parameters()
    order = {parameter.name: at for at, parameter in enumerate(PARAMETERS.values())}
    ordered = sorted(found.values(), key=lambda parameter: order[parameter.name])
    return together(*(_option(parameter) for parameter in ordered))


def _option(parameter: Parameter) -> Callable[[Any], Any]:
    values = parameter.values
    meaning = spelled(parameter.help)
    family = values.family if isinstance(values, Choice | Several) else {}
    help_text = f"{meaning} {spelled(listed(family))}." if family else meaning
    if isinstance(values, Flag):
        kind: dict[str, Any] = {"is_flag": True, "default": None}
    else:
        kind = {
            "type": ParameterType(parameter),
            "multiple": isinstance(values, PatternList | PathList),
            "metavar": METAVARS.get(parameter.name, "NAME"),
            "show_default": spelled(parameter.shown_default) or None,
        }
    return click.option(
        *declarations(parameter.name),
        parameter.name,
        cls=Option,
        section=parameter.section,
        help=help_text,
        meaning=meaning,
        **kind,
    )


def given(request: type[CheckedRequest], options: dict[str, Any]) -> dict[str, Any]:
    """The given options that are fields of a request."""
    names = {field.name for field in fields(request)}
    return {name: value for name, value in options.items() if name in names and value not in (None, ())}
