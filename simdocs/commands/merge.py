"""merge: the artifact that one run over the arguments of several artifacts would have built."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from simdocs.options.answers import Talking, Target, quiet_or_not, summary_is_a_file
from simdocs.options.declaration import Options
from simdocs.options.sources import paths
from simdocs.options.texts import Rereading

if TYPE_CHECKING:
    from simdocs.engines.run import Run
    from simdocs.model.artifact import Artifact
    from simdocs.model.result import Result


class Merge(Options, Rereading, Target, Talking):
    """Merge artifacts of one kind into one, without reading documents.

    The result has the same bytes as the artifact that one run over the arguments of all of them, in this order, would
    have built (except run.json). So several machines or jobs can each build a part, with the same options. No two
    ARTIFACTs may have a document of the same name. An existing PATH is replaced.
    """

    command = "merge"
    takes = MappingProxyType({"artifacts": ("ARTIFACT...", -1, True)})
    without = frozenset(("shingles", "dry_run"))
    examples = (
        "simdocs merge 1.index 2.index 3.index -o docs.index",
        "simdocs merge jobs/*.signatures -o docs.signatures",
    )
    usual = ("root", "allow_shrink", "output", "verbose")
    rules = (quiet_or_not, summary_is_a_file)

    artifacts: tuple[Any, ...] = ()

    root: bytes | None = Rereading.options["root"].but(
        described="the directory where all of them were built",
        help="Record that the documents are in DIR. Needed if the artifacts were built in different directories.",
    )
    allow_shrink: bool = Target.options["allow_shrink"].but(
        help="Replace the artifact even if it, or an argument, loses more than half of its documents."
    )

    def _check(self) -> Iterator[str]:
        self.__dict__["artifacts"], wrong = paths(self.artifacts, or_texts=False)
        yield from wrong
        if not (self.artifacts or wrong):
            yield "nothing to merge: name the artifacts"

    @property
    def publishes_itself(self) -> bool:
        """Whether the answer is an artifact, and not a table to draw: it always is."""
        return True

    def problem_of_shell(self) -> str:
        """What is wrong on a command line, which has no artifacts in memory: the artifact has no name."""
        from simdocs.commands.artifact_hints import explain_no_output

        return explain_no_output(type(self), self.artifacts) if self.output in (None, b"-") else ""


def answer(options: Merge, run: Run) -> Result | Artifact:
    """Merge artifacts and publish the result, unless `conclude` raises an exception; without an output, hold it.

    For errors, see `planned` and `merge`.
    """
    from simdocs.artifacts.writer import MemoryWriter, write_artifact
    from simdocs.commands.merged import merge, planned, standing_for
    from simdocs.commands.standing import NOTHING

    plan = planned(options)
    if options.output is None:
        memory = MemoryWriter(plan.kind)
        result = merge(plan, memory, run, NOTHING)
        made = memory.artifact(run.skipped)
        run.conclude(result)
        return made
    with write_artifact(os.fsdecode(options.output), plan.kind, options.lock_wait) as writer:
        result = merge(plan, writer, run, standing_for(plan))
        run.conclude(result)
    return result
