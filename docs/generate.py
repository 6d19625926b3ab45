"""Write pages and files from the tables of the program: docs/formats.md, the stub, and what is installed in share/.

usage: python docs/generate.py [--check]    write them, or fail if docs/formats.md or the stub are not up to date

The reference, the manual pages and the files for completion are not kept in the repository: each build makes them.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from manpages import ENVIRONMENT, accepted, pages
from stub import stub

from simdocs.artifacts.formats import BLOCK, FORMATS, RUN
from simdocs.cli.command import Command
from simdocs.cli.exits import BY_SIGNAL, MEANINGS, PRECEDENCE
from simdocs.cli.program import completion_script, each_command, simdocs
from simdocs.model.documents import DOCUMENT, FIELDS, FILE, FILE_FIELDS
from simdocs.model.groups import VERSION
from simdocs.names import MANIFEST
from simdocs.options.declaration import SHARED
from simdocs.storage.targets import HOLDER

ROOT = Path(__file__).resolve().parent.parent


def reference() -> Iterator[str]:
    """Every command, argument, option and exit status."""
    yield "# Reference\n\nEvery command with all its options, written from the program itself.\n"
    context = click.Context(simdocs, info_name="simdocs", **simdocs.context_settings)
    for name, command in each_command():
        if not isinstance(command, Command):
            continue
        inner = click.Context(command, info_name=name, parent=context)
        usage = " ".join(command.collect_usage_pieces(inner))
        yield f"## simdocs {name}\n\n    simdocs {name} {usage}\n\n{_paragraphs(command.help or '')}\n"
        yield from _options(command, inner)
        yield "\n".join(f"    {example}" for example in command.asked.examples) + "\n"
    yield "## Exit statuses\n\n| status | meaning |\n|---|---|"
    yield "\n".join(f"| {status} | {meaning} |" for status, meaning in MEANINGS.items())
    yield f"| by signal | {BY_SIGNAL} |\n"
    yield f"{PRECEDENCE}\n"
    yield "## Environment\n\n| variable | meaning |\n|---|---|"
    yield "\n".join(f"| `{name}` | {meaning} |" for name, meaning in ENVIRONMENT.items()) + "\n"


def _options(command: Command, context: click.Context) -> Iterator[str]:
    for group in ("", *SHARED):
        if not (options := command.of_group(group)):
            continue
        yield f"| {group.capitalize() if group else 'Options'} | |\n|---|---|"
        for option in options:
            spelling, meaning = (part.replace("|", "\\|") for part in option.get_help_record(context) or ())
            text, bracket, default = meaning.partition("  [default: ")
            yield f"| `{spelling}` | {' '.join([text, *accepted(option)])}{bracket}{default} |"
        yield ""


def _paragraphs(text: str) -> str:
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def formats() -> Iterator[str]:
    """Every file of every artifact."""
    yield (ROOT / "docs/formats.head.md").read_text()
    for form in FORMATS.values():
        yield f"## NAME{form.suffix}, version {form.version}\n"
        yield f"    NAME{form.suffix}/"
        for array in form.arrays:
            shape = f"({', '.join(array.shape)}{',' * (len(array.shape) == 1)})"
            kind = f"{array.dtype.itemsize} bytes, below" if array.dtype.names else array.dtype.str.removeprefix("|")
            yield f"    ├── {array.file:<18} {shape:<8} {kind:<17} {array.holds}"
        yield f"    ├── {MANIFEST:<18} {'':<8} {'':<17} parameters: {', '.join(form.parameter_groups)}"
        yield f"    └── {RUN}\n"
    for name, record, fields in (
        ("documents", DOCUMENT, FIELDS),
        ("files", FILE, FILE_FIELDS),
    ):
        yield f"## A row of {name}.npy\n\n{record.itemsize} bytes, little-endian, without gaps.\n"
        yield "| field | dtype | meaning |\n|---|---|---|"
        yield from (
            f"| {field} | {dtype}{' × 2' if shape else ''} | {meaning} |" for field, dtype, shape, meaning in fields
        )
        yield ""
    yield f"## NAME.answer, version {VERSION}\n\n{ANSWER_HEAD}\n"
    for title, described in (("First line", HEAD_FIELDS), ("Row", ROW_FIELDS), ("Last line", END_FIELDS)):
        yield f"| {title} | |\n|---|---|"
        yield from (f"| `{name}` | {meaning} |" for name, meaning in described)
        yield ""


ANSWER_HEAD = """\
`simdocs dedupe DOCS -o NAME.answer` writes it, `simdocs.read_answer` reads it. A line is a JSON object in UTF-8. A name
that is not UTF-8 stands in base64 under its key and `_b64`. The first line is about the whole answer, then comes a row
for each duplicate, in the order of the answer, and then a last line. The same documents and parameters give the same
bytes, for any number of workers. A reader compares the checksum before it uses anything: a file that is cut, damaged,
or was edited is refused (exit status 4), and so is one of a version that the program does not know."""

HEAD_FIELDS = (
    ("format", "`simdocs.answer`"),
    ("version", f"{VERSION}, the version of the format"),
    ("simdocs", "the version of the program that wrote it"),
    ("root", "the directory in which relative names are found"),
    ("index_root", "the same for the documents of an index, with `--against`; else null"),
    ("unicode", "the version of Unicode in Python"),
    ("threshold", "the minimum similarity"),
    ("probability", "the least probability that a pair at the threshold becomes a candidate"),
    ("parameters", "every parameter, in groups; `banding` is null if candidates were not found by bands"),
    ("ignored", "the tokens that were left out, ascending, 4 bytes each, little-endian, in base64"),
    ("documents", "number of documents"),
    ("kept", "how many of them are kept"),
    ("groups", "number of kept documents that have duplicates"),
    ("duplicates", "number of duplicates, which is that of the rows"),
    (
        "changed",
        "null; with `--changed`, the number of documents that are new or changed: only groups with one of these have"
        " rows, and `kept` counts only these",
    ),
    ("skipped", "how many documents were not compared, by reason"),
    ("arguments", "each argument (`name`), and how many documents it gave (`documents`)"),
    (
        "roots",
        "the directories below which files are opened without following links: `path`, `inode`, how many bytes of a"
        " document's name are those of the directory (`named`), and the number of the argument (null: of the index)",
    ),
)
"""The fields of the first line of a saved answer, and their meanings."""

_OF_BOTH = (
    ("root", "the number of the directory in `roots` below which it was found"),
    ("container", "if it is a row of a data set: how many bytes of its name are the name of its file; else 0"),
    ("size", "bytes of its text after decompression"),
    ("file_size", "bytes of its file on disk"),
    ("mtime_ns", "modification time of its file, in nanoseconds since 1970"),
    ("ctime_ns", "time of the last change of its inode"),
    ("inode", "inode of its file; 0 if it came from no file"),
    ("content", "the digest of its file in hexadecimal, as in files.npy"),
)
"""What a row has of both documents, and the meanings."""

ROW_FIELDS = (
    ("kept", "the name of the kept document"),
    ("duplicate", "the name of its duplicate"),
    ("jaccard", "their similarity, rounded to six digits; null if it was not computed"),
    ("estimate", "the similarity estimated from their signatures"),
    ("group", "the number of the group, from 0, in the order of the rows"),
    *((f"kept_{name}", f"of the kept document: {meaning}") for name, meaning in _OF_BOTH),
    *((f"duplicate_{name}", f"of the duplicate: {meaning}") for name, meaning in _OF_BOTH),
)
"""The fields of a row, and their meanings."""

END_FIELDS = (
    ("rows", "number of rows"),
    ("checksum", "the SHA-256 of all lines before this one, in hexadecimal"),
)
"""The fields of the last line, and their meanings."""

COMPLETION = {
    "bash": "bash-completion/completions/simdocs",
    "zsh": "zsh/site-functions/_simdocs",
    "fish": "fish/vendor_completions.d/simdocs.fish",
}
"""The file for each shell below share/, where the shell looks for it."""


def kept() -> dict[str, str]:
    """What the generated files of the repository must hold."""
    held = "\n".join(formats()).replace("{BLOCK}", f"{BLOCK // 1024} KiB").replace("{HOLDER}", HOLDER)
    return {"docs/formats.md": held, "simdocs/__init__.pyi": "\n".join(stub())}


def installed() -> dict[str, str]:
    """What the files hold that a build makes."""
    files = {"share/doc/simdocs/reference.md": "\n".join(reference())}
    files |= {f"share/man/man1/{name}": text for name, text in pages().items()}
    return files | {f"share/{name}": completion_script(shell) for shell, name in COMPLETION.items()}


def main() -> None:
    """Write the files, or check them."""
    stale = {name: text for name, text in kept().items() if (ROOT / name).read_text(encoding="utf-8") != text}
    made = installed()
    if "--check" in sys.argv:
        sys.exit(f"not what the program says: {', '.join(stale)}: run make docs" if stale else 0)
    shutil.rmtree(ROOT / "share", ignore_errors=True)
    for name, text in (stale | made).items():
        (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
