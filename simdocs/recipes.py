"""Decisions: the parameters that decide an answer, in groups, and the recipes by which artifacts are made.

Their values come from requests or from manifests, so nothing is open any more: they have no optional parts. Only a
BandingRequest is still a wish.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, NamedTuple
from unicodedata import unidata_version

from simdocs.families import default_k
from simdocs.parameters import PARAMETERS


def _default(name: str) -> Any:
    """The default of a parameter."""
    return PARAMETERS[name].default


@dataclass(frozen=True, slots=True)
class Normalisation:
    """The changes that are made to a text before it is cut into units, in this order."""

    nfkc: bool = _default("nfkc")
    keep_case: bool = _default("keep_case")
    strip_accents: bool = _default("strip_accents")
    strip_punctuation: bool = _default("strip_punctuation")
    mask_digits: bool = _default("mask_digits")


@dataclass(frozen=True, slots=True)
class Shingling:
    """How a text becomes tokens.

    ignore_stop_words: whether words are left out that are stop words. stop_word_list: the stop words, with spaces
    between them; empty: they are those of the language.
    """

    unit: str = _default("unit")
    k: int = default_k(_default("unit"))
    language: str = _default("language")
    ignore_stop_words: bool = field(default=_default("ignore_stop_words"), kw_only=True)
    stop_word_list: str = field(default="", kw_only=True)
    multiset: bool = _default("multiset")
    seed: int = _default("seed")
    normalisation: Normalisation = field(default_factory=Normalisation)


MOST_STOP_WORDS = 1 << 18
"""Bytes of a list of stop words in UTF-8. Every artifact that is made with it holds it, and each query reads it."""


@dataclass(frozen=True, slots=True)
class Sketching:
    """How tokens become a signature. The seed is that of the tokens."""

    scheme: str = _default("scheme")
    num_perm: int = _default("num_perm")


@dataclass(frozen=True, slots=True)
class Ignoring:
    """Which tokens are left out before signatures are computed.

    ignore_common: those that occur in more than this fraction of the documents. template_digest: a digest of
    those of the template texts. ignored_digest: a digest of all of them. The digest of no tokens is empty.
    """

    ignore_common: float = _default("ignore_common")
    template_digest: str = ""
    ignored_digest: str = ""


class Bands(NamedTuple):
    """The number of bands into which a signature is cut, and the number of rows in each."""

    bands: int
    rows: int


@dataclass(frozen=True, slots=True)
class BandingRequest:
    """How signatures should be cut into bands: by a rule, for a threshold and a recall, or by hand."""

    threshold: float = _default("threshold")
    recall: float = _default("recall")
    rule: str = _default("rule")
    bands: int | None = None
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Banding:
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


@dataclass(frozen=True, slots=True)
class Sequences:
    """Which files hold one document per line, and which fields of a line hold its text and its name."""

    text_field: str = _default("text_field")
    id_field: str = _default("id_field")
    plain: bool = _default("plain")


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parameters with which a `.shingles` artifact was made, and which every other artifact has, too."""

    sequences: Sequences
    shingling: Shingling
    unicode: str = field(default=unidata_version, kw_only=True)


@dataclass(frozen=True, slots=True)
class SignatureRecipe(Recipe):
    """The parameters with which a `.signatures` artifact was made."""

    sketching: Sketching
    ignoring: Ignoring = field(default_factory=Ignoring, kw_only=True)


@dataclass(frozen=True, slots=True)
class Containing:
    """How documents that contain others are found. containment: by a stored sketch."""

    containment: bool = _default("containment")


NO_SKETCH = Containing()
"""There is no sketch: documents that contain others are found by reading all of them."""


@dataclass(frozen=True, slots=True)
class IndexRecipe(SignatureRecipe):
    """The parameters with which an `.index` was made."""

    banding: Banding
    containing: Containing = field(default_factory=Containing, kw_only=True)


@dataclass(frozen=True, slots=True)
class Grouping:
    """How candidates are found and decided, and which documents are kept."""

    exact: bool = _default("exact")
    verify: str = _default("verify")
    cluster: str = _default("cluster")
    keep: str = _default("keep")
    max_candidates: int = _default("max_candidates")


@dataclass(frozen=True, slots=True)
class Updating:
    """How documents are compared with those that an artifact has already."""

    rebuild: bool = _default("rebuild")
    checksum: bool = _default("checksum")
    ignore_ctime: bool = _default("ignore_ctime")
    ignore_inode: bool = _default("ignore_inode")
    keep_unreadable: bool = _default("keep_unreadable")


@dataclass(frozen=True, slots=True)
class Walking:
    """Which files of a directory are documents."""

    hidden: bool = _default("hidden")
    follow: bool = _default("follow")
    one_file_system: bool = _default("one_file_system")
    include: tuple[str, ...] = _default("include")
    exclude: tuple[str, ...] = _default("exclude")
    max_size: int = _default("max_size")


OF_BANDS = tuple(parameter.name for parameter in fields(BandingRequest))
"""The parameters of BandingRequest."""

SEQUENCES = tuple(parameter.name for parameter in fields(Sequences))
"""The parameters of Sequences."""


def of_group(group: type, given: Mapping[str, Any]) -> Any:
    """A group of parameters with those that were given; the others have their defaults."""
    return group(**{parameter.name: given[parameter.name] for parameter in fields(group) if parameter.name in given})


def flattened(group: Any) -> Iterator[tuple[str, Any]]:
    """Yield the name and value of each parameter in a group or recipe, and in the groups within it."""
    for parameter in fields(group):
        value = getattr(group, parameter.name)
        if is_dataclass(value):
            yield from flattened(value)
        else:
            yield parameter.name, value
