"""Parameters about documents: which are read, where those of an artifact are, which have changed, how a text is
normalised, which are acted on, and which passages they have in common."""

from __future__ import annotations

from typing import Any

from simdocs.errors import mention
from simdocs.parameters.declaration import ACTION, ANSWER, DOCUMENTS, GROUPS, TEXT, UPDATE, Group, parameter
from simdocs.parameters.families import UNITS
from simdocs.parameters.file_formats import CONTAINERS
from simdocs.parameters.values import (
    MIB,
    ArtifactName,
    Choice,
    Flag,
    Fraction,
    FreeText,
    PathName,
    PatternList,
    Size,
    Whole,
)

UNITS_OF_SIZE = "K, M and G are powers of 1024; KB, MB and GB are powers of 1000."
"""The sentence in help about the units of a size."""

_REFUSED = f"Refuse a larger text. {UNITS_OF_SIZE}"


_LIST = "copy the list there first"


class Naming(Group, section=DOCUMENTS):
    """Where the names of documents are, if not among the arguments."""

    files_from: bytes | None = parameter(
        PathName(here=_LIST),
        default=None,
        help="Read the names of documents from FILE, one per line. A FILE of - is standard input.",
    )
    files0_from: bytes | None = parameter(
        PathName(here=_LIST),
        default=None,
        help="Read the names of documents from FILE, each ended by NUL. A FILE of - is standard input.",
    )
    jsonl: bool = parameter(Flag(), default=False, help="Read standard input as JSON Lines.", before="shingles")


class Walking(Group, section=DOCUMENTS):
    """Which files of a directory are documents."""

    hidden: bool = parameter(
        Flag(), default=False, help="Also read files and directories whose name begins with a dot."
    )
    follow: bool = parameter(Flag(), default=False, help="Follow symbolic links in directories.")
    one_file_system: bool = parameter(Flag(), default=False, help="Do not enter directories on other file systems.")
    include: tuple[str, ...] = parameter(
        PatternList(),
        default=(),
        help="In directories, only read files whose name matches GLOB. A GLOB with a slash is compared with the path"
        " below DOCS. May be repeated.",
        before="hidden",
    )
    exclude: tuple[str, ...] = parameter(
        PatternList(),
        default=(),
        help="Skip files and directories that match GLOB. A GLOB with a slash is compared with the path below DOCS."
        " May be repeated.",
        before="hidden",
    )
    max_size: int = parameter(
        Size(),
        default=256 * MIB,
        described="256M",
        help=f"Skip larger documents, and exit with 3. {UNITS_OF_SIZE}",
        helps={"show": _REFUSED, "compare": _REFUSED},
    )


class FieldNames(FreeText):
    """Up to 16 names of fields, which have their place in a manifest; on a command line one at a time."""

    most = 16
    wanted = f"{FreeText.wanted}, or a list of at most {most} of them"

    def check(self, value: Any) -> Any:
        """The names, without repeats. A single one may stand alone."""
        names = tuple(value) if isinstance(value, tuple | list) else (value,)
        try:
            names = tuple(dict.fromkeys(map(super().check, names)))
        except ValueError:
            raise ValueError(self.wanted) from None
        if len(names) > self.most:
            raise ValueError(self.wanted)
        return names


class Delimiter(FreeText):
    r"""An ASCII character between fields. `\t` is a tab."""

    wanted = r"one ASCII character, such as ; or \t, but no quote and no line end"

    def check(self, value: Any) -> str:
        """The character."""
        mark = "\t" if value == r"\t" else value
        if not isinstance(mark, str) or len(mark) != 1 or not "\0" < mark < "\x7f" or mark in '"\r\n':
            raise ValueError(self.wanted)
        return mark


class Sequences(Group, section=DOCUMENTS):
    """Which files hold many documents, and which fields of a document hold its text and its name."""

    text_field: tuple[str, ...] = parameter(
        FieldNames(),
        default=("text",),
        help="Field that holds the text, such as body or meta.body. May be repeated, to join texts by line feeds.",
    )
    id_field: str = parameter(
        FreeText(),
        default="id",
        help="Field that holds the id of a document, as in PATH#ID. An empty NAME means that each has its number.",
    )
    input_format: str | None = parameter(
        Choice(CONTAINERS), default=None, help="Read every file and standard input in this format, whatever its name."
    )
    delimiter: str | None = parameter(
        Delimiter(),
        default=None,
        described="a comma, or a tab in TSV",
        help="Character between the fields of CSV and TSV.",
    )
    no_header: bool = parameter(
        Flag(), default=False, help="Read the first row of CSV and TSV as a document. The fields are named 1, 2, ..."
    )
    plain: bool = parameter(
        Flag(), default=False, help="Read each file as one text, whatever its name, and do not warn about tables."
    )


_OF_ARTIFACT = "Look for the artifact's documents in DIR."
_FROM_SETS = "Verify with the token sets in X.shingles instead of reading the artifact's documents again."
_OF_Y = f"With {mention('against')}, this is for the documents of Y.index."


class Rereading(Group, section=DOCUMENTS):
    """How documents of an artifact are read again: from their directory, or as token sets."""

    shingles: Any = parameter(
        ArtifactName(("shingles",)),
        default=None,
        help="Verify with the token sets in X.shingles instead of reading the documents of the index again.",
        helps={
            "dedupe": f"{_FROM_SETS} {_OF_Y}",
            "pairs": _FROM_SETS,
        },
    )
    root: bytes | None = parameter(
        PathName(directories=True, here="names of objects in stores need no directory"),
        default=None,
        described="the directory where it was built",
        describes={"merge": "the directory where all of them were built"},
        help="Look for the documents of the index in DIR.",
        helps={
            "dedupe": f"{_OF_ARTIFACT} {_OF_Y}",
            **dict.fromkeys(("pairs", "compare", "show"), _OF_ARTIFACT),
            "merge": "Record that the documents are in DIR. Needed if the artifacts were built in different"
            " directories.",
        },
    )


class Updating(Group, section=UPDATE):
    """How documents are compared with those that an artifact has already."""

    rebuild: bool = parameter(
        Flag(), default=False, help="Read every document again, and take nothing from the artifact that is there."
    )
    checksum: bool = parameter(
        Flag(), default=False, help="Detect changes by content instead of size, times and inode."
    )


class Known(Group, section=GROUPS):
    """The documents that are kept in any case."""

    against: Any = parameter(
        ArtifactName(("index",)),
        default=None,
        help="Index of documents that are always kept. Only DOCS can be duplicates.",
    )


class OnlyChanged(Group, section=DOCUMENTS):
    """Whether only new or changed documents of an index count."""

    changed: bool = parameter(
        Flag(),
        default=False,
        help="Only look for pairs with a document that was new or changed when the index was last updated.",
        helps={
            "query": "Look up the documents of the index that were new or changed when it was last updated, instead of"
            " DOCS."
        },
    )


class Normalisation(Group, section=TEXT):
    """The changes that are made to a text before it is cut into units, in this order."""

    nfkc: bool = parameter(Flag(), default=False, help="Convert the text to Unicode normal form NFKC first.")
    keep_case: bool = parameter(Flag(), default=False, help="Do not convert the text to lower case.")
    strip_accents: bool = parameter(
        Flag(),
        default=False,
        help="Remove accents. These are all nonspacing marks, also Indic and Thai vowel signs.",
    )
    strip_punctuation: bool = parameter(Flag(), default=False, help="Replace punctuation and symbols with spaces.")
    mask_digits: bool = parameter(Flag(), default=False, help="Replace every digit with 0.")


_EACH_PATH = "Compared with its path, or only with its name if GLOB has no slash. May be repeated."


class Acting(Group, section=ACTION):
    """What is done to the duplicates of a saved answer, and to which of them."""

    move: bytes | None = parameter(
        PathName(directories=True),
        default=None,
        help="Move the duplicates to DIR. They keep their paths below it.",
    )
    hardlink: bool = parameter(
        Flag(), default=False, help="Replace byte-identical duplicates by hard links to the kept files."
    )
    yes: bool = parameter(
        Flag(),
        default=False,
        help="Do it. Without this, only print what would be done.",
    )
    protect: tuple[str, ...] = parameter(
        PatternList(), default=(), help=f"Leave files and directories alone that match GLOB. {_EACH_PATH}"
    )
    only: tuple[str, ...] = parameter(
        PatternList(), default=(), help=f"Act only on files and directories that match GLOB. {_EACH_PATH}"
    )
    max_removed: float = parameter(
        Fraction(),
        default=0.5,
        help="Refuse to act if more than this fraction of the documents of an argument are duplicates.",
    )
    any_length: bool = parameter(
        Flag(),
        default=False,
        help="Also act on duplicates that repeat shingles, so that they are more than 1/threshold times as long as the"
        " kept document, or as short.",
    )


_IN_COMMON = "List passages that two texts have in common, and where."

PASSAGES = parameter(
    Flag(),
    default=False,
    help=f"{_IN_COMMON} How similar the texts are is not computed.",
    helps={
        "query": f"{_IN_COMMON} If the index has a sketch for containment, short ones may be missed: {mention('exact')}"
        " misses none.",
    },
    section=ANSWER,
    before="nul",
)


def _shortest_passages() -> str:
    """The default of min_passage in words: it depends on the unit."""
    return f"{', '.join(f'{name} {unit.passage}' for name, unit in UNITS.items())}; at least k"


class PassageAnswer(Group, section=ANSWER):
    """Whether passages that texts have in common are listed.

    min_passage: the least number of units in a passage; None: that of the unit, but at least k.
    """

    passages: bool = PASSAGES
    min_passage: int | None = parameter(
        Whole(1),
        default=None,
        described=_shortest_passages,
        help=f"With {mention('passages')}, list passages of at least N units: characters, words or lines.",
        helps={"passages": "List passages of at least N units: characters, words or lines."},
        before="nul",
    )
