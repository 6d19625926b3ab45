"""Parameters about shingles, signatures and bands, and recipes: the groups with which artifacts are made."""

from __future__ import annotations

from typing import NamedTuple
from unicodedata import unidata_version

from simdocs.errors import mention
from simdocs.parameters.declaration import SHINGLES, SIGNATURES, Group, parameter
from simdocs.parameters.families import LANGUAGES, RULES, SCHEMES, UNITS, default_k
from simdocs.parameters.texts import Normalisation, Sequences
from simdocs.parameters.values import Choice, Flag, Fraction, PathList, PathName, Seed, Several, Whole

MAX_NUM_PERM = 1 << 16
"""The largest number of places in a signature."""

_K = Whole(1, 1000)


def _default_k() -> str:
    """The default of k in words: it depends on the unit."""
    return ", ".join(f"{name} {unit.k}" for name, unit in UNITS.items())


class Shingling(Group, section=SHINGLES):
    """How a text becomes tokens.

    ignore_stop_words: whether words are left out that are stop words.
    stop_word_list: the stop words, with spaces between them; empty: they are those of the language.
    """

    unit: str = parameter(Choice(UNITS), default="char", help="Unit of a shingle.")
    k: int = parameter(
        _K,
        default=None,
        derived=lambda group: default_k(group["unit"]),
        described=_default_k,
        help="Units in a shingle.",
    )
    language: str = parameter(Choice(LANGUAGES), default="en", help="Language of the stop words.")
    ignore_stop_words: bool = parameter(
        Flag(), default=False, help=f"Leave out stop words. Needs {mention('unit')} word."
    )
    stop_word_list: str = ""
    multiset: bool = parameter(Flag(), default=False, help="Count repeated shingles: multisets instead of sets.")
    seed: int = parameter(Seed(), default=0, help="Seed of all hash functions. random chooses an unpredictable seed.")
    normalisation: Normalisation = Normalisation()


MOST_STOP_WORDS = 1 << 18
"""Bytes of a list of stop words in UTF-8. Every artifact that is made with it holds it, and each query reads it."""


class StopWords(Group, section=SHINGLES):
    """The file of the stop words, whose contents become `Shingling.stop_word_list`."""

    stop_words: bytes | None = parameter(
        PathName(),
        default=None,
        help=f"Read the stop words from FILE, instead of those of {mention('language')}. With {mention('unit')} word"
        " they are left out.",
        before="multiset",
    )


class SeveralShinglings(Group, section=SHINGLES):
    """Units and numbers of them, of which each combination is a way to make shingles."""

    unit: tuple[str, ...] = parameter(
        Several(Choice(UNITS)),
        default=("char",),
        help="Unit of a shingle. Several units, separated by commas, give a table.",
    )
    k: tuple[int, ...] | None = parameter(
        Several(_K),
        default=None,
        described=_default_k,
        help="Units in a shingle. Several numbers, separated by commas, give a table.",
    )


class Sketching(Group, section=SIGNATURES):
    """How tokens become a signature. The seed is that of the tokens."""

    scheme: str = parameter(Choice(SCHEMES), default="fss", help="How signatures are computed.", before="threshold")
    num_perm: int = parameter(
        Whole(1, MAX_NUM_PERM),
        default=128,
        help="Number of places in a signature. More places make estimates more precise, and signatures larger.",
    )


class Ignoring(Group, section=SIGNATURES):
    """Which tokens are left out before signatures are computed.

    ignore_common: those that occur in more than this fraction of the documents.
    template_digest: a digest of those of the template texts; empty if there are none.
    ignored_digest: a digest of all of them; empty if there are none.
    """

    ignore_common: float = parameter(
        Fraction(),
        default=1.0,
        help="Leave out tokens that occur in more than this fraction of the documents. 1 leaves out none.",
    )
    template_digest: str = ""
    ignored_digest: str = ""


class Templates(Group, section=SIGNATURES):
    """The files of templates, whose tokens are left out."""

    template: tuple[bytes, ...] = parameter(
        PathList(),
        default=(),
        help="Leave out the tokens of the text in FILE, such as a form or a page header. May be repeated.",
    )


class Containing(Group, section=SIGNATURES):
    """How documents that contain others are found. containment: by a stored sketch."""

    containment: bool = parameter(
        Flag(),
        default=False,
        help="Also store a sketch of each document, so that a query for containment reads only candidates again.",
    )


NO_SKETCH = Containing()
"""There is no sketch: documents that contain others are found by reading all of them."""

_THRESHOLD = (
    "Minimum similarity of near-duplicates. Similarity (Jaccard) is the fraction of their shingles that two documents"
    " have in common."
)
_OF_INDEX = "With an index, the default is that of the index."


class Bands(NamedTuple):
    """The number of bands into which a signature is cut, and the number of rows in each."""

    bands: int
    rows: int

    def chance(self, similarity: float) -> float:
        """The probability that two documents of this similarity share a bucket: the S-curve."""
        return 1.0 - (1.0 - similarity**self.rows) ** self.bands


class BandingRequest(Group, section=SIGNATURES):
    """How signatures should be cut into bands: by a rule, for a threshold and a recall, or by hand."""

    threshold: float = parameter(
        Fraction(),
        default=0.8,
        help=_THRESHOLD,
        helps={
            "dedupe": f"{_THRESHOLD} {_OF_INDEX}",
            "tune": f"{_THRESHOLD} {_OF_INDEX}",
            "compare": f"Minimum similarity of near-duplicates. {mention('exit_code')} and the choice of bands depend"
            f" on it. {_OF_INDEX}",
        },
        describes={"query": "the index's"},
    )
    recall: float = parameter(Fraction(), default=0.95, help="Minimum fraction of the pairs at the threshold to find.")
    rule: str = parameter(Choice(RULES), default="recall", help="How the bands are chosen.")
    bands: int | None = parameter(Whole(1, MAX_NUM_PERM), default=None, help="Number of bands, instead of a rule.")
    rows: int | None = parameter(
        Whole(1, MAX_NUM_PERM), default=None, help="Number of rows in a band, instead of a rule."
    )


OF_BANDS = tuple(BandingRequest.parameters)
"""The parameters of BandingRequest."""


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
