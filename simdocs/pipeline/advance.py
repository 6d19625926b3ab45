"""How far the reading of files is, in bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from simdocs.corpora.file_list import FileList
from simdocs.corpora.jsonl import Lines
from simdocs.corpora.read_tasks import KeptLines, Portion
from simdocs.engines.run import Progress
from simdocs.model.ragged import offsets_of


class Advance:
    """Measures progress while files are read: the numbers of files and bytes that are done with each task."""

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
            within = task.read_to if isinstance(task, Lines | KeptLines) and not files else 0
            before, end = self._ends[[done, min(done + 1, len(self._ends) - 1)]].tolist()
            self.files.append(files)
            self.bytes.append(min(before + within, end))
            yield task

    def take(self) -> int:
        """Count the next task as done. Return the number of files that end with it."""
        self._taken += 1
        return self.files[self._taken - 1]

    def teller(self, step: str, progress: Progress) -> Callable[[float], None]:
        """A function that reports as done: the bytes of all tasks taken, and a share of those of the next one."""

        def tell(share: float) -> None:
            done = self.bytes[self._taken]
            if share:
                done += int(share * (self.bytes[self._taken + 1] - done))
            progress(step, done, self.total)

        return tell
