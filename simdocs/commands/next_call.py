"""The call that comes after tune, and what an artifact cannot follow."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from simdocs.advice.similarity_advice import Advice
from simdocs.corpora.find import Sources, find
from simdocs.model.artifact import Artifact, Shingles
from simdocs.model.skipped import Skipped
from simdocs.names import command_line, flag
from simdocs.options.recipes import OF_BANDS, IndexRecipe
from simdocs.options.texts import Walking

_BY_HAND = ("bands", "rows", "rule")
"""Options that were chosen for a threshold and a signature, and are chosen again if those change."""

BANDS_AGAIN = "bands"
"""The change that means: choose bands and rows again, for the recall."""

_OF_SHINGLES = {"k", "unit", "language", "stop_words"}
_OF_SIGNATURES = {"ignore_common", "template", "num_perm"}


MOST_NAMES = 20
"""More documents than this are not named in a call."""


def next_call(options: Any, artifact: Artifact | None, changes: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The call of dedupe with these changes, and advice that comes before it; empty if there is no such call.

    options: those of tune. There is no call for documents that cannot be read a second time. What an artifact fixes is
    not changed: `built_again` says that. Bands by hand are left out if the threshold, the length of signatures or the
    bands themselves change.
    """
    if options.texts is not None or b"-" in (*options.documents, options.files_from, options.files0_from):
        return "", []
    if not all(isinstance(name, bytes) for name in options.documents):
        return "", []
    changes = {name: value for name, value in changes.items() if name not in fixed_in(artifact, changes)}
    asked = (each.name for each in options.differ(tuple(options.options)) if not each.shell)
    given = {name: _words(getattr(options, name)) for name in asked if name not in ("summary_json", "jobs")}
    again = bool({"threshold", "num_perm", BANDS_AGAIN} & changes.keys())
    if again:
        given = {name: value for name, value in given.items() if name not in _BY_HAND}
    given |= {name: value for name, value in changes.items() if name != BANDS_AGAIN}
    names, lines = list(map(os.fsdecode, options.documents)), list[str]()
    if len(names) > MOST_NAMES:
        names, found = _fewer_names(options)
        given |= found
    if artifact is not None and isinstance(artifact.recipe, IndexRecipe):
        of_bands = {name: value for name, value in given.items() if name in OF_BANDS}
        if of_bands or again:
            of_bands.setdefault("threshold", artifact.recipe.banding.threshold)
            again_built = command_line("index", names, of_bands | {"output": names[0]})
            lines.append(f"{artifact.name} has bands for other options: {again_built} builds it again with these")
            given = {name: value for name, value in given.items() if name not in of_bands or name == "threshold"}
            given["threshold"] = of_bands["threshold"]
    return command_line("dedupe", names, given), lines


def _words(value: Any) -> Any:
    """The value of an option as it stands on a command line."""
    if isinstance(value, tuple):
        return tuple(map(_words, value))
    return os.fsdecode(value) if isinstance(value, bytes) else getattr(value, "name", value)


def _fewer_names(options: Any) -> tuple[list[str], dict[str, Any]]:
    """A directory that holds exactly the documents that were named, with a pattern for them; else DOCS in their place.

    A shell may have made hundreds of names of docs/*.txt.
    """
    documents, asked = options.documents, Walking.of(options.fields())
    if len({name[:1] == b"/" for name in documents}) > 1:
        return ["DOCS"], {}
    folder = os.path.commonpath([os.path.dirname(name) for name in documents]) or b"."
    suffix = os.path.splitext(documents[0])[1]
    patterns = list[dict[str, list[str]]]([{}])
    if suffix and not asked.include and all(name.endswith(suffix) for name in documents):
        patterns.append({"include": [f"*{os.fsdecode(suffix)}"]})
    named = {os.path.normpath(name) for name in documents}
    for each in patterns:
        walking = asked.but(**{name: tuple(value) for name, value in each.items()})
        found = find(Sources((folder,)), walking, Skipped())
        if {os.path.normpath(name) for name in found.names} == named:
            return [os.fsdecode(folder)], each
    return ["DOCS"], {}


def fixed_in(artifact: Artifact | None, names: Iterable[str]) -> set[str]:
    """Those of these options that an artifact has fixed, so that it must be built again to change them."""
    if artifact is None:
        return set()
    return set(names) & (_OF_SHINGLES if isinstance(artifact, Shingles) else _OF_SHINGLES | _OF_SIGNATURES)


def built_again(artifact: Artifact | None, advice: Iterable[Advice]) -> Iterator[str]:
    """Yield a line for each advice that can be followed only if the artifact is built again from its documents."""
    for each in advice:
        if artifact is not None and (fixed := fixed_in(artifact, (*each.change, *each.choices))):
            options = ", ".join(map(flag, sorted(fixed)))
            chosen = " ".join(f"{flag(name)} {each.change[name]:g}" for name in fixed_in(artifact, each.change))
            yield (
                f"{artifact.name} cannot change {options}: build it again from its documents with"
                f" {chosen or 'the option that you choose'}"
            )
