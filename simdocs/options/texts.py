"""Options about documents: which are read, where those of an artifact are, which have changed, how a text is
normalised, which are acted on, and which passages they have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from simdocs.options.declaration import READING, TEXT, Group, option, switch
from simdocs.options.families import UNITS
from simdocs.options.file_formats import INPUT_FORMATS, TEXT_FORMAT
from simdocs.options.values import (
    DELIMITER,
    ENCODING,
    FIELD_NAMES,
    FREE_TEXT,
    MIB,
    PATTERNS,
    SIZE,
    UNITS_OF_SIZE,
    artifact_name,
    choice,
    path_name,
    whole,
)

REFUSED = f"Refuse a larger text. {UNITS_OF_SIZE}"


_LIST = "copy the list there first"


class Naming(Group, shared=READING):
    """Where the names of documents are, if not among the arguments."""

    files_from: bytes | None = option(
        path_name(here=_LIST),
        help="Read the names of documents from FILE, one per line. A FILE of - is standard input.",
        metavar="FILE",
    )
    files0_from: bytes | None = option(
        path_name(here=_LIST),
        help="Read the names of documents from FILE, each ended by NUL. A FILE of - is standard input.",
        metavar="FILE",
    )


class Walking(Group, shared=READING):
    """Which files of a directory are documents."""

    hidden: bool = switch("Also read files and directories whose name begins with a dot.")
    follow: bool = switch("Follow symbolic links in directories.")
    one_file_system: bool = switch("Do not enter directories on other file systems.")
    include: tuple[str, ...] = option(
        PATTERNS,
        default=(),
        help="In directories, only read files whose name matches GLOB. A GLOB with a slash is compared with the path"
        " below DOCS. May be repeated.",
        metavar="GLOB",
    )
    exclude: tuple[str, ...] = option(
        PATTERNS,
        default=(),
        help="Skip files and directories that match GLOB. A GLOB with a slash is compared with the path below DOCS."
        " May be repeated.",
        metavar="GLOB",
    )
    max_size: int = option(
        SIZE,
        default=256 * MIB,
        described="256M",
        help=f"Skip larger documents, and exit with 3. {UNITS_OF_SIZE}",
        metavar="SIZE",
    )


class Sequences(Group, shared=READING, decided=True):
    """Which files hold many documents, and which fields of a document hold its text and its name.

    plain: whether each file is one text, whatever its name, which --input-format text asks for.
    """

    text_field: tuple[str, ...] = option(
        FIELD_NAMES,
        default=("text",),
        help="Field that holds the text, such as body or meta.body. May be repeated, to join texts by line feeds.",
    )
    id_field: str = option(
        FREE_TEXT,
        default="id",
        help="Field that holds the id of a document, as in PATH#ID. An empty NAME means that each has its number.",
    )
    input_format: str | None = option(
        choice(INPUT_FORMATS),
        help="Read every file and standard input in this format, whatever its name.",
    )
    delimiter: str | None = option(
        DELIMITER,
        described="a comma, or a tab in TSV",
        help="Character between the fields of CSV and TSV.",
        metavar="CHAR",
    )
    escape: str | None = option(
        DELIMITER,
        help="Character before a quote or a delimiter of CSV and TSV that is part of a field, such as a backslash.",
        metavar="CHAR",
    )
    no_header: bool = switch("Read the first row of CSV and TSV as a document. The fields are named 1, 2, ...")
    encoding: str | None = option(
        ENCODING,
        help="Encoding of texts that are not UTF-8, and are not recognised as UTF-16 or UTF-32: latin-1, cp1252, ...",
        metavar="NAME",
    )
    plain: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """The group with those of its fields that were given; the others have their defaults."""
        fields = super().of(given)
        return fields.but(plain=True, input_format=None) if fields.input_format == TEXT_FORMAT else fields


class Rereading(Group):
    """How documents of an artifact are read again: from their directory, or as token sets."""

    shingles: Any = option(
        artifact_name("shingles"),
        help="Verify with the token sets in X.shingles instead of reading the artifact's documents again.",
        metavar="X.shingles",
    )
    root: bytes | None = option(
        path_name(directory=True, here="names of objects in stores need no directory"),
        described="the directory where it was built",
        help="Look for the artifact's documents in DIR.",
        metavar="DIR",
    )


class Updating(Group):
    """How documents are compared with those that an artifact has already."""

    rebuild: bool = switch("Read every document again, and take nothing from the artifact that is there.")
    checksum: bool = switch("Detect changes by content instead of size, times and inode.")


class Normalisation(Group, shared=TEXT, decided=True):
    """The changes that are made to a text before it is cut into units, in this order."""

    nfkc: bool = switch("Convert the text to Unicode normal form NFKC first.")
    keep_case: bool = switch("Tell upper and lower case apart.")
    strip_accents: bool = switch(
        "Remove accents, strokes through letters, and all nonspacing marks, also Indic and Thai vowel signs."
    )
    strip_punctuation: bool = switch("Replace punctuation and symbols with spaces.")
    mask_digits: bool = switch("Replace every digit with 0.")


MIN_PASSAGE: Any = option(
    whole(1),
    described=lambda: f"{', '.join(f'{name} {unit.passage}' for name, unit in UNITS.items())}; at least k",
    help="List passages of at least N units: characters, words or lines.",
    metavar="N",
)

PASSAGES: Any = switch(
    "List passages that two texts have in common, and where. How similar the texts are is not computed."
)
