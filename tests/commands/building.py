"""Artifacts built through their Python stages, in this process; and what of them has to be the same."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from simdocs.artifacts.reader import open_artifact
from simdocs.artifacts.writer import write_artifact
from simdocs.commands import build
from simdocs.corpora.discover import Sources
from simdocs.engines.local import Local
from simdocs.engines.run import Run
from simdocs.model.artifact import Artifact
from simdocs.parameters import Walking
from simdocs.pipeline.prepare import Intake
from tests.commands.deduping import recipe

BUILD = {"shingles": build.build_shingles, "signatures": build.build_signatures, "index": build.build_index}


def opened(path: Path) -> Artifact:
    """The artifact at this path."""
    return open_artifact(os.fsencode(path))


def built(target: Path, given: Sequence[bytes | str | Path] | Path, jobs: int = 1, **options: Any) -> Artifact:
    """The artifact of this name, whose suffix is its kind, made of documents (a list of names) or of an artifact."""
    kind = target.suffix[1:]
    made = recipe(options)
    walking = Walking(**options)
    if isinstance(given, Path):
        intake = Intake(shelf=opened(given))
    else:
        intake = Intake(Sources(tuple(map(os.fsencode, given))), walking)
    with write_artifact(str(target), kind) as writer, Local(jobs) as engine:
        BUILD[kind](build.Order(intake, made, writer, ["simdocs"]), Run(engine))
    return opened(target)


def content(path: Path) -> dict[str, bytes]:
    """All files of an artifact but run.json, which holds what differs between two equal runs."""
    return {file.name: file.read_bytes() for file in sorted(path.iterdir()) if file.name != "run.json"}


def names_on(path: Path) -> list[bytes]:
    """The names of an artifact's documents."""
    shelf = opened(path)
    data, offsets = shelf["names"].all().tobytes(), shelf["name_offsets"].all().tolist()
    return [data[begin:end] for begin, end in pairwise(offsets)]
