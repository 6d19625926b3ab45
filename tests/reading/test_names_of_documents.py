"""Names of rows that were seen before are found, in little memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.reading import row_names as of_documents

IDS = [b"", b"1", b"one", b"One", b"\xc3\xa9", b"e\xcc\x81", b"\xff", b" ", b"\n", b"/", b"/x", b"//x", b"/x/", b"/."]
IDS += [b"/..", b"/../a", b"/../../a", b"/../b#1", b"/../none", b"/../one#/..", b"#", b"##/", b"-", b"x" * 5000]


@pytest.mark.parametrize("hashes", [1, 2, 1 << 62])
@given(blocks=st.lists(st.lists(st.sampled_from([b"a", b"b", b"c", b"", b"a\0", b"ab"]), max_size=5), max_size=8))
def test_names_are_repeated_if_they_were_seen_before(hashes: int, blocks: list[list[bytes]]) -> None:
    rows: list[bytes] = []
    names = of_documents.SeenNames(rows.__getitem__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(of_documents, "hash", lambda name: hash(name) % hashes, raising=False)
        for block in blocks:
            seen = set(rows)
            expected = {at for at, name in enumerate(block) if name in seen or name in block[:at]}
            assert names.repeated(block) == expected
            new = [name for at, name in enumerate(block) if at not in expected]
            names.add(new, np.arange(len(rows), len(rows) + len(new)))
            rows += new
