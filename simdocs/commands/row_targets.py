"""Where the rows of documents' files are written: to one file, or to a directory with the names of the files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from simdocs.artifacts.recognise import is_artifact
from simdocs.commands.row_sources import container_formats
from simdocs.corpora.compression import CompressedSink
from simdocs.corpora.containers.recognise import Lookalike, flag_of, format_named, lookalike_of
from simdocs.corpora.containers.rows import row_format
from simdocs.corpora.discover import Sources
from simdocs.corpora.file_list import FileList
from simdocs.corpora.read_file import read
from simdocs.corpora.stamp import file_id, is_directory, is_regular, status_of
from simdocs.errors import InputError, UsageError
from simdocs.extras import needs
from simdocs.model.figures import counted
from simdocs.model.skipped import DocumentSkipped
from simdocs.names import display_name, flag, is_uri
from simdocs.options.file_formats import CONTAINERS, compression_of, without_compression
from simdocs.options.texts import Sequences
from simdocs.storage.atomic_tree import LIST, check_tree

_STANDARD_OUTPUT = "/dev/stdout"


class RowFile(NamedTuple):
    """A file whose rows are written.

    number: its number among the files that were found.
    form: its container format.
    path: its path in a directory of files; empty if its rows are written to one file.
    """

    number: int
    form: str
    path: str


class RowTargets(NamedTuple):
    """Where rows are written.

    outputs: the paths that were given, by parameter.
    forms: the format of each output, if it is one file; of a directory, each file keeps its own.
    files: the files whose rows are written.
    is_one_file: whether each output is one file, and not a directory.
    copies: the paths of files that describe a data set, and what they are called in a directory of files.
    """

    outputs: Mapping[str, str]
    forms: Mapping[str, str]
    files: Sequence[RowFile]
    is_one_file: bool
    copies: Mapping[bytes, str]

    def form(self, parameter: str, file: RowFile) -> str:
        """The format in which the rows of a file are written to an output."""
        return self.forms.get(parameter, file.form)

    def name(self, parameter: str, file: RowFile) -> str:
        """The path of the file to which the rows of a file are written."""
        path = self.outputs[parameter]
        return path if self.is_one_file else os.path.join(path, file.path)


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
    forms = _forms(found, fields, next(iter(outputs)))
    outputs = {name: _STANDARD_OUTPUT if path == "-" else path for name, path in outputs.items()}
    is_one_file = sources.listed is None and len(sources.names) == 1 and not is_directory(sources.names[0])
    names = [""] * len(found.names) if is_one_file else _relative_names(found, sources, outputs)
    if not names:
        raise InputError(f"no file with rows was found, so {flag(next(iter(outputs)))} has nothing to write")
    files = [RowFile(number, form, name) for number, (form, name) in enumerate(zip(forms, names, strict=True))]
    _refuse_overlaps(outputs, others)
    for parameter, path in outputs.items():
        if is_one_file:
            if found.holds(path):
                raise UsageError(f"{_shown(path)}: this file is read in this run: choose another {flag(parameter)}")
        elif path == _STANDARD_OUTPUT:
            raise UsageError(f"{flag(parameter)} -: standard output takes the rows of one file: name a directory")
        else:
            _refuse_suffix(parameter, path, sources)
            _refuse_inputs(parameter, path, found, sources)
            check_tree(path, is_artifact)
    chosen = {name: _form_of(name, path, files[0].form) for name, path in outputs.items()} if is_one_file else {}
    copies = {} if is_one_file else _descriptions(found, files, outputs)
    return RowTargets(outputs, chosen, files, is_one_file, copies)


INFO = "dataset_info.json"
"""The file of a data set of Hugging Face that lists its columns."""

_DESCRIPTIONS = (INFO, "state.json", "dataset_dict.json")
"""Files without rows that a data set of Hugging Face needs."""


def _descriptions(found: FileList, files: Sequence[RowFile], outputs: Mapping[str, str]) -> dict[bytes, str]:
    """The files that describe data sets, in the directories of these files and above, and their paths in an output.

    UsageError: two of them have the same path there, or one the path of a file with rows.
    """
    copies, seen = dict[bytes, str](), set[bytes]()
    taken = {os.fsencode(file.path): found.names[file.number] for file in files}
    read = {name for name in found.names if name.endswith(b".json")}
    for file in files:
        name, path = found.names[file.number], os.fsencode(file.path)
        whole = name if name.endswith(path) else os.path.abspath(name)  # a list may have a/../b, which becomes b
        root = whole.removesuffix(path)
        for directory in (os.path.dirname(path), *_above(os.path.dirname(path)), b""):
            if root + directory in seen:
                break
            seen.add(root + directory)
            for described in map(os.fsencode, _DESCRIPTIONS):
                target = os.path.join(directory, described)
                if root + target in read or not is_regular(root + target):
                    continue
                first = taken.setdefault(target, root + target)
                if first == root + target:
                    copies[first] = os.fsdecode(target)
                elif file_id(status_of(first)) != file_id(status_of(root + target)):
                    raise _collision(first, root + target, target, outputs)
    return copies


def _forms(found: FileList, fields: Sequences, parameter: str) -> list[str]:
    """The container format of each file. UsageError, InputError: a file is none, or its rows cannot be written."""
    forms = container_formats(found, fields)
    texts = [number for number, form in enumerate(forms) if not form]
    for text in (found.names[number] for number in texts if not fields.plain):
        if compression_of(text) and format_named(without_compression(text)):
            why = "was compressed once more, so its rows cannot be written: decompress it"
            raise InputError(f"{display_name(text)}: {why}")
    if texts:
        alike = None if fields.plain or len(found.names) > 1 else _looks_like(found)
        raise no_rows(parameter, len(texts), found.names[texts[0]], alike)
    for form in set(forms):
        if row_format(form) is None:
            name = display_name(found.names[forms.index(form)])
            raise UsageError(f"{name}: {flag(parameter)} cannot write rows of this format ({form})")
    return forms


_LOOKED_INTO = 1 << 26
"""The most bytes of a file that are read to say what it looks like."""


def _looks_like(found: FileList) -> Lookalike | None:
    """The table that the only file looks like, if any."""
    try:
        text = found.held[0] if found.held else read(found.names[0], _LOOKED_INTO)[0]
    except DocumentSkipped:
        return None
    return lookalike_of(flag_of(text))


def no_rows(parameter: str, count: int, example: bytes, alike: Lookalike | None = None) -> UsageError:
    """The error that some documents are whole files, and no rows. alike: the table that the only one looks like."""
    found = counted(count, "file is one text", "files are one text each")
    formats = ", ".join(f"*{suffix.decode()}" for member in CONTAINERS.values() for suffix in member.suffixes)
    remedy = "leave them out with --include or --exclude"
    if example == b"-":
        remedy = "say which format standard input has with --input-format"
    if alike is not None:
        remedy = f"this looks like {alike.name}: give {alike.options}"
    return UsageError(
        f"{flag(parameter)} writes rows of files such as {formats}, and {found}, such as {display_name(example)}:"
        f" {remedy}"
    )


def _relative_names(found: FileList, sources: Sources, outputs: Mapping[str, str]) -> list[str]:
    """The path of each file in a directory with rows: below the directory that was named, or the name of the file.

    Files of a list have paths below the directory that all of them have in common.
    """
    names = list[bytes]()
    for argument, count in enumerate(found.counts.tolist()):
        some = [found.names[row] for row in range(len(names), len(names) + count)]
        if argument == len(sources.names):
            names += _below_common(some)
        elif is_directory(sources.names[argument]):
            above = os.path.join(sources.names[argument], b"")
            names += [name[len(above) :] for name in some]
        else:
            names += map(os.path.basename, some)
    _refuse_collisions(names, found, outputs)
    return list(map(os.fsdecode, names))


def _below_common(names: list[bytes]) -> list[bytes]:
    """The paths of these files below the directory that all of them have in common."""
    paths = list(map(os.path.abspath, names))
    common = os.path.join(os.path.commonpath(list(map(os.path.dirname, paths))), b"") if paths else b""
    return [path[len(common) :] for path in paths]


def _refuse_collisions(names: list[bytes], found: FileList, outputs: Mapping[str, str]) -> None:
    """Raise UsageError if two files have the same path, or one the path of the directory of another."""
    first = dict[bytes, int]()
    for row, name in enumerate(names):
        if name == b"-" or name == LIST.encode():
            raise UsageError(f"{display_name(name)}: this has no name in a directory of files: name one input only")
        if name in first:
            raise _collision(found.names[first[name]], found.names[row], name, outputs)
        first[name] = row
    directories = {directory: row for row, name in enumerate(names) for directory in _above(name)}
    for directory in directories.keys() & first.keys():
        one, other = found.names[first[directory]], found.names[directories[directory]]
        raise _collision(one, other, directory, outputs)


def _above(name: bytes) -> Iterator[bytes]:
    while name := os.path.dirname(name):
        yield name


def _collision(one: bytes, other: bytes, name: bytes, outputs: Mapping[str, str]) -> UsageError:
    both = f"{display_name(one)} and {display_name(other)}"
    target = display_name(os.path.join(os.fsencode(next(iter(outputs.values()))), name))
    what = both if os.path.basename(name) in map(os.fsencode, _DESCRIPTIONS) else f"rows of {both}"
    remedy = "name the directory that has both instead"
    if os.path.abspath(other) < os.path.abspath(one):  # then another row of near-duplicates may be the first
        remedy += f", which is read in the order of names: {display_name(other)} before {display_name(one)}"
    return UsageError(f"{what} would both be written to {target}: {remedy}")


def _refuse_suffix(parameter: str, path: str, sources: Sources) -> None:
    """Raise UsageError if a directory of rows would have a name that promises a file."""
    if format_named(os.fsencode(path)) or _suffix(path) in _PROMISES:
        alone = sources.listed is None and len(sources.names) == 1
        why = f"{display_name(sources.names[0])} is one" if alone else "more than one file is read"
        raise UsageError(
            f"{flag(parameter)}: {_shown(path)} would be a directory, because {why}: choose a name without a suffix"
            " of a format"
        )


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
    real = _real(path)
    for name in sources.names:
        there = _real(os.fsdecode(name))
        if (is_uri(name) or os.path.isdir(name)) and _is_in(real, there):
            where = f"is in {display_name(name)}, which" if real != there else "this directory"
            raise UsageError(f"{_shown(path)}: {where} is read: choose another directory")
    names = (found.names[row] for row in range(len(found.names)))
    for directory in {os.path.dirname(name) for name in names if not is_uri(name)}:
        if _is_in(os.path.realpath(os.fsdecode(directory)), real):
            what = f"holds files that are read, in {display_name(directory or b'.')}"
            raise UsageError(f"{_shown(path)}: {what}, and {flag(parameter)} would replace them: choose another name")


def _real(path: str) -> str:
    """The real path of a file, or the name of an object in one spelling, without a slash at the end."""
    if not is_uri(os.fsencode(path)):
        return os.path.realpath(path)
    scheme, _, rest = path.partition("://")
    return f"{ {'s3a': 's3', 'gcs': 'gs'}.get(scheme, scheme) }://{rest}".rstrip("/")


def _is_in(path: str, directory: str) -> bool:
    """Whether a real path is that of a directory, or of something below it."""
    return path == directory or path.startswith(os.path.join(directory, ""))


_PROMISES = frozenset(
    (
        *("gz", "zst", "bz2", "xz", "zip", "json", "csv", "tsv", "parquet", "arrow", "feather", "avro", "orc"),
        *("xlsx", "xls", "ods", "npy", "npz", "pkl", "sqlite", "db", "xml", "yaml", "yml", "html"),
    )
)
"""Suffixes that promise a format or a compression."""


def _form_of(parameter: str, path: str, form: str) -> str:
    """The format of one file, by its suffix; that of the input if the suffix promises none.

    UsageError: it is not offered. MissingExtraError: the library that writes it is not installed.
    """
    named = format_named(os.fsencode(path))
    CompressedSink(os.fsencode(path), lambda _: None)  # fails now if it ever does
    suffix = _suffix(path)
    if compressed := _twice_compressed(path):
        raise UsageError(f"{flag(parameter)} {_shown(path)}: {compressed}")
    if suffix in _PROMISES and not named:
        offered = ", ".join(suffix.decode() for member in CONTAINERS.values() for suffix in member.suffixes)
        raise UsageError(f"{flag(parameter)} {_shown(path)}: simdocs cannot write rows as .{suffix}: use {offered}")
    if named and row_format(named) is None:
        raise UsageError(f"{flag(parameter)} {_shown(path)}: simdocs cannot write rows in this format")
    if named and (library := CONTAINERS[named].needs):
        module, what = library
        needs(module, what.replace("reading", "writing"), _shown(path))
    return named or form


def _twice_compressed(path: str) -> str:
    """Why a table that is compressed by itself has no suffix of a compression; empty if this is none."""
    inner = without_compression(os.fsencode(path))
    known = format_named(inner) if len(inner) < len(os.fsencode(path)) else ""
    if not known or CONTAINERS[known].may_be_compressed:
        return ""
    return f"{known.capitalize()} is compressed by itself: leave out {path[len(os.fsdecode(inner)) :]}"


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].removeprefix(".").lower()


def _shown(path: str) -> str:
    return display_name(os.fsencode(path))
