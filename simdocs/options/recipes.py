"""Options about documents, shingles, signatures and bands, and recipes: the groups with which artifacts are made."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from types import MappingProxyType
from typing import Any, NamedTuple, Self
from unicodedata import unidata_version

from simdocs.options.declaration import READING, SHINGLES, SIGNATURES, TEXT, Group, Option, option, switch
from simdocs.options.families import INPUT_FORMATS, LANGUAGES, RULES, SCHEMES, TEXT_FORMAT, UNITS, default_k
from simdocs.options.hash_functions import FUNCTIONS, HASH_FUNCTIONS, MOST_ITEMS, OWN_SCHEMES, PERMUTATIONS
from simdocs.options.values import (
    DELIMITER,
    ENCODING,
    FIELD_NAMES,
    FRACTION,
    FREE_TEXT,
    MIB,
    PATHS,
    PATTERNS,
    SEED,
    SIZE,
    UNITS_OF_SIZE,
    artifact_name,
    choice,
    path_name,
    whole,
)

REFUSED = f"Refuse a larger text. {UNITS_OF_SIZE}"


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
        choice(INPUT_FORMATS), help="Read every file and standard input in this format, whatever its name."
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


MAX_NUM_PERM = 1 << 16
"""The largest number of places in a signature."""

MOST_UNITS = 1000
"""The largest number of units in a shingle."""


class Shingling(Group, shared=SHINGLES, decided=True):
    """How a text becomes tokens.

    ignore_stop_words: whether words are left out that are stop words.
    stop_word_list: the stop words, with spaces between them; empty: they are those of the language.
    """

    unit: str = option(choice(UNITS), default="char", help="Unit of a shingle.")
    k: int = option(
        whole(1, MOST_UNITS),
        derived=lambda group: default_k(group["unit"]),
        described=lambda: ", ".join(f"{name} {unit.k}" for name, unit in UNITS.items()),
        help="Units in a shingle.",
        metavar="K",
        spellings=("-k",),
    )
    language: str = option(choice(LANGUAGES), default="en", help="Language of the stop words.", metavar="CODE")
    ignore_stop_words: bool = switch("Leave out stop words. Needs --unit word.")
    stop_word_list: str = ""
    multiset: bool = switch("Count repeated shingles: multisets instead of sets.")
    seed: int = option(
        SEED, default=0, help="Seed of all hash functions. random chooses an unpredictable seed.", metavar="N|random"
    )
    normalisation: Normalisation = Normalisation()

    @property
    def by_lines(self) -> bool:
        """Whether normalisation keeps the ends of lines, which separate the units."""
        return UNITS[self.unit].by_lines


MOST_STOP_WORDS = 1 << 18
"""Bytes of a list of stop words in UTF-8. Every artifact that is made with it holds it, and each query reads it."""


STOP_WORDS: Any = option(
    path_name(),
    help="Read the stop words from FILE, instead of those of --language. With --unit word they are left out.",
    metavar="FILE",
    shared=SHINGLES,
)
"""The file of the stop words, whose contents become `Shingling.stop_word_list`."""


class Sketching(Group, shared=SIGNATURES, decided=True):
    """How tokens become a signature. The seed is that of the tokens.

    The other fields are empty unless the scheme is one of OWN_SCHEMES.

    functions: the linear functions.
    permutations: the numbers of the rows in permuted order, with spaces between them.
    items: the different shingles of all documents, in the order of rows; empty until the documents were read.
    item_tokens: their tokens.
    """

    scheme: str = option(choice(SCHEMES), default="fss", help="How signatures are computed.")
    num_perm: int = option(
        whole(1, MAX_NUM_PERM),
        default=128,
        help="Number of places in a signature. More places make estimates more precise, and signatures larger.",
        metavar="K",
    )
    functions: tuple[str, ...] = ()
    permutations: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    item_tokens: tuple[int, ...] = ()

    @property
    def is_own(self) -> bool:
        """Whether the hash functions are stated, and not drawn with the seed."""
        return self.scheme in OWN_SCHEMES

    def with_own_functions(self, functions: tuple[str, ...], permutations: Sized) -> Sketching:
        """The scheme of the functions that are stated, so far without items; itself if none are.

        permutations: those of a file, if one is given.
        """
        if permutations:
            return self.but(scheme=PERMUTATIONS, num_perm=len(permutations))
        return self.but(scheme=FUNCTIONS, num_perm=len(functions), functions=functions) if functions else self

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, without those that are empty."""
        return {name: value for name, value in super().as_dict().items() if value != ()}


_SMALL = f"All documents together may have {MOST_ITEMS:,} shingles that differ"


class OwnFunctions(Group, shared=SIGNATURES):
    """Hash functions that are stated: linear functions, or a file of permutations."""

    functions: tuple[str, ...] = option(
        HASH_FUNCTIONS,
        default=(),
        help="Use these hash functions (a*x+b) mod m, such as '(x+1) mod 5, (3*x+1) mod 5'. x is the shingle if all are"
        f" whole numbers, and otherwise its place among them from 0, by their bytes. {_SMALL}.",
        metavar="LIST",
    )
    permutation_file: bytes | None = option(
        path_name(),
        help="Use the permutations in FILE as hash functions: all shingles in permuted order on each line, or one"
        f" permutation with a shingle on each line. {_SMALL}.",
        metavar="FILE",
    )


class Ignoring(Group, shared=SIGNATURES, decided=True):
    """Which tokens are left out before signatures are computed.

    ignore_common: those that occur in more than this fraction of the documents.
    template_digest: a digest of those of the template texts; empty if there are none.
    ignored_digest: a digest of all of them; empty if there are none.
    """

    ignore_common: float = option(
        FRACTION,
        default=1.0,
        help="Leave out tokens that occur in more than this fraction of the documents. 1 leaves out none.",
        metavar="NUM",
    )
    template_digest: str = ""
    ignored_digest: str = ""


TEMPLATE: Any = option(
    PATHS,
    default=(),
    help="Leave out the tokens of the text in FILE, such as a form or a page header. May be repeated.",
    metavar="FILE",
    shared=SIGNATURES,
)


class Containing(Group):
    """How documents that contain others are found. containment: by a stored sketch."""

    containment: bool = switch(
        "Also store a sketch of each document, so that a query for containment reads only candidates again."
    )


NO_SKETCH = Containing()
"""There is no sketch: documents that contain others are found by reading all of them."""

_THRESHOLD = (
    "Minimum similarity of near-duplicates. Similarity (Jaccard) is the fraction of their shingles that two documents"
    " have in common."
)


class Bands(NamedTuple):
    """The number of bands into which a signature is cut, and the number of rows in each."""

    bands: int
    rows: int

    def chance(self, similarity: float) -> float:
        """The probability that two documents of this similarity share a bucket: the S-curve."""
        return 1.0 - (1.0 - similarity**self.rows) ** self.bands

    @property
    def half(self) -> float:
        """The similarity of pairs that share a bucket with a probability of one half."""
        return float((1.0 - 0.5 ** (1 / self.bands)) ** (1 / self.rows))

    @property
    def steepest(self) -> float:
        """The similarity (1/b)^(1/r), about where the S-curve rises most steeply."""
        return float((1 / self.bands) ** (1 / self.rows))


class ChoosingBands(Group, shared=SIGNATURES, decided=True):
    """How signatures should be cut into bands: by a rule, for a threshold and a recall, or by hand."""

    threshold: float = option(FRACTION, default=0.8, help=_THRESHOLD, metavar="NUM", spellings=("-t", "--threshold"))
    recall: float = option(
        FRACTION, default=0.95, help="Minimum fraction of the pairs at the threshold to find.", metavar="NUM"
    )
    rule: str = option(choice(RULES), default="recall", help="How the bands are chosen.")
    bands: int | None = option(whole(1, MAX_NUM_PERM), help="Number of bands, instead of a rule.", metavar="B")
    rows: int | None = option(whole(1, MAX_NUM_PERM), help="Number of rows in a band, instead of a rule.", metavar="R")


OF_BANDS = tuple(ChoosingBands.options)
"""The options of ChoosingBands."""


class Banding(Group):
    """How signatures are cut into bands: what was requested, and the bands and rows that were chosen."""

    threshold: float
    recall: float
    rule: str
    bands: int
    rows: int

    @property
    def cut(self) -> Bands:
        """The bands and rows."""
        return Bands(self.bands, self.rows)


class Recipe(Group):
    """The parameters with which a `.shingles` artifact was made, and which every other artifact has, too."""

    sequences: Sequences
    shingling: Shingling
    unicode: str = unidata_version


class SignatureRecipe(Recipe):
    """The parameters with which a `.signatures` artifact was made."""

    sketching: Sketching
    ignoring: Ignoring = Ignoring()


class IndexRecipe(SignatureRecipe):
    """The parameters with which an `.index` was made."""

    banding: Banding
    containing: Containing = NO_SKETCH


RECORDED: Mapping[str, Option] = MappingProxyType(
    {
        **Sequences.options,
        **Normalisation.options,
        **Shingling.options,
        **Sketching.options,
        **Ignoring.options,
        **ChoosingBands.options,
        **Containing.options,
    }
)
"""The options that manifests record, by name."""
