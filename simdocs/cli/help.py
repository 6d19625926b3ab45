"""Help: one screen with -h, everything with --help; commands in pipeline order; all wrong values in one message."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from simdocs.cli import exits
from simdocs.cli.memory_check import look_for_room
from simdocs.cli.spelling import declarations, spelled

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Decorator = Callable[[Any], Any]

_PROBLEMS = "simdocs.problems"


class Option(click.Option):
    """An option with the heading under which help lists it, and its meaning apart from the members of its family."""

    def __init__(self, *args: Any, section: str = "Options", meaning: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section
        self.meaning = meaning or self.help or ""

    def get_help_extra(self, ctx: click.Context) -> Any:
        """What stands in brackets after the help: a default that is described, without brackets of its own."""
        extra = super().get_help_extra(ctx)
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default
        return extra

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """The value; one that is wrong is noted, to be reported with all others."""
        try:
            return super().handle_parse_result(ctx, opts, args)
        except click.BadParameter as error:
            ctx.meta.setdefault(_PROBLEMS, []).append(spelled(error.message).rstrip("."))
            return None, args


def together(*decorators: Decorator) -> Decorator:
    """Decorators as one, listed in the order in which help shows them."""

    def decorate(function: Any) -> Any:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


class Command(click.Command):
    """A command whose help has sections, examples and exit statuses, and which reports all bad values together.

    usual: the parameters that the short help shows.
    """

    def __init__(self, *args: Any, examples: Sequence[str] = (), usual: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples, self.usual = examples, usual
        self.params.append(short_help_option())

    @property
    def statuses(self) -> Mapping[int, str]:
        """The exit statuses that it can have, and what they mean."""
        return exits.meanings([spelling for parameter in self.params for spelling in parameter.opts])

    def get_short_help_str(self, limit: int = 0) -> str:  # noqa: ARG002  (what is cut off says nothing)
        """What it does, in one line: the first sentence of its help."""
        return re.split(r"[.:;]\s", " ".join((self.help or "").split()) + " ", maxsplit=1)[0]

    def sections(self, ctx: click.Context) -> Mapping[str, list[click.Option]]:
        """The options under their headings, in the order of their declaration."""
        found: dict[str, list[click.Option]] = {}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Option):
                found.setdefault(getattr(parameter, "section", "Run"), []).append(parameter)
        return found

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section."""
        for heading, options in self.sections(ctx).items():
            with formatter.section(heading):
                formatter.write_dl([record for option in options if (record := option.get_help_record(ctx))])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples, each on a line of its own however long, and the exit statuses."""
        self._write_examples(formatter, self.examples)
        with formatter.section("Exit status"):
            formatter.write_dl([(str(status), meaning) for status, meaning in self.statuses.items()])

    def _write_examples(self, formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
        with formatter.section("Examples"):
            for example in examples:
                formatter.write(f"{'':{formatter.current_indent}}{example}\n")

    def short_help_of(self, ctx: click.Context) -> str:
        """One screen: what it does, the usual options, two examples."""
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        first = re.split(r"\n\s*\n", (self.help or "").strip(), maxsplit=1)[0]
        formatter.write_paragraph()
        formatter.write_text(" ".join(first.split()))
        names = [name for parameter in self.usual for name in declarations(parameter)]
        with formatter.section("Usual options"):
            shown = [option for option in self.get_params(ctx) if set(option.opts) & set(names)]
            formatter.write_dl([_brief(option, ctx) for option in shown if isinstance(option, Option)])
        self._write_examples(formatter, self.examples[:2])
        formatter.write_paragraph()
        formatter.write_text(f"All options: {ctx.command_path} --help")
        return formatter.getvalue().rstrip("\n")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Options whose names begin so, with what they mean."""
        items = super().shell_complete(ctx, incomplete)
        meanings = {name: getattr(option, "meaning", option.help) for option in self.params for name in option.opts}
        for item in items:
            item.help = meanings.get(item.value, item.help)
        return items

    def invoke(self, ctx: click.Context) -> Any:
        """Run it. MemoryError: there is no room even to begin."""
        look_for_room()
        return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments apart; one UsageError names every option whose value is wrong."""
        rest = super().parse_args(ctx, args)
        if problems := ctx.meta.get(_PROBLEMS):
            raise click.UsageError("; ".join(problems), ctx)
        return rest


def _brief(option: Option, ctx: click.Context) -> tuple[str, str]:
    record = option.get_help_record(ctx)
    assert record is not None
    names, text = record
    if option.meaning != option.help:
        members = getattr(getattr(option.type, "parameter", None), "values", None)
        family = getattr(members, "family", ())
        default = f"  [default: {option.show_default}]" if isinstance(option.show_default, str) else ""
        text = f"{option.meaning.rstrip('.')}: {', '.join(family)}.{default}"
    return names, text


def short_help_option() -> Option:
    """-h: help on one screen."""

    def show(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted and not ctx.resilient_parsing:
            command = ctx.command
            text = command.short_help_of(ctx) if isinstance(command, Command) else ctx.get_help()
            click.echo(text, color=ctx.color)
            ctx.exit()

    return Option(
        ["-h"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show short help and exit.",
        section="Run",
    )


class Pipeline(click.Group):
    """Commands in the order in which a pipeline runs them; a mistyped name gets the nearest one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(short_help_option())

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Names in the order in which they were added."""
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments apart. UsageError: an option of a command stands before it."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            owners = [
                name
                for name, command in self.commands.items()
                if any(error.option_name in parameter.opts for parameter in command.params)
            ]
            if owners:
                meant = next((word for word in args if word in owners), "COMMAND")
                text = f"{error.option_name} belongs after the command: simdocs {meant} {error.option_name} ..."
                raise click.UsageError(text, ctx) from None
            raise

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that args name. UsageError, with a suggestion where there is one."""
        wrong = args and args[0] not in self.commands and not args[0].startswith("-")
        if wrong and not ctx.resilient_parsing:  # which is how a line is completed, whatever stands in it
            from difflib import get_close_matches

            near = get_close_matches(args[0], self.commands, 1)
            hint = f"did you mean {near[0]}?" if near else f"the commands are {', '.join(self.commands)}"
            raise click.UsageError(f"no command {args[0]!r}: {hint}", ctx)
        return super().resolve_command(ctx, args)
