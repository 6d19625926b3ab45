"""Whatever is swapped in a tree while the program runs, it reads what was in the tree, and nothing by way of a link."""

from __future__ import annotations

import base64
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from simdocs.model.names import display_name
from tests import strategies as some
from tests.amounts import examples
from tests.cli.program import Done, simdocs
from tests.cli.traps import EAGER, prelude
from tests.commands.building import opened
from tests.fuzz.asking import paths_of
from tests.fuzz.contents import families
from tests.fuzz.laws import lawful
from tests.fuzz.swapping import WAYS, Swap, armed, swap
from tests.fuzz.trees import Node, Tree, lay, seen, trees
from tests.twins import shingles
from tests.twins.corpus import Corpus, Document, EndedError
from tests.twins.facts import facts
from tests.twins.similarity import jaccard

Entries = Mapping[bytes, tuple[object, ...]]
"""What is found at each path."""


class Case(NamedTuple):
    """A tree and its swaps, in the order of their moments; the documents that are named; and options."""

    tree: Tree
    swaps: list[Swap]
    names: list[bytes]
    follow: bool
    workers: bool


@st.composite
def cases(draw: st.DrawFn) -> Case:
    tree = {path: node._replace(closed=False) for path, node in draw(trees()).items()}
    paths = sorted({*tree, *(path[:at] for path in tree for at, byte in enumerate(path) if byte == 47)})
    path = st.sampled_from(paths)
    targets = path | st.sampled_from([b".", b"..", b"gone", b"../outside", b"../outside/copy"])
    data = st.sampled_from(draw(families()))
    one = st.builds(Swap, st.integers(1, 12) | st.integers(1, 30), st.sampled_from(WAYS), path, targets, data)
    swaps = sorted(draw(st.lists(one, min_size=1, max_size=3)))
    # A command that is given a FIFO, or a link to one, waits for its writer.
    waits = any(node.kind == "fifo" for node in tree.values())
    named = st.sampled_from(paths_of({path: node for path, node in tree.items() if not waits or node.kind == "file"}))
    names = draw(st.just([b"."]) | st.lists(named, min_size=1, max_size=3))
    return Case(tree, swaps, names, draw(st.integers(0, 3)) == 0, draw(st.integers(0, 3)) == 0)


@contextmanager
def laid(case: Case) -> Iterator[bytes]:
    """Lay the tree in `in`, and outside of it a copy of it with other texts. Yields the directory of both."""
    with tempfile.TemporaryDirectory() as place:
        root = os.fsencode(place)
        for name in ("in", "out", "made", "outside"):
            Path(place, name).mkdir()
        lay(os.path.join(root, b"in"), case.tree)
        lay(os.path.join(root, b"outside", b"copy"), {path: _other(node) for path, node in case.tree.items()})
        yield root


def _other(node: Node) -> Node:
    return node._replace(data=b"a secret " + node.data) if node.kind == "file" else node


def documents(case: Case, root: bytes, names: list[bytes]) -> list[Document] | None:
    """Return the documents of these names that are in the tree now, as the twin finds them; None if a name is gone."""
    options = some.walking().fields() | some.sequences().fields() | {"follow": case.follow, "documents": names}
    with chdir(os.path.join(root, b"in")):
        try:
            return Corpus(options | {"files_from": None, "files0_from": None, "jsonl": False}).documents
        except EndedError:
            return None


class States(NamedTuple):
    """What is in the tree before the swaps, and after each one that was made.

    every: the documents each time. possible: all documents of any name alone: a file that is found by way of several
    names has the first one, unless that leads to it no more. at_last: all entries after the last swap.
    """

    every: list[list[Document] | None]
    possible: list[Document]
    at_last: Entries


def states(case: Case, made: Sequence[int]) -> States:
    """Make swaps once more, and look at the tree each time."""
    with laid(case) as root:
        every, possible = list[list[Document] | None](), list[Document]()
        for number in (None, *made):
            if number is not None:
                swap(os.path.join(root, b"in"), case.swaps[number], number)
            every.append(documents(case, root, case.names))
            possible += chain(*(documents(case, root, [name]) or () for name in case.names))
        return States(every, possible, entries(root))


def entries(root: bytes) -> Entries:
    """Return all entries of the tree and outside of it, with their kinds and contents."""
    found = ((path, what[:3]) for path, what in seen(root).items() if path.startswith((b"in/", b"outside/")))
    return {path: (kind, mode, data.replace(root, b"")) for path, (kind, mode, data) in found}


def run(case: Case, root: bytes, command: str, *options: bytes) -> tuple[Done, States]:
    """Run the program in the tree, which is swapped meanwhile. Return how it ended, and what was there at all times."""
    cwd, made = os.path.join(root, b"in"), os.path.join(root, b"made")
    env = prelude(Path(os.fsdecode(root)), EAGER * case.workers + armed(cwd, case.swaps, made))
    arguments = [b"-j2" if case.workers else b"-j1", *[b"--follow"] * case.follow, b"-v", *options, b"--", *case.names]
    done = simdocs(command, *arguments, cwd=os.fsdecode(cwd), env=env)
    lawful(command, arguments, done)
    there = states(case, sorted(map(int, os.listdir(made))))
    assert entries(root) == there.at_last
    assert done.status in (0, 2, 3)
    assert done.status != 2 or None in there.every, done
    event(f"{command}: {done.status}, {len(there.every) - 1} swaps")
    return done, there


def facts_of(document: Document) -> tuple[bytes, int, bytes]:
    return document.name, document.size, facts(document, some.shingling()).digest


@pytest.mark.reliability("a file or directory is replaced after the walk")
@examples(3)
@given(case=cases())
def test_an_artifact_holds_texts_that_were_in_the_tree(case):
    """All documents that are there at all times are in it, or are reported."""
    with laid(case) as root:
        done, there = run(case, root, "shingle", b"-o", b"../out/x.shingles")
        out = os.path.join(root, b"out")
        assert os.listdir(out) == ([] if done.status == 2 else [b"x.shingles"])
        if done.status == 2:
            return
        artifact = opened(os.path.join(out, b"x.shingles"))
        found = artifact.documents
        recorded = {
            (found.raw_name(row), int(fact["size"]), fact["digest"].tobytes()) for row, fact in enumerate(found.facts)
        }
    assert recorded <= set(map(facts_of, there.possible))
    known = [{facts_of(document) for document in each or []} for each in there.every]
    for name, *_ in set.intersection(*known) - recorded:
        shown = [display_name(path) for path in (name, name.rpartition(b"#")[0]) if path]
        assert any(path in done.err for path in shown), (name, done)


@pytest.mark.reliability("a file or directory is replaced after the walk")
@examples(3)
@given(case=cases())
def test_pairs_are_as_similar_as_texts_that_were_in_the_tree(case):
    options = [b"--pairs", b"--all-copies", b"-t", b"0.3", b"-k", b"2", b"--format", b"jsonl"]
    with laid(case) as root:
        done, there = run(case, root, "dedupe", *options)
        assert os.listdir(os.path.join(root, b"out")) == []
    known = defaultdict[bytes, list[set[int]]](list)
    for document in {(one.name, one.data): one for one in there.possible}.values():
        printed = b"./" + document.name if document.name.startswith(b"-") else document.name
        known[printed].append(set(shingles.tokens(document.text, some.shingling(k=2))))
    for line in done.out.splitlines():
        pair = json.loads(line)
        left, right = (known[name_in(pair, side)] for side in ("document", "other"))
        possible = [jaccard(one, other) for one, other in product(left, right)]
        assert any(abs(pair["jaccard"] - figure) < 1e-6 for figure in possible), (pair, possible)


def name_in(pair: Mapping[str, str], side: str) -> bytes:
    """Return the name on this side of a pair."""
    return base64.b64decode(pair[f"{side}_b64"]) if f"{side}_b64" in pair else pair[side].encode()
