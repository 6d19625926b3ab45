"""Rows that workers share behave like a dictionary of limited size, and give their memory back if they are too many."""

from __future__ import annotations

import mmap
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.engines import engine
from simdocs.engines.engine import SharedRows, WorkerState
from simdocs.engines.local import Local
from simdocs.model.ragged import Ragged
from simdocs.pipeline.signing import held_tokens, hold, shingled
from simdocs.reading.decode import as_utf8
from tests import strategies as some

PAGE = mmap.PAGESIZE
KEYS = st.tuples(*[st.integers(0, 3) | st.integers(0, 2**64 - 1)] * 2)
PUT = st.lists(st.tuples(st.integers(0, 2), st.dictionaries(KEYS, st.binary(max_size=1500), max_size=5)), max_size=8)


def keys_of(keys: list[tuple[int, int]]) -> np.ndarray:
    return np.array(keys, np.uint64).reshape(-1, 2)


def rows_of(rows: list[bytes]) -> Ragged:
    return Ragged.from_rows([np.frombuffer(row, np.uint8) for row in rows], np.uint8)


@given(PUT)
def test_a_row_is_what_was_put_and_none_is_lost_while_there_is_room(puts):
    shared = SharedRows(mmap.mmap(-1, 3 * PAGE), 3)
    workers = [shared.of_worker(own) for own in range(3)]
    room, held = [PAGE - 24] * 3, dict[tuple[int, int], bytes]()
    for own, rows in puts:
        new = {key: row for key, row in rows.items() if key[0] not in {first for first, _ in held}}
        new = {first: (first, second) for first, second in new}  # of two keys with equal halves, one is found
        new = {key: rows[key] for key in new.values()}
        workers[own].put(keys_of(list(new)), rows_of(list(new.values())))
        for key, row in new.items():
            if len(row) + 32 > room[own]:
                break
            room[own] -= len(row) + 32
            held[key] = row
        asked = [*held, (5, 5), *new]
        for worker in workers:
            found = worker.get(keys_of(asked))
            assert [None if row is None else row.tobytes() for row in found] == [held.get(key) for key in asked]


@pytest.mark.parametrize("parts", [1, 2])
def test_very_many_rows_are_not_held_and_their_memory_is_given_back(parts):
    flags = mmap.MAP_PRIVATE if parts == 1 else mmap.MAP_SHARED
    memory = mmap.mmap(-1, 64 * PAGE, flags=flags | mmap.MAP_ANONYMOUS)
    with mock.patch.object(engine, "_MOST_ROWS", 10 * parts):
        shared = SharedRows(memory, parts)
        keys = np.arange(2, 26, dtype=np.uint64).reshape(-1, 2)
        row = [b"x" * PAGE]
        shared.put(keys[:10], rows_of(10 * row))
        assert all(row is not None for row in shared.get(keys[:10]))
        shared.put(keys[10:], rows_of(2 * row))
        assert shared.get(keys) == [None] * 12
        shared.put(keys[:1], rows_of(row))
        assert shared.get(keys) == [None] * 12
    assert memory[24 : 32 * PAGE] == bytes(32 * PAGE - 24)


def test_workers_share_nothing_if_they_are_many_or_memory_is_limited(monkeypatch):
    assert Local(8).state.shared is not None and Local(9).state.shared is None
    for error in (OSError, ValueError):
        monkeypatch.setattr(mmap, "mmap", mock.Mock(side_effect=error))
        assert Local(2).state.shared is None


def put_one(number: int, state: WorkerState) -> bool:
    if state.shared is None:
        return False
    state.shared.put(keys_of([(number, 7)]), rows_of([b"%d" % number]))
    return True


def get_all(count: int, state: WorkerState) -> list[bytes]:
    assert state.shared is not None
    return [row.tobytes() for row in state.shared.get(keys_of([(n, 7) for n in range(count)])) if row is not None]


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_every_worker_gets_what_the_others_have_put(jobs):
    with Local(jobs) as local:
        done = list(local.map(put_one, range(20)))
        if not all(done):
            pytest.skip("workers are not forked here, so they share no memory")
        every = [b"%d" % number for number in range(20)]
        assert list(local.map(get_all, [20] * 6)) == [every] * 6


@given(some.batches, some.shinglings, some.shinglings)
def test_tokens_are_held_if_they_take_less_memory_than_the_texts(batch, shingling, another):
    shared = SharedRows(mmap.mmap(-1, 1 << 20), 1)
    wanted = dict[int, list[int]]()
    digests = np.arange(2, 2 * len(batch) + 2, dtype=np.uint64).reshape(-1, 2)
    for part in shingled([as_utf8(raw)[0] for raw in batch], shingling):
        hold(part, digests[part.places], shingling, shared)
        if 4 * len(part.tokens.values) <= len(part.texts.encoded.values):
            wanted |= zip(part.places.tolist(), some.rows_of(part.tokens), strict=True)
    places, tokens = held_tokens(digests, shingling, shared)
    assert dict(zip(places.tolist(), some.rows_of(tokens), strict=True)) == wanted
    assert not len(held_tokens(digests, another, shared)[0]) or another == shingling
