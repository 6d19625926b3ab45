"""Pairs to verify are cut into blocks whose documents fit in memory together, and compared piece by piece."""

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
from simdocs.engines.engine import WorkerState
from simdocs.matching import verification_blocks, verify
from simdocs.model.documents import FACTS
from simdocs.model.ragged import Ragged
from simdocs.model.skipped import Skip
from simdocs.options.recipes import Shingling
from tests.similar_texts import family

PAIRS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=30)


def cuts_one_pair_at_a_time(pairs: list[tuple[int, int]], sizes: list[int], most: int, most_pairs: int) -> list[slice]:
    """Return the cuts: the twin of `cuts_of_pairs`."""
    cuts: list[slice] = []
    start = 0
    for at in range(1, len(pairs) + 1):
        held = {place for pair in pairs[start : at + 1] for place in pair}
        if at == len(pairs) or sum(sizes[place] for place in held) > most or at - start == most_pairs:
            cuts.append(slice(start, at))
            start = at
    return cuts


@given(PAIRS, st.lists(st.integers(0, 40), min_size=9, max_size=9), st.sampled_from([1, 60, 1000]), st.integers(1, 9))
def test_blocks_are_those_of_the_twin(pairs, sizes, most, most_pairs):
    left, right = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    with mock.patch.multiple(verification_blocks, _BLOCK_BYTES=most, _MOST_PAIRS=most_pairs):
        found = verification_blocks.cuts_of_pairs(left, right, np.array(sizes))
    assert found == cuts_one_pair_at_a_time(pairs, sizes, most, most_pairs)


SIZES = st.lists(st.integers(1, 40), min_size=9, max_size=9)


@given(PAIRS, SIZES, st.sampled_from([1, 60, 1000]), st.integers(1, 9), st.booleans())
def test_every_pair_is_in_one_block_of_bounded_size(pairs, sizes, most, most_pairs, in_passes):
    left, right = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    with mock.patch.multiple(verification_blocks, _BLOCK_BYTES=most, _TILE_BYTES=most, _MOST_PAIRS=most_pairs):
        blocks = verification_blocks.blocks_of_pairs(left, right, np.array(sizes), in_passes=in_passes)
    assert sorted(number for block in blocks for number in block.tolist()) == list(range(len(pairs)))
    times = verification_blocks._TIMES_IN_PASSES if in_passes else 1
    for block in blocks:
        some = [pairs[number] for number in block.tolist()]
        held = {min(pair) for pair in some} if in_passes else {place for pair in some for place in pair}
        assert len(some) == 1 or (
            len(some) <= times * most_pairs and sum(sizes[place] for place in held) <= times * most
        )


@given(SIZES, st.sampled_from([1, 60, 1000]), st.booleans())
def test_pieces_are_all_documents_of_a_block_in_order(sizes, most, in_passes):
    with mock.patch.object(verification_blocks, "_BLOCK_BYTES", most):
        pieces = verification_blocks.pieces_of_block(np.array(sizes), in_passes=in_passes)
    assert [place for piece in pieces for place in range(len(sizes))[piece]] == list(range(len(sizes)))
    assert all(sum(sizes[piece]) <= most + max(sizes) for piece in pieces)
    assert len(pieces) == 1 or in_passes or sum(sizes) > most


TOKENS = st.lists(st.frozensets(st.integers(0, 12), min_size=1), min_size=9, max_size=9)


@given(TOKENS, PAIRS.filter(len), st.lists(st.booleans(), min_size=9, max_size=9), st.data())
def test_documents_compared_piece_by_piece_have_the_similarity_of_their_sets(tokens, pairs, found, data):
    used = sorted({place for pair in pairs for place in pair})
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(used) - 1)))) - {len(used)})
    pieces = [used[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(used)], strict=True)]
    loads = []

    def load(source, _state, _shingling, *, keep):
        loads.extend(source)
        sets = Ragged.from_rows([np.array(sorted(tokens[place]), np.uint32) for place in source], np.uint32)
        lost = [Skip("unverified", b"%d" % place, "gone") for place in source if not found[place]]
        return sets, np.array([found[place] for place in source]), lost

    left, right = (np.array([used.index(pair[side]) for pair in pairs]) for side in (0, 1))
    sources = [[(np.arange(len(piece)), piece)] for piece in pieces]
    block = verification_blocks.VerificationBlock(sources, left, right)  # type: ignore[arg-type]
    with mock.patch.object(verification_blocks, "load_token_sets", load):
        similarity, skips = verification_blocks.verify_block(block, WorkerState(), Shingling())
    assert loads == used
    assert [int(skip.name) for skip in skips] == [place for place in used if not found[place]]
    expected = [
        len(tokens[a] & tokens[b]) / len(tokens[a] | tokens[b]) if found[a] and found[b] else np.nan for a, b in pairs
    ]
    np.testing.assert_array_equal(similarity, expected)


@pytest.mark.parametrize(
    ("name", "container", "extent", "expected"),
    [
        (b"a.jsonl#1", 7, 200, False),
        (b"a.parquet#1", 9, 1, True),
        (b"a.jsonl.zst#1", 11, 200, True),
        (b"a.csv.gz#1", 8, 200, True),
        (b"notes#a.gz", 0, 1, False),
    ],
)
def test_rows_of_tables_and_documents_of_compressed_files_are_read_in_passes(name, container, extent, expected):
    facts = np.zeros(3, FACTS)
    facts["container"], facts["extent"], facts["inode"] = [0, container, 0], extent, 5
    names = [b"one", name, b"two.gz"]

    def read_in_passes() -> bool:
        return verification_blocks.read_in_passes(facts, lambda some: [names[place] for place in some])

    assert read_in_passes() is expected
    facts["inode"] = 0  # as for standard input, which is in memory
    assert not read_in_passes()


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
def test_lines_of_compressed_files_have_the_same_pairs_for_any_size_of_pieces(lines, monkeypatch, size):
    expected = answers(lines)
    assert all(map(len, expected))
    monkeypatch.setattr(verification_blocks, "_BLOCK_BYTES", size)
    assert answers(Path(f"{lines}.gz")) == expected


def test_a_file_is_not_read_in_passes_if_the_token_sets_are_in_an_artifact(lines, tmp_path, monkeypatch):
    """A block in passes has any number of later documents, whose token sets would all be sent to the worker."""
    asked, usual = list[bool](), verification_blocks.blocks_of_pairs

    def blocks(*given, in_passes):
        asked.append(in_passes)
        return usual(*given, in_passes=in_passes)

    monkeypatch.setattr(verify, "blocks_of_pairs", blocks)
    file, sets = Path(f"{lines}.gz"), tmp_path / "docs.shingles"
    simdocs.shingle(file, output=sets, unit="word", k=2)
    simdocs.dedupe(sets, threshold=0.5)
    assert set(asked) == {False}
    simdocs.dedupe(file, unit="word", k=2, threshold=0.5)
    assert asked[-1]
