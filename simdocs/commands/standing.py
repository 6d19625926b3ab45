"""The artifact that stands where a new one will be: what is taken over from it, or why nothing is."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from simdocs.artifacts.formats import FORMATS
from simdocs.artifacts.manifest import differences
from simdocs.artifacts.reader import open_artifact
from simdocs.corpora import clock
from simdocs.errors import ArtifactError, InputError, mention
from simdocs.model.artifact import Artifact, BandIndex
from simdocs.model.documents import Documents
from simdocs.model.names import name_to_text
from simdocs.parameters import PARAMETERS
from simdocs.pipeline.reuse import Earlier
from simdocs.recipes import OF_BANDS, Bands, IndexRecipe, Recipe, Updating

_REMEDY = re.compile(": build (it|the artifact) again$")
"""What an error advises, and an update does by itself."""

_CONTENTS: Mapping[str, str] = MappingProxyType({"template_digest": "template", "stop_word_list": "stop_words"})
"""Options that name files, by what the recipe has of their contents."""

_AT_ONCE = 1 << 20
"""Values of a column that are checked at once."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The artifact that a new one will replace.

    artifact: None if there is none that can be read. why_anew: why nothing is taken over from it; empty if something
    is, or if there is nothing. unexpected: whether users should know of that even if they do not look, as with a
    damaged artifact, or one that was built with other options.
    """

    artifact: Artifact | None = None
    earlier: Earlier | None = None
    why_anew: str = ""
    unexpected: bool = False

    @property
    def documents(self) -> Documents | None:
        """Its documents."""
        return None if self.artifact is None else self.artifact.documents


NOTHING = Standing()
"""There is no artifact yet."""


def standing(path: bytes, recipe: Recipe, updating: Updating) -> Standing:
    """What stands at this path, and what can be taken over from it by a build with this recipe."""
    try:
        artifact = open_artifact(path)
        _check(artifact)
    except InputError:
        return NOTHING
    except ArtifactError as error:
        return Standing(why_anew=_REMEDY.sub("", str(error)), unexpected=True)
    if updating.rebuild:
        return Standing(artifact, why_anew="everything is read again")
    # The bands are made anew in any case.
    groups = [group for group in FORMATS[artifact.kind].parameter_groups if group != "banding"]
    if found := differences(artifact.recipe, recipe, groups):
        if found.keys() == {"ignored_digest"}:
            return Standing(artifact, why_anew="other tokens are left out now")
        return Standing(artifact, why_anew=f"{artifact.name} was built {_in_words(found)}", unexpected=True)
    here = artifact.run.get("root") == name_to_text(os.getcwdb())
    return Standing(artifact, Earlier(artifact, *_reading(artifact.run), updating, here))


def forgotten_bands(there: Standing, recipe: Recipe, given: Mapping[str, Any]) -> Iterator[str]:
    """Yield a warning if an index was built for other bands, and nothing that was given says which are wanted now."""
    old = None if there.artifact is None else there.artifact.recipe
    if there.unexpected or not (isinstance(old, IndexRecipe) and isinstance(recipe, IndexRecipe)):
        return
    if old.banding == recipe.banding or any(name in given for name in OF_BANDS):
        return
    other = {name: found for name, found in differences(old, recipe, ["banding"]).items() if name in OF_BANDS}
    wishes = {name: found for name, found in other.items() if name not in Bands._fields}
    assert there.artifact is not None
    yield (
        f"{there.artifact.name} was built {_in_words(wishes or other)}; its bands are now the default ones: give the"
        " same options again to keep them"
    )


def _in_words(found: Mapping[str, tuple[Any, Any]]) -> str:
    """With and without which parameters the artifact was built. found: as differences() returns it."""
    had, lacked = list[str](), list[str]()
    for name, (then, now) in found.items():
        if name in _CONTENTS:
            (had if then else lacked).append(f"{'another ' if then and now else ''}{mention(_CONTENTS[name])}")
        elif name == "unicode":
            had.append(f"the tables of Unicode {then}")
        elif then is False or (name == "ignore_common" and then == PARAMETERS[name].default):
            lacked.append(mention(name))
        elif name != "ignored_digest":
            had.append(mention(name) if then is True else f"{mention(name)} {then}")
    lists = (("with", had), ("without", lacked))
    return " and ".join(f"{word} {', '.join(each)}" for word, each in lists if each)


def _reading(run: Mapping[str, Any]) -> tuple[int, int]:
    """When the documents were read, and the limit of their size, as run.json tells. The file has no checksum, so it may
    say anything: what makes no sense counts as the time and the limit by which least is taken over."""
    read_ns, limit = (run[key] if isinstance(run.get(key), int) else -1 for key in ("read_ns", "max_size"))
    return read_ns if read_ns <= clock.now() else 0, limit if limit >= 0 else sys.maxsize


def _check(artifact: Artifact) -> None:
    """Read every column. ArtifactError: a block is damaged, or what is recorded contradicts itself."""
    for column in artifact.columns.values():
        at_once = max(1, _AT_ONCE // max(1, math.prod(column.shape[1:])))
        for at in range(0, len(column), at_once):
            column.cut(at, min(at + at_once, len(column)))
            column.release()
    if isinstance(artifact, BandIndex):
        artifact.hold_tables()
    _ = artifact.documents
