"""compare --trace: how MinHash computes signatures, row by row."""

from __future__ import annotations

import json
from pathlib import Path

import mmh3
import numpy as np
import pytest

import simdocs as library
from simdocs.kernels import permutation
from tests.cli.program import simdocs
from tests.twins.slots import slots

TEXTS = {"a.txt": "nadal nadal", "b.txt": "nadia, an", "c.txt": "日本語の文章 al"}
HOW = ("--scheme", "permutation", "--num-perm", "4", "--trace", "-k", "2")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "empty").write_bytes(b"")
    return tmp_path


def lines(where: Path, *arguments: str) -> list[dict]:
    done = simdocs("compare", *arguments, "--format", "jsonl", "-q", cwd=where)
    assert (done.status, done.err) == (0, "")
    return [json.loads(line) for line in done.out.splitlines()]


def test_rows_are_shingles_in_the_order_of_the_texts_with_the_values_of_the_hash_functions(here):
    trace = library.compare(*(here / name for name in TEXTS), k=2, scheme="permutation", num_perm=4, trace=True)
    spelled = list(dict.fromkeys(text[at : at + 2] for text in TEXTS.values() for at in range(len(text) - 1)))
    rows, size = list(trace.rows()), len(TEXTS) + 1
    assert [row[:2] for row in rows[::size]] == list(enumerate(spelled, 1))
    has = [[bool(row[3]) for row in rows[at + 1 : at + size]] for at in range(0, len(rows), size)]
    assert has == [[shingle in text for text in TEXTS.values()] for shingle in spelled]
    tokens = [mmh3.hash(shingle, 0, signed=False) for shingle in spelled]
    factors, terms = (array.tolist() for array in permutation.hash_functions(4, 0))
    mixed = [int(permutation.fmix32(np.array([token], np.uint32))[0]) for token in tokens]
    by_hand = [
        [(factor * token + term) % 2**64 >> 32 for factor, term in zip(factors, terms, strict=True)] for token in mixed
    ]
    assert [list(row[4:]) for row in rows[::size]] == by_hand
    functions = [lambda row, at=at: by_hand[row][at] for at in range(4)]
    sets = [{row for row, inside in enumerate(column) if inside} for column in zip(*has, strict=True)]
    for at, after in enumerate(slots(range(len(spelled)), sets, functions)):
        shown = [row[4:] for row in rows[at * size + 1 : (at + 1) * size]]
        assert [tuple(float("inf") if slot is None else slot for slot in each) for each in shown] == after
    built = library.signature(*(here / name for name in TEXTS), k=2, scheme="permutation", num_perm=4)
    assert [list(row[4:]) for row in rows[-3:]] == built.signatures.tolist()


def test_what_has_no_trace_is_one_line(here):
    many = [*HOW[:2], "--num-perm", "65536", *HOW[4:]]
    done = simdocs("compare", "a.txt", "b.txt", *many, cwd=here)
    assert (done.status, "and at most 1,000,000 are printed: 12 shingles" in done.err) == (2, True)


def test_a_trace_ends_with_what_compare_measures(here):
    for a, b in (("a.txt", "b.txt"), ("a.txt", "c.txt"), ("empty", "a.txt")):
        end = lines(here, a, b, *HOW)[-1]
        measured = {
            line["measure"]: line["value"] for line in lines(here, a, b, *HOW[:4], *HOW[5:])[:30] if "measure" in line
        }
        assert end == {
            "a": a,
            "b": b,
            "agree": 4 * measured["estimate"],
            **{name: measured[name] for name in ("estimate", "jaccard")},
        }
