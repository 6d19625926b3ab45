"""dedupe through its Python stages, in this process."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from simdocs.commands.dedupe import Job, Sketched, sketch
from simdocs.corpora.discover import Sources
from simdocs.engines.local import Local
from simdocs.engines.run import Run
from simdocs.parameters import Banding, Grouping, Normalisation, Recipe, Sequences, Shingling, Sketching, Walking
from simdocs.pipeline.prepare import Intake
from simdocs.views.output_formats import tsv
from tests.twins.text_answers import Text

CATCH_ALL = {"bands": 128, "rows": 1}
"""A band a row: no pair of any similarity worth the name is missed."""


def _some(kind: type, options: dict[str, Any]) -> dict[str, Any]:
    return {field.name: options.pop(field.name) for field in fields(kind) if field.name in options}


def recipe(options: dict[str, Any]) -> Recipe:
    """The recipe of the options that name its parameters, which are taken out of options."""
    sketching, banding = Sketching(**_some(Sketching, options)), Banding(**_some(Banding, options))
    normalisation = Normalisation(**_some(Normalisation, options))
    shingling = Shingling(**_some(Shingling, options), normalisation=normalisation)
    return Recipe(Sequences(**_some(Sequences, options)), shingling, sketching, banding)


def job(names: Sequence[bytes | str | Path], **options: Any) -> Job:
    """A job about these files and directories; options by the names that parameters have."""
    made = recipe(options)
    walking, grouping = Walking(**_some(Walking, options)), Grouping(**_some(Grouping, options))
    assert not options
    intake = Intake(Sources(tuple(map(os.fsencode, names))), walking)
    return Job(intake, made, grouping, Banding().threshold if made.banding is None else made.banding.threshold)


@contextmanager
def sketched(names: Sequence[bytes | str | Path], jobs: int = 1, **options: Any) -> Iterator[Sketched]:
    """Documents read and signed, ready to be compared."""
    with Local(jobs) as engine:
        yield sketch(job(names, **options), Run(engine))


def answer(root: Path, what: str = "groups", jobs: int = 1, **options: Any) -> list[tuple[bytes, bytes, float]]:
    """What dedupe answers about a directory: names relative to it, and the similarity."""
    with sketched([root], jobs, **options) as work:
        drawn = drawing(work, what)
        assert work.skipped.counts == {}
        below = len(os.fsencode(root)) + 1
        return [(row[0][below:], row[1][below:], row[2]) for block in drawn.blocks for row in block]


def drawing(work: Sketched, what: str) -> Any:
    """The answer of this kind."""
    return work.groups() if what == "groups" else work.pairs(what == "all_pairs")


def printed(names: Sequence[bytes | str | Path], what: str = "groups", jobs: int = 1, **options: Any) -> bytes:
    """The same as the program would print it into a pipe."""
    with sketched(names, jobs, **options) as work:
        return b"".join(tsv(drawing(work, what), False))


def shelve(root: Path, texts: Sequence[Text]) -> list[bytes]:
    """Write documents below root, named so that row order is theirs; their names."""
    names = [b"%04d" % row for row in range(len(texts))]
    for name, text in zip(names, texts, strict=True):
        path = root / os.fsdecode(name)
        path.write_bytes(text.data)
        os.utime(path, ns=(text.mtime_ns, text.mtime_ns))
    return names
