"""What can be asked of the stages by keyword, by the names that parameters have; and whether a value will do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, TypedDict

from simdocs.errors import UsageError
from simdocs.parameters import CLUSTERS, KEEP, LANGUAGES, MAX_K, MAX_PLACES, RULES, SCHEMES, UNITS, VERIFY


class Asked(TypedDict, total=False):
    """Which documents, and how they are shingled: see the dataclasses of simdocs.parameters for what each means."""

    hidden: bool
    follow: bool
    one_file_system: bool
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    max_size: int
    text_field: str
    id_field: str
    plain: bool
    unit: Literal["char", "word", "line", "stopword"]
    k: int
    language: str
    multiset: bool
    seed: int
    nfkc: bool
    keep_case: bool
    strip_accents: bool
    strip_punctuation: bool
    mask_digits: bool


class SigningAsked(Asked, total=False):
    """And how they are signed."""

    scheme: Literal["fss", "permutation"]
    num_perm: int


class BandingAsked(SigningAsked, total=False):
    """And how they are banded."""

    threshold: float
    recall: float
    rule: Literal["recall", "nearest"]
    bands: int
    rows: int


class DedupeAsked(BandingAsked, total=False):
    """And how they are grouped."""

    verify: Literal["exact", "estimate"]
    cluster: Literal["greedy", "components"]
    keep: Literal["first", "longest", "shortest", "newest", "oldest"]
    max_candidates: int


_Rule = tuple[Callable[[Any], bool], str]
"""Whether a value will do, and what does."""


def _one_of(names: Mapping[str, str]) -> _Rule:
    return (lambda value: value in names), f"one of {', '.join(names)}"


def _whole(least: int, most: int) -> _Rule:
    def holds(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    return holds, f"a whole number from {least} to {most}"


_SHARE: _Rule = (lambda value: isinstance(value, int | float) and 0 < value <= 1), "above 0 and up to 1"

_RULES: Mapping[str, _Rule] = MappingProxyType(
    {
        "unit": _one_of(UNITS),
        "language": _one_of(LANGUAGES),
        "scheme": _one_of(SCHEMES),
        "rule": _one_of(RULES),
        "verify": _one_of(VERIFY),
        "cluster": _one_of(CLUSTERS),
        "keep": _one_of(KEEP),
        "k": _whole(1, MAX_K),
        "num_perm": _whole(1, MAX_PLACES),
        "bands": _whole(1, MAX_PLACES),
        "rows": _whole(1, MAX_PLACES),
        "max_candidates": _whole(1, 1 << 62),
        "max_size": _whole(0, 1 << 62),
        "seed": _whole(0, (1 << 32) - 1),
        "threshold": _SHARE,
        "recall": _SHARE,
    }
)


def checked(name: str, value: Any) -> Any:
    """The value, if an option of this name can have it. UsageError: it cannot."""
    if name in _RULES:
        holds, wanted = _RULES[name]
        if not holds(value):
            raise UsageError(f"{name}={value!r}: must be {wanted}")
    return value
