"""What can be asked of the stages by keyword, by the names that parameters have; and whether a value will do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, Literal, TypedDict

from simdocs.errors import UsageError
from simdocs.parameters import CLUSTERS, KEEP, LANGUAGES, MAX_K, MAX_PLACES, MOST_JOBS, RULES, SCHEMES, UNITS, VERIFY


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


_HUGE = 1 << 62
"""What no number of bytes or documents reaches."""

_Rule = tuple[Callable[[Any], bool], Callable[[Any], Any], str]
"""Whether a value will do, the same value in the type that artifacts and kernels want it in, and what does."""


def _one_of(names: Mapping[str, str]) -> _Rule:
    return (lambda value: isinstance(value, str) and value in names), str, f"one of {', '.join(names)}"


def _whole(least: int, most: int | None = None) -> _Rule:
    def holds(value: Any) -> bool:
        return isinstance(value, Integral) and not isinstance(value, bool) and least <= int(value) <= (most or _HUGE)

    return holds, int, f"a whole number, {least} or more" if most is None else f"a whole number from {least} to {most}"


def _or_none(rule: _Rule) -> _Rule:
    holds, same, wanted = rule
    return (
        (lambda value: value is None or holds(value)),
        (lambda value: None if value is None else same(value)),
        f"{wanted}, or None",
    )


def _is_share(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) <= 1


def _are_patterns(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(pattern, str) for pattern in value)


_SHARE: _Rule = _is_share, float, "a number above 0 and up to 1"
_FLAG: _Rule = (lambda value: isinstance(value, bool)), bool, "True or False"
_FIELD: _Rule = (lambda value: isinstance(value, str)), str, "the name of a field"
_PATTERNS: _Rule = _are_patterns, tuple, "a tuple of patterns"
_FLAGS = (
    *("hidden", "follow", "one_file_system", "plain", "multiset", "nfkc", "keep_case", "strip_accents"),
    *("strip_punctuation", "mask_digits", "itself", "exact"),
)

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
        "bands": _or_none(_whole(1, MAX_PLACES)),
        "rows": _or_none(_whole(1, MAX_PLACES)),
        "max_candidates": _whole(1),
        "max_size": _whole(0),
        "seed": _whole(0, (1 << 32) - 1),
        "threshold": _SHARE,
        "recall": _SHARE,
        "include": _PATTERNS,
        "exclude": _PATTERNS,
        "text_field": _FIELD,
        "id_field": _FIELD,
        "top": _whole(0),
        "jobs": _whole(1, MOST_JOBS),
    }
    | dict.fromkeys(_FLAGS, _FLAG)
)


def checked(name: str, value: Any) -> Any:
    """The value, if an option of this name can have it. UsageError: it cannot."""
    holds, same, wanted = _RULES[name]
    if not holds(value):
        raise UsageError(f"{name}={value!r}: must be {wanted}")
    return same(value)


def all_checked(options: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """The same options with their values checked. TypeError: one that is not known. UsageError: see `checked`."""
    if unknown := sorted(set(options) - known):
        raise TypeError(f"no such option: {', '.join(unknown)}")
    return {name: checked(name, value) for name, value in options.items()}
