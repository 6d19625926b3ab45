"""Build artifacts in this process, and read those of their contents that must be the same for every build."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import simdocs
from tests.asked import ASKED
from tests.runs import answered

QUESTIONS = {"shingles": "shingle", "signatures": "signature", "index": "index"}


def opened(path: bytes | str | Path) -> Any:
    """Open the artifact at this path."""
    return simdocs.open(path)


def damages(path: bytes | str | Path) -> list[str]:
    """Return what is wrong with the artifact at this path."""
    return [line for kind, line in simdocs.check(path) if kind == "damage"]


def built(target: Path, given: Sequence[bytes | str | Path] | Path, jobs: int = 1, **options: Any) -> Any:
    """Build an artifact as `build` does, and open it."""
    build(target, given, jobs, **options)
    return opened(target)


def build(target: Path, given: Sequence[bytes | str | Path] | Path, jobs: int = 1, **options: Any) -> None:
    """Build an artifact from documents (a list of names) or from an artifact.

    The suffix of target is the kind of artifact. Parameters of later stages are left out.
    """
    documents = (given,) if isinstance(given, Path) else tuple(given)
    asked = ASKED[QUESTIONS[target.suffix[1:]]]
    assert options.keys() <= ASKED["index"].options.keys()
    own = {name: value for name, value in options.items() if name in asked.options}
    request = asked(documents=tuple(map(os.fsencode, documents)), output=target, **own)
    answered(request, jobs)


def content(path: Path) -> dict[str, bytes]:
    """Return all files of an artifact except run.json, which differs between two equal runs."""
    return {file.name: file.read_bytes() for file in sorted(path.iterdir()) if file.name != "run.json"}


def names_on(path: Path) -> list[bytes]:
    """Return the names of an artifact's documents."""
    artifact = opened(path)
    data, offsets = artifact["names"].all().tobytes(), artifact["name_offsets"].all().tolist()
    return [data[begin:end] for begin, end in pairwise(offsets)]


@contextmanager
def standard_input(path: Path) -> Iterator[None]:
    """While the content of a file is on standard input."""
    before = os.dup(0)
    with path.open("rb") as stream:
        os.dup2(stream.fileno(), 0)
    try:
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)
