"""Read the documents of an intake: the work on one task, and the one loop in which stages read in row order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from simdocs.engines.engine import Run, WorkerState
from simdocs.errors import UsageError
from simdocs.model.artifact import Artifact, Shingles
from simdocs.model.documents import DOCUMENT, FILE, NUMBERED, ONE_TEXT, STAMP_FIELDS, WIDE, Documents
from simdocs.model.ragged import NO_TOKENS, BlockPlaces, Rows, Tokens, offsets_of
from simdocs.model.skipped import DocumentSkipped, Skip, and_more
from simdocs.names import display_name, is_uri
from simdocs.options.families import noun_of
from simdocs.options.recipes import Recipe, Sequences, Walking
from simdocs.pipeline.register import Register
from simdocs.reading.decode import as_utf8, flag_of, refuse_binary
from simdocs.reading.file_list import FileList, format_of_document, need_libraries
from simdocs.reading.files import STAMPS, Stamp, content_digest, each_ahead, read, read_small
from simdocs.reading.find import Patterns, Sources, find
from simdocs.reading.read_tasks import Cutting, Files, Portion, ReadRows, ToRead

if TYPE_CHECKING:
    from simdocs.reading.batches import Batch
    from simdocs.reading.unchanged import Earlier


Made = TypeVar("Made")
"""The result of a stage for the documents of a task, such as their signatures."""

StageWork: TypeAlias = "Callable[[ToRead, WorkerState], tuple[Read, Made]]"
"""The work of a stage on a task: it returns the Read without texts, and its result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """The input of a stage: names of documents, texts in memory, or an artifact of an earlier stage.

    shingles: token sets of the same documents, for verification.
    root: the directory from which the documents of an artifact are found.
    outputs: files that will be written, which must not be among the documents.
    found: the files of the documents, if they were found before, or texts in memory.
    ignored: the tokens that are left out, ascending.
    permutations: the words of the permutations of the shingles that are the hash functions, if they are in a file.
    text_field: the fields that hold the texts in containers, if they were given.
    id_field: the field that holds the ids of documents in containers, if it was given; empty: none does.
    with_digests: whether the digests of files are recorded, by which they are recognised later.
    """

    sources: Sources = field(default_factory=Sources)
    walking: Walking = field(default_factory=Walking)
    artifact: Artifact | None = None
    shingles: Shingles | None = None
    root: bytes | None = None
    outputs: Sequence[str | None] = ()
    found: FileList | None = None
    ignored: Tokens = field(default_factory=lambda: NO_TOKENS)
    permutations: Sequence[Sequence[str]] = ()
    text_field: tuple[str, ...] | None = None
    id_field: str | None = None
    with_digests: bool = True


def files_of(intake: Intake, run: Run) -> FileList:
    """The files of an intake. InputError: see `find`.

    UsageError: an output is one of them, or the next run would read it, because it is in a directory that is walked.
    """
    if intake.found is not None:
        return intake.found
    # Workers that are forked later keep the memory that the list of the files takes.
    found = find(intake.sources, intake.walking, run.skipped, run.engine.start)
    outputs = [os.fsencode(path) for path in intake.outputs if path]
    for path in outputs:
        if found.holds(path):
            what = "this directory holds files that are" if path.endswith(b"/") else "this file is"
            raise UsageError(
                f"{display_name(path)}: {what} read in this run and would be overwritten: choose another output file"
            )
    roots = [name for name in intake.sources.names if not is_uri(name) and os.path.isdir(name)]
    for path in outputs:
        for root in () if is_uri(path) else roots:
            if _would_find(root, path, intake.walking):
                raise UsageError(
                    f"{display_name(path)}: the next run would read this output, because it is in"
                    f" {display_name(root)}: choose another place, or --exclude it"
                )
    return found


def _would_find(root: bytes, path: bytes, walking: Walking) -> bool:
    """Whether a walk of this directory would find a file at this path."""
    inside, output = os.path.join(os.path.realpath(root), b""), os.path.realpath(path)
    if not output.startswith(inside):
        return False
    parts = output[len(inside) :].split(b"/")
    if not walking.hidden and any(part.startswith(b".") for part in parts):
        return False
    patterns = Patterns(walking)
    ways = [(b"/".join(parts[: at + 1]), at + 1 < len(parts)) for at in range(len(parts))]
    return not any(patterns.leave_out(*way) for way in ways)


class Reading:
    """Reads the files of an intake in row order, each task in a worker, and takes over documents that have not changed.

    recipe: how they are read.
    earlier: the artifact from which unchanged documents are taken over.
    Raises MissingExtraError: a file that was named needs a library that is not installed. For others, see `files_of`.
    """

    def __init__(self, intake: Intake, recipe: Recipe, run: Run, earlier: Earlier | None = None) -> None:
        self._intake, limit = intake, intake.walking.max_size
        self._found = files_of(intake, run)
        need_libraries((self._found.names[row] for row in sorted(self._found.named)), recipe.sequences)
        self.recipe, self._run, self._earlier = recipe, run, earlier
        self._unchanged = None if earlier is None else earlier.unchanged(self._found, recipe.sequences, limit)
        self._register = Register(self._found, run.skipped, recipe)
        self._cutting = Cutting(
            self._found,
            limit,
            recipe.sequences,
            self._register.skip_rest,
            self._unchanged,
            with_digests=intake.with_digests,
        )

    def in_order(self, work: StageWork[Made], step: str) -> Iterator[tuple[Made | None, BlockPlaces, Rows | None]]:
        """Yield the result of `work` for each task in row order, the places of documents with a row, and old rows.

        work: runs in a worker; it returns the Read without texts, and its result.
        step: the name of the step, for progress.
        The result is None if all documents are taken over. Old rows are rows in the earlier artifact, or -1; None if no
        document is in it.
        """
        unchanged, register, progress = self._unchanged, self._register, self._run.progress
        row, numbers, over, done, ends = -1, 0, -1, 0, offsets_of(self._found.sizes)
        turns = deque[_Turn]()

        def tell(share: float) -> None:
            more = share * (turns[0].read_to - done) if share and turns else 0
            progress(step, done + int(more), int(ends[-1]))

        def sending() -> Iterator[ToRead]:
            ended = 0
            for portion, files in self._cutting.tasks():
                ended += files
                before, end = ends[[ended, min(ended + 1, len(ends) - 1)]].tolist()
                turn = _Turn(portion, files, min(before + (0 if files else portion.read_to), end))
                # Of the blocks of a file that cannot be read further, only the last one is still sent.
                if turn.block is None or turn.block.row != over or files:
                    turns.append(turn)
                    if portion.kind != "kept":
                        yield portion

        for result in chain(self._run.engine.map(work, sending(), tell), (None,)):
            while turns and (kept := turns[0].kept) is not None:
                turn = turns.popleft()
                done = turn.read_to
                assert unchanged is not None
                from simdocs.pipeline.changes import taken_over
                from simdocs.reading.unchanged import KeptRows

                if isinstance(kept, KeptRows):
                    row, numbers = kept.file, kept.numbers
                read, old = taken_over(unchanged, kept)
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
                if (trouble := read.trouble) is not None:
                    over = block.row
                    where = [f"from line {numbers + 1:,} on"] if block.start else []
                    detail = ", ".join([*filter(None, [trouble.detail]), *where])
                    register.skip_rest(Skip(trouble.reason, block.name, detail), False)
                read.move(numbers, block.name)
                numbers += read.numbers
            rows = None
            if unchanged is not None and len(read.known):
                from simdocs.pipeline.changes import fill_known

                rows = fill_known(read, unchanged, register.files_done)
            yield made, register.enter(read, turn.files, rows, turn.held), rows
            tell(0)

    @property
    def reused(self) -> Artifact:
        """The earlier artifact, if anything is taken over."""
        assert self._earlier is not None
        return self._earlier.artifact

    def documents(self) -> Documents:
        """The documents that have a row, when all were read."""
        return self._register.documents()

    def refuse_unusable(self, documents: Documents) -> None:
        """Raise UsageError if no row of a container has the given fields: the user has probably mistaken a name.
        Raise MissingExtraError if nothing of an argument could be read for lack of a library.

        Without the text fields, whole tables would be compared, or none, and without the ids, documents named by
        numbers. If an artifact is updated that has documents, it decides whether any of them would be lost.
        documents: those that were read.
        """
        found, fields, intake, register = self._found, self.recipe.sequences, self._intake, self._register
        unread = {skip.name for skip in self._run.skipped.kept("uninstalled")}
        if unread and documents.counts is not None and not (self._earlier and self._earlier.artifact.n_documents):
            ends = offsets_of(found.counts).tolist()
            for (start, stop), count in zip(pairwise(ends), documents.counts.tolist(), strict=True):
                names = [name for name in found.names[start:stop] if name in unread] if not count else []
                need_libraries(names, fields, and_more(len(names)))
        lacking = None if register.lines_met else register.lacking or self._cutting.lacking
        if intake.text_field is not None and lacking is not None:
            raise UsageError(f"{display_name(lacking.name)}: {lacking.detail}")
        rows = np.flatnonzero(documents.facts["container"])
        if intake.id_field and register.without_ids and len(rows) and (documents.facts["flags"][rows] & NUMBERED).all():
            from simdocs.reading.batches import no_id

            path = documents.raw_name(int(rows[0]))[: int(documents.facts["container"][rows[0]])]
            raise UsageError(no_id(noun_of(format_of_document(path, fields)), fields, register.without_ids))


class _Turn:
    """A task on its way.

    files: the number of files that end with it. read_to: how many bytes of all files are read when it is done.
    kept: what is taken over. block: the block of lines that is read. held: the texts, if their file can be read only
    once.
    """

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
        self.facts["line"] += down
        self.places = [number + down for number in self.places]
        for at in np.flatnonzero(self.facts["flags"] & NUMBERED).tolist():
            self.names[at] = b"%b#%d" % (path, self.places[at])
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
