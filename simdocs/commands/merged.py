"""The artifact that one run over the arguments of several artifacts would have built."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from simdocs.artifacts.formats import FORMATS, RUN
from simdocs.artifacts.manifest import differences
from simdocs.artifacts.reader import most_open, open_artifact
from simdocs.artifacts.writer import MemoryWriter, artifact_writer
from simdocs.commands.build import Merge
from simdocs.commands.ignoring import ignored_of
from simdocs.commands.new_artifact import facts_of_reading, finish
from simdocs.commands.resolve import opened
from simdocs.commands.standing import (
    NOTHING,
    Standing,
    built_with,
    have_other_items,
    recorded_arguments,
    refuse_shrinking,
)
from simdocs.engines.engine import Run
from simdocs.errors import ArtifactError, InputError, ParametersError, UsageError
from simdocs.matching.corpus import check_root
from simdocs.model.artifact import Artifact
from simdocs.model.ragged import ByteStrings
from simdocs.model.result import Result
from simdocs.model.skipped import JUDGED, UNJUDGED
from simdocs.names import display_name, is_absolute, name_to_text
from simdocs.options.recipes import Bands, Recipe, SignatureRecipe
from simdocs.pipeline.merging import Inputs, merge_arrays, merged_documents
from simdocs.reading import files


def merged(options: Merge, run: Run) -> Result | Artifact:
    """The artifact that one run over the arguments of the inputs, in their order, would have built: the same bytes.

    It is published unless `conclude` raises an exception; without an output, it is held.

    UsageError: an input is given twice, or is the output; or they were built in different directories.
    ArtifactError: they are of different kinds, or common tokens are left out of them. ParametersError: they were made
    with different parameters. ShrunkError: it would lose more than half of the documents of the artifact that is there.
    For others, see `opened`, `merged_documents` and `merge_arrays`.
    """
    check_root(options.root)
    _refuse_twice(options)
    kind = opened(options.artifacts[0], tuple(FORMATS)).kind
    inputs = Inputs(options.artifacts, lambda given: opened(given, (kind,)), most_open(kind))
    first = inputs[0]
    given, facts, roots = list[list[Any]](), list[Mapping[str, Any]](), set[bytes]()
    for artifact in inputs:
        _refuse_common(artifact)
        _refuse_different(first, artifact)
        arguments = recorded_arguments(artifact.run)
        are_known = sum(count for _, count in arguments) == artifact.n_documents
        given += arguments if are_known else [[artifact.name, artifact.n_documents]]
        facts.append(facts_of_reading(artifact))
        roots.add(artifact.root)
    if isinstance(first.recipe, SignatureRecipe):
        ignored_of(first)
    root, recipe = _root(options.root, inputs, roots), first.recipe
    with artifact_writer(options.output, kind, options.lock_wait) as writer:
        began_ns, there = files.now(), _standing(options.output, recipe, kind)
        documents, firsts = merged_documents(inputs, run)
        if there.artifact is not None and not options.allow_shrink:
            # A job that failed leaves no argument, so all documents count, too, and before anything is written.
            refuse_shrinking(there.artifact.name, {}, given, there.artifact.n_documents)
        result, _ = finish(
            *(options, kind, recipe, documents, writer, run, there, began_ns),
            f"{there.why_anew}; it is replaced" if there.unexpected else "",
            recorded={"root": name_to_text(root), **_facts_together(facts), "given": given},
            ignored=len(inputs[0].ignored),
            expectation=merge_arrays(inputs, documents, firsts, recipe, writer.append, run),
        )
        made = writer.artifact(run.skipped) if isinstance(writer, MemoryWriter) else result
        run.conclude(result)
    return made


def _standing(output: bytes | None, recipe: Recipe, kind: str) -> Standing:
    """The artifact that is replaced. Nothing is taken over from it, but its documents are compared with new ones."""
    if output is None:
        return NOTHING
    try:
        artifact = open_artifact(output)
        _ = artifact.documents
    except InputError:
        return NOTHING
    except ArtifactError as error:
        return Standing(why_anew=error.problem, unexpected=True)
    if found := differences(artifact.recipe, recipe, FORMATS[kind].parameter_groups):
        return Standing(artifact, why_anew=f"{artifact.name} was built {built_with(found)}", unexpected=True)
    return Standing(artifact)


def _refuse_twice(options: Merge) -> None:
    """Raise UsageError if an input is given twice, or is the output."""
    seen = dict[object, bytes]()
    for given in options.artifacts:
        place = _place(given) if isinstance(given, bytes) else id(given)
        if place is not None and place in seen:
            name = display_name(given) if isinstance(given, bytes) else given.name
            raise UsageError(f"{name}: this artifact is given twice: name each artifact once")
        seen[place] = given
    output = options.output
    if output is not None and (place := _place(output)) is not None and place in seen:
        raise UsageError(
            f"{display_name(output)}: this is one of the artifacts to merge, and would be replaced: choose another"
            " name for -o"
        )


def _place(path: bytes) -> object:
    """The device and inode of what is at this path; None if nothing is."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _refuse_common(artifact: Artifact) -> None:
    """Raise ArtifactError if tokens are left out because they are common."""
    recipe = artifact.recipe
    if isinstance(recipe, SignatureRecipe) and recipe.ignoring.ignore_common < 1:
        build = f"simdocs index ALL.shingles -o ALL.index --ignore-common {recipe.ignoring.ignore_common}"
        raise ArtifactError(
            f"{artifact.name}: was built with --ignore-common {recipe.ignoring.ignore_common:g}, and which tokens are"
            " common depends on all documents together: merge the .shingles of these documents instead, and then leave"
            f" out their common tokens, as with {build}"
        )


def _refuse_different(first: Artifact, artifact: Artifact) -> None:
    """Raise ParametersError if these two inputs were made with different parameters."""
    found = differences(first.recipe, artifact.recipe, FORMATS[first.kind].parameter_groups)
    limits = [other.run.get("max_size") for other in (first, artifact)]
    if limits[0] != limits[1] and all(type(limit) is int for limit in limits):
        found["max_size"] = limits[0], limits[1]
    if not found:
        return
    if have_other_items(found):
        told = f"{first.name} and {artifact.name} have different shingles, which their hash functions number"
        raise ParametersError(first.name, artifact.name, found, f"{told}: sign all documents in one run")
    if found.keys() - Bands._fields:  # the rest follows from them
        found = {name: values for name, values in found.items() if name not in Bands._fields}
    theirs = {name: (other, one) for name, (one, other) in found.items()}
    told = f"{first.name} was built {built_with(found, 'one')}, and {artifact.name} {built_with(theirs)}"
    raise ParametersError(first.name, artifact.name, found, f"{told}: build both with the same options")


def _root(given: bytes | None, inputs: Inputs, roots: Collection[bytes]) -> bytes:
    """The directory from which the names of all documents are found. roots: those of the inputs."""
    if given is not None:
        return os.path.realpath(given)
    if len(roots) == 1 and b"" not in roots:
        return next(iter(roots))
    relative = dict[bytes, str]()
    for artifact in inputs:
        if not all(map(is_absolute, ByteStrings(artifact.documents.names))):
            relative.setdefault(artifact.root, artifact.name)
    if b"" in relative:
        raise ArtifactError(
            f"{relative[b'']}/{RUN}: missing or damaged, so it is not known where the documents are: build the artifact"
            " again, or name their directory with --root"
        )
    if len(relative) > 1:
        (one, its_name), (other, other_name), *_ = relative.items()
        raise UsageError(
            f"{its_name} was built in {display_name(one)}, and {other_name} in {display_name(other)}, so the same names"
            " may mean different files: build both in the same directory, or name that of all documents with --root"
        )
    return next(iter(relative), inputs[0].root or os.getcwdb())


def _facts_together(facts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What run.json says about the runs that read the documents. What one of them does not say is left out.

    An update reads all files again that may have changed since the first of these runs began.
    """
    together = dict[str, Any]()
    for name in ("read_ns", "max_size"):
        values = [value for each in facts if type(value := each.get(name)) is int]
        if len(values) == len(facts):
            together[name] = min(values)
    counts = Counter[str]()
    for each in facts:
        skipped = each.get("skipped")
        for reason in (*JUDGED, *UNJUDGED):
            if isinstance(skipped, dict) and type(skipped.get(reason)) is int:
                counts[reason] += skipped[reason]
    return together | {"skipped": dict(counts)}
