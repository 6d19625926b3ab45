"""Read documents: the work on one task, and the one loop in which all stages read files in row order, with progress."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from simdocs.engines.engine import Run, WorkerState
from simdocs.model.artifact import Artifact
from simdocs.model.documents import DOCUMENT, FILE, NUMBERED, ONE_TEXT, STAMP_FIELDS, WIDE, Documents
from simdocs.model.ragged import BlockPlaces, Index, Rows, offsets_of
from simdocs.model.skipped import DocumentSkipped, Skip, and_more
from simdocs.names import display_name
from simdocs.options.recipes import Recipe, Sequences
from simdocs.pipeline.register import Register
from simdocs.reading.decode import as_utf8, flag_of, refuse_binary
from simdocs.reading.file_list import FileList
from simdocs.reading.files import STAMPS, each_ahead, read, read_small
from simdocs.reading.formats import needed_by
from simdocs.reading.identity import Stamp, content_digest
from simdocs.reading.read_tasks import Cutting, Files, Portion, ReadRows, ToRead

if TYPE_CHECKING:
    from simdocs.pipeline.changes import Earlier
    from simdocs.reading.batches import Batch
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
        reuse, register = self._reuse, self._register
        unchanged = None if reuse is None else reuse.unchanged
        sequences, report = self.recipe.sequences, register.skip_rest
        cutting = Cutting(self._found, self._limit, sequences, report, unchanged, with_digests=with_digests)
        self._cutting = cutting
        row, numbers, over, done, ends = -1, 0, -1, 0, offsets_of(self._found.sizes)
        turns = deque[_Turn]()

        def tell(share: float) -> None:
            more = share * (turns[0].read_to - done) if share and turns else 0
            self.run.progress(step, done + int(more), int(ends[-1]))

        def sending() -> Iterator[ToRead]:
            ended = 0
            for portion, files in cutting.tasks():
                ended += files
                before, end = ends[[ended, min(ended + 1, len(ends) - 1)]].tolist()
                turn = _Turn(portion, files, min(before + (0 if files else portion.read_to), end))
                # Of the blocks of a file that cannot be read further, only the last one is still sent.
                if turn.block is None or turn.block.row != over or files:
                    turns.append(turn)
                    if portion.kind != "kept":
                        yield portion

        for result in chain(self.run.engine.map(work, sending(), tell), (None,)):
            while turns and (kept := turns[0].kept) is not None:
                turn = turns.popleft()
                done = turn.read_to
                assert reuse is not None
                from simdocs.reading.unchanged import KeptRows

                if isinstance(kept, KeptRows):
                    row, numbers = kept.file, kept.numbers
                read, old = reuse.take(kept)
                yield None, register.enter(read, turn.files, old), old
            if result is None:
                return
            turn = turns.popleft()
            read, made = result
            done = turn.read_to
            if (block := turn.block) is not None:
                row, numbers = block.row, numbers if block.row == row else 0
                if block.row == over:
                    register.enter(nothing(), turn.files)
                    continue
                if read.trouble is not None:
                    over = block.row
                    self._skip_from(block, numbers + 1, read.trouble)
                read.move(numbers, block.name)
                numbers += read.numbers
            if read.unusable_id is not None:
                self._warn_of_ids(read.unusable_id)
            self.without_ids = self.without_ids or read.without_ids
            rows = reuse.fill(read, register.files_done) if reuse is not None and len(read.known) else None
            yield made, register.enter(read, turn.files, rows, turn.held), rows
            tell(0)

    def _skip_from(self, block: LineBlock, line: int, trouble: DocumentSkipped) -> None:
        """Report that a file cannot be read from this line on."""
        where = [f"from line {line:,} on"] if block.start else []
        skip = Skip(trouble.reason, block.name, ", ".join([*filter(None, [trouble.detail]), *where]))
        self._register.skip_rest(skip, False)

    def _warn_of_ids(self, first: Skip) -> None:
        from simdocs.reading.batches import named_by_numbers

        if not self._warned and (warning := named_by_numbers(first)) not in self.run.skipped.warnings:
            self.run.skipped.warnings.append(warning)  # documents may be read twice
        self._warned = True

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

    files: the number of files that end with it. read_to: how many bytes of all files are read when it is done.
    kept: what is taken over. block: the block of lines that is read. held: the texts, if their file can be read only
    once.
    """

    __slots__ = ("block", "files", "held", "kept", "read_to")

    def __init__(self, portion: Portion, files: int, read_to: int) -> None:
        # Other tasks hold texts, which are not needed any more when they were sent.
        self.kept = portion if portion.kind == "kept" else None
        self.block = portion if portion.kind == "block" else None
        self.held = portion.held if isinstance(portion, ReadRows) else ()
        self.files, self.read_to = files, read_to


@dataclass(slots=True, kw_only=True)
class Read:
    """The documents that were read in a task, and what was missed of the others.

    places: the places of the files in the task, or the numbers of the documents in their container.
    names: the names of the documents.
    facts: their facts, (n,) DOCUMENT.
    files: the records of their files: (n,) FILE, or (1,) for the container.
    skips: what was not read.
    raws: their texts as UTF-8.
    digests: the digests of the blocks of a file with many documents, in order; None: the task is files.
    known: the places, in these lists, of documents with the probable content, which have no raw text and no facts.
    lacking, unusable_id: as in Batch. without_ids: `fields` there.
    numbers: how many rows there are. Those of a block are numbered from 1.
    trouble: why a block, and what comes after it, cannot be read.
    """

    places: list[int]
    names: list[bytes]
    facts: NDArray[np.void]
    files: NDArray[np.void]
    skips: list[Skip]
    raws: list[bytes] = field(default_factory=list)
    digests: list[bytes] | None = None
    known: BlockPlaces = field(default_factory=lambda: np.empty(0, np.int64))
    lacking: str = ""
    unusable_id: Skip | None = None
    without_ids: str = ""
    numbers: int = 0
    trouble: DocumentSkipped | None = None

    def move(self, down: int, path: bytes) -> None:
        """Add to the numbers of documents that were counted from the beginning of a block. path: that of its file."""
        if not down:
            return
        from simdocs.reading.batches import renamed

        self.facts["line"] += down
        self.places = [number + down for number in self.places]
        self.names = renamed(self.names, self.facts, path, moved=True)
        self.skips = [skip._replace(line=skip.line + down) for skip in self.skips]
        if self.unusable_id is not None:
            self.unusable_id = self.unusable_id._replace(line=self.unusable_id.line + down)


def nothing(trouble: DocumentSkipped | None = None) -> Read:
    """A Read without documents. trouble: see Read."""
    facts, files = np.zeros(0, DOCUMENT), np.zeros(0, FILE)
    return Read(places=[], names=[], facts=facts, files=files, skips=[], trouble=trouble)


def read_task(task: ToRead, sequences: Sequences, *, with_digests: bool = True) -> Read:
    """Read the documents of a task. Those that are not text or cannot be read are skipped.

    with_digests: record the digests of files and of blocks, by which they are recognised later. Those that are not
    recorded are 0. Files that have a probable content are always compared with its digest.
    """
    if isinstance(task, Files):
        return _files(task, sequences, with_digests or task.likely is not None)
    if isinstance(task, ReadRows):
        return _rows(task.rows.batch(sequences), task.stamp, task.digests)
    from simdocs.reading.formats.lines import read_block

    try:
        batch, data = read_block(task, sequences)
    except DocumentSkipped as trouble:
        return nothing(trouble)
    return _rows(batch, task.stamp, [content_digest(data) if with_digests else _NO_DIGEST])


_NO_DIGEST = bytes(16)


def _files(task: Files, sequences: Sequences, with_digests: bool) -> Read:
    places, known = list[int](), list[int]()
    raws, sizes, flags, contents, skips = [], [], [], [], []
    likely = None if task.likely is None else task.likely.tobytes()
    on_disk = [b"" if place in task.held else name for place, name in enumerate(task.names)]
    small, stamps = read_small(on_disk, task.limit, task.follow)

    def opened(place: int) -> bytes:
        data = small[place]
        if data is None:
            data = task.held.get(place)
        if data is None:
            data, stamps[place] = read(task.names[place], task.limit, follow=bool(task.follow[place]))
        return data

    for place, (name, contents_of) in enumerate(zip(task.names, each_ahead(task.names, opened), strict=True)):
        probable = None if likely is None else likely[16 * place : 16 * place + 16]
        try:
            data = contents_of()
            if not task.texts:
                refuse_binary(data, name)
            content = content_digest(data) if with_digests else _NO_DIGEST
        except DocumentSkipped as skip:
            skips.append(Skip(skip.reason, name, skip.detail))
            continue
        if content == probable:
            known.append(len(places))
            data = b""
        raw, wide = as_utf8(data, None if task.texts else sequences.encoding)
        places.append(place)
        raws.append(raw)
        sizes.append(len(data))
        flags.append(WIDE * wide + (0 if task.texts or sequences.plain else flag_of(raw)))
        contents.append(content)
    names = [task.names[place] for place in places]
    facts = np.zeros(len(places), DOCUMENT)
    facts["size"], facts["flags"] = sizes, flags
    if task.named_like_tables:
        facts["flags"] |= ONE_TEXT
    return Read(
        places=places,
        names=names,
        facts=facts,
        files=file_records(stamps[places], contents),
        raws=raws,
        skips=skips,
        known=np.array(known, np.int64),
    )


def file_records(stamps: NDArray[np.void] | Sequence[Stamp], contents: Sequence[bytes]) -> NDArray[np.void]:
    """The records of files, (n,) FILE, with their stamps, (n,) STAMPS, and the digests of their contents."""
    files = np.zeros(len(stamps), FILE)
    files[list(STAMP_FIELDS)] = np.array(stamps, STAMPS)
    files["content"] = np.frombuffer(b"".join(contents), "<u8").reshape(-1, 2)
    return files


def _rows(batch: Batch, stamp: Stamp, digests: list[bytes]) -> Read:
    from simdocs.reading.batches import named

    facts = np.zeros(len(batch.texts), DOCUMENT)
    facts["size"] = [len(text) for text in batch.texts]
    facts["start"], facts["extent"] = np.array(batch.places, np.int64).reshape(-1, 2).T
    facts["line"], facts["container"] = batch.numbers, len(batch.name)
    facts["flags"] = [NUMBERED * (its_id is None) for its_id in batch.ids]
    return Read(
        places=batch.numbers,
        names=named(batch.name, batch.ids, batch.numbers),
        facts=facts,
        files=file_records([stamp], [_NO_DIGEST]),
        raws=list(batch.texts),
        digests=digests,
        skips=batch.skips,
        lacking=batch.lacking,
        unusable_id=batch.unusable_id,
        without_ids=batch.fields,
        numbers=batch.count,
    )
