"""The guard against a disk that is not mounted: no artifact is replaced by one that has lost most of its documents."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from simdocs.artifacts.formats import KIND_OF_SUFFIX
from simdocs.errors import ShrunkError, mention
from simdocs.model.artifact import Artifact
from simdocs.model.names import display_name, name_to_text
from simdocs.model.ragged import Index
from simdocs.pipeline.prepare import Intake

Given = list[list[Any]]
"""The arguments of a run, each with the number of documents that it gave: ["docs", 1203]. It is in run.json."""


def given_of(intake: Intake, counts: Index | None, documents: int) -> Given:
    """The arguments of a run. counts: (A,) how many documents each gave. documents: how many there are."""
    if intake.artifact is not None:
        return [[intake.artifact.name, documents]]
    listed = intake.sources.listed
    names = intake.sources.names if listed is None else (listed,)
    if counts is None or len(counts) != len(names):  # texts in memory have no arguments
        return []
    return [[name_to_text(name), count] for name, count in zip(names, counts.tolist(), strict=True)]


def refuse_shrinking(name: str, run: Mapping[str, Any], given: Given, documents: int = 0, built: str = "") -> None:
    """Raise ShrunkError if an argument now gives no document, or less than half as many as it gave before.

    If run.json is lost, it is not known what each argument gave, so only their sum is compared.

    A single text that is still there, but cannot be read, is no reason: it is reported by its name. name: the artifact.
    run: what its run.json says. given: the arguments now, with what they give. documents: how many the artifact has.
    built: with which other parameters it was built, which may be why documents are missing now; empty if with the same.
    """
    options = f"{built}: give the same options again, or " if built else ""
    left = sum(count for _, count in given)
    if not run and 2 * left < documents:
        raise ShrunkError(
            f"{name}: it has {documents:,} documents, and would have {left:,} now, so it is not replaced:"
            f" {options}check that no directory is missing, or accept the loss with {mention('allow_shrink')}"
        )
    before, now = Counter[str](), Counter[str]()  # an argument that is repeated gives nothing the second time
    for word, count in _recorded(run):
        before[word] += count
    for word, count in given:
        now[word] += count
    for word, count in now.items():
        if 2 * count < before[word] and not (before[word] == 1 and os.path.isfile(word)):
            shown = display_name(os.fsencode(word))
            mounted = "" if count or os.path.isfile(word) else " (is it mounted?)"
            raise ShrunkError(
                f"{name}: {shown} had {before[word]:,} documents at the last build and has {count:,} now, so it is"
                f" not replaced: {options}check that {shown} is complete{mounted}, or accept the loss with"
                f" {mention('allow_shrink')}"
            )


def same_arguments(run: Mapping[str, Any], given: Given) -> bool:
    """Whether an artifact was built from these arguments, as far as its run.json tells."""
    return [word for word, _ in _recorded(run)] == [word for word, _ in given]


def other_directories(artifact: Artifact, given: Given) -> str:
    """A warning that an artifact was built from other directories than are given now; empty if not.

    Other files give no warning: with `*.txt`, each new file is another argument. Neither does an artifact in the place
    of its documents.
    """
    recorded, row, before = _recorded(artifact.run), 0, list[str]()
    for word, count in recorded:
        if _was_directory(artifact, word, row):
            before.append(word)
        row += count
    then, now = {word for word, _ in recorded}, {word for word, _ in given}
    lost = sorted(set(before) - now)
    added = sorted(word for word in now - then if os.path.isdir(word)) if recorded else []
    if any(os.path.splitext(word.rstrip("/"))[1] in KIND_OF_SUFFIX for word in then | now):
        return ""
    told = [f"{_listed(words)} {what}" for words, what in ((lost, "not given any more"), (added, "new")) if words]
    return f"{artifact.name} was built from other directories: {'; '.join(told)}" if told else ""


def _was_directory(artifact: Artifact, word: str, row: int) -> bool:
    """Whether an argument was no file. It may be gone, but then its documents tell. row: the first of them."""
    if os.path.isdir(os.path.join(name_to_text(artifact.root), word)):
        return True
    within = f"{word.rstrip('/')}/"
    return 0 <= row < artifact.n_documents and artifact.documents.name(row).startswith(within)


def _listed(words: Sequence[str]) -> str:
    more = len(words) - _MOST
    shown = ", ".join(display_name(os.fsencode(word)) for word in words[:_MOST])
    return shown + (f" and {more:,} more" if more > 0 else "") + (" is" if len(words) == 1 else " are")


_MOST = 3
"""How many directories a warning names."""


def _recorded(run: Mapping[str, Any]) -> Sequence[tuple[str, int]]:
    """The arguments that run.json records. The file is not covered by checksums, so it may hold anything."""
    given = run.get("given")
    each = given if isinstance(given, list) else []
    return [
        (pair[0], pair[1])
        for pair in each
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], int)
    ]
