"""The program: its commands, its help, and the lines that say what went wrong."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Threads of a linear algebra library that is never called would cost seconds of start-up on a large machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The usual allocator of pyarrow keeps what it frees: 114 MB instead of 80 MB while a Parquet file is read.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

import click

from simdocs.cli import exits
from simdocs.cli.command import Command, OfCommand, help_option, write_examples, write_options
from simdocs.commands import QUESTIONS, question
from simdocs.errors import SimdocsError
from simdocs.kernels.native import kernels_in_use
from simdocs.names import display_name
from simdocs.options.declaration import SHARED
from simdocs.version import __version__
from simdocs.views import messages

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_COMPLETE = "_SIMDOCS_COMPLETE"
"""The variable in which a shell asks for words that complete a line, or for its script."""

PIPELINE = """\
  simdocs shingle   docs/            -o docs.shingles     sets of tokens of each document
  simdocs signature docs.shingles    -o docs.signatures   128 numbers for each document
  simdocs index     docs.signatures  -o docs.index        tables of buckets, for similar ones
  simdocs query     docs.index new.txt                    documents like new.txt
"""
"""The stages, each of which reads what the one before wrote."""

EXAMPLES = (
    "simdocs dedupe docs/",
    "simdocs dedupe docs/ --list duplicates",
    "simdocs dedupe new/ --against docs.index --list kept",
)


_NAMES = tuple(name for names in QUESTIONS.values() for name in names)


class Commands(dict[str, Any]):
    """The commands, each of which is imported when it is first used: until then, None stands for it."""

    def __getitem__(self, name: str) -> Any:
        if super().__getitem__(name) is None:
            several = [each for each in _NAMES if each.startswith(f"{name} ")]
            self[name] = _group(name, several) if several else Command(question(name)[0])
        return super().__getitem__(name)


def _group(name: str, commands: Sequence[str]) -> click.Group:
    """The group of these commands, whose names begin with that of the group."""
    made: dict[str, click.Command] = {each.split()[1]: Command(question(each)[0]) for each in commands}
    about = "; ".join(f"{each}: {command.get_short_help_str().lower()}" for each, command in made.items())
    helps = {"help_option_names": ["-h", "--help"]}
    return click.Group(name, made, help=about, short_help=", ".join(made), context_settings=helps)


class Program(click.Group):
    """The program as a group of commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of the commands, in the order of help."""
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of this name; None if there is none."""
        if cmd_name not in self.commands:
            return None
        made: click.Command = self.commands[cmd_name]
        return made

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the pipeline, the commands under their headings, and the program's own options."""
        with formatter.section("The stages, each of which reads what the one before wrote"):
            formatter.write(PIPELINE)
        write_examples(formatter, EXAMPLES)
        for heading, names in QUESTIONS.items():
            with formatter.section(heading):
                firsts = dict.fromkeys(name.split()[0] for name in names)
                formatter.write_dl([(name, self.commands[name].get_short_help_str()) for name in firsts])
        with formatter.section("Options"):
            records = (option.get_help_record(ctx) for option in self.get_params(ctx))
            formatter.write_dl([record for record in records if record])
        formatter.write_paragraph()
        formatter.write_text("Help of a command: simdocs COMMAND -h. The guide: simdocs help guide")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name. UsageError: there is no such command."""
        if args and args[0] not in self.commands and not ctx.resilient_parsing and os.path.lexists(args[0]):
            from shlex import join

            raise click.UsageError(f"no command {args[0]!r}: to find near-duplicates, use simdocs dedupe {join(args)}")
        return super().resolve_command(ctx, args)


def _print_version(context: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        click.echo(f"simdocs {__version__} (kernels: {kernels_in_use()})")
        context.exit()


@click.group(
    cls=Program,
    commands=Commands.fromkeys(name.split()[0] for name in _NAMES),
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


def each_command() -> Iterator[tuple[str, click.Command]]:
    """Yield the name of each command, of one or two words, and the command."""
    for name in (*_NAMES, "help"):
        first, _, second = name.partition(" ")
        command = simdocs.commands[first]
        yield name, command.commands[second] if isinstance(command, click.Group) else command


simdocs.params.append(help_option("-h", "Show this help and exit.", lambda command, ctx: command.get_help(ctx)))

GUIDE = Path(__file__).with_name("guide.md")
"""The guide: in a clone a link to docs/guide.md, in a wheel a copy of it."""


def _topics(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The topics of help whose names begin like the incomplete word, with what they are about."""
    from click.shell_completion import CompletionItem

    topics = {name: simdocs.commands[name].get_short_help_str() for name in simdocs.commands} | dict(SHARED)
    topics[GUIDE.stem] = "How to choose options, delete duplicates safely, and run simdocs every night"
    return [CompletionItem(name, help=text) for name, text in topics.items() if name.startswith(incomplete)]


@simdocs.command("help", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("topic", nargs=-1, metavar="[COMMAND|GROUP|guide]", shell_complete=_topics)
@click.pass_context
def help_command(context: click.Context, topic: tuple[str, ...]) -> None:
    """Show the help of a command or of a group of options, or the guide.

    A group of options is one that commands share, such as reading. The guide says how to choose options for your texts,
    delete duplicates safely, and run simdocs every night.
    """
    there = context.find_root()
    if topic == (GUIDE.stem,):
        click.echo(GUIDE.read_bytes(), nl=False)
    elif len(topic) == 1 and topic[0] in SHARED:
        click.echo(_help_of_group(context, topic[0]))
    else:
        for word in topic:  # a command may have two
            group = there.command
            if not isinstance(group, click.Group):
                raise click.UsageError(f"no command {' '.join(topic)!r}")
            _, found, _ = group.resolve_command(there, [word])
            assert found is not None
            there = click.Context(found, info_name=word, parent=there)
        click.echo(there.get_help())


def _help_of_group(context: click.Context, group: str) -> str:
    """The options of a shared group, of all commands that have some."""
    options: dict[str, OfCommand] = {}
    for name in ("dedupe", "signature", "compare"):
        command = simdocs.commands[name]
        assert isinstance(command, Command)
        options |= {option.declared.name: option for option in command.of_group(group)} | options
    formatter = context.make_formatter()
    write_options(formatter, context, f"{group.capitalize()}: {SHARED[group]}", list(options.values()))
    return formatter.getvalue().rstrip("\n")


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
        if asked := os.environ.get(_COMPLETE):
            return _close(_complete(*asked.partition("_")[::2]))
        try:
            words = ["--help" if word == "-help" else word for word in arguments]
            with simdocs.make_context("simdocs", words) as context:
                return _close(int(simdocs.invoke(context) or 0))
        except click.exceptions.Exit as done:
            return _close(done.exit_code)
    except BrokenPipeError:
        return exits.die_by(signal.SIGPIPE)
    except click.exceptions.NoArgsIsHelpError as error:
        messages.say(error.format_message())
        return exits.FAILED
    except click.UsageError as error:
        see = f" (see: {error.ctx.command_path} --help)" if error.ctx else ""
        messages.error(f"{error.format_message().rstrip('.')}{see}")
        return exits.FAILED
    except Exception as error:
        _drop_stdout()
        if debug:
            import traceback

            messages.say(traceback.format_exc().rstrip())
        messages.error(_line_about(error))
        return exits.status_of(error)


def completion_script(shell: str) -> str:
    """The script by which a shell completes command lines.

    Click's own have faults. Autoloaded, the one for zsh does nothing at the second TAB of a session. The one for fish
    cuts help at its first comma. The one for bash leaves variables behind. None of them completes every value after
    `=`, and all show errors in the middle of a line.
    """
    return Path(__file__).with_name(f"completion.{shell}").read_text("utf-8")


def _complete(shell: str, what: str) -> int:
    """Answer a shell, which asks in _COMPLETE for SHELL_complete or SHELL_source. Return the exit status."""
    from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

    shells: dict[str, type[ShellComplete]] = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}
    if shell not in shells or what not in ("complete", "source"):
        return exits.FOUND
    if what == "source":
        click.echo(completion_script(shell), nl=False)
        return exits.DONE
    asked = shells[shell](simdocs, {}, "simdocs", _COMPLETE)
    args, incomplete = asked.get_completion_args()
    if shell == "bash":  # which makes `=` a word of its own
        args = [word for word, last in zip(args, ["", *args], strict=False) if (word, last[:2]) != ("=", "--")]
    items = asked.get_completions(args, incomplete)
    name, joined, _ = incomplete.partition("=")
    if joined and name.startswith("--"):  # the shell expects the whole word: `--unit=word`, not `word`
        for item in items:
            item.value = item.value if item.type != "plain" else f"{name}={item.value}"
    lines = "\n".join(map(asked.format_completion, items))
    click.echo(f"{lines}\n".encode("utf-8", "surrogateescape"), nl=False)
    return exits.DONE


def _line_about(error: Exception) -> str:
    if isinstance(error, SimdocsError):
        return str(error)
    if exits.is_out_of_memory(error):
        return "not enough memory: -j 1 needs least, and --max-size leaves large documents out"
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return "too many open files: ulimit -n 64 allows enough for a few workers, and -j 1 needs fewest"
    if isinstance(error, FileNotFoundError) and error.filename is None:
        return "the working directory no longer exists: change to one that does"
    if isinstance(error, OSError):
        name = error.filename if error.filename is None else display_name(os.fsencode(error.filename))
        return f"{name or 'standard output'}: {error.strerror}"
    return f"{type(error).__name__}: {error} (unexpected: --debug shows where)"


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
