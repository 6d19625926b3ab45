"""Options, derived from the parameters of requests."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from simdocs.cli.help import Option, together
from simdocs.cli.spelling import METAVARS, declarations, spelled
from simdocs.errors import mention
from simdocs.parameters.answers import Settings
from simdocs.parameters.declaration import Member, Parameter
from simdocs.parameters.texts import FieldNames
from simdocs.parameters.values import (
    ArtifactName,
    Choice,
    Flag,
    PathList,
    PathName,
    PatternList,
    Several,
    refusal,
)

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from simdocs.requests.request import Request


class ParameterType(click.ParamType[Any]):
    """The type of a parameter. Its declaration parses values, and words its errors."""

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter
        self.name = parameter.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        """The value of a word. BadParameter, which mentions the parameter: the word is not a valid value."""
        if not isinstance(value, str):
            return value
        try:
            return self.parameter.values.parse(value)
        except ValueError as wanted:
            problem = refusal(self.parameter.values, wanted, value)
            raise click.BadParameter(f"{mention(self.parameter.name)} {problem}") from None

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:  # noqa: ARG002
        """The members of a family with their meanings. For paths, the shell offers files or directories."""
        from click.shell_completion import CompletionItem

        values = self.parameter.values
        if isinstance(values, Choice | Several):
            before, comma, begun = incomplete.rpartition(",") if isinstance(values, Several) else ("", "", incomplete)
            named = [(name, member.help) for name, member in values.family.items() if name.startswith(begun)]
            return [CompletionItem(before + comma + name, help=spelled(meaning)) for name, meaning in named]
        if isinstance(values, ArtifactName) or (isinstance(values, PathName) and values.directories):
            return [CompletionItem(incomplete, type="dir")]
        if isinstance(values, PathName | PathList):
            return [CompletionItem(incomplete, type="file")]
        return []


class ArtifactPath(click.ParamType[bytes]):
    """The path of an artifact as an argument, for which shells offer only directories."""

    name = "artifact"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> bytes:  # noqa: ARG002
        """The path as bytes."""
        return os.fsencode(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:  # noqa: ARG002
        """The answer that makes a shell offer directories."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="dir")]


def listed(family: Mapping[str, Member]) -> str:
    """All members of a family, for help: `name: what it is; ...`."""
    return "; ".join(f"{name}: {member.help}" for name, member in family.items())


documents = click.argument("documents", metavar="[DOCS]...", nargs=-1, type=click.Path(readable=False, path_type=bytes))
"""The documents that a command is about."""


def artifact(name: str, metavar: str, **more: Any) -> Callable[[Any], Any]:
    """An argument that is the path of an artifact."""
    return click.argument(name, metavar=metavar, type=ArtifactPath(), **more)


def of(*requests: type[Request]) -> Callable[[Any], Any]:
    """The options for all parameters of these requests, in the order in which parameters are declared."""
    from simdocs.parameters import PARAMETERS

    found: dict[str, Parameter] = {}
    for request in requests:
        found |= request.accepts
    return together(*(_option(found[name]) for name in PARAMETERS if name in found))


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
            "multiple": isinstance(values, FieldNames | PatternList | PathList | Settings),
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


def given(request: type[Request], options: dict[str, Any]) -> dict[str, Any]:
    """The given options that a request accepts."""
    names = {*request.arguments, *request.accepts}
    return {name: value for name, value in options.items() if name in names and value not in (None, ())}
