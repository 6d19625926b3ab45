"""What can be asked of the stages by keyword, by the names that parameters have; and whether a value will do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from simdocs.errors import UsageError
from simdocs.parameters import PARAMETERS


class ReadingAsked(TypedDict, total=False):
    """Which files of a tree are documents: see the dataclasses of simdocs.parameters for what each means."""

    hidden: bool
    follow: bool
    one_file_system: bool
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    max_size: int
    text_field: str
    id_field: str
    plain: bool


class Asked(ReadingAsked, total=False):
    """And how they are shingled."""

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
    bands: int | None
    rows: int | None


class DedupeAsked(BandingAsked, total=False):
    """And how they are grouped."""

    exact: bool
    verify: Literal["exact", "estimate"]
    cluster: Literal["greedy", "components"]
    keep: Literal["first", "longest", "shortest", "newest", "oldest"]
    max_candidates: int


def checked(name: str, value: Any) -> Any:
    """The value, if an option of this name can have it. UsageError: it cannot."""
    if value is None and name in ("bands", "rows"):
        return None
    if name == "top" and value == 0:
        return 0
    try:
        return PARAMETERS[name].values.check(value)
    except ValueError as wanted:
        raise UsageError(f"{name}={value!r}: must be {wanted}") from None


def all_checked(options: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """The same options with their values checked. TypeError: one that is not known. UsageError: see `checked`."""
    if unknown := sorted(set(options) - known):
        raise TypeError(f"no such option: {', '.join(unknown)}")
    return {name: checked(name, value) for name, value in options.items()}
