"""What an update changes: by their names, documents are new, changed, removed, or unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.pipeline import changes as module
from tests.artifacts.tiny import documents_of

Text = tuple[int, int]
texts = st.tuples(st.integers(0, 1), st.integers(0, 1))
trees = st.dictionaries(st.sampled_from([b"", b"a", b"b", b"c", b"x/a", b"x/b", b"y/a", b"y/e"]), texts, max_size=8)


def documents(tree: dict[bytes, Text], earlier: list[int] | None = None, inodes: Sequence[int] = ()) -> Any:
    """Make documents with these names, sizes, digests and inodes, each in its own file."""
    facts = {"size": [size for size, _ in tree.values()], "digest": np.zeros((len(tree), 2), np.uint64)}
    facts["digest"][:] = [(7, digest) for _, digest in tree.values()] or 0
    of_files = [*inodes, *[0] * (len(tree) - len(inodes))]
    more: dict[str, Any] = {} if earlier is None else {"earlier": np.array(earlier, np.int32)}
    return documents_of(list(tree), facts, {"inode": of_files}, **more)


def renames(new: Mapping[bytes, Text], gone: Mapping[bytes, Text]) -> dict[bytes, bytes]:
    """The vanished name of each renamed document: the next one with its text."""
    found, left = dict[bytes, bytes](), dict(gone)
    for name, text in new.items():
        former = next((each for each, other in left.items() if other == text), None)
        if former is not None:
            found[name] = former
            del left[former]
    return found


@given(trees, trees, st.booleans(), st.randoms())
@pytest.mark.parametrize("at_once", [1, 2, 1 << 16])
def test_documents_are_compared_by_their_names_sizes_and_digests(
    at_once: int, before: dict[bytes, Text], after: dict[bytes, Text], some_are_taken_over: bool, chance: Any
) -> None:
    """A document may be taken over from any earlier one with the same text, or from that of its name, which may have
    had another text with the same tokens."""
    rows: list[int] | None = None
    if some_are_taken_over:
        like = [[row for row, text in enumerate(before.values()) if text == mine] for mine in after.values()]
        same = [list(before).index(name) if name in before else -1 for name in after]
        rows = [chance.choice([-1, row, row, *alike[:1]]) for row, alike in zip(same, like, strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_AT_ONCE", at_once)
        inodes = [[chance.choice([0, 1, 2, 3]) for _ in tree] for tree in (after, before)]
        found = module.changes(documents(after, rows, inodes[0]), documents(before, None, inodes[1]))
    names = list(after)
    new = {name: text for name, text in after.items() if name not in before}
    gone = {name: text for name, text in before.items() if name not in after}
    renamed = renames(new, gone)
    gone = {name: facts for name, facts in gone.items() if name not in renamed.values()}
    assert [names[row] for row in found.renamed.tolist()] == [name for name in after if name in renamed]
    assert {names[row] for row in found.new.tolist()} == after.keys() - before.keys() - renamed.keys()
    assert {list(before)[row] for row in found.removed.tolist()} == gone.keys()
    differ = {name for name in after.keys() & before.keys() if after[name] != before[name]}
    assert {names[row] for row in found.changed.tolist()} == differ
    assert found.unchanged == len(after.keys() & before.keys()) - len(differ)
    other = [row for row, name in enumerate(names) if before.get(name) != after[name] and name not in renamed]
    assert found.news.tolist() == other
