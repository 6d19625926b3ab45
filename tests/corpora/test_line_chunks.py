"""Where lines are cut into chunks: the same places as a slow twin finds, however the content comes in."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.corpora.containers import lines
from simdocs.corpora.containers.lines import cut_lines
from tests.corpora.small_chunks import cut_small
from tests.twins.chunks import chunks_of

contents = st.lists(
    st.one_of(st.sampled_from([b"", b"{}", b"{} ", b"a" * 40, b"\r", b"\xff\0"]), st.binary(max_size=12)), max_size=40
).map(b"\n".join)


@given(
    contents,
    st.sampled_from([1, 8, 9, 16, 64, 256]),
    st.sampled_from([1, 16, 1 << 20]),
    st.sampled_from([1, 2, 5, 1 << 14]),
    st.randoms(),
)
def test_lines_are_cut_as_the_twin_cuts_them_in_whatever_pieces_they_come(
    content: bytes, size: int, usual: int, most_lines: int, chance: random.Random
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, size)
        patch.setattr(lines, "USUAL_BYTES", usual)
        patch.setattr(lines, "MOST_LINES", most_lines)
        found, held = [], b""
        for line in content.splitlines(keepends=True) if b"\r" not in content else [content]:
            held += line
            if line.endswith(b"\n") and chance.random() < 0.3:
                at = 0
                for end, count in cut_lines(held, to_end=False):
                    assert count == held[at:end].count(b"\n")
                    found.append(held[at:end])
                    at = end
                held = held[at:]
        assert found + cut(held) == chunks_of(content)


LINES = [b'{"text": "%d"}\n' % random.Random(number).getrandbits(99) for number in range(2000)]


@pytest.mark.parametrize("at", [0, 1, 700, 1999])
@pytest.mark.parametrize("gone", [0, 3])
def test_most_chunks_are_the_same_after_lines_were_inserted_or_removed(
    monkeypatch: pytest.MonkeyPatch, at: int, gone: int
) -> None:
    cut_small(monkeypatch, 2048)
    before, after = (cut(b"".join(lines)) for lines in (LINES, [*LINES[:at], b"new\n", *LINES[at + gone :]]))
    assert len(before) > 40
    assert len(set(after) - set(before)) <= 4


def cut(data: bytes) -> list[bytes]:
    """Return the chunks of a whole file."""
    return [data[begin:end] for begin, end in pairwise([0, *(end for end, _ in cut_lines(data, to_end=True))])]
