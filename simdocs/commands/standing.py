"""The artifact that stands where a new one will be: what is taken over from it, or why nothing is."""

from __future__ import annotations

import math
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from simdocs.artifacts.formats import FORMATS, KIND_OF_SUFFIX
from simdocs.artifacts.manifest import differences
from simdocs.artifacts.reader import open_artifact
from simdocs.commands.resolve import in_words, is_unset
from simdocs.errors import ArtifactError, InputError, ShrunkError, UsageError
from simdocs.kernels.banding import chosen_by
from simdocs.model.artifact import Artifact, BandIndex
from simdocs.model.documents import Documents
from simdocs.model.figures import counted
from simdocs.model.skipped import Skipped
from simdocs.names import display_name, flag, name_to_text, path_from
from simdocs.options.recipes import Bands, IndexRecipe, Recipe, Updating
from simdocs.pipeline.reading import Intake
from simdocs.reading import files
from simdocs.reading.unchanged import Earlier, names_of_files

_CONTENTS: Mapping[str, str] = MappingProxyType(
    {"template_digest": "template", "stop_word_list": "stop_words", "permutations": "permutation_file"}
)
"""Options that name files, by what the recipe has of their contents."""

_OF_ITEMS = frozenset(("items", "item_tokens"))
"""What a recipe with own hash functions has of the documents."""

_OF_SCHEME = frozenset(("scheme", "num_perm", *_OF_ITEMS))
"""What own hash functions decide beside."""

_AT_ONCE = 1 << 20
"""Values of a column that are checked at once."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The artifact that a new one will replace.

    artifact: the artifact; None if there is none that can be read.
    earlier: the same, as far as its documents can be taken over; None: nothing can.
    why_anew: why nothing is taken over; empty if something is, or if there is no artifact.
    unexpected: whether that deserves a warning, as with a damaged artifact.
    """

    artifact: Artifact | None = None
    earlier: Earlier | None = None
    why_anew: str = ""
    unexpected: bool = False


NOTHING = Standing()
"""There is no artifact yet."""


def standing(path: bytes, recipe: Recipe, updating: Updating, *, other_bands: bool = False) -> Standing:
    """The artifact at this path, and what a build with this recipe can take over from it.

    other_bands: whether it may get other bands. UsageError: it was built with other options, and no rebuild is wanted.
    """
    try:
        artifact = open_artifact(path)
        groups = [group for group in FORMATS[artifact.kind].parameter_groups if group != "banding" or not other_bands]
        found = differences(artifact.recipe, recipe, groups)
        if not updating.rebuild:
            _refuse_other_options(artifact, recipe, found)
        _check(artifact)
    except InputError:
        return NOTHING
    except ArtifactError as error:
        return Standing(why_anew=error.problem, unexpected=True)
    if updating.rebuild:
        return Standing(artifact, why_anew="everything is read again")
    if "unicode" in found:
        return Standing(artifact, why_anew=f"{artifact.name} was built {built_with(found)}", unexpected=True)
    if "ignored_digest" in found:
        return Standing(artifact, why_anew="other tokens are left out now")
    if found:
        return Standing(artifact, why_anew="the documents have other shingles now, which are numbered again")
    # No checksum covers run.json: instead of values that make no sense, those count with which least is taken over.
    read_ns, limit = (artifact.run.get(key) for key in ("read_ns", "max_size"))
    read_ns = read_ns if isinstance(read_ns, int) and read_ns <= files.now() else 0
    limit = limit if isinstance(limit, int) and limit >= 0 else sys.maxsize
    return Standing(artifact, Earlier(artifact, read_ns, limit, updating))


def _refuse_other_options(artifact: Artifact, recipe: Recipe, found: Mapping[str, tuple[Any, Any]]) -> None:
    """Raise UsageError if an artifact was built with other options: one may have been forgotten.

    What depends on the documents or on Python may differ. found: see `differences`.
    """
    other = {name: values for name, values in found.items() if name not in ("unicode", "ignored_digest")}
    if have_other_items(other):
        return
    both = [each for each in (artifact.recipe, recipe) if isinstance(each, IndexRecipe)]
    if all(chosen_by(each.banding, each.sketching.num_perm) == each.banding.rule for each in both):
        # The bands follow from the other options.
        other = {name: values for name, values in other.items() if name not in Bands._fields}
    if other:
        built = built_with(other, both=True)
        raise UsageError(f"{artifact.name} was built {built}: give the same options, or --rebuild to build it anew")


def have_other_items(found: Mapping[str, tuple[Any, Any]]) -> bool:
    """Whether own hash functions differ because documents have other shingles, and not because others were stated.

    found: see `differences`.
    """
    return "items" in found and found.keys() <= {*_OF_ITEMS, "permutations"}


def built_with(found: Mapping[str, tuple[Any, Any]], another: str = "another", *, both: bool = False) -> str:
    """A phrase with the parameters with and without which the artifact was built.

    found: see `differences`. another: the word for a file that is not the one of the other artifact. both: whether the
    phrase has both values.
    """
    had, lacked = list[str](), list[str]()
    implied = _OF_SCHEME if found.keys() & {"functions", "permutations"} else _OF_ITEMS
    for name, (then, now) in found.items():
        if name in implied:
            continue
        if name in _CONTENTS:
            (had if then else lacked).append(f"{f'{another} ' if then and now else ''}{flag(_CONTENTS[name])}")
        elif name == "unicode":
            had.append(f"the tables of Unicode {then}")
        elif is_unset(name, then):
            lacked.append(flag(name))
        elif name != "ignored_digest":
            other = "" if not both or then is True or is_unset(name, now) else f", not {in_words(now)}"
            had.append(flag(name) if then is True else f"{flag(name)} {in_words(then)}{other}")
    if not (had or lacked) and "items" in found:
        had.append("other shingles")
    lists = (("with", had), ("without", lacked))
    return " and ".join(f"{word} {('; ' if both else ', ').join(each)}" for word, each in lists if each)


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


Given = list[list[Any]]
"""The arguments of a run, each with the number of documents that it gave: ["docs", 1203]. It is in run.json."""


def given_of(intake: Intake, documents: Documents) -> Given:
    """The arguments of a run, with the number of its documents from each."""
    if intake.artifact is not None:
        return [[intake.artifact.name, len(documents)]]
    listed = intake.sources.listed
    names = intake.sources.names if listed is None else (listed,)
    if documents.counts is None or len(documents.counts) != len(names):  # texts in memory have no arguments
        return []
    # Without slashes at the end, so that `docs/` is the same argument as `docs`.
    words = (name_to_text(name).rstrip("/") or "/" for name in names)
    return [[word, count] for word, count in zip(words, documents.counts.tolist(), strict=True)]


def refuse_shrinking(name: str, run: Mapping[str, Any], given: Given, documents: int = 0) -> None:
    """Raise ShrunkError if an argument now gives no document, or less than half as many as it gave before.

    If run.json is lost, it is not known what each argument gave, so only their sum is compared.

    A single text that still exists, but cannot be read, is no reason: it is reported by its name.

    name: the name of the artifact.
    run: the contents of its run.json.
    given: the arguments now, with the number of documents from each.
    documents: the number of documents of the artifact.
    """
    left = sum(count for _, count in given)
    if not run and 2 * left < documents:
        raise ShrunkError(
            f"{name}: it has {counted(documents, 'document')}, and would have {left:,} now, so it is not replaced:"
            " check that no directory is missing, or accept the loss with --allow-shrink"
        )
    before, now = Counter[str](), Counter[str]()  # an argument that is repeated gives nothing the second time
    for word, count in recorded_arguments(run):
        before[word] += count
    for word, count in given:
        now[word] += count
    for word, count in now.items():
        if 2 * count < before[word] and not (before[word] == 1 and os.path.isfile(word)):
            shown = display_name(os.fsencode(word))
            mounted = "" if count or os.path.isfile(word) else " (is it mounted?)"
            raise ShrunkError(
                f"{name}: {shown} had {before[word]:,} documents at the last build and has {count:,} now, so it is"
                f" not replaced: check that {shown} is complete{mounted}, or accept the loss with --allow-shrink"
            )


def refuse_unread(artifact: Artifact, skipped: Skipped) -> None:
    """Raise ShrunkError if the artifact has documents of files that are skipped for lack of a library, or below a
    directory that cannot be listed.

    These documents would be dropped, although they may not have changed at all.
    """
    unread = {os.path.abspath(path): (path, f"make {display_name(path)} readable") for path in skipped.unlisted}
    unread |= {os.path.abspath(skip.name): (skip.name, skip.detail) for skip in skipped.kept("uninstalled")}
    if not unread:
        return
    documents = artifact.documents
    for name in names_of_files(documents, np.arange(len(documents.files))):
        path, above = os.path.abspath(path_from(artifact.root, name)), b""
        while path not in unread and path != above:
            path, above = os.path.dirname(path), path
        if path in unread:
            shown, remedy = unread[path]
            raise ShrunkError(
                f"{artifact.name}: it has documents of {display_name(shown)}, which cannot be read now, so it is not"
                f" replaced: {remedy}, or accept the loss with --allow-shrink"
            )


def other_arguments(artifact: Artifact, given: Given) -> str:
    """A warning that an artifact was built from other directories than are given now; empty if not.

    Other files give no warning: with `*.txt`, each new file is another argument. Neither does an artifact in the place
    of its documents.
    """
    recorded, row, directories = recorded_arguments(artifact.run), 0, set[str]()
    for word, count in recorded:
        # A directory may be gone, but its documents tell.
        if 0 <= row < artifact.n_documents and artifact.documents.name(row).startswith(f"{word}/"):
            directories.add(word)
        row += count
    then, now = {word for word, _ in recorded}, {word for word, _ in given}
    if any(os.path.splitext(word)[1] in KIND_OF_SUFFIX for word in then | now):
        return ""
    added = filter(os.path.isdir, now - then if recorded else ())
    words = ((sorted(directories - now), "not given any more"), (sorted(added), "new"))
    told = "; ".join(f"{_listed(each)} {what}" for each, what in words if each)
    return f"{artifact.name} was built from other directories: {told}" if told else ""


def _listed(words: Sequence[str]) -> str:
    more = len(words) - _MOST
    shown = ", ".join(display_name(os.fsencode(word)) for word in words[:_MOST])
    return shown + (f" and {more:,} more" if more > 0 else "") + (" is" if len(words) == 1 else " are")


_MOST = 3
"""How many directories a warning names."""


def recorded_arguments(run: Mapping[str, Any]) -> Given:
    """The arguments that run.json records. No checksum covers the file: it may hold anything."""
    given = run.get("given")
    return [
        pair
        for pair in (given if isinstance(given, list) else [])
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], int)
    ]
