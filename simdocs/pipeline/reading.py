"""Read documents: the work on one task, and the one loop in which all stages read files in row order, with progress."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from simdocs.engines.engine import Engine, WorkerState
from simdocs.engines.run import Run
from simdocs.model.artifact import Artifact
from simdocs.model.documents import Documents
from simdocs.model.ragged import BlockPlaces, Index, Rows, offsets_of
from simdocs.model.skipped import DocumentSkipped, Skip, and_more
from simdocs.names import display_name
from simdocs.options.recipes import Recipe
from simdocs.pipeline.read_documents import Read, nothing
from simdocs.pipeline.register import Register
from simdocs.reading.file_list import FileList
from simdocs.reading.formats import needed_by
from simdocs.reading.read_tasks import Advance, Cutting, Portion, ReadRows, ToRead

if TYPE_CHECKING:
    from simdocs.pipeline.reuse import Earlier
    from simdocs.reading.formats.lines import LineBlock

Made = TypeVar("Made")
"""The result of a stage for the documents of a task, such as their signatures."""

StageWork: TypeAlias = "Callable[[ToRead, WorkerState], tuple[Read, Made]]"
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
        self._cutting: Cutting | None = None
        self._warned = False
        """Whether a warning says already that the usual field of ids has other values."""
        self.without_ids = ""
        """The fields of the first row without an id."""

    def in_order(
        self, work: StageWork[Made], step: str, *, with_digests: bool = True
    ) -> Iterator[tuple[Made | None, BlockPlaces, Rows | None]]:
        """Yield the result of `work` for each task in row order, the places of documents with a row, and old rows.

        work: runs in a worker; it returns the Read without texts, and its result.
        step: the name of the step, for progress. with_digests: see Cutting.
        The result is None if all documents are taken over. Old rows are rows in the earlier artifact, or -1; None if no
        document is in it.
        """
        reuse, register, advance = self._reuse, self._register, self.progress
        unchanged = None if reuse is None else reuse.unchanged
        sequences, report = self.recipe.sequences, register.skip_rest
        cutting = Cutting(self._found, self._limit, sequences, report, unchanged, with_digests=with_digests)
        tell = advance.teller(step, self.run.progress)
        self._cutting = cutting
        flow = _Flow(self.run.engine, work, cutting, advance, tell)
        row, numbers = -1, 0
        for turn in flow.in_order():
            if turn.kept is not None:
                assert reuse is not None
                from simdocs.reading.unchanged import KeptRows

                if isinstance(turn.kept, KeptRows):
                    row, numbers = turn.kept.file, turn.kept.numbers
                read, old = reuse.take(turn.kept)
                yield None, register.enter(read, turn.files, old), old
                continue
            read, made = turn.result
            if (block := turn.block) is not None:
                row, numbers = block.row, numbers if block.row == row else 0
                if block.row == flow.over:
                    register.enter(nothing(), turn.files)
                    continue
                if (trouble := read.trouble) is not None:
                    flow.over = block.row
                    self._skip_from(block, numbers + 1, trouble)
                read.move(numbers, block.name)
                numbers += read.numbers
            if read.unusable_id is not None and not self._warned:
                self._warned = True
                self._warn_of_ids(read.unusable_id)
            self.without_ids = self.without_ids or read.without_ids
            rows = None
            if reuse is not None and len(read.known):
                rows = reuse.fill(read, register.files_done)
            yield made, register.enter(read, turn.files, rows, turn.held), rows
            tell(0)

    def _skip_from(self, block: LineBlock, line: int, trouble: DocumentSkipped) -> None:
        """Report that a file cannot be read from this line on."""
        where = [f"from line {line:,} on"] if block.start else []
        skip = Skip(trouble.reason, block.name, ", ".join([*filter(None, [trouble.detail]), *where]))
        self._register.skip_rest(skip, False)

    def _warn_of_ids(self, first: Skip) -> None:
        from simdocs.reading.batches import named_by_numbers

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
        """The first file of which no row has the text fields; None if a row of any has a text."""
        return self._register.lacking or (
            None if self._register.lines_met or self._cutting is None else self._cutting.lacking
        )


class _Turn:
    """A task on its way.

    files: the number of files that end with it. number: how many tasks were made before it.
    kept: what is taken over. block: the block of lines that is read. result: that of the stage, when it is there.
    held: the texts, if their file can be read only once.
    """

    __slots__ = ("block", "files", "held", "kept", "number", "result")

    def __init__(self, portion: Portion, files: int, number: int) -> None:
        # Other tasks hold texts, which are not needed any more when they were sent.
        self.kept = portion if portion.kind == "kept" else None
        self.block = portion if portion.kind == "block" else None
        self.held = portion.held if isinstance(portion, ReadRows) else ()
        self.files, self.number = files, number
        self.result: Any = None


class _Flow:
    """Sends the tasks of a stage to an engine, and takes their results in row order.

    over: the row of a file that cannot be read further. Of its blocks, only the last one is still sent.
    """

    def __init__(
        self,
        engine: Engine,
        work: StageWork[Any],
        cutting: Cutting,
        advance: Advance,
        tell: Callable[[float], None],
    ) -> None:
        self._engine, self._work, self._cutting, self._advance, self._tell = engine, work, cutting, advance, tell
        self._turns = deque[_Turn]()
        self.over = -1

    def in_order(self) -> Iterator[_Turn]:
        """Yield what is kept, and each task when its result is there."""
        for result in self._engine.map(self._work, self._sending(), self._tell):
            yield from self._kept()
            self._turns[0].result = result
            del result
            yield self._next()
        yield from self._kept()

    def _sending(self) -> Iterator[ToRead]:
        for number, portion in enumerate(self._advance.watch(self._cutting.tasks())):
            turn = _Turn(portion, self._advance.files[number], number)
            if turn.block is not None and turn.block.row == self.over and not turn.files:
                continue
            self._turns.append(turn)
            if portion.kind != "kept":
                yield portion

    def _kept(self) -> Iterator[_Turn]:
        while self._turns and self._turns[0].kept is not None:
            yield self._next()

    def _next(self) -> _Turn:
        turn = self._turns.popleft()
        self._advance.reach(turn.number)
        return turn
