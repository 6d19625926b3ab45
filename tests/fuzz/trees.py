"""Strategies for trees of files, with names of any bytes, links, FIFOs, and files that cannot be read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st

from tests.fuzz.contents import Holds, families, held, mostly
from tests.packing import has_zstd
from tests.twins.corpus import contents


class Node(NamedTuple):
    """An entry of a tree. data: the bytes of a file, or the target of a link. closed: nobody may read it."""

    kind: str
    data: bytes = b""
    mtime: int = 0
    closed: bool = False


Tree = Mapping[bytes, Node]
"""The entries of a tree by path."""

ODD = [
    b"-", b"-x", b"--pairs", b" ", b"a b", b"new\nline", b"tab\t", b"back\\slash\\t", b"\r", b"\xff\xfe", b"\x85",
    b"a,b", b"e\xcc\x81", b"\xc3\xa9", b"'", b'"', b"*", b"[a]", b"a#1", b"\x1b[31m", b"\xe2\x80\xae", b"manifest.json",
    b"a.jsonl#1", b"y" * 255,
]  # fmt: skip

SUFFIXES = [b"", b"", b"", b".txt", b".txt", b".txt", b".jsonl", b".jsonl", b".jsonl.gz", b".gz", b".TXT"]
SUFFIXES += [b".jsonl.zst", b".zst"] * has_zstd()


def _legal(name: bytes) -> bytes:
    name = name.replace(b"/", b"_").replace(b"\0", b"0")[:255]
    return b"_" + name if name in (b".", b"..") else name


def _names(prefixes: list[bytes], suffixes: list[bytes]) -> st.SearchStrategy[bytes]:
    plain = st.sampled_from([b"a", b"b", b"c", b"d", b"e"])
    stems = mostly(plain, st.sampled_from(ODD), st.binary(min_size=1, max_size=6))
    return st.tuples(st.sampled_from(prefixes), stems, st.sampled_from(suffixes)).map(b"".join).map(_legal)


_prefixes = [b""] * 18 + [b".", b".simdocs-tmp-"]

_files, _directories = _names(_prefixes, SUFFIXES), _names(_prefixes, [b""] * 9 + [b".index", b".txt"])

mtimes = st.integers(0, 3) | st.integers(-(2**31), 2**33)

KINDS = ["file"] * 40 + ["link", "link", "link", "hard link", "hard link", "directory", "fifo", "socket"]


@st.composite
def trees(draw: st.DrawFn, least: int = 4, most: int = 14, *, tables: bool = False) -> Tree:
    """Draw a few directories and their entries. tables: whether most files hold rows of CSV or TSV."""
    holds = held(draw(families()), tables=tables)
    directories = [b""]
    for name in draw(st.lists(_directories, max_size=3)):
        directories.append(draw(st.sampled_from(directories)) + name + b"/")
    tree: dict[bytes, Node] = {}
    for _ in range(draw(st.integers(least, most))):
        path = draw(st.sampled_from(directories)) + draw(_files)
        tree[path] = draw(_nodes(path, list(tree), holds))
    return tree


@st.composite
def _nodes(draw: st.DrawFn, path: bytes, others: list[bytes], holds: Holds) -> Node:
    kind = draw(st.sampled_from(KINDS))
    if kind in ("link", "hard link"):
        target = draw(st.sampled_from([*others, b".", b"gone", path]))
        if kind == "link":
            return Node(kind, b"../" * path.count(b"/") + target)
        return Node(kind, target)
    closed = kind in ("file", "directory") and draw(st.integers(0, 40)) == 40
    if kind == "file":
        return Node(kind, draw(holds(path)), draw(mtimes), closed)
    return Node(kind, closed=closed)


def lay(root: bytes, tree: Tree) -> None:
    """Write a tree below root. Entries that cannot be written are left out, such as those below a plain file."""
    os.makedirs(root, exist_ok=True)
    for path, node in tree.items():
        try:
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            _make(root, os.path.join(root, path), node)
        except OSError:
            continue


def _make(root: bytes, path: bytes, node: Node) -> None:
    if node.kind == "link":
        os.symlink(node.data, path)
    elif node.kind == "hard link":
        os.link(os.path.join(root, node.data), path, follow_symlinks=False)
    elif node.kind == "directory":
        os.mkdir(path)
    elif node.kind == "file":
        with Path(os.fsdecode(path)).open("xb") as stream:
            stream.write(node.data)
        os.utime(path, (node.mtime, node.mtime))
    else:
        os.mknod(path, 0o600 | (stat.S_IFIFO if node.kind == "fifo" else stat.S_IFSOCK))


@contextmanager
def closed(root: bytes, tree: Tree) -> Iterator[None]:
    """Make the closed entries of a tree unreadable for the duration of the context."""
    paths = [os.path.join(root, path) for path, node in tree.items() if node.closed]
    modes = [(path, stat.S_IMODE(os.lstat(path).st_mode)) for path in paths if os.path.lexists(path)]
    try:
        for path, _ in sorted(modes, reverse=True):  # what is below a directory that is closed is out of reach
            os.chmod(path, 0)
        yield
    finally:
        for path, mode in sorted(modes):
            os.chmod(path, mode)


def waits(path: bytes) -> bool:
    """Whether opening this path might wait for a writer."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False


def seen(root: bytes) -> dict[bytes, tuple[object, ...]]:
    """Return everything below root, so that each change can be noticed."""
    found: dict[bytes, tuple[object, ...]] = {}
    for directory, below, files in os.walk(root):
        for name in (*below, *files):
            path = os.path.join(directory, name)
            status = os.lstat(path)
            kind = stat.S_IFMT(status.st_mode)
            data = b""
            if stat.S_ISREG(status.st_mode):
                data = contents(path) if os.access(path, os.R_OK) else b""
            elif stat.S_ISLNK(status.st_mode):
                data = os.readlink(path)
            times = () if stat.S_ISDIR(status.st_mode) else (status.st_mtime_ns, status.st_ino)
            found[path[len(root) + 1 :]] = (kind, status.st_mode, data, *times)
    return found
