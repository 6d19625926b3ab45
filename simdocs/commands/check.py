"""check: are artifacts whole?"""

from __future__ import annotations

from collections.abc import Sequence

from simdocs.artifacts.damage import damages
from simdocs.errors import InputError
from simdocs.model.results import CheckResult


def check(paths: Sequence[bytes]) -> CheckResult:
    """What is wrong with the artifacts of these names; nothing, if all of them are whole."""
    found, unreadable = list[str](), list[str]()
    for path in paths:
        try:
            found += damages(path)
        except InputError as error:
            unreadable.append(str(error))
    return CheckResult(tuple(found), tuple(unreadable))
