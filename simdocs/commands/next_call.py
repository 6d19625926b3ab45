"""The call that comes after tune, and what an artifact cannot follow."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from simdocs.advice.similarity_advice import Advice
from simdocs.errors import mention, mentioned, suggested
from simdocs.model.artifact import Artifact, Shingles
from simdocs.recipes import OF_BANDS, IndexRecipe
from simdocs.requests.tune_request import TuneRequest

_BY_HAND = ("bands", "rows", "rule")
"""What was chosen for another threshold or signature, and is chosen again if that changes."""

BANDS_AGAIN = "bands"
"""The change that means: choose bands and rows again, for the recall."""

_OF_SHINGLES = {"k", "unit", "language", "stop_words"}
_OF_SIGNATURES = {"ignore_common", "template", "num_perm"}


def next_call(request: TuneRequest, artifact: Artifact | None, changes: Mapping[str, Any]) -> str:
    """The call with these changes; empty if the documents cannot be read a second time, or an artifact excludes it.

    It is tune again if another k is advised, or tokens are to be left out, because other similarities call for other
    advice. Bands by hand are left out if the threshold, the length of signatures or the bands themselves change.
    """
    ways = (*request.documents, request.files_from, request.files0_from)
    if request.texts is not None or b"-" in ways or not all(isinstance(way, bytes) for way in ways if way is not None):
        return ""
    if fixed_in(artifact, changes):
        return ""
    names = list(map(os.fsdecode, request.documents))
    given: dict[str, Any] = {
        name: os.fsdecode(value) if isinstance(value, bytes) else value for name, value in request.given().items()
    }
    if request.template:
        given["template"] = [os.fsdecode(name) for name in request.template]
    again = bool({"threshold", "num_perm", BANDS_AGAIN} & changes.keys())
    if again:
        given = {name: value for name, value in given.items() if name not in _BY_HAND}
    given |= {name: value for name, value in changes.items() if name != BANDS_AGAIN}
    if artifact is None:
        return suggested("tune" if {"k", "ignore_common"} & changes.keys() else "dedupe", *names, **given)
    of_bands = {name: value for name, value in given.items() if name in OF_BANDS}
    if isinstance(artifact.recipe, IndexRecipe) and (of_bands or again):
        of_bands.setdefault("threshold", artifact.recipe.banding.threshold)
        return suggested("index", *names, **of_bands, output=names[0])
    return suggested("tune" if "ignore_common" in changes else "dedupe", *names, **given)


def fixed_in(artifact: Artifact | None, names: Iterable[str]) -> set[str]:
    """Those of these parameters that an artifact has fixed, so that it must be built again to change them."""
    if artifact is None:
        return set()
    return set(names) & (_OF_SHINGLES if isinstance(artifact, Shingles) else _OF_SHINGLES | _OF_SIGNATURES)


def built_again(artifact: Artifact | None, advice: Iterable[Advice]) -> Iterator[str]:
    """Yield a line for each advice that can be followed only if the artifact is built again from its documents."""
    for each in advice:
        if artifact is not None and (fixed := fixed_in(artifact, mentioned(each.line))):
            options = ", ".join(map(mention, sorted(fixed)))
            chosen = " ".join(f"{mention(name)} {each.change[name]:g}" for name in fixed_in(artifact, each.change))
            yield (
                f"{artifact.name} cannot change {options}: build it again from its documents with"
                f" {chosen or 'the option that you choose'}"
            )
