"""Read documents: the work on one task, and the one loop in which all stages read files in row order, with progress."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.containers.recognise import flag_of, format_of_document, needed_by
from simdocs.corpora.decode import as_utf8, refuse_binary
from simdocs.corpora.file_list import FileList
from simdocs.corpora.identity import content_digest
from simdocs.corpora.read_file import each_ahead, read
from simdocs.corpora.read_tasks import Advance, Cutting, Files, Portion, ReportSkip, ToRead
from simdocs.corpora.stamp import NO_FILE, Stamp
from simdocs.corpora.walked_files import Directories, Met, each_met
from simdocs.engines.engine import Engine, WorkerState
from simdocs.engines.run import Run
from simdocs.model.artifact import Artifact
from simdocs.model.documents import CHUNK, DOCUMENT, FILE, NUMBERED, ONE_TEXT, STAMP_FIELDS, WIDE, Documents
from simdocs.model.names import display_name
from simdocs.model.ragged import BlockPlaces, Index, Rows, offsets_of
from simdocs.model.skipped import DocumentSkipped, Skip, and_more
from simdocs.parameters.recipes import Recipe
from simdocs.parameters.texts import Sequences
from simdocs.pipeline.register import Register

if TYPE_CHECKING:
    from simdocs.corpora.containers.container import Part
    from simdocs.pipeline.reuse import Earlier
    from simdocs.pipeline.stretched import Following

Made = TypeVar("Made")
"""The result of a stage for the documents of a task, such as their signatures."""

StageWork: TypeAlias = "Callable[[Files | Part, WorkerState], tuple[Read, Made]]"
"""The work of a stage on a task: it returns the Read without texts, and its result."""

_LOOKED_FOR = 16
"""Files that workers are asked for before anything is read, lest they take all files for files that are gone."""

NO_CHUNK = np.zeros(0, CHUNK)


@dataclass(slots=True, kw_only=True)
class Read:
    """The documents that were read in a task, and the skips of the others.

    places: the places of the files in the task, or the numbers of the documents in their container.
    names: the names of the documents.
    facts: their facts, (n,) DOCUMENT.
    files: the records of their files: (n,) FILE, or (1,) for the container.
    raws: their texts as UTF-8.
    chunks: (c,) CHUNK, the parts of a container that they are in; their rows are places in these lists.
    known: the places, in these lists, of documents with the probable content, which have no raw text and no facts.
    kept: the places of known documents that are kept although they could not be read.
    textless: the documents of a container that have no text field.
    unusable_ids: as in PartDocuments.
    """

    places: list[int]
    names: list[bytes]
    facts: NDArray[np.void]
    files: NDArray[np.void]
    raws: list[bytes] = field(default_factory=list)
    chunks: NDArray[np.void] = field(default_factory=lambda: NO_CHUNK)
    skips: list[Skip] = field(default_factory=list)
    known: BlockPlaces = field(default_factory=lambda: np.empty(0, np.int64))
    kept: BlockPlaces = field(default_factory=lambda: np.empty(0, np.int64))
    textless: Textless | None = None
    unusable_ids: Skip | None = None


class Textless(NamedTuple):
    """Documents of a part without the text field.

    skips: their skips.
    fields, remedy: for a message, as in PartDocuments.
    any_text: whether another document of the part has the text field.
    """

    skips: list[Skip]
    fields: str
    remedy: str
    any_text: bool


def read_task(task: Files | Part, sequences: Sequences) -> Read:
    """Read the documents of a task. Those that are not text or cannot be read are skipped."""
    return _files(task, sequences) if isinstance(task, Files) else _part(task, sequences)


def _files(task: Files, sequences: Sequences) -> Read:
    places, known, kept = list[int](), list[int](), list[int]()
    raws, rows, stamps, contents, skips = [], [], [], [], []
    likely = None if task.likely is None else task.likely.tobytes()
    with Directories() as directories:
        mets = list(each_met(task.met))
        each = each_ahead(task.names, lambda place: _file(task, place, task.names[place], mets[place], directories))
        for place, (name, read_file) in enumerate(zip(task.names, each, strict=True)):
            probable = None if likely is None else likely[16 * place : 16 * place + 16]
            try:
                data, stamp = read_file()
                if task.named_like_tables and not _is_one_text(data, name, task.limit, sequences):
                    raise DocumentSkipped("changed")
                content = content_digest(data)
            except DocumentSkipped as skip:
                if probable is None or not (task.keepable[place] and skip.leaves_content_open):
                    skips.append(Skip(skip.reason, name, skip.detail))
                    continue
                skips.append(skip.of_kept(name))
                kept.append(len(places))
                data, stamp, content = b"", NO_FILE, probable
            if content == probable:
                known.append(len(places))
                data = b""
            raw, wide = as_utf8(data)
            looks = 0 if task.texts or sequences.plain else flag_of(raw)
            looks |= ONE_TEXT * task.named_like_tables
            places.append(place)
            raws.append(raw)
            rows.append((len(data), 0, 0, 0, (0, 0), (0, 0), 0, 0, 0, 0, WIDE * wide + looks))
            stamps.append(stamp)
            contents.append(content)
    names = [task.names[place] for place in places]
    files = file_records(stamps, contents)
    return Read(
        places=places,
        names=names,
        facts=np.array(rows, DOCUMENT),
        files=files,
        raws=raws,
        skips=skips,
        known=np.array(known, np.int64),
        kept=np.array(kept, np.int64),
    )


def file_records(stamps: Sequence[Stamp], contents: Sequence[bytes]) -> NDArray[np.void]:
    """The records of files, (n,) FILE, with their stamps and the digests of their contents."""
    files = np.zeros(len(stamps), FILE)
    for place, name in enumerate(STAMP_FIELDS):
        files[name] = [stamp[place] for stamp in stamps]
    files["content"] = np.frombuffer(b"".join(contents), "<u8").reshape(-1, 2)
    return files


def _file(task: Files, place: int, name: bytes, met: Met, directories: Directories) -> tuple[bytes, Stamp]:
    held = task.held.get(place)
    data, stamp = read(name, task.limit, 0, met, directories) if held is None else (held, NO_FILE)
    if not task.texts:
        refuse_binary(data, name)
    return data, stamp


def _is_one_text(data: bytes, name: bytes, limit: int, sequences: Sequences) -> bool:
    """Whether a file that was no table when its task was made still is none, now that it was read."""
    from simdocs.corpora.containers.container import ContainerFile, is_one_text

    return is_one_text(format_of_document(name, sequences), ContainerFile(name, limit, held=data), sequences)


def _part(part: Part, sequences: Sequences) -> Read:
    from simdocs.corpora.containers.container import container
    from simdocs.corpora.containers.names import named

    rows = container(part.container).documents(part, sequences)
    facts = np.zeros(len(rows.texts), DOCUMENT)
    facts["size"] = [len(text) for text in rows.texts]
    located = np.array(rows.locators, np.int64).reshape(-1, 3)
    facts["start"], facts["extent"], facts["line"] = located.T
    facts["container"] = len(part.name)
    facts["flags"] = [NUMBERED * (its_id is None) for its_id in rows.ids]
    numbers = located[:, 2].tolist()
    chunk = np.zeros(1, CHUNK)
    chunk["start"], chunk["extent"], chunk["line"] = part.start, part.extent, part.first
    chunk["content"] = np.frombuffer(part.digest, "<u8")
    return Read(
        places=numbers,
        names=named(part.name, rows.ids, numbers),
        facts=facts,
        files=file_records([part.stamp], [bytes(16)]),
        raws=[as_utf8(text)[0] for text in rows.texts],
        chunks=chunk,
        skips=rows.skips,
        textless=Textless(rows.textless, rows.fields, rows.remedy, rows.has_text_field),
        unusable_ids=rows.unusable_ids,
    )


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
        self._reuse = None if earlier is None else earlier.reuse(found, recipe, limit, run.skipped)
        unchanged = None if self._reuse is None else self._reuse.unchanged
        self._found = found if unchanged is None else unchanged.found
        if not run.engine.reach(self._found.sample(_LOOKED_FOR)):
            self._found = self._found.elsewhere()
        self._register = Register(self._found, run.skipped, recipe, None if unchanged is None else unchanged.unread)
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
        how = {"apart": True, "far": self.run.engine.far}
        cutting = Cutting(self._found, self._limit, self.recipe.sequences, register.skip_rest, unchanged, **how)
        tell = advance.teller(step, self.run.progress)
        flow = _Flow(self.run.engine, work, cutting, advance, tell)
        for turn in flow.in_order():
            if turn.kept is not None:
                assert reuse is not None
                read, old = reuse.take(turn.kept)
                yield None, register.enter(read, turn.files, old), old
                continue
            for read, made, files in flow.documents(turn, register.skip_rest):
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
            for result in self._engine.map_with_state(self._work, self._sending(), self._tell):
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

    def documents(self, turn: _Turn, report: ReportSkip) -> Iterator[tuple[Read, Made, int]]:
        """Yield the documents of a task with its result, part by part, with the number of files that end there."""
        if turn.stretch is None:
            yield *turn.result, turn.files
            return
        from simdocs.pipeline.stretched import Following

        following = self._following = self._following or Following()
        stretch, worked = turn.stretch, turn.result
        if following.is_over(stretch):
            return
        each, goes_on = following.take(stretch, worked)
        if worked.skip is not None:
            report(worked.skip, worked.is_textless)
        for place, (its_read, made) in enumerate(each):
            yield its_read, made, turn.files if goes_on and place == len(each) - 1 else 0
        if not goes_on:
            rest = self._cutting.rest(stretch.row, following.done, following.count, following.stamp)
            self._sources.append(_Source((task, _Turn(task, files, turn.number)) for task, files in rest))


def _do(work: StageWork[Made], fields: Sequences, task: ToRead, state: WorkerState) -> Any:
    """The result of a task, or what a worker has read of a stretch."""
    if not task.is_stretch:
        return work(task, state)
    from simdocs.pipeline.stretched import work_on

    return work_on(work, task, state, fields)
