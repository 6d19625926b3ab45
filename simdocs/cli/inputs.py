"""What a stage is given: documents, or an artifact that fixes what was decided when it was built."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from simdocs.cli.requests import (
    Options,
    banding_of,
    check_shingling,
    given,
    hint_at_terminal,
    refuse,
    sequences_of,
    shingling_of,
    sketching_of,
    spelt,
    walking_of,
)
from simdocs.parameters import Recipe, Walking

if TYPE_CHECKING:
    from simdocs.model.artifact import Artifact
    from simdocs.pipeline.prepare import Intake

_OF_SHELVES = ("shingles", "root")

_OF_DOCUMENTS = (*Walking.__slots__, "files_from", "files0_from")


def intake_of(options: Options, upstream: Collection[str], outputs: tuple[str | None, ...] = ()) -> Intake:
    """The documents or the artifact that the command names; the latter of one of these kinds.

    UsageError: nothing, or what does not go together. InputError, ArtifactError: an artifact that does not open.
    """
    from simdocs.artifacts.recognise import kind_of
    from simdocs.corpora.discover import Sources
    from simdocs.pipeline.prepare import Intake

    docs = options["docs"]
    if any(kind_of(name) for name in docs if name != b"-"):
        refuse(_beside_an_artifact(docs))
        shingles = options.get("shingles")
        sets = opened(shingles, ("shingles",)) if shingles else None
        return Intake(shelf=opened(docs[0], upstream), shingles=sets, root=options.get("root"), outputs=outputs)
    refuse([f"{spelt(name)} goes with an artifact, not with documents" for name in _OF_SHELVES if options.get(name)])
    listed = options["files_from"] or options["files0_from"]
    if (b"-" in docs or listed == b"-") and not options["quiet"]:
        hint_at_terminal()
    sources = Sources(docs, listed, bool(options["files0_from"]))
    return Intake(sources, walking_of(options), outputs=outputs)


def opened(path: bytes, kinds: Collection[str]) -> Artifact:
    """The artifact of this name. ArtifactError: of another kind, damaged, or made with other tables of Unicode."""
    from simdocs.artifacts.reader import open_artifact, usable

    return usable(open_artifact(path), kinds)


def _beside_an_artifact(docs: tuple[bytes, ...]) -> list[str]:
    problems = [f"{spelt(name)} goes with documents, not with an artifact" for name in _OF_DOCUMENTS if given(name)]
    if len(docs) > 1:
        problems.append("an artifact stands alone: name one, or documents")
    return problems


def recipe_of(options: Options, fixed: Artifact | None, free: Collection[str] = ()) -> Recipe:
    """All parameters up to those that the command has options for; what an artifact fixes is read from it.

    free: options that may differ from what is fixed. UsageError: another option contradicts it.
    """
    groups: dict[str, Any] = {"sequences": sequences_of(options), "shingling": shingling_of(options)}
    if "num_perm" in options:
        groups["sketching"] = sketching_of(options)
    if "bands" in options:
        groups["banding"] = banding_of(options)
    if fixed is None:
        refuse(check_shingling(options) if not options.get("against") else [])
        return Recipe(**groups)
    from simdocs.artifacts.formats import FORMATS

    held = {group: getattr(fixed.recipe, group) for group in FORMATS[fixed.kind].recipe}
    refuse(contradictions(options, fixed, free))
    return Recipe(**(groups | held))


def contradictions(options: Options, fixed: Artifact, free: Collection[str] = ()) -> list[str]:
    """Each option given whose value differs from the one that the artifact was built with."""
    from simdocs.artifacts.formats import FORMATS

    problems = []
    for group in FORMATS[fixed.kind].recipe:
        for name, value in _flat(getattr(fixed.recipe, group)):
            if name in options and name not in free and given(name) and options[name] != value:
                asked = "" if isinstance(options[name], bool) else f" {options[name]}"
                problems.append(f"{spelt(name)}{asked} contradicts {fixed.name}, which was built with {_said(value)}")
    return problems


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "it" if value else "no such thing"
    return str(value)


def _flat(group: Any) -> list[tuple[str, Any]]:
    found = []
    for field in fields(group):
        value = getattr(group, field.name)
        found += _flat(value) if is_dataclass(value) else [(field.name, value)]
    return found
