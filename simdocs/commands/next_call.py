"""The call that comes after tune, and what an artifact cannot follow."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from simdocs.advice.similarity_advice import Advice
from simdocs.corpora.discover import Sources, find
from simdocs.errors import mention, suggested
from simdocs.model.artifact import Artifact, Shingles
from simdocs.model.skipped import Skipped
from simdocs.parameters.recipes import OF_BANDS, IndexRecipe
from simdocs.requests.studying import TuneRequest

_BY_HAND = ("bands", "rows", "rule")
"""Parameters that were chosen for a threshold and a signature, and are chosen again if those change."""

BANDS_AGAIN = "bands"
"""The change that means: choose bands and rows again, for the recall."""

_OF_SHINGLES = {"k", "unit", "language", "stop_words"}
_OF_SIGNATURES = {"ignore_common", "template", "num_perm"}


MOST_NAMES = 20
"""More documents than this are not named in a call."""


def next_call(request: TuneRequest, artifact: Artifact | None, changes: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The call of dedupe with these changes, and advice that comes before it; empty if there is no such call.

    There is none for documents that cannot be read a second time. What an artifact fixes is not changed: `built_again`
    says that. Bands by hand are left out if the threshold, the length of signatures or the bands themselves change.
    """
    ways = (*request.documents, request.naming.files_from, request.naming.files0_from)
    of_artifact = artifact is not None and artifact.name
    if request.texts is not None or b"-" in ways:
        return "", []
    if not of_artifact and not all(isinstance(way, bytes) for way in ways if way is not None):
        return "", []
    if not all(isinstance(way, bytes) for way in request.documents):
        return "", []
    changes = {name: value for name, value in changes.items() if name not in fixed_in(artifact, changes)}
    given: dict[str, Any] = {
        name: os.fsdecode(value) if isinstance(value, bytes) else value for name, value in request.given.items()
    }
    if request.templates.template:
        given["template"] = [os.fsdecode(name) for name in request.templates.template]
    again = bool({"threshold", "num_perm", BANDS_AGAIN} & changes.keys())
    if again:
        given = {name: value for name, value in given.items() if name not in _BY_HAND}
    given |= {name: value for name, value in changes.items() if name != BANDS_AGAIN}
    names, lines = list(map(os.fsdecode, request.documents)), list[str]()
    if len(names) > MOST_NAMES:
        names, found = _fewer_names(request)
        given |= found
    if artifact is not None and isinstance(artifact.recipe, IndexRecipe):
        of_bands = {name: value for name, value in given.items() if name in OF_BANDS}
        if of_bands or again:
            of_bands.setdefault("threshold", artifact.recipe.banding.threshold)
            again_built = suggested("index", *names, **of_bands, output=names[0])
            lines.append(f"{artifact.name} has bands for other options: {again_built} builds it again with these")
            given = {name: value for name, value in given.items() if name not in of_bands or name == "threshold"}
            given["threshold"] = of_bands["threshold"]
    return suggested("dedupe", *names, **given), lines


def _fewer_names(request: TuneRequest) -> tuple[list[str], dict[str, Any]]:
    """A directory that holds exactly the documents that were named, with a pattern for them; else DOCS in their place.

    A shell may have made hundreds of names of docs/*.txt.
    """
    documents = request.documents
    if len({name[:1] == b"/" for name in documents}) > 1:
        return ["DOCS"], {}
    folder = os.path.commonpath([os.path.dirname(name) for name in documents]) or b"."
    suffix = os.path.splitext(documents[0])[1]
    patterns = list[dict[str, list[str]]]([{}])
    if suffix and not request.walking.include and all(name.endswith(suffix) for name in documents):
        patterns.append({"include": [f"*{os.fsdecode(suffix)}"]})
    named = {os.path.normpath(name) for name in documents}
    for each in patterns:
        walking = request.walking.but(**{name: tuple(value) for name, value in each.items()})
        found = find(Sources((folder,)), walking, Skipped())
        if {os.path.normpath(name) for name in found.names} == named:
            return [os.fsdecode(folder)], each
    return ["DOCS"], {}


def fixed_in(artifact: Artifact | None, names: Iterable[str]) -> set[str]:
    """Those of these parameters that an artifact has fixed, so that it must be built again to change them."""
    if artifact is None:
        return set()
    return set(names) & (_OF_SHINGLES if isinstance(artifact, Shingles) else _OF_SHINGLES | _OF_SIGNATURES)


def built_again(artifact: Artifact | None, advice: Iterable[Advice]) -> Iterator[str]:
    """Yield a line for each advice that can be followed only if the artifact is built again from its documents."""
    for each in advice:
        if artifact is not None and (fixed := fixed_in(artifact, (*each.change, *each.choices))):
            options = ", ".join(map(mention, sorted(fixed)))
            chosen = " ".join(f"{mention(name)} {each.change[name]:g}" for name in fixed_in(artifact, each.change))
            yield (
                f"{artifact.name} cannot change {options}: build it again from its documents with"
                f" {chosen or 'the option that you choose'}"
            )
