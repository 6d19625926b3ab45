"""A command of Click, made from an options class: its options, its arguments, its help and its completion;
and how it is run: the question is answered, the answer drawn, and messages printed."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click

from simdocs.cli import exits
from simdocs.errors import ShrunkError, UnjudgedError, UsageError
from simdocs.model.result import Result, lines_of
from simdocs.options.answers import ROW_OUTPUTS
from simdocs.options.declaration import SHARED, Option, Options
from simdocs.options.values import FLAG
from simdocs.views import messages
from simdocs.views.messages import ProgressBar, Teller, say
from simdocs.views.output import Drawing, file_of, path_of, stream_of

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


class OptionValue(click.ParamType[Any]):
    """The value of an option. Its declaration parses words; what is wrong with one is said with all other problems."""

    def __init__(self, declared: Option) -> None:
        self.declared, self.name = declared, declared.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        """The value that a word stands for. A wrong word is recorded, and reported together with all others."""
        if not isinstance(value, str):
            return value
        try:
            return self.declared.values.parse(value)
        except ValueError as wanted:
            wrong = f"{self.declared.flag} {self.declared.values.refusal(wanted, value)}"
        assert ctx is not None
        ctx.meta.setdefault(WRONG, []).append(wrong)
        return None

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:  # noqa: ARG002
        """The members of a family with their meanings. For paths, the shell offers files or directories."""
        from click.shell_completion import CompletionItem

        values = self.declared.values
        if values.shell:
            return [CompletionItem(incomplete, type=values.shell)]
        named = [(name, member.help) for name, member in values.family.items() if name.startswith(incomplete)]
        return [CompletionItem(name, help=meaning) for name, meaning in named]


class OfCommand(click.Option):
    """An option of a command. declared: its declaration."""

    def __init__(self, declared: Option) -> None:
        self.declared = declared
        members = "; ".join(f"{name}: {member.help}" for name, member in declared.values.family.items())
        kind: dict[str, Any] = {"is_flag": True, "default": None}
        if declared.values is not FLAG:
            kind = {
                "type": OptionValue(declared),
                "multiple": declared.values.is_repeated,
                "metavar": declared.metavar,
                "show_default": declared.shown_default or None,
            }
        help_text = f"{declared.help} {members}." if members else declared.help
        super().__init__([*declared.spellings, declared.name], help=help_text, **kind)

    def get_help_extra(self, ctx: click.Context) -> Any:
        """The text in brackets after the help. A described default has no brackets of its own."""
        extra = super().get_help_extra(ctx)
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default
        return extra

    def rows(self, ctx: click.Context) -> Iterator[tuple[str, str]]:
        """Yield its spellings and its help, and then each member of its family on a row of its own."""
        record = self.get_help_record(ctx)
        assert record is not None
        family = self.declared.values.family
        # A list of languages is easier to read on a single line.
        if all(" " not in member.help for member in family.values()):
            yield record
            return
        yield record[0], record[1].replace(self.help or "", self.declared.help, 1)
        yield from ((f"    {name}", member.help) for name, member in family.items())


def _offering(directories: bool) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem[str]]]:
    """A function whose answer makes a shell offer files, or only directories."""

    def complete(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="dir" if directories else "file")]

    return complete


WRONG = "simdocs.wrong"
"""Where a context has all wrong values."""


class Command(click.Command):
    """A command that is made from an options class. asked: the options class."""

    def __init__(self, asked: type[Options]) -> None:
        self.asked = asked
        arguments = [
            click.Argument([name], nargs=nargs, required=False, metavar=metavar, shell_complete=_offering(only))
            for name, (metavar, nargs, only) in asked.takes.items()
        ]
        options = map(OfCommand, asked.options.values())
        more = (help_option("-h", "Show the usual options and exit.", _short), help_option("--help-all", _ALL, _whole))
        super().__init__(asked.command, params=[*arguments, *options, *more], help=asked.__doc__)

    def get_short_help_str(self, limit: int = 0) -> str:  # noqa: ARG002  (what is cut off says nothing)
        """The first sentence of its help, which says what it does."""
        return re.split(r"[.:;]\s", " ".join((self.help or "").split()) + " ", maxsplit=1)[0]

    @property
    def statuses(self) -> Mapping[int, str]:
        """The exit statuses that it can have, and what they mean."""
        return exits.meanings({name: declared.help for name, declared in self.asked.options.items()})

    def of_group(self, group: str) -> list[OfCommand]:
        """Its options of a shared group; with an empty name, its own."""
        options = (option for option in self.params if isinstance(option, OfCommand))
        return [option for option in options if option.declared.shared == group]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write its own options, and a line for each group of options that it shares with others."""
        write_options(formatter, ctx, "Options", self.of_group(""))
        with formatter.section("Options that commands share: simdocs help GROUP, or --help-all"):
            formatter.write_dl([(name, about) for name, about in SHARED.items() if self.of_group(name)])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples, each on a single line of any length, and the exit statuses."""
        write_examples(formatter, self.asked.examples)
        with formatter.section("Exit status"):
            formatter.write_dl([(str(status), meaning) for status, meaning in self.statuses.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The options whose names begin like the incomplete word, with their meanings."""
        items = super().shell_complete(ctx, incomplete)
        ours = (option for option in self.params if isinstance(option, OfCommand))
        meanings = {spelling: option.declared.help for option in ours for spelling in option.opts}
        for item in items:
            item.help = meanings.get(item.value, item.help)
        return items

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, and record options with one value that are given several times."""
        words = list(args)
        rest = super().parse_args(ctx, args)
        for option, times in Counter(self.make_parser(ctx).parse_args(words)[2]).items():
            if times > 1 and isinstance(option, OfCommand) and not (option.is_flag or option.multiple):
                problem = f"{option.declared.flag} is given more than once: it takes one value"
                ctx.meta.setdefault(WRONG, []).append(problem)
        return rest

    def invoke(self, ctx: click.Context) -> int:
        """Make the options object, answer the question, and return the exit status. MemoryError: too little memory."""
        if wrong := ctx.meta.get(WRONG):
            raise click.UsageError("; ".join(wrong), ctx)
        given = {name: value for name, value in ctx.params.items() if value not in (None, ())}
        options: Any = self.asked(**given)
        check_memory()
        if problem := options.problem_of_shell():
            raise UsageError(problem)
        return _answered(options)


_ALL = "Show all options and exit."


def help_option(name: str, help_text: str, text: Callable[[Command, click.Context], str]) -> click.Option:
    """An option that prints help and ends the program."""

    def show(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted and not ctx.resilient_parsing:
            click.echo(text(ctx.command, ctx), color=ctx.color)  # type: ignore[arg-type]
            ctx.exit()

    return click.Option([name], is_flag=True, is_eager=True, expose_value=False, callback=show, help=help_text)


def _short(command: Command, ctx: click.Context) -> str:
    """Help on one screen: what the command does, the usual options, and two examples."""
    formatter = ctx.make_formatter()
    command.format_usage(ctx, formatter)
    formatter.write_paragraph()
    formatter.write_text(" ".join(re.split(r"\n\s*\n", (command.help or "").strip())[0].split()))
    options = {option.declared.name: option for option in command.params if isinstance(option, OfCommand)}
    records = (options[name].get_help_record(ctx) for name in command.asked.usual)
    if rows := [(row[0], re.split(r"(?<=\.)\s", row[1], maxsplit=1)[0]) for row in records if row is not None]:
        with formatter.section("Usual options"):
            formatter.write_dl(rows)
    write_examples(formatter, command.asked.examples[:2])
    formatter.write_paragraph()
    formatter.write_text(f"All options: {ctx.command_path} --help")
    return formatter.getvalue().rstrip("\n")


def _whole(command: Command, ctx: click.Context) -> str:
    """Help with all options."""
    formatter = ctx.make_formatter()
    command.format_usage(ctx, formatter)
    command.format_help_text(ctx, formatter)
    write_options(formatter, ctx, "Options", command.of_group(""))
    for group, about in SHARED.items():
        write_options(formatter, ctx, f"{group.capitalize()}: {about}", command.of_group(group))
    command.format_epilog(ctx, formatter)
    return formatter.getvalue().rstrip("\n")


def write_options(
    formatter: click.HelpFormatter, ctx: click.Context, heading: str, options: Sequence[OfCommand]
) -> None:
    """Write options under a heading, if there are any."""
    if options:
        with formatter.section(heading):
            formatter.write_dl([row for option in options for row in option.rows(ctx)])


def write_examples(formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
    """Write the examples under their heading, each on a line of its own, so that it can be pasted."""
    with formatter.section("Examples"):
        for example in examples:
            formatter.write(f"{' ' * formatter.current_indent}{example}\n")


def _answered(options: Any) -> int:
    """Answer a question, draw the answer, and print messages. Return the exit status."""
    from simdocs.commands import ask, write_summary
    from simdocs.engines.engine import running

    if _waits(options) and not options.quiet:
        say("simdocs: reading standard input: type, then Ctrl-D")
    exits.listen()
    began, told, progress = time.monotonic(), Teller(options), ProgressBar(quiet=options.quiet)
    draws, summary_json = not options.publishes_itself, path_of(getattr(options, "summary_json", None))
    output = options.path if draws else path_of(options.output)
    named = [output if draws else None, *(path_of(getattr(options, name, None)) for name in ROW_OUTPUTS)]
    there = {path for path in named if path is not None and os.path.lexists(path)}
    with _interruption_told(options, told), ExitStack() as stack:
        # The file that is opened first is published last, so there is no summary without its answer.
        published = "the answer was printed" if output is None else f"{output} was published"
        note = None if summary_json is None else stack.enter_context(file_of(summary_json, published))
        drawing = None
        if draws and options.is_wanted:
            drawing = Drawing(options, stack.enter_context(stream_of(output)), progress)

        def conclude(result: Result) -> None:
            """Write the summary. If that fails, it does so before the answer or the artifact is published."""
            progress.close()
            if note is not None:
                write_summary(note, result, time.monotonic() - began)

        look = None if drawing is None else drawing.look
        draw = drawing.draw if drawing is not None and not options.page else None
        skipped, explain = told.skipped(progress.close), told.explain(progress.close)
        begun = running(options, progress, skipped, explain, look=look, draw=draw, conclude=conclude)
        run = stack.enter_context(begun)
        stack.callback(progress.close)
        try:
            result: Result = ask(options, run)
            if drawing is not None and drawing.has_begun:
                drawing.finish()
        except (ShrunkError, UnjudgedError):
            progress.close()
            told.skips(skipped)
            raise
        progress.close()
        told.skips(skipped)
        if drawing is not None:
            drawing.complete(result)
        if draws:
            conclude(result)
    told.summary(lines_of(result, time.monotonic() - began, verbose=options.verbose))
    told.outputs({output} if draws else set(), there)
    told.notes(result.notes)
    for error in run.errors:
        messages.error(str(error))
    if run.errors:
        return min(map(exits.status_of, run.errors))
    if skipped.unjudged:
        return exits.UNJUDGED
    return exits.FOUND if getattr(options, "exit_code", False) and result.is_found else exits.DONE


@contextmanager
def _interruption_told(options: Any, told: Teller) -> Iterator[None]:
    """Say at a terminal what Ctrl-C has left, after all drafts were removed. Actions are in their journal."""
    try:
        yield
    except exits.Ended as ended:
        if ended.number == signal.SIGINT and told.is_loud and not getattr(options, "yes", False):
            to_stdout = not options.publishes_itself and options.is_wanted and options.path is None
            say(f"simdocs: interrupted: {'the answer is incomplete' if to_stdout else 'nothing was written'}")
        raise


def _waits(options: Options) -> bool:
    """Whether the program reads standard input, and that is a terminal."""
    named = [getattr(options, "file", None), *getattr(options, "documents", ())]
    named += [getattr(options, name, None) for name in ("files_from", "files0_from")]
    return b"-" in named and sys.stdin is not None and sys.stdin.isatty()
