"""Files in directories below one of our directories: list them, and remove them. No link is followed."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from itertools import accumulate

from simdocs.storage import syscalls


@contextlib.contextmanager
def directory_below(descriptor: int, directory: str, *, create: bool = False) -> Iterator[int]:
    """Open a directory below another one, by a relative path, which is empty for that one itself. OSError.

    create: make the directories on the way that do not exist.
    """
    at = os.dup(descriptor)
    try:
        for name in filter(None, directory.split("/")):
            if create:
                with contextlib.suppress(FileExistsError):
                    syscalls.create_directory(name, at)
            below = syscalls.open_directory(name, at)
            syscalls.release(at)
            at = below
        yield at
    finally:
        syscalls.release(at)


def directories_of(paths: Iterable[str]) -> list[str]:
    """All directories on the way to these files, each before the one in which it is."""
    above = {os.path.dirname(path) for path in paths}
    every = {each for directory in above for each in accumulate(directory.split("/"), "{}/{}".format)}
    return sorted(every - {""}, key=lambda directory: (-directory.count("/"), directory))


def paths_below(descriptor: int) -> Iterator[str]:
    """Yield the relative paths of all that is below a directory: those of empty directories end with a slash."""
    waiting = [""]
    while waiting:
        directory = waiting.pop()
        prefix = f"{directory}/" if directory else ""
        with directory_below(descriptor, directory) as at:
            names = syscalls.names_in(at)
            if not names and prefix:
                yield prefix
            for name in names:
                if stat.S_ISDIR(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode):
                    waiting.append(prefix + name)
                else:
                    yield prefix + name


def remove_below(descriptor: int, paths: Collection[str]) -> None:
    """Remove these files below one of our directories, and the directories that they were in. OSError.

    What is gone already is ignored. A directory that holds something else is an error.
    """
    files: dict[str, list[str]] = {}
    for path in paths:
        files.setdefault(os.path.dirname(path), []).append(os.path.basename(path))
    for directory in [*directories_of(paths), ""]:
        with contextlib.suppress(FileNotFoundError), directory_below(descriptor, directory) as at:
            for name in files.get(directory, ()):
                with contextlib.suppress(FileNotFoundError):
                    syscalls.unlink(name, at)
        if directory:
            above, name = os.path.split(directory)
            with contextlib.suppress(FileNotFoundError), directory_below(descriptor, above) as at:
                syscalls.remove_directory(name, at)
