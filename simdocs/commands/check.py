"""check: find damage in artifacts."""

from __future__ import annotations

from collections.abc import Sequence

from simdocs.artifacts.damage import damages
from simdocs.errors import InputError
from simdocs.model.artifact_facts import CheckResult


def check(paths: Sequence[bytes]) -> CheckResult:
    """The damage in the artifacts at these paths, and those that cannot be read."""
    found, unreadable = list[str](), list[str]()
    for path in paths:
        try:
            found += damages(path)
        except InputError as error:
            unreadable.append(str(error))
    return CheckResult(tuple(found), tuple(unreadable))
