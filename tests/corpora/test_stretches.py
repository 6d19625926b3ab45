"""Stretches of a file, each cut without what comes before it, have the parts that one pass over the file has."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.corpora.containers import stretches
from simdocs.corpora.containers.container import ContainerFile, Part, container
from simdocs.corpora.containers.stretches import Stretch, cut, described
from simdocs.corpora.stamp import Stamp, status_of
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.texts import Sequences
from tests.corpora.small_chunks import cut_small

FIELDS = Sequences()

BLOCK = 16
"""Bytes of a block, and of the largest parts but those of one line."""

some_lines = st.lists(
    st.one_of(
        st.binary(max_size=6), st.binary(min_size=10, max_size=40), st.sampled_from([b"", b"aaaa", b"\0" * 20, b"\xef"])
    ),
    max_size=80,
)


def one_pass(path: Path, limit: int) -> list[Part]:
    return list(container("jsonl").parts(ContainerFile(os.fsencode(path), limit), FIELDS))


def stretches_of(path: Path, limit: int) -> list[Stretch]:
    name = os.fsencode(path)
    return described(name, 0, Stamp.of(status_of(name)), limit, "jsonl", follow=True, named=True)


def joined_up(path: Path, limit: int) -> list[Part] | None:
    """The parts of all stretches of a file, numbered in it; None if one of them cannot be cut, or they do not meet."""
    found, at, count = list[Part](), 0, 0
    for stretch in stretches_of(path, limit):
        try:
            start, end, parts = cut(stretch, FIELDS)
            if start != at:
                return None
            each = list(parts)
        except DocumentSkipped:
            return None
        found += [replace(part, first=part.first + count, read_to=0) for part in each]
        count += sum(part.count for part in each)
        at = end or 0
    return found


@pytest.fixture(scope="module", autouse=True)
def small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, BLOCK)
        patch.setattr(stretches, "BYTES", 4 * BLOCK)
        yield


@given(each=some_lines, mark=st.booleans(), ends=st.booleans(), limit=st.sampled_from([5, 12, 25, 1 << 20]))
def test_stretches_have_the_parts_of_one_pass(
    tmp_path_factory: pytest.TempPathFactory, each: list[bytes], mark: bool, ends: bool, limit: int
) -> None:
    """No stretch ever has other parts. If one cannot be cut alone, it says so."""
    path = tmp_path_factory.getbasetemp() / "x.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" * mark + b"\n".join(each) + b"\n" * ends)
    try:
        expected = [replace(part, read_to=0) for part in one_pass(path, limit)]
    except DocumentSkipped:
        return
    found = joined_up(path, limit)
    assert found is None or found == expected


@pytest.mark.parametrize("limit", [7, 20, 1 << 20])
@pytest.mark.parametrize("seed", range(5))
def test_most_stretches_of_usual_lines_are_cut_alone(tmp_path: Path, seed: int, limit: int) -> None:

    drawn = random.Random(seed)
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"".join(drawn.randbytes(drawn.randrange(2, 12)).hex().encode() + b"\n" for _ in range(400)))
    found = joined_up(path, limit)
    assert len(stretches_of(path, limit)) > 50
    assert found == [replace(part, read_to=0) for part in one_pass(path, limit)]


def test_lines_that_are_all_alike_have_no_seam(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"abc\n" * 1000)
    assert joined_up(path, 1 << 20) is None


def test_stretches_cover_a_file_once_and_only_large_files_have_several(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    for size in (0, 1, 4 * BLOCK, 4 * BLOCK + 1, 1000):
        path.write_bytes(b"x" * size)
        found = stretches_of(path, 100)
        assert [stretch.is_last for stretch in found] == [False] * (len(found) - 1) + [True]
        assert (found[0].start, found[-1].stop) == (0, size)
        assert all(a.stop == b.start and not b.start % BLOCK for a, b in pairwise(found))
        assert len(found) == 1 or size > 4 * BLOCK
        assert found[0].is_whole == (len(found) == 1)


def test_a_stretch_of_a_file_that_has_changed_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"0123456\n" * 100)
    first, second, *_ = stretches_of(path, 100)
    path.write_bytes(b"7654321\n" * 99)
    for stretch in (first, second):
        with pytest.raises(DocumentSkipped, match="changed"):
            cut(stretch, FIELDS)


@pytest.mark.reliability("JSON Lines that grow")
@pytest.mark.parametrize("last", [b"", b"an unfinished li"])
def test_stretches_of_a_file_that_has_grown_have_what_was_found(tmp_path: Path, last: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"0123456\n" * 100)
    expected = one_pass(path, 100)
    path.write_bytes(path.read_bytes() + last)
    found = stretches_of(path, 100)
    with path.open("ab") as stream:
        stream.write(b"ne\nmore\n")
    each = [part for stretch in found for part in cut(stretch, FIELDS).parts]
    assert b"".join(part.data for part in each) == b"".join(part.data for part in expected)
