"""Artifacts built through their Python stages, in this process; and what of them has to be the same."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from simdocs.artifacts.reader import open_artifact
from simdocs.commands.build import build_onto_disk
from simdocs.engines.local import Local
from simdocs.engines.run import Run
from simdocs.model.artifact import Artifact
from simdocs.requests import BuildRequest, IndexRequest, ShingleRequest, SignatureRequest

REQUESTS: dict[str, type[BuildRequest]] = {
    "shingles": ShingleRequest,
    "signatures": SignatureRequest,
    "index": IndexRequest,
}


def opened(path: Path) -> Artifact:
    """The artifact at this path."""
    return open_artifact(os.fsencode(path))


def built(target: Path, given: Sequence[bytes | str | Path] | Path, jobs: int = 1, **options: Any) -> Artifact:
    """The artifact of this name, whose suffix is its kind, made of documents (a list of names) or of an artifact.

    Parameters of later stages are left out.
    """
    documents = (given,) if isinstance(given, Path) else tuple(given)
    asked = REQUESTS[target.suffix[1:]]
    assert options.keys() <= IndexRequest.parameters().keys()
    own = {name: value for name, value in options.items() if name in asked.parameters()}
    request = asked(documents=tuple(map(os.fsencode, documents)), output=target, **own)
    with Local(jobs) as engine:
        build_onto_disk(request, Run(engine))
    return opened(target)


def content(path: Path) -> dict[str, bytes]:
    """All files of an artifact but run.json, which holds what differs between two equal runs."""
    return {file.name: file.read_bytes() for file in sorted(path.iterdir()) if file.name != "run.json"}


def names_on(path: Path) -> list[bytes]:
    """The names of an artifact's documents."""
    artifact = opened(path)
    data, offsets = artifact["names"].all().tobytes(), artifact["name_offsets"].all().tolist()
    return [data[begin:end] for begin, end in pairwise(offsets)]
