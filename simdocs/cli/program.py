"""The program: its group of commands, and the handling of all errors."""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

# Threads of a linear algebra library that is never called would cost seconds of start-up on a large machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The usual allocator of pyarrow keeps what it frees: 114 MB instead of 80 MB while a Parquet file is read.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

import click

from simdocs.cli import exits
from simdocs.cli.command_group import CommandGroup, CommandTable
from simdocs.cli.help import Command
from simdocs.cli.help_format import HelpContext
from simdocs.cli.options import ParameterType
from simdocs.cli.spelling import marked, spelled
from simdocs.errors import SimdocsError
from simdocs.kernels.native import kernels_in_use
from simdocs.model.names import display_name
from simdocs.version import __version__
from simdocs.views import messages

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMPLETE = "_SIMDOCS_COMPLETE"
"""An environment variable. If a shell sets it to SHELL_complete or SHELL_source, the program completes a line or prints
a script."""


SECTIONS = {
    "Find near-duplicates, and act on them": ("dedupe", "pairs", "passages", "query", "report", "act", "undo"),
    "Build artifacts, from documents or other artifacts": ("shingle", "signature", "index", "merge"),
    "Look closer": ("compare", "tune", "audit", "show", "info", "check"),
}
"""The commands below the headings of the help."""

_FINDING, _BUILDING, _STUDYING = SECTIONS.values()
_MODULES = (
    {name: name for name in _FINDING} | dict.fromkeys(_BUILDING, "building") | dict.fromkeys(_STUDYING, "studying")
)
"""The module here in which each command is."""


def _print_version(context: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        click.echo(f"simdocs {__version__} (kernels: {kernels_in_use()})")
        context.exit()


@click.group(
    cls=CommandGroup,
    commands=CommandTable("simdocs.cli", _MODULES),
    sections=SECTIONS,
    examples={
        "simdocs dedupe docs/": "near-duplicates in docs/",
        "simdocs dedupe docs/ --list duplicates": "the names of duplicates",
        "simdocs index docs/ -o docs.index": "an index of docs/",
        "simdocs query docs.index new.txt": "documents like new.txt",
        "simdocs dedupe new/ --against docs.index --list kept": "names of new documents",
    },
    usual=("simdocs index docs/ -o docs.index && simdocs query docs.index new.txt",),
    context_settings={"help_option_names": ["--help"], "max_content_width": 100},
    short_help="Find near-duplicates among documents",
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and exit.",
)
def simdocs() -> None:
    """Find near-duplicates among documents.

    Two documents are near-duplicates if they have most of their shingles (short pieces of text) in common. MinHash
    signatures and locality-sensitive hashing propose candidate pairs, which are compared exactly before they are
    reported.
    """


GUIDE = Path(__file__).with_name("guide.md")
"""The guide: in a clone a link to docs/guide.md, in a wheel a copy of it."""


class _Topic(click.ParamType[str]):
    """The name of a command, or `guide`. Shells offer all of them."""

    name = "command"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:  # noqa: ARG002
        """The commands whose names begin like the incomplete word, with what they do, and the guide."""
        from click.shell_completion import CompletionItem

        topics = {name: command.get_short_help_str() for name, command in simdocs.commands.items()}
        topics[GUIDE.stem] = "How to choose options, delete duplicates safely, and run simdocs every night"
        return [CompletionItem(name, help=text) for name, text in topics.items() if name.startswith(incomplete)]


@simdocs.command("help", cls=Command, examples=("simdocs help dedupe", "simdocs help guide"), never=(exits.DAMAGED,))
@click.argument("command", required=False, metavar="[COMMAND|guide]", type=_Topic())
@click.pass_context
def help_command(context: click.Context, command: str | None) -> int:
    """Show the help of a command or of the program, or the guide.

    simdocs help COMMAND is the same as simdocs COMMAND --help. simdocs help guide prints the guide: how to choose
    options for your texts, delete duplicates safely, and run simdocs every night.
    """
    program = context.find_root()
    if command == GUIDE.stem:
        click.echo(GUIDE.read_bytes(), nl=False)
        return 0
    if command is None:
        click.echo(program.get_help())
        return 0
    try:
        _, found, _ = simdocs.resolve_command(program, [command])
    except click.UsageError as error:
        if error.message.endswith("?"):  # it has a suggestion
            raise
        more = "simdocs help guide prints the guide, which has a section about data sets"
        raise click.UsageError(f"{error.message}; {more}", error.ctx) from None
    assert found is not None
    with HelpContext(found, info_name=command, parent=program) as there:
        click.echo(found.get_help(there))
    return 0


def _occupy_standard_streams() -> None:
    """Open an unusable stream in place of each standard stream that is closed.

    Otherwise the next file that is opened would become that stream, and the answer would be written into it.
    """
    for descriptor, flags in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_RDONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, flags)  # gets the lowest free number, which is this one
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  (help goes there, and fails)


def run(arguments: Sequence[str]) -> int:
    """Run the program with these arguments, handle every error, and return the exit status."""
    _occupy_standard_streams()
    debug = "--debug" in arguments or bool(os.environ.get("SIMDOCS_DEBUG"))
    try:
        return _close(_invoke(list(arguments)))
    except exits.Ended as ended:
        _drop_stdout()
        exits.die_by(ended.number)
        return 128 + ended.number
    except BrokenPipeError:
        _drop_stdout()
        exits.die_by(signal.SIGPIPE)
        return 128 + signal.SIGPIPE
    except click.exceptions.NoArgsIsHelpError as error:
        messages.say(error.format_message(), as_it_is=True)
        return exits.FAILED
    except click.UsageError as error:
        messages.error(_shortened(_line_about_usage(error, arguments), arguments))
        return exits.FAILED
    except Exception as error:
        _drop_stdout()
        if debug:
            import traceback

            messages.say(traceback.format_exc().rstrip(), as_it_is=True)
        messages.error(_shortened(_line_about(error), arguments))
        return exits.status_of(error)


_LONG, _SHOWN = 255, 80
"""Characters of an argument from which on it is probably a text, and how many of them a message shows then."""


def _shortened(message: str, arguments: Sequence[str]) -> str:
    """The message with an ellipsis for the rest of each very long argument."""
    words = [word for given in arguments for word in (given, given.partition("=")[2]) if len(word) > _LONG]
    for word in sorted(words, key=len, reverse=True):
        for shown in (word, display_name(os.fsencode(word))):
            message = message.replace(shown, f"{shown[:_SHOWN]}...")
    return message


def _line_about_usage(error: click.UsageError, arguments: Sequence[str]) -> str:
    said = _in_our_words(error)
    if isinstance(error, click.NoSuchOption):
        for name in arguments:
            if name.startswith(error.option_name) and os.path.lexists(name):
                there = display_name(os.fsencode("./" + name))
                return f"no option {error.option_name!r}: the file of that name is {there}"
    return f"{said} (see: {error.ctx.command_path} --help)" if error.ctx else said


def _in_our_words(error: click.UsageError) -> str:
    """The message of an error that Click raises; also what is missing, or too much."""
    command = error.ctx.info_name if error.ctx else ""
    if isinstance(error, click.MissingParameter) and error.param is not None and error.ctx is not None:
        return f"{command} needs {error.param.make_metavar(error.ctx)}"
    if isinstance(error, click.BadOptionUsage) and error.message.endswith("requires an argument."):
        return f"{error.option_name} needs a value{_wanted(error)}"
    said = error.format_message().rstrip(".")
    if extra := re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", said, re.DOTALL):
        return f"{command} takes no more arguments: leave out {extra[1]}"
    return said


def _wanted(error: click.BadOptionUsage) -> str:
    """The values that an option accepts, for the error that its value is missing."""
    for option in error.ctx.command.params if error.ctx else ():
        if error.option_name in option.opts and isinstance(option.type, ParameterType):
            return f": {spelled(option.type.parameter.values.wanted)}"
    return ""


def _line_about(error: Exception) -> str:
    if isinstance(error, SimdocsError):
        return marked(error.message)
    if exits.is_out_of_memory(error):
        return "not enough memory: -j 1 needs least, and --max-size leaves large documents out"
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return "too many open files: ulimit -n 64 allows enough for a few workers, and -j 1 needs fewest"
    if isinstance(error, FileNotFoundError) and error.filename is None and _is_nowhere():
        return "the working directory no longer exists: change to one that does"
    if isinstance(error, OSError):
        return f"{error.filename or 'standard output'}: {error.strerror}"
    return f"{type(error).__name__}: {error} (unexpected: --debug shows where)"


def _is_nowhere() -> bool:
    """Whether the working directory was removed."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def _invoke(arguments: list[str]) -> int:
    if os.environ.get(COMPLETE):
        from simdocs.cli.completion import complete

        return complete(simdocs, COMPLETE)
    try:
        with simdocs.make_context("simdocs", arguments) as context:
            return int(simdocs.invoke(context) or 0)
    except click.exceptions.Exit as done:
        return done.exit_code


def _close(status: int) -> int:
    """Flush what Click printed (help, version) while a full disk can still be reported. Return the exit status."""
    if sys.stdout is not None:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            _drop_stdout()
            messages.error(f"standard output: write error: {error.strerror}")
            return exits.FAILED
    return status


def _drop_stdout() -> None:
    """Redirect standard output to /dev/null, so that the interpreter cannot fail to flush it at the end."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
    except OSError:
        pass
