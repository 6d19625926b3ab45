"""Where the rows of documents' files are written: to one file, or to a directory with the names of the files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from simdocs.artifacts.recognise import is_artifact
from simdocs.errors import InputError, UsageError
from simdocs.extras import needs
from simdocs.model.figures import counted
from simdocs.names import display_name, flag, is_uri
from simdocs.options.answers import PROMISED
from simdocs.options.file_formats import CONTAINERS, compression_of, without_compression
from simdocs.options.texts import Sequences
from simdocs.reading.compression import CompressedSink
from simdocs.reading.file_list import FileList
from simdocs.reading.find import Sources
from simdocs.reading.formats import format_named, formats_of
from simdocs.reading.identity import is_directory
from simdocs.storage.atomic_tree import check_tree

_STANDARD_OUTPUT = "/dev/stdout"


class RowTargets(NamedTuple):
    """Where the rows of F files are written.

    outputs: the paths that were given, by parameter.
    forms: the format of the rows of each output that is one file.
    read_as: the format of each file.
    paths: the path of each file in an output that is a directory.
    """

    outputs: Mapping[str, str]
    forms: Mapping[str, str]
    read_as: Sequence[str]
    paths: Sequence[str]


def row_targets(
    outputs: Mapping[str, str],
    found: FileList,
    sources: Sources,
    fields: Sequences,
    others: Sequence[str | None],
) -> RowTargets:
    """Where the rows of these files are written. Nothing is written yet.

    outputs: the paths that were given, by parameter. sources: from which the files were found. others: files that are
    written, too. UsageError: a document is no row, rows of two files would be written to one file, an output is an
    input, lies in one, or holds one. InputError: there is no file with rows. OutputError: see `check_tree`.
    """
    numbers, meanings = formats_of(found, fields)
    read_as = [meanings[number] for number in numbers.tolist()]
    if texts := [number for number, form in enumerate(read_as) if not form]:
        raise no_rows(next(iter(outputs)), len(texts), found.names[texts[0]])
    if not read_as:
        raise InputError(f"no file with rows was found, so {flag(next(iter(outputs)))} has nothing to write")
    outputs = {name: _STANDARD_OUTPUT if path == "-" else path for name, path in outputs.items()}
    is_one_file = sources.listed is None and len(sources.names) == 1 and not is_directory(sources.names[0])
    _refuse_overlaps(outputs, others)
    forms = dict[str, str]()
    for parameter, path in outputs.items():
        if path == _STANDARD_OUTPUT and not is_one_file:
            if set(read_as) != {"jsonl"}:
                raise UsageError(
                    f"{flag(parameter)} -: only one file, or files of JSON Lines, can go to standard output"
                )
            forms[parameter] = "jsonl"
        elif is_one_file:
            if found.holds(path):
                raise UsageError(f"{_shown(path)}: this file is read in this run: choose another {flag(parameter)}")
            forms[parameter] = _form_of(parameter, path, read_as[0])
        else:
            if format_named(os.fsencode(path)) or compression_of(os.fsencode(path)) or _suffix(path) in PROMISED:
                why = f"{_shown(path)} would be a directory, because more than one file or a directory is read"
                raise UsageError(f"{flag(parameter)}: {why}: choose a name without a suffix of a format")
            _refuse_inputs(parameter, path, found, sources)
            check_tree(path, is_artifact)
    if "flagged_rows" in outputs and forms.get("flagged_rows", read_as[0]) == "lines":
        raise UsageError("--flagged-rows: a line has no fields: write one file with a name that ends in .jsonl")
    paths = [] if len(forms) == len(outputs) else _relative_names(found, sources, next(iter(outputs.values())))
    return RowTargets(outputs, forms, read_as, paths)


def no_rows(parameter: str, count: int, example: bytes) -> UsageError:
    """The error that some documents are whole files, and no rows."""
    found = counted(count, "file is one text", "files are one text each")
    remedy = "leave them out with --include or --exclude, or say with --input-format which tables they are"
    if example == b"-":
        remedy = "say which format standard input has with --input-format"
    said = f"{flag(parameter)} writes rows of files such as {_suffixes('*')}"
    return UsageError(f"{said}, and {found}, such as {display_name(example)}: {remedy}")


def _relative_names(found: FileList, sources: Sources, output: str) -> list[str]:
    """The path of each file in a directory with rows: below the directory that was named, or the name of the file.

    Files of a list have paths below the directory that all of them have in common. UsageError: two have the same path.
    """
    every = [found.names[row] for row in range(len(found.names))]
    names, first = list[bytes](), dict[bytes, bytes]()
    for argument, count in enumerate(found.counts.tolist()):
        some = every[len(names) : len(names) + count]
        if argument == len(sources.names):
            some = list(map(os.path.abspath, some))
            above = os.path.commonpath(list(map(os.path.dirname, some))) if some else b""
        else:
            above = sources.names[argument] if is_directory(sources.names[argument]) else b""
        names += [name[len(os.path.join(above, b"")) :] if above else os.path.basename(name) for name in some]
    for name, path in zip(every, names, strict=True):
        if first.setdefault(path, name) != name:
            both = f"rows of {display_name(first[path])} and {display_name(name)}"
            target = display_name(os.path.join(os.fsencode(output), path))
            raise UsageError(f"{both} would both be written to {target}: name the directory that has both instead")
    return list(map(os.fsdecode, names))


def _refuse_overlaps(outputs: Mapping[str, str], others: Sequence[str | None]) -> None:
    """Raise UsageError if an output is another file that is written, or one of them lies in the other."""
    taken = [(_real(path), path) for path in others if path is not None]
    for parameter, path in outputs.items():
        real = _real(path)
        for there, other in taken:
            if _is_in(real, there) or _is_in(there, real):
                both = f"{_shown(other)} and {_shown(path)}"
                raise UsageError(f"{flag(parameter)}: {both} are not two different places: choose another name")
        taken.append((real, path))


def _refuse_inputs(parameter: str, path: str, found: FileList, sources: Sources) -> None:
    """Raise UsageError if a directory of rows is in a directory that is read, or would replace a file that is read."""
    for name in sources.names:
        if (is_uri(name) or os.path.isdir(name)) and _is_in(_real(path), _real(os.fsdecode(name))):
            raise UsageError(f"{_shown(path)}: is in {display_name(name)}, which is read: choose another directory")
    if found.holds(os.path.join(path, "")):
        what = f"holds files that are read, and {flag(parameter)} would replace them"
        raise UsageError(f"{_shown(path)}: {what}: choose another name")


def _real(path: str) -> str:
    """The real path of a file, or the name of an object in one spelling, without a slash at the end."""
    if not is_uri(os.fsencode(path)):
        return os.path.realpath(path)
    scheme, _, rest = path.partition("://")
    return f"{ {'s3a': 's3', 'gcs': 'gs'}.get(scheme, scheme) }://{rest}".rstrip("/")


def _is_in(path: str, directory: str) -> bool:
    """Whether a real path is that of a directory, or of something below it."""
    return path == directory or path.startswith(os.path.join(directory, ""))


def _form_of(parameter: str, path: str, form: str) -> str:
    """The format of one file, by its suffix; that of the input if the suffix promises none.

    UsageError: it is not offered. MissingExtraError: the library that writes it is not installed.
    """
    name = os.fsencode(path)
    named, inner, wrong = format_named(name), format_named(without_compression(name)), ""
    CompressedSink(name, lambda _: None)  # fails now if it ever does
    if inner and not named:
        wrong = f"{inner.capitalize()} is compressed by itself: leave out {os.path.splitext(path)[1]}"
    elif not named and _suffix(path) in PROMISED:
        wrong = f"simdocs cannot write rows as .{_suffix(path)}: use {_suffixes('')}"
    if wrong:
        raise UsageError(f"{flag(parameter)} {_shown(path)}: {wrong}")
    if named and (library := CONTAINERS[named].needs):
        needs(library[0], library[1].replace("reading", "writing"), _shown(path))
    return named or form


def _suffixes(before: str) -> str:
    return ", ".join(before + suffix.decode() for member in CONTAINERS.values() for suffix in member.suffixes)


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].removeprefix(".").lower()


def _shown(path: str) -> str:
    return display_name(os.fsencode(path))
