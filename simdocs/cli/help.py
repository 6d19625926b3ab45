"""The help of commands (one screen with -h, everything with --help), and one message about all wrong values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from simdocs.cli import exits
from simdocs.cli.help_format import HelpContext, HelpFormatter
from simdocs.cli.spelling import declarations, marked, nearest_option, spelled
from simdocs.errors import Problem, UsageError
from simdocs.parameters.values import ArtifactName, PathName, Several

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


_NEEDED = 128 << 20
"""Bytes of address space that every command needs (all of them need 160 MiB or more). If NumPy does not find enough, it
says in twenty lines that it was installed badly, or its linear algebra library ends the program with a status that
means something else."""


def check_memory() -> None:
    """Raise MemoryError if less address space is left than NumPy needs."""
    import resource

    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        return
    import mmap

    try:
        mmap.mmap(-1, _NEEDED).close()
    except OSError:
        raise MemoryError from None


Decorator = Callable[[Any], Any]

ExplainOption = Callable[[str, Sequence[str]], str]
"""Returns why a command lacks an option of others, for a command line with these words; empty: for no reason."""

_ONE_LINE = 55
"""Characters of a line of help beside the spellings of options, on a terminal of 80 columns."""

_WRONG = "simdocs.wrong"


class Option(click.Option):
    """An option of a command.

    section: the heading under which help lists it.
    meaning: its help without the members of its family.
    """

    def __init__(self, *args: Any, section: str = "Options", meaning: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section
        self.meaning = meaning or self.help or ""

    @property
    def members(self) -> Mapping[str, str]:
        """The members of its family with their meanings, if its value is the name of one."""
        values = getattr(getattr(self.type, "parameter", None), "values", None)
        return {name: spelled(member.help) for name, member in getattr(values, "family", {}).items()}

    def get_help_extra(self, ctx: click.Context) -> Any:
        """The text in brackets after the help. A described default has no brackets of its own."""
        extra = super().get_help_extra(ctx)
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default
        return extra

    def full_help(self, ctx: click.Context) -> Iterator[tuple[str, str]]:
        """Yield its spellings and its help, and then each member of its family on a row of its own."""
        record, members = self.get_help_record(ctx), self.members
        if record is None:
            return
        spellings, text = record
        # A list of languages is easier to read on a single line.
        if all(" " not in meaning for meaning in members.values()):
            yield spellings, text
            return
        yield spellings, text.replace(self.help or "", self.meaning, 1)
        yield from ((f"    {name}", meaning) for name, meaning in members.items())

    def short_help(self, ctx: click.Context) -> tuple[str, str]:
        """Its spellings, and the first sentence of its help with the names that it takes and its default.

        The last names are left out if they do not fit on one line, or on two if hardly any fit on one, and so are parts
        of the default. So new members do not make help longer.
        """
        record = self.get_help_record(ctx)
        assert record is not None
        text = re.split(r"\.(?:\s|$)", self.meaning, maxsplit=1)[0]
        default = f" [{self.show_default}]" if isinstance(self.show_default, str) else ""
        if names := list(self.members):
            room = _ONE_LINE - len(f"{text}: ")
            few = len(", ".join(names[:3])) > room
            text += f": {_first_names(names, room + _ONE_LINE - len(default) - max(map(len, names)) if few else room)}"
        elif len(text + default) > _ONE_LINE and ", " in default:
            default = f" [{_first_names(default[2:-1].split(', '), _ONE_LINE - len(text) - len(' []'))}]"
        return record[0], text + default

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """The value. A wrong value is recorded, and reported together with all other problems (see `refuse`)."""
        try:
            return super().handle_parse_result(ctx, opts, args)
        except click.BadParameter as error:
            ctx.meta.setdefault(_WRONG, {})[self.name] = spelled(error.message).rstrip(".")
            return None, args


def refuse(problems: Sequence[Problem]) -> None:
    """Raise one UsageError with these problems and all wrong values of options, if there are any.

    A problem about an option with a wrong value is left out, since we do not know what was meant.
    """
    context = click.get_current_context()
    wrong: Mapping[str, str] = context.meta.get(_WRONG, {})
    others = [problem for problem in problems if not wrong.keys() & set(problem.parameters)]
    if wrong:
        raise click.UsageError("; ".join([*wrong.values(), *(marked(problem.text) for problem in others)]), context)
    if others:
        raise UsageError(*others)


def together(*decorators: Decorator) -> Decorator:
    """Several decorators as one, in the order in which help shows them."""

    def decorate(function: Any) -> Any:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def _first_names(names: Sequence[str], room: int) -> str:
    """The names as far as they fit into this many characters, with an ellipsis for the others."""
    for count in range(len(names), 0, -1):
        text = ", ".join(names[:count]) + (", ..." if count < len(names) else "")
        if len(text) <= room:
            break
    return text


class Command(click.Command):
    """A command whose help has sections, examples and exit statuses, and which reports all bad values together.

    examples: command lines.
    usual: the parameters that the short help shows.
    never: exit statuses that it cannot have.
    explain: explains an option that only other commands have.
    """

    context_class = HelpContext

    def __init__(
        self,
        *args: Any,
        examples: Sequence[str] = (),
        usual: Sequence[str] = (),
        never: Sequence[int] = (),
        explain: ExplainOption | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.examples, self.usual, self.never, self.explain = examples, usual, never, explain
        self.params.append(short_help_option())

    @property
    def statuses(self) -> Mapping[int, str]:
        """The exit statuses that it can have, and what they mean."""
        options = (option for option in self.params if isinstance(option, click.Option))
        meanings = exits.meanings({spelling: option.help or "" for option in options for spelling in option.opts})
        return {status: meaning for status, meaning in meanings.items() if status not in self.never}

    def get_short_help_str(self, limit: int = 0) -> str:  # noqa: ARG002  (what is cut off says nothing)
        """The first sentence of its help, which says what it does."""
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
                formatter.write_dl([row for option in options for row in _rows(option, ctx)])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples, each on a single line of any length, and the exit statuses."""
        write_examples(formatter, self.examples)
        with formatter.section("Exit status"):
            formatter.write_dl([(str(status), meaning) for status, meaning in self.statuses.items()])

    def short_help_of(self, ctx: click.Context) -> str:
        """Help on one screen: what the command does, the usual options, and two examples."""
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        formatter.write_paragraph()
        first = re.split(r"\n\s*\n", (self.help or "").strip(), maxsplit=1)[0]
        formatter.write_text(" ".join(first.split()))
        spellings = {spelling: option for option in self.get_params(ctx) for spelling in option.opts}
        usual = [spellings[declarations(parameter)[0]] for parameter in self.usual]
        if usual:
            with formatter.section("Usual options [with their defaults]"):
                formatter.write_dl([option.short_help(ctx) for option in usual if isinstance(option, Option)])
        write_examples(formatter, self.examples[:2])
        formatter.write_text(f"All options: {ctx.command_path} --help")
        return formatter.getvalue().rstrip("\n")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The options whose names begin like the incomplete word, with their meanings."""
        items = super().shell_complete(ctx, incomplete)
        meanings = {name: getattr(option, "meaning", option.help) for option in self.params for name in option.opts}
        for item in items:
            item.help = meanings.get(item.value, item.help)
        return items

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. MemoryError: there is not enough memory to begin."""
        check_memory()
        return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Wrong values of options are recorded (see `refuse`)."""
        words = list(args)
        if not ctx.resilient_parsing:
            self._refuse_single_dashes(ctx, words)
        try:
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise unknown_option(error, self, ctx, words) from None
        except click.BadOptionUsage as error:
            error.ctx = ctx  # Click leaves it out, and the message needs the command
            raise
        self._record_options_given_twice(ctx, words)
        return rest

    def _refuse_single_dashes(self, ctx: click.Context, words: list[str]) -> None:
        """Raise NoSuchOption for a word such as -help or -threshold, which would be read as short options."""
        spellings, before = [*spellings_of(self), *ctx.help_option_names], ""
        options = [option for option in self.params if isinstance(option, click.Option) and not option.is_flag]
        with_value = {spelling for option in options for spelling in option.opts}
        for word in words:
            if word == "--":
                return
            if before not in with_value:
                refuse_single_dash(word, spellings, ctx)
            before = word

    def _record_options_given_twice(self, ctx: click.Context, words: list[str]) -> None:
        """Record options with one value that are given several times: all values but the last would be lost."""
        _, _, order = self.make_parser(ctx).parse_args(words)
        for option, times in Counter(order).items():
            if times > 1 and isinstance(option, click.Option) and not (option.is_flag or option.multiple):
                ctx.meta.setdefault(_WRONG, {})[option.name] = _given_twice(option)


def refuse_single_dash(word: str, spellings: Sequence[str], ctx: click.Context) -> None:
    """Raise NoSuchOption for a long option with one dash."""
    name = word.partition("=")[0]
    if len(name) > len("-x") and name[0] == "-" != name[1] and f"-{name}" in spellings:
        raise click.NoSuchOption(word, f"no option {name!r}: did you mean -{name}?", ctx=ctx)


def _given_twice(option: click.Option) -> str:
    """The problem that an option is given more than once, and what to do if it can have several values."""
    values = getattr(getattr(option.type, "parameter", None), "values", None)
    wrong = f"{option.opts[0]} is given more than once"
    if isinstance(values, Several):
        return f"{wrong}: separate its values with commas"
    return f"{wrong}, but takes one {'path' if isinstance(values, PathName | ArtifactName) else 'value'}"


def unknown_option(
    error: click.NoSuchOption, command: click.Command, ctx: click.Context, words: Sequence[str]
) -> click.NoSuchOption:
    """The error about an option that a command does not have: what it is instead, or which one it may stand for.

    words: the command line.
    """
    option = error.option_name
    text = foreign_option(option, command, ctx, words)
    if not text:
        others = owners_of_options(ctx)
        near = nearest_option(option, spellings_of(command)) or nearest_option(option, others)
        text = f"no option {option!r}" + (f": did you mean {near}?" if near else "")
        text += f" {explanation}" if (explanation := foreign_option(near, command, ctx, words)) else ""
    return click.NoSuchOption(option, text, ctx=ctx)


def foreign_option(option: str, command: click.Command, ctx: click.Context, words: Sequence[str]) -> str:
    """The explanation of an option of other commands; empty if it is an option of this command, or of none."""
    owners = owners_of_options(ctx).get(option, ())
    if not owners or option in spellings_of(command):
        return ""
    if option == "--containment" and "--measure" in spellings_of(command):
        return f"{option} is an option of {owners[0]}: to find excerpts with {command.name}, use --measure containment"
    explain = getattr(command, "explain", None)
    if explain is not None and (explanation := explain(option, words)):
        return str(explanation)
    *most, last = owners
    return f"{option} is an option of {', '.join(most)}{' and ' if most else ''}{last}, not of {command.name}"


def owners_of_options(ctx: click.Context) -> dict[str, list[str]]:
    """The names of the commands that have an option, by its spelling."""
    owners: dict[str, list[str]] = {}
    for name, command in getattr(ctx.find_root().command, "commands", {}).items():
        for spelling in spellings_of(command):
            owners.setdefault(spelling, []).append(name)
    return owners


def spellings_of(command: click.Command) -> list[str]:
    """The spellings of a command's options."""
    shown = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
    return [spelling for option in shown for spelling in option.opts]


def write_examples(formatter: click.HelpFormatter, examples: Sequence[str] | dict[str, str]) -> None:
    """Write the examples under their heading."""
    assert isinstance(formatter, HelpFormatter)
    with formatter.section("Examples"):
        formatter.write_examples(examples)


def _rows(option: click.Option, ctx: click.Context) -> Iterator[tuple[str, str]]:
    if isinstance(option, Option):
        yield from option.full_help(ctx)
    elif (record := option.get_help_record(ctx)) is not None:
        yield record


def short_help_option() -> Option:
    """-h: help on one screen."""

    def show(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted and not ctx.resilient_parsing:
            click.echo(ctx.command.short_help_of(ctx), color=ctx.color)  # type: ignore[attr-defined]
            ctx.exit()

    return Option(
        ["-h"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show the usual options and exit.",
        section="Run",
    )
