"""The documents of a run, named in every possible way."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st

from tests.fuzz.contents import mostly
from tests.fuzz.trees import Tree, waits


class Naming(NamedTuple):
    """Documents named as arguments, or in a list in a file or on standard input. stdin: standard input otherwise."""

    names: tuple[bytes, ...]
    listed: bytes = b""
    stdin: bytes = b""

    def arguments(self, cwd: bytes, place: bytes) -> tuple[list[bytes], bytes]:
        """Return the last arguments and standard input. If the list is in a file, it is written to place."""
        names = [name for name in self.names if name == b"-" or not waits(os.path.join(cwd, name))]
        if not self.listed:
            return [b"--", *(names or [b"."])], self.stdin
        option, _, source = self.listed.partition(b" ")
        whole = (b"\n" if option == b"--files-from" else b"\0").join(names)
        if source == b"-":
            return [option, b"-"], whole
        Path(os.fsdecode(place)).write_bytes(whole)
        return [option, place], self.stdin


def paths_of(tree: Tree) -> list[bytes]:
    """Return all paths of a tree, with its directories, except those with the suffix of an artifact."""
    paths = {b".", b"./", *tree}
    for path in tree:
        while path := os.path.dirname(path):
            paths |= {path, path + b"/"}
    return sorted(path for path in paths if not path.rstrip(b"/").endswith((b".index", b".shingles", b".signatures")))


def namings(tree: Tree, place: bytes = b"", *, stdin: bool = True) -> st.SearchStrategy[Naming]:
    """Draw namings, most of them of the whole tree. place: its directory. stdin: whether - may be a document."""
    paths = st.sampled_from([place + path for path in paths_of(tree)])
    spelt = paths | paths.map(lambda path: b"./" + path) | paths.map(lambda path: b"../in/" + path)
    several = st.lists(spelt, min_size=1, max_size=4)
    with_stdin = several.map(lambda some: [*some[:2], b"-", *some[2:]]) if stdin else several
    names = mostly(st.just([place + b"."]), several, with_stdin)
    held = [node.data for node in tree.values() if node.kind == "file"] or [b""]
    plain = st.tuples(names.map(tuple), st.just(b""), st.sampled_from(held))
    ways = [b"--files-from -", b"--files-from file", b"--files0-from -", b"--files0-from file"]
    entries = st.lists(mostly(spelt, spelt, spelt, st.just(b"")), max_size=5).map(tuple)
    listed = st.tuples(entries, st.sampled_from(ways), st.just(b""))
    return mostly(plain, plain, listed).map(lambda one: Naming(*one))
