"""Pairs to verify are cut into blocks whose documents fit in memory together."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.matching import verification_blocks
from tests.similar_texts import family

PAIRS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=30)


SIZES = st.lists(st.integers(1, 40), min_size=9, max_size=9)


@given(PAIRS, SIZES, st.sampled_from([1, 60, 1000]), st.integers(1, 9))
def test_every_pair_is_in_one_block_of_bounded_size(pairs, sizes, most, most_pairs):
    left, right = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    with mock.patch.multiple(verification_blocks, _BLOCK_BYTES=most, _TILE_BYTES=most, _MOST_PAIRS=most_pairs):
        blocks = verification_blocks.blocks_of_pairs(left, right, np.array(sizes))
    assert sorted(number for block in blocks for number in block.tolist()) == list(range(len(pairs)))
    for block in blocks:
        some = [pairs[number] for number in block.tolist()]
        held = {place for pair in some for place in pair}
        assert len(some) == 1 or (len(some) <= most_pairs and sum(sizes[place] for place in held) <= most)


def answers(path: Path, **options: object) -> list[list[tuple[object, ...]]]:
    """Return the rows of answers about the lines of a file, without its name."""
    ways: list[dict[str, object]] = [{}, {"cluster": "components"}, {"keep": "longest"}]
    how = {"unit": "word", "k": 2, "threshold": 0.5, **options}
    found = [simdocs.pairs(path, **how), *(simdocs.dedupe(path, **way, **how) for way in ways)]
    return [
        [tuple(cell.replace(str(path), "") if isinstance(cell, str) else cell for cell in row) for row in one.rows()]
        for one in found
    ]


@pytest.fixture
def lines(tmp_path) -> Path:
    """A JSON Lines file of texts in families, and the same file compressed."""
    rows = [{"text": text.data.decode("utf-8", "replace")} for text in family(7, 80)]
    file = tmp_path / "docs.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path(f"{file}.gz").write_bytes(gzip.compress(file.read_bytes()))
    return file


@pytest.mark.parametrize("size", [1, 2000, 1 << 21])
def test_lines_of_compressed_files_have_the_same_pairs_for_any_size_of_blocks(lines, monkeypatch, size):
    expected = answers(lines)
    assert all(map(len, expected))
    monkeypatch.setattr(verification_blocks, "_BLOCK_BYTES", size)
    assert answers(Path(f"{lines}.gz")) == expected
