"""Row numbers lead to the same documents as names do."""

from __future__ import annotations

import simdocs
from tests.cli.corpus import A1, A, B, lay


def test_rows_of_groups_are_those_of_the_documents_given(tmp_path, monkeypatch):
    """A document of the index to compare against comes after all of them, so its row cannot be mistaken for one."""
    monkeypatch.chdir(tmp_path)
    other = b"Something else altogether, that nothing here resembles."
    lay(tmp_path, {"old/0": other, "old/1": B, "old/2": A, "new/0": other + b"!", "new/1": A1, "new/2": other + b"!"})
    lay(tmp_path, {"new/3": b"A third text with which the new documents begin to be similar.", "new/4": b"x" * 40})
    lay(tmp_path, {"new/5": b"x" * 41})
    index = simdocs.index("old")
    for against in (None, index):
        found = simdocs.dedupe("new", against=against)
        left = [
            found.documents.name(row)
            if row < len(found.documents)
            else index.documents.name(row - len(found.documents))
            for row in found.pairs.left.tolist()
        ]
        right = [found.documents.name(row) for row in found.pairs.right.tolist()]
        assert list(zip(left, right, strict=True)) == [(kept, duplicate) for kept, duplicate, _, _ in found.rows()]
        assert right == found.duplicate_names
        assert [found.documents.name(row) for row in found.kept.tolist()] == found.kept_names
    assert ("old/2", "new/1") in zip(left, right, strict=True)
    assert ("new/4", "new/5") in zip(left, right, strict=True)
