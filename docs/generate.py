"""docs/reference.md and docs/formats.md, from the program's own tables.

usage: python docs/generate.py [--check]    write them anew, or fail if they are not what would be written
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from simdocs.artifacts.formats import BLOCK, FORMATS, HOLDER, MANIFEST, RUN
from simdocs.cli.exits import MEANINGS
from simdocs.cli.program import simdocs
from simdocs.model.documents import DOCUMENT, FIELDS

HERE = Path(__file__).resolve().parent


def reference() -> Iterator[str]:
    """Every command, argument, option and exit status."""
    yield "# Reference\n\nWritten by `make docs` from the program itself.\n"
    context = click.Context(simdocs, info_name="simdocs", **simdocs.context_settings)
    for name in simdocs.list_commands(context):
        command = simdocs.commands[name]
        inner = click.Context(command, info_name=name, parent=context)
        usage = " ".join(command.collect_usage_pieces(inner))
        yield f"## simdocs {name}\n\n    simdocs {name} {usage}\n\n{_paragraphs(command.help or '')}\n"
        yield from _options(command, inner)
        yield from _examples(command.epilog or "")
    yield "## Exit statuses\n\n| status | meaning |\n|---|---|"
    yield "\n".join(f"| {status} | {meaning} |" for status, meaning in MEANINGS.items())
    yield "| by signal | SIGINT, SIGTERM, SIGHUP and SIGPIPE end the program by that signal |\n"
    yield "The first of 2, 4, 75; then 3; then 1; then 0.\n"


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    section = None
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None or not isinstance(parameter, click.Option):
            continue
        here = getattr(parameter, "section", "Run")
        if here != section:
            yield f"{'' if section is None else chr(10)}| {here} | |\n|---|---|"
            section = here
        spelling, meaning = (part.replace("|", "\\|") for part in record)
        yield f"| `{spelling}` | {meaning} |"
    yield ""


def _examples(epilog: str) -> Iterator[str]:
    lines = epilog.partition("Exit status:")[0].replace("\b", "").splitlines()
    examples = [line.strip() for line in lines if line.startswith("  ")]
    if examples:
        yield "\n".join(f"    {example}" for example in examples) + "\n"


def _paragraphs(text: str) -> str:
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def formats() -> Iterator[str]:
    """Every file of every artifact."""
    yield (HERE / "formats.head.md").read_text()
    for form in FORMATS.values():
        yield f"## NAME{form.suffix}, version {form.version}\n"
        yield f"    NAME{form.suffix}/"
        for array in form.arrays:
            shape = f"({', '.join(array.shape)}{',' * (len(array.shape) == 1)})"
            kind = f"{array.dtype.itemsize} bytes, below" if array.dtype.names else array.dtype.str.removeprefix("|")
            yield f"    ├── {array.file:<18} {shape:<8} {kind:<17} {array.holds}"
        yield f"    ├── {MANIFEST:<18} {'':<8} {'':<17} parameters: {', '.join(form.recipe)}"
        yield f"    └── {RUN}\n"
    yield f"## A row of documents.npy\n\n{DOCUMENT.itemsize} bytes, little-endian, without gaps.\n"
    yield "| field | dtype | meaning |\n|---|---|---|"
    yield from (f"| {name} | {dtype}{' × 2' if shape else ''} | {meaning} |" for name, dtype, shape, meaning in FIELDS)
    yield ""


WRITTEN = {"reference.md": reference, "formats.md": formats}


def text_of(name: str) -> str:
    """What the file of this name must hold."""
    filled = "\n".join(WRITTEN[name]())
    return filled.replace("{BLOCK}", f"{BLOCK // 1024} KiB").replace("{HOLDER}", HOLDER)


def main() -> None:
    """Write the files, or check them."""
    stale = [name for name in WRITTEN if not (HERE / name).exists() or (HERE / name).read_text() != text_of(name)]
    if "--check" in sys.argv:
        sys.exit(f"not what the program says: {', '.join(stale)}: run make docs" if stale else 0)
    for name in stale:
        (HERE / name).write_text(text_of(name))


if __name__ == "__main__":
    main()
