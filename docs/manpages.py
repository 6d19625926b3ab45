"""Manual pages, in the roff of man(7), from the program itself."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterator, Mapping

import click

from simdocs import __version__
from simdocs.artifacts.formats import FORMATS, RUN
from simdocs.cli.command import Command, OfCommand, OptionValue
from simdocs.cli.exits import BY_SIGNAL, MEANINGS, PRECEDENCE
from simdocs.cli.program import EXAMPLES, each_command, simdocs
from simdocs.names import MANIFEST
from simdocs.options.declaration import SHARED
from simdocs.options.values import Values

ENVIRONMENT = {
    "NO_COLOR": "If it is not empty, nothing is coloured.",
    "FORCE_COLOR": "If it is not empty, tables have colours in a pipe too, and if TERM is dumb.",
    "TERM": "If it is dumb, nothing is coloured.",
    "COLUMNS": "The width of tables and of help, instead of the terminal's.",
    "SIMDOCS_DEBUG": "If it is not empty, the same as --debug.",
    "SIMDOCS_KERNELS": "The kernels to use: native (in C), numpy, or auto: native if they are installed.",
    "AWS_ENDPOINT_URL_S3": "The address of the server for s3:// names, before AWS_ENDPOINT_URL.",
    "AWS_ENDPOINT_URL": "The address of the server for s3:// names, as http://localhost:9000. Default: AWS itself.",
    "AWS_REGION": "The region of s3:// names, before AWS_DEFAULT_REGION.",
    "AWS_DEFAULT_REGION": "The region of s3:// names. Default: AWS is asked for that of the bucket.",
    "AWS_CA_BUNDLE": "A file of certificates by which the server for s3:// names is known.",
    "JAVA_HOME": "The directory of the Java that simdocs spark starts, instead of the java in PATH.",
    "PYSPARK_PYTHON": "The Python of Spark's workers. Default: the path of this one.",
}
"""The variables that the program reads."""

_CODE = {"\\": "\\(rs", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"}


def pages() -> Mapping[str, str]:
    """Each page under the name of its file."""
    context = click.Context(simdocs, info_name="simdocs", **simdocs.context_settings)
    written = {"simdocs.1": "\n".join(_overview(context)) + "\n"}
    for name, command in each_command():
        inner = click.Context(command, info_name=name, parent=context)
        written[f"{_page(name)}.1"] = "\n".join(_command(command, inner)) + "\n"
    return written


def _overview(context: click.Context) -> Iterator[str]:
    blocks = (simdocs.help or "").split("\n\n")
    yield from _head("simdocs", simdocs.short_help or "", simdocs.collect_usage_pieces(context))
    yield from _paragraphs(blocks[1:])
    yield ".SH COMMANDS"
    for name, command in each_command():
        yield from _entry(f"{_bold(_page(name))}(1)", command.get_short_help_str() + ".")
    yield ".SH OPTIONS"
    for option in simdocs.get_params(context):
        assert isinstance(option, click.Option)
        yield from _option(option, context)
    yield ".SH FILES"
    for form in FORMATS.values():
        holds = ", ".join(array.file for array in form.arrays)
        yield from _entry(f"\\fINAME\\fR{_code(form.suffix)}", f"A directory with {holds}, {MANIFEST} and {RUN}.")
    yield ".SH ENVIRONMENT"
    for variable, meaning in ENVIRONMENT.items():
        yield from _entry(_bold(variable), meaning)
    yield from _statuses(MEANINGS)
    yield _filled(PRECEDENCE)
    yield ".SH EXAMPLES"
    yield ".EX"
    yield from map(_code, EXAMPLES)
    yield ".EE"
    yield from _see_also("simdocs")


def _page(name: str) -> str:
    return f"simdocs-{name.replace(' ', '-')}"


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    yield from _head(_page(command.name or ""), command.get_short_help_str(), command.collect_usage_pieces(context))
    arguments = [part.strip("[].") for part in command.collect_usage_pieces(context)]
    yield from _paragraphs((command.help or "").split("\n\n"), arguments)
    yield ".SH OPTIONS"
    if not isinstance(command, Command):
        for option in command.params:
            if isinstance(option, click.Option):
                yield from _option(option, context)
        yield from _see_also(_page(command.name or ""))
        return
    for group in ("", *SHARED):
        if options := command.of_group(group):
            yield f".SS {group.capitalize() or 'Of this command'}"
            for option in options:
                yield from _option(option, context)
    yield from _statuses(command.statuses)
    yield ".SH EXAMPLES\n.EX"
    yield from (_guarded(_code(example)) for example in command.asked.examples)
    yield ".EE"
    yield from _see_also(_page(command.name or ""))


def _head(name: str, purpose: str, usage: list[str]) -> Iterator[str]:
    yield '.\\" Written from the program itself.'
    # Without a date, because the page must be the same on any day.
    yield f'.TH {name.upper()} 1 "" "simdocs {__version__}" "User Commands"'
    yield ".nh\n.ad l"
    yield f".SH NAME\n{_code(name)} \\- {_filled(purpose[0].lower() + purpose[1:])}"
    yield f".SH SYNOPSIS\n{_bold(name.replace('-', ' '))} {' '.join(map(_usage, usage))}\n.SH DESCRIPTION"


def _paragraphs(blocks: list[str], names: Collection[str] = ()) -> Iterator[str]:
    yield "\n.PP\n".join(_filled(" ".join(block.split()), names) for block in blocks)


def _entry(tag: str, text: str, names: Collection[str] = ()) -> Iterator[str]:
    yield f".TP\n{tag}\n{_filled(text, names)}"


def _option(option: click.Option, context: click.Context) -> Iterator[str]:
    """An option with its meaning, range and default, and the members of its family with theirs."""
    record = option.get_help_record(context)
    assert record is not None
    spellings = sorted(option.opts, key=len)
    metavar = record[0].removeprefix(", ".join(spellings)).strip()
    tag = ", ".join(_bold(spelling) for spelling in spellings)
    meaning = option.declared.help if isinstance(option, OfCommand) else option.help or ""
    default = option.get_help_extra(context).get("default")
    sentences = [meaning, *accepted(option), *([f"Default: {default}."] if default else [])]
    yield from _entry(f"{tag} {_usage(metavar)}".rstrip(), " ".join(sentences), [metavar])
    values = _values(option)
    if values is not None and values.family:
        yield ".RS\n.PD 0"
        for name, member in values.family.items():
            yield from _entry(_bold(name), member.help)
        yield ".PD\n.RE"


def accepted(option: click.Option) -> Iterator[str]:
    """The numbers that the option takes, as a sentence; nothing if it takes something else."""
    values = _values(option)
    if values is not None and values.is_number:
        yield f"Takes {values.wanted}."


def _values(option: click.Option) -> Values | None:
    return option.type.declared.values if isinstance(option.type, OptionValue) else None


def _statuses(meanings: Mapping[int, str]) -> Iterator[str]:
    yield ".SH EXIT STATUS"
    for status, meaning in meanings.items():
        yield from _entry(_bold(str(status)), f"{meaning[0].upper()}{meaning[1:]}.")
    yield f".PP\n{_filled(f'{BY_SIGNAL}.')}"


def _see_also(name: str) -> Iterator[str]:
    others = ["simdocs", *(f"simdocs-{other}" for other in simdocs.commands)]
    yield ".SH SEE ALSO"
    yield ",\n".join(f"{_bold(other)}(1)" for other in others if other != name)


def _usage(usage: str) -> str:
    """A usage line: words to replace are in italics, words to type are in bold."""
    parts = re.split(r"([A-Za-z]+(?:\.[a-z]+)?)", usage)
    parts[1::2] = [_bold(word) if word.islower() else f"\\fI{word}\\fR" for word in parts[1::2]]
    return "".join(_code(part) if place % 2 == 0 else part for place, part in enumerate(parts))


def _filled(text: str, names: Collection[str] = ()) -> str:
    """Prose in lines that roff does not take for requests.

    These names are in italics. Options, and words in backquotes, are in bold.
    """
    italic = "|".join(re.escape(name) for name in names if name.isupper())

    def marked(found: re.Match[str]) -> str:
        if found["name"]:
            return f"\\fI{found['name']}\\fR"
        code = found["code"] or found["option"]
        return _bold(code) if code else _CODE[found[0]]

    code = r"`(?P<code>[^`]+)`|(?<![\w-])(?P<option>--?[a-zA-Z0-9][\w-]*|-(?![\w-]))"
    pattern = rf"{code}|\b(?P<name>{italic or '(?!)'})\b|[\\^~]"
    lines = textwrap.wrap(re.sub(pattern, marked, text), 80, break_long_words=False, break_on_hyphens=False)
    return "\n".join(map(_guarded, lines))


def _guarded(line: str) -> str:
    return f"\\&{line}" if line.startswith((".", "'")) else line


def _bold(code: str) -> str:
    return f"\\fB{_code(code)}\\fR"


def _code(text: str) -> str:
    return "".join(_CODE.get(letter, letter) for letter in text)
