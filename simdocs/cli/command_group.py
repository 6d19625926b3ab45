"""The program as a group of commands: its help, and its errors about mistyped commands and options."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from importlib import import_module
from typing import Any

import click

from simdocs.cli.help import (
    foreign_option,
    owners_of_options,
    refuse_single_dash,
    short_help_option,
    unknown_option,
    write_examples,
)
from simdocs.cli.help_format import HelpContext
from simdocs.cli.spelling import nearest_option


class CommandGroup(click.Group):
    """A group of commands. The error about a mistyped name suggests the most similar command.

    sections: the headings under which help lists the commands.
    examples: command lines with what they answer.
    usual: the examples of the short help.
    """

    context_class = HelpContext

    def __init__(
        self,
        *args: Any,
        sections: Mapping[str, Sequence[str]],
        examples: Mapping[str, str],
        usual: Sequence[str],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.sections, self.examples, self.usual = sections, examples, usual
        self.params.append(short_help_option())

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of the commands in the order in which they were added."""
        return list(self.commands)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, the commands under their headings, and the program's own options."""
        write_examples(formatter, dict(self.examples))
        self._write_commands(formatter)
        with formatter.section("Options"):
            options = [option.get_help_record(ctx) for option in self.get_params(ctx)]
            formatter.write_dl([record for record in options if record])
        formatter.write_paragraph()
        formatter.write_text("Help of a command: simdocs COMMAND -h; all options: simdocs COMMAND --help")
        formatter.write_text("The guide: simdocs help guide")

    def short_help_of(self, ctx: click.Context) -> str:
        """Help on one screen: what the program does, the commands, and two examples."""
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        self._write_commands(formatter)
        write_examples(formatter, self.usual)
        formatter.write_paragraph()
        formatter.write_text("Help of a command: simdocs COMMAND -h; the guide: simdocs help guide")
        return formatter.getvalue().rstrip("\n")

    def _write_commands(self, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.commands))
        for heading, names in self.sections.items():
            with formatter.section(heading):
                rows = [(f"{name:{width}}", self.commands[name].get_short_help_str()) for name in names]
                formatter.write_dl(rows)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. UsageError: an option of a command comes before the command."""
        words = list(args)
        for word in words[:1]:
            refuse_single_dash(word, [*ctx.help_option_names, "--version"], ctx)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if text := self._misplaced(error.option_name, words, ctx):
                raise click.UsageError(text, ctx) from None
            raise unknown_option(error, self, ctx, words) from None

    def _misplaced(self, option: str, words: Sequence[str], ctx: click.Context) -> str:
        """The error about an option before the command; empty if no command has it or a similar one."""
        owners, wrong = owners_of_options(ctx), ""
        if option not in owners:
            near = nearest_option(option, owners)
            if not near:
                return ""
            wrong, option = f"no option {option!r}: did you mean {near}? ", near
        names = owners[option]
        named = next((word for word in words if word in self.commands), "")
        if named and (explanation := foreign_option(option, self.commands[named], ctx, words)):
            return f"{wrong}{explanation}"
        meant = named if named in names else names[0] if len(names) == 1 else "COMMAND"
        return f"{wrong}{option} belongs after the command, as in simdocs {meant} {option}"

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name. UsageError, if possible with a suggestion: there is no such command."""
        wrong = args and args[0] not in self.commands and not args[0].startswith("-")
        if wrong and not ctx.resilient_parsing:  # completion parses any line, and must not fail
            from difflib import get_close_matches

            if os.path.lexists(args[0]):
                raise click.UsageError(f"no command {args[0]!r}: {_for_files(args)}", ctx)
            meant = next(iter(get_close_matches(args[0], self.commands, 1, 0.7)), "")
            hint = f"did you mean {meant}?" if meant else f"the commands are {', '.join(self.commands)}"
            raise click.UsageError(f"no command {args[0]!r}: {hint}", ctx)
        return super().resolve_command(ctx, args)


_SHOWN, _TWO = 8, 2
"""The number of arguments that a suggested command repeats; and of those that can be compared."""


def _for_files(arguments: Sequence[str]) -> str:
    """A suggestion for files that were given without a command."""
    from shlex import join

    shown = join(arguments[:_SHOWN]) + (" ..." if len(arguments) > _SHOWN else "")
    text = f"to find near-duplicates, use simdocs dedupe {shown}"
    if len(arguments) == _TWO and all(map(os.path.isfile, arguments)):
        text += f"; to compare the two, use simdocs compare {shown}"
    return text


class CommandTable(MutableMapping[str, click.Command]):
    """Commands, each of which is imported when it is first used.

    package: where their modules are. modules: the module of each command, in the order in which they are listed.
    """

    def __init__(self, package: str, modules: Mapping[str, str]) -> None:
        self._package, self._modules = package, dict(modules)
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded:
            module = import_module(f"{self._package}.{self._modules[name]}")
            self._loaded[name] = getattr(module, name)
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._modules[name], self._loaded[name] = self._package, command

    def __delitem__(self, name: str) -> None:
        del self._modules[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __contains__(self, name: object) -> bool:
        return name in self._modules
