"""Contradictions: a request asks for one value, and its artifact was built with another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from simdocs.errors import mention
from simdocs.parameters import PARAMETERS
from simdocs.recipes import flattened


def contradictions(
    given: Mapping[str, Any], recipe: object, name: str, fixed: Sequence[str], free: Sequence[str] = ()
) -> Iterator[str]:
    """Yield a message for each parameter that was given and that the artifact was built without.

    fixed: the groups of parameters that the artifact decides. free: parameters that may differ.
    """
    for group in fixed:
        for parameter, value in flattened(getattr(recipe, group)):
            if parameter in given and parameter not in free and given[parameter] != value:
                yield _contradiction(parameter, given[parameter], value, name)


def _contradiction(parameter: str, asked: object, built: object, name: str) -> str:
    option = mention(parameter)
    if built is False or (parameter == "ignore_common" and built == PARAMETERS[parameter].default):
        return f"{name} was built without {option}: rebuild it with {option}, or leave the option out"
    if built is True:
        return f"{name} was built with {option}: rebuild it without, or give the option here"
    return f"{name} was built with {option} {built}, not {asked}: rebuild it, or leave the option out"
