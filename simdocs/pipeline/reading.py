"""Read documents: the work on one task, and the one loop in which all stages read files in row order, with progress."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.containers.recognise import flag_of, format_of_document, needed_by
from simdocs.corpora.decode import as_utf8, refuse_binary
from simdocs.corpora.file_list import FileList
from simdocs.corpora.identity import content_digest
from simdocs.corpora.read_file import each_ahead, read
from simdocs.corpora.read_tasks import Files, Portion, tasks
from simdocs.corpora.stamp import NO_FILE, Stamp
from simdocs.corpora.walked_files import Directories, Met, each_met
from simdocs.engines.engine import Engine, WorkerState
from simdocs.engines.run import Progress, Run
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
    from simdocs.corpora.taken_over import KeptFiles, KeptParts
    from simdocs.pipeline.reuse import Earlier

Made = TypeVar("Made")
"""The result of a stage for the documents of a task, such as their signatures."""

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
    unusable_ids: str = ""


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
        unusable_ids=f"{display_name(part.name)}: {rows.unusable_ids}" if rows.unusable_ids else "",
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

    def in_order(
        self, work: Callable[[Files | Part, WorkerState], tuple[Read, Made]], step: str
    ) -> Iterator[tuple[Made | None, BlockPlaces, Rows | None]]:
        """Yield the result of `work` for each task in row order, the places of documents with a row, and old rows.

        work: runs in a worker; it returns the Read without texts, and its result.
        step: the name of the step, for progress.
        The result is None if all documents are taken over. Old rows are rows in the earlier artifact, or -1; None if no
        document is in it.
        """
        reuse, register, advance = self._reuse, self._register, self.progress
        unchanged = None if reuse is None else reuse.unchanged
        stream = advance.watch(tasks(self._found, self._limit, self.recipe.sequences, register.skip_rest, unchanged))
        tell = advance.teller(step, self.run.progress)
        for kept, worked in _in_order(self.run.engine, work, stream, tell):
            for some in kept:
                assert reuse is not None
                read, old = reuse.take(some)
                yield None, register.enter(read, advance.take(), old), old
            if worked is None:
                return
            read, made = worked
            if read.unusable_ids and not self._warned:
                self._warned = True
                self._warn_of_ids(read.unusable_ids)
            rows = None
            if reuse is not None and len(read.known):
                rows = reuse.fill(read, register.files_done)
            yield made, register.enter(read, advance.take(), rows), rows
            tell(0)

    def _warn_of_ids(self, why: str) -> None:
        from simdocs.corpora.containers.fields import named_by_numbers

        if (warning := named_by_numbers(why)) not in self.run.skipped.warnings:  # documents may be read twice
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


def _in_order(
    engine: Engine,
    work: Callable[[Files | Part, WorkerState], tuple[Read, Made]],
    stream: Iterator[Portion],
    tell: Callable[[float], None],
) -> Iterator[tuple[list[KeptFiles | KeptParts], tuple[Read, Made] | None]]:
    """Yield the documents to take over before each task, and its result; at the end the rest, and None."""
    before: deque[list[KeptFiles | KeptParts]] = deque([[]])

    def working() -> Iterator[Files | Part]:
        for portion in stream:
            if portion.is_kept:
                before[-1].append(portion)
            else:
                before.append([])
                yield portion

    for result in engine.map_with_state(work, working(), tell):
        yield before.popleft(), result
    yield before.popleft(), None


class Advance:
    """Measures progress: the numbers of files and bytes that are done with each task."""

    def __init__(self, found: FileList) -> None:
        self._ends = offsets_of(found.sizes)
        self.total = int(self._ends[-1])
        self.files: list[int] = []
        """The number of files that end with each task."""
        self.bytes: list[int] = [0]
        """The number of bytes of files that are done before the first task, and after each."""
        self._taken = 0

    def watch(self, tasks: Iterator[tuple[Portion, int]]) -> Iterator[Portion]:
        """Yield the tasks alone, and note how far each one gets."""
        done = 0
        for task, files in tasks:
            done += files
            within = 0 if files else task.read_to
            before, end = self._ends[[done, min(done + 1, len(self._ends) - 1)]].tolist()
            self.files.append(files)
            self.bytes.append(min(before + within, end))
            yield task

    def take(self) -> int:
        """Count the next task as done. Return the number of files that end with it."""
        self._taken += 1
        return self.files[self._taken - 1]

    def teller(self, step: str, progress: Progress) -> Callable[[float], None]:
        """A function that reports the bytes of all tasks taken as done, and a share of those of the next one."""

        def tell(share: float) -> None:
            done = self.bytes[self._taken]
            if share:
                done += int(share * (self.bytes[self._taken + 1] - done))
            progress(step, done, self.total)

        return tell
