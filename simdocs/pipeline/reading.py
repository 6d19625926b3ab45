"""Read documents: the work on one task, and the one loop in which all stages read files in row order, with progress."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from simdocs.corpora.containers.recognise import needed_by
from simdocs.corpora.file_list import FileList
from simdocs.corpora.read_tasks import Advance, Cutting, Portion, ReportSkip, ToRead
from simdocs.engines.engine import Engine, WorkerState
from simdocs.engines.run import Run
from simdocs.model.artifact import Artifact
from simdocs.model.documents import Documents
from simdocs.model.ragged import BlockPlaces, Index, Rows, offsets_of
from simdocs.model.skipped import Skip, and_more
from simdocs.names import display_name
from simdocs.options.recipes import Recipe
from simdocs.options.texts import Sequences
from simdocs.pipeline.read_documents import Read, WorkerTask
from simdocs.pipeline.register import Register

if TYPE_CHECKING:
    from simdocs.pipeline.reuse import Earlier
    from simdocs.pipeline.stretched import Following

Made = TypeVar("Made")
"""The result of a stage for the documents of a task, such as their signatures."""

StageWork: TypeAlias = "Callable[[WorkerTask, WorkerState], tuple[Read, Made]]"
"""The work of a stage on a task: it returns the Read without texts, and its result."""


class Reading:
    """Reads files in row order, each task in a worker, and takes over documents that have not changed.

    recipe: how they are read.
    limit: the largest size of a document in bytes.
    earlier: the artifact from which unchanged documents are taken over.
    Raises MissingExtraError: a file that was named needs a library that is not installed.
    """

    def __init__(self, found: FileList, limit: int, recipe: Recipe, run: Run, earlier: Earlier | None = None) -> None:
        for name, (module, what) in needed_by((found.names[row] for row in sorted(found.named)), recipe.sequences):
            from simdocs.extras import needs

            needs(module, what, display_name(name))
        self.recipe, self.run, self.earlier = recipe, run, earlier
        self._limit = limit
        self._reuse = None if earlier is None else earlier.reuse(found, recipe, limit)
        self._found = found
        self._register = Register(self._found, run.skipped, recipe)
        self.progress = Advance(self._found)
        self._warned = False
        """Whether a warning says already that the usual field of ids has other values."""

    def in_order(self, work: StageWork[Made], step: str) -> Iterator[tuple[Made | None, BlockPlaces, Rows | None]]:
        """Yield the result of `work` for each task in row order, the places of documents with a row, and old rows.

        work: runs in a worker; it returns the Read without texts, and its result.
        step: the name of the step, for progress.
        The result is None if all documents are taken over. Old rows are rows in the earlier artifact, or -1; None if no
        document is in it.
        """
        reuse, register, advance = self._reuse, self._register, self.progress
        unchanged = None if reuse is None else reuse.unchanged
        cutting = Cutting(self._found, self._limit, self.recipe.sequences, register.skip_rest, unchanged, apart=True)
        tell = advance.teller(step, self.run.progress)
        flow = _Flow(self.run.engine, work, cutting, advance, tell)
        for turn in flow.in_order():
            if turn.kept is not None:
                assert reuse is not None
                read, old = reuse.take(turn.kept)
                yield None, register.enter(read, turn.files, old), old
                continue
            if (found := flow.documents(turn, register.skip_rest)) is not None:
                read, made, files = found
                del found
                if read.unusable_ids and not self._warned:
                    self._warned = True
                    self._warn_of_ids(read.unusable_ids)
                rows = None
                if reuse is not None and len(read.known):
                    rows = reuse.fill(read, register.files_done)
                yield made, register.enter(read, files, rows), rows
            tell(0)

    def _warn_of_ids(self, first: Skip) -> None:
        from simdocs.corpora.containers.fields import named_by_numbers

        if (warning := named_by_numbers(first)) not in self.run.skipped.warnings:  # documents may be read twice
            self.run.skipped.warnings.append(warning)

    @property
    def reused(self) -> Artifact:
        """The earlier artifact, if anything is taken over."""
        assert self.earlier is not None
        return self.earlier.artifact

    def documents(self) -> Documents:
        """The documents that have a row, when all were read."""
        return self._register.documents()

    def refuse_unread(self, counts: Index) -> None:
        """Raise MissingExtraError if nothing of an argument could be read for lack of a library.

        counts: the number of documents of each argument.
        If an artifact is updated that has documents, it decides whether any of them would be lost.
        """
        unread = {skip.name for skip in self.run.skipped.kept("uninstalled")}
        if not unread or (self.earlier is not None and self.earlier.artifact.n_documents):
            return
        from simdocs.extras import needs

        ends = offsets_of(self._found.counts).tolist()
        for (start, stop), count in zip(pairwise(ends), counts.tolist(), strict=True):
            names = [name for name in self._found.names[start:stop] if name in unread] if not count else []
            for name, (module, what) in needed_by(names, self.recipe.sequences):
                needs(module, what, f"{display_name(name)}{and_more(len(names))}")

    @property
    def lacking(self) -> Skip | None:
        """The first container of which no document has the text fields; None if a document of any has them."""
        return self._register.lacking


class _Turn:
    """A task on its way.

    files: the number of files that end with it. number: how many tasks were made before it.
    kept: what is taken over. stretch: what a worker cuts itself.
    """

    __slots__ = ("files", "is_done", "kept", "number", "result", "stretch")

    def __init__(self, portion: Portion, files: int, number: int) -> None:
        # Other tasks hold texts, which are not needed any more when they were sent.
        self.kept = portion if portion.is_kept else None
        self.stretch = portion if portion.is_stretch else None
        self.files, self.number, self.is_done = files, number, portion.is_kept
        self.result: Any = None


class _Source:
    """Tasks in row order: those that are still to come, and the turns of those that are on their way."""

    def __init__(self, coming: Iterator[tuple[Portion, _Turn]]) -> None:
        self.coming, self.has_ended = coming, False
        self.turns = deque[_Turn]()


class _Flow(Generic[Made]):
    """Sends the tasks of a stage to an engine, and takes their results in row order.

    If a worker cannot read a container to its end, tasks of the rest of it are sent next, and the results of those that
    were sent before wait for theirs.
    """

    def __init__(
        self, engine: Engine, work: StageWork[Made], cutting: Cutting, advance: Advance, tell: Callable[[float], None]
    ) -> None:
        self._engine, self._cutting, self._advance, self._tell = engine, cutting, advance, tell
        self._work = partial(_do, work, cutting.sequences)
        stream = enumerate(advance.watch(cutting.tasks()))
        self._sources = [_Source((task, _Turn(task, advance.files[number], number)) for number, task in stream)]
        """The last one is first in row order."""
        self._sent = deque[_Turn]()
        self._following: Following | None = None

    def in_order(self) -> Iterator[_Turn]:
        """Yield what is kept, and each task when its result is there."""
        while self._sources:
            for result in self._engine.map(self._work, self._sending(), self._tell):
                turn = self._sent.popleft()
                turn.result, turn.is_done = result, True
                del result
                yield from self._ready()
            yield from self._ready()

    def _sending(self) -> Iterator[ToRead]:
        while (portion := self._next()) is not None:
            if not portion.is_kept:
                yield portion

    def _next(self) -> Portion | None:
        for source in reversed(self._sources):
            for portion, turn in source.coming:
                if turn.stretch is None or self._following is None or not self._following.is_over(turn.stretch):
                    source.turns.append(turn)
                    if turn.kept is None:
                        self._sent.append(turn)
                    return portion
            source.has_ended = True
        return None

    def _ready(self) -> Iterator[_Turn]:
        while self._sources:
            source = self._sources[-1]
            if source.turns and source.turns[0].is_done:
                turn = source.turns.popleft()
                self._advance.reach(turn.number)
                yield turn
            elif source.turns or not source.has_ended:
                return
            else:
                self._sources.remove(source)

    def documents(self, turn: _Turn, report: ReportSkip) -> tuple[Read, Made, int] | None:
        """The documents of a task with its result, and the number of files that end there; None if there are none."""
        if turn.stretch is None:
            return *turn.result, turn.files
        from simdocs.pipeline.stretched import Following

        following = self._following = self._following or Following()
        stretch, worked = turn.stretch, turn.result
        if following.is_over(stretch):
            return None
        found, goes_on = following.take(stretch, worked)
        if worked.skip is not None:
            report(worked.skip, worked.is_textless)
        if not goes_on:
            rest = self._cutting.rest(stretch.row, following.done, following.count, following.stamp)
            self._sources.append(_Source((task, _Turn(task, files, turn.number)) for task, files in rest))
        return None if found is None else (*found, turn.files if goes_on else 0)


def _do(work: StageWork[Made], fields: Sequences, task: ToRead, state: WorkerState) -> Any:
    """The result of a task, or what a worker has read of a stretch."""
    if not task.is_stretch:
        return work(task, state)
    from simdocs.pipeline.stretched import work_on

    return work_on(work, task, state, fields)
