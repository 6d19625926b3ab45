"""What an update changes: by their names, documents are new, changed, removed, or unchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.model.documents import DOCUMENT, Documents
from simdocs.model.ragged import Ragged
from simdocs.model.source_files import CHUNK, FILE, SourceFiles
from simdocs.pipeline import changes as module
from simdocs.pipeline.changes import changes

Text = tuple[int, int]
texts = st.tuples(st.integers(0, 1), st.integers(0, 1))
trees = st.dictionaries(st.sampled_from([b"", b"a", b"b", b"c", b"ab", b"bc", b"d", b"e"]), texts, max_size=8)


def documents(tree: dict[bytes, Text], earlier: list[int] | None = None) -> Documents:
    """Make documents with these names, sizes and digests."""
    facts = np.zeros(len(tree), DOCUMENT)
    for row, (size, digest) in enumerate(tree.values()):
        facts["size"][row], facts["digest"][row] = size, (7, digest)
    names = Ragged.from_lengths(np.frombuffer(b"".join(tree), np.uint8), np.array([*map(len, tree)], np.int64))
    more: dict[str, Any] = {} if earlier is None else {"earlier": np.array(earlier, np.int32)}
    return Documents(names, facts, SourceFiles(np.zeros(0, FILE), np.zeros(0, CHUNK)), {}, **more)


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
        found = changes(documents(after, rows), documents(before))
    names = list(after)
    gone = {name: text for name, text in before.items() if name not in after}
    renamed = {}
    for name, mine in after.items():
        former = next((each for each, text in gone.items() if text == mine), None)
        if name not in before and former is not None:
            renamed[name] = gone.pop(former)
    assert [names[row] for row in found.renamed.tolist()] == list(renamed)
    assert {names[row] for row in found.new.tolist()} == after.keys() - before.keys() - renamed.keys()
    assert {list(before)[row] for row in found.removed.tolist()} == gone.keys()
    differ = {name for name in after.keys() & before.keys() if after[name] != before[name]}
    assert {names[row] for row in found.changed.tolist()} == differ
    assert found.unchanged == len(after.keys() & before.keys()) - len(differ)
    other = [row for row, name in enumerate(names) if before.get(name) != after[name] and name not in renamed]
    assert found.news.tolist() == other


def test_everything_is_new_where_nothing_was() -> None:
    found = changes(documents({b"a": (0, 0), b"b": (0, 0)}), None)
    assert (found.new.tolist(), found.changed.tolist(), found.removed.tolist(), found.unchanged) == ([0, 1], [], [], 0)
