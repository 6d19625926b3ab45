#!/usr/bin/env python3
"""Move the duplicates that simdocs found out of a directory, into a new one. Nothing is deleted.

    simdocs dedupe TREE --strict --format jsonl -o answer.jsonl
    trash.py TREE TRASH < answer.jsonl

TRASH must not exist yet, and must be on the same file system as TREE, but not inside it. Files keep their paths below
it. Before anything is moved, each duplicate and the document that it duplicates are looked up: both must be regular
files below TREE, reached without following a symbolic link, and no file may be both a duplicate and kept.

Exit status: 0 if all were moved; 1 if something is wrong with the answer or a file, and nothing was moved; 2 if the
usage was wrong or moving failed.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import stat
import sys
from collections.abc import Iterator


def name(row: dict[str, str], column: str) -> bytes:
    """Return the bytes of a file's name. Names that are not UTF-8 are in base64."""
    encoded = row.get(f"{column}_b64")
    return base64.b64decode(encoded) if encoded else row[column].encode("utf-8", "surrogateescape")


def below(tree: bytes, path: bytes) -> list[bytes]:
    """Return the components of a path below the tree. ValueError: it does not lie there."""
    parts = path.removeprefix(tree.rstrip(b"/") + b"/").split(b"/")
    if parts == path.split(b"/") or {b"", b".", b".."} & set(parts):
        raise ValueError(f"{os.fsdecode(path)!r} is not in {os.fsdecode(tree)!r}")
    return parts


@contextlib.contextmanager
def parent(tree: int, parts: list[bytes], *, make: bool = False) -> Iterator[int]:
    """Open the directory that holds the file, step by step, so that no link is followed. Yield its descriptor."""
    here = os.dup(tree)
    try:
        for part in parts[:-1]:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, 0o700, dir_fd=here)
            within = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = within
        yield here
    finally:
        os.close(here)


def identity(tree: int, parts: list[bytes]) -> tuple[int, int]:
    """Return the device and inode of a regular file. ValueError: it is something else. OSError: it is missing."""
    with parent(tree, parts) as directory:
        facts = os.stat(parts[-1], dir_fd=directory, follow_symlinks=False)
    if not stat.S_ISREG(facts.st_mode):
        raise ValueError(f"{os.fsdecode(b'/'.join(parts))!r} is not a regular file")
    return facts.st_dev, facts.st_ino


def main(arguments: list[str]) -> int:
    """Check everything, then move the duplicates; return the exit status."""
    if len(arguments) != 2:
        print("usage: trash.py TREE TRASH < answer.jsonl", file=sys.stderr)
        return 2
    tree, trash = map(os.fsencode, arguments)
    try:
        root = os.open(tree, os.O_RDONLY | os.O_DIRECTORY)
        moves, goes, stays = [], {}, set()
        for line in sys.stdin.buffer:
            row = json.loads(line)
            kept, duplicate = (below(tree, name(row, column)) for column in ("kept", "duplicate"))
            stays.add(identity(root, kept))
            goes[identity(root, duplicate)] = duplicate
            moves.append(duplicate)
        for both in stays & set(goes):
            raise ValueError(f"{os.fsdecode(b'/'.join(goes[both]))!r} and a kept document are one file")
        if os.path.realpath(trash).startswith(os.path.join(os.path.realpath(tree), b"")):
            raise ValueError(f"{arguments[1]} is inside {arguments[0]}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"trash.py: nothing was moved: {error}", file=sys.stderr)
        return 1
    try:
        try:
            os.mkdir(trash, 0o700)
        except FileExistsError:
            print(f"trash.py: nothing was moved: {arguments[1]} already exists; name a new directory", file=sys.stderr)
            return 2
        target = os.open(trash, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        for parts in moves:
            with parent(root, parts) as source, parent(target, parts, make=True) as place:
                os.rename(parts[-1], parts[-1], src_dir_fd=source, dst_dir_fd=place)
    except OSError as error:
        print(f"trash.py: stopped: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
