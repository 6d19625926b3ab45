"""info and check: what does an artifact hold, and is it undamaged?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from simdocs.errors import ArtifactError, InputError
from simdocs.model.result import FACTS, NAME, Look, Table, table_head
from simdocs.names import display_name
from simdocs.options.answers import Drawn, Talking
from simdocs.options.declaration import Options
from simdocs.options.sources import paths

if TYPE_CHECKING:
    from simdocs.engines.run import Run
    from simdocs.model.result import Result


PROBLEMS = table_head(kind=NAME, problem=NAME)

_LONG = 80
"""Characters of a list of stop words that a table shows whole."""


def artifacts_of(given: Sequence[Any]) -> tuple[tuple[Any, ...], list[str]]:
    """Artifacts, with their paths as bytes, and what is wrong with those that are none."""
    found, wrong = paths(given, or_texts=False)
    nul = [display_name(each) for each in found if isinstance(each, bytes) and b"\0" in each]
    return found, [*wrong, *(f"{name}: a path cannot contain NUL" for name in nul)]


class Info(Drawn):
    """Show what an artifact holds.

    Prints its parameters, counts and arrays, its first and last documents and, for an index, the probability that a
    pair is found. Only what is printed is checked; `simdocs check` checks everything.
    """

    command = "info"
    takes = MappingProxyType({"artifact": ("ARTIFACT", 1, True)})
    examples = ("simdocs info docs.index", "simdocs info docs.signatures --format jsonl")
    usual = ("output", "format", "header")
    without = frozenset(Talking.options) - {"debug"}

    artifact: Any = None

    def _check(self) -> Iterator[str]:
        given, wrong = artifacts_of(() if self.artifact is None else (self.artifact,))
        self.__dict__["artifact"] = given[0] if given else None
        yield from wrong
        if not (given or wrong):
            yield "nothing to show: name an artifact"


class Check(Options, Talking):
    """Check that artifacts are undamaged.

    Reads everything, compares the checksums, and checks all internal rules. Prints nothing if all is well. Otherwise
    prints one line for each problem and exits with status 4. Checksums find accidental damage, not forgery.
    """

    command = "check"
    takes = MappingProxyType({"artifacts": ("ARTIFACT...", -1, True)})
    examples = ("simdocs check docs.index", "simdocs check *.index *.shingles")
    without = frozenset(Talking.options) - {"debug"}

    artifacts: tuple[Any, ...] = ()

    @property
    def is_wanted(self) -> bool:
        """Whether there is a table to draw: all problems are errors."""
        return False

    def _check(self) -> Iterator[str]:
        self.__dict__["artifacts"], wrong = artifacts_of(self.artifacts)
        yield from wrong
        if not (self.artifacts or wrong):
            yield "nothing to check: name the artifacts"


def answer(options: Info, run: Run) -> Result:  # noqa: ARG001  (as all answers)
    """What an artifact says of itself. InputError, ArtifactError: it cannot be opened."""
    from simdocs.artifacts.formats import FORMATS
    from simdocs.commands.artifact_facts import facts_of
    from simdocs.commands.resolve import opened
    from simdocs.model.result import Result

    facts = facts_of(opened(options.artifact, tuple(FORMATS)))
    rows = [(key, None if value == "" else value) for key, value in facts]

    def drawn(look: Look) -> Iterator[Table]:
        """The facts; for people, of a long list of stop words only the number."""
        shown = dict(rows).get("stop_word_list")
        words = f"{len(str(shown).split()):,} words" if look.for_people and len(str(shown)) > _LONG else shown
        yield Table.of(FACTS, ((key, words if key == "stop_word_list" else value) for key, value in rows))

    return Result("info", Table.of(FACTS, rows), drawn=drawn)


def check(options: Check, run: Run) -> Result:
    """The damage in artifacts, and those that cannot be read, as errors of the run."""
    from simdocs.artifacts.damage import damages, damages_of
    from simdocs.model.result import Result

    found = run.errors
    for given in options.artifacts:
        try:
            found += map(ArtifactError, damages(given) if isinstance(given, bytes) else damages_of(given))
        except InputError as error:
            found.append(error)
    kinds = ((InputError, "unreadable"), (ArtifactError, "damage"))
    rows = ((next(kind for error, kind in kinds if isinstance(each, error)), str(each)) for each in found)
    return Result("check", Table.of(PROBLEMS, rows))
