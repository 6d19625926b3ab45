"""Help in sections, commands in pipeline order, and every problem with the values of options in one message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

import click

Decorator = Callable[[Any], Any]

_PROBLEMS = "simdocs.problems"


class Option(click.Option):
    """An option that knows under which heading help lists it."""

    def __init__(self, *args: Any, section: str = "Options", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section

    def get_help_extra(self, ctx: click.Context) -> Any:
        """What stands in brackets after the help: a default that is described, without brackets of its own."""
        extra = super().get_help_extra(ctx)
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default
        return extra

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """The value, as Click has it; but one that is wrong is noted, to be reported with all others."""
        try:
            return super().handle_parse_result(ctx, opts, args)
        except click.BadParameter as error:
            ctx.meta.setdefault(_PROBLEMS, []).append(error.format_message().rstrip("."))
            return None, args


def option(section: str, *declarations: str, **attributes: Any) -> Decorator:
    """Declare an option, once, as a decorator for every command that has it."""
    return click.option(*declarations, cls=Option, section=section, **attributes)


def together(*decorators: Decorator) -> Decorator:
    """Decorators as one, listed in the order in which help shows them."""

    def decorate(function: Any) -> Any:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


class Command(click.Command):
    """A command whose help has sections and which reports all bad values together."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section, in the order of their declaration."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                sections.setdefault(getattr(parameter, "section", "Run"), []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments apart; one UsageError names every option whose value is wrong."""
        rest = super().parse_args(ctx, args)
        if problems := ctx.meta.get(_PROBLEMS):
            raise click.UsageError("; ".join(problems), ctx)
        return rest


class Pipeline(click.Group):
    """Commands in the order in which a pipeline runs them; a mistyped name gets the nearest one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order in which they were added."""
        return [name for name in self.commands if self.get_command(ctx, name)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that args name. UsageError, with a suggestion where there is one."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            near = get_close_matches(args[0], self.commands, 1)
            hint = f"did you mean {near[0]}?" if near else f"the commands are {', '.join(self.commands)}"
            raise click.UsageError(f"no command {args[0]!r}: {hint}", ctx)
        return super().resolve_command(ctx, args)
