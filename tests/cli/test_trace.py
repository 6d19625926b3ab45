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
from tests.cli.terminal import on_terminal
from tests.twins.slots import slots

TEXTS = {"a.txt": "nadal nadal", "b.txt": "nadia, an", "c.txt": "日本語の文章 al"}
HOW = ("--scheme", "permutation", "--num-perm", "4", "--trace", "-k", "2")
OF_WORDS = ("--scheme", "permutation", "--num-perm", "4", "--trace", "-k", "1", "--unit", "word")


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


def of_functions(line: dict) -> list[int | None]:
    return [line[f"h{number}"] for number in range(1, 5)]


@pytest.mark.parametrize("options", [HOW, (*HOW, "--multiset"), (*HOW, "--seed", "7"), OF_WORDS])
def test_a_trace_is_the_slot_algorithm_and_ends_with_the_signatures_of_an_index(here, options):
    traced = lines(here, *TEXTS, *options)
    rows = [line for line in traced if "row" in line]
    assert simdocs("signature", *TEXTS, *options[:4], *options[5:], "-o", "x.signatures", cwd=here).status == 0
    expected = library.open(here / "x.signatures").signatures.tolist()
    assert [of_functions(line) for line in traced if "signature" in line] == expected
    assert [of_functions(line) for line in rows[-3:]] == expected
    # The smallest values of the rows so far, counted by hand.
    smallest = dict[str, list[int | None]].fromkeys(TEXTS, [None] * 4)
    for line in rows:
        if line["document"] is None:
            values = of_functions(line)
            continue
        name = line["document"]
        if line["has"]:
            smallest[name] = [
                new if old is None else min(old, new) for old, new in zip(smallest[name], values, strict=True)
            ]
        assert of_functions(line) == smallest[name]


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


def test_a_terminal_marks_the_slots_that_change(here):
    (here / "d.txt").write_text("na")
    done = on_terminal("compare", "d.txt", "empty", *HOW, cwd=here, columns=80)
    values = [
        str(value)
        for value in next(
            library.compare(here / "d.txt", here / "empty", scheme="permutation", num_perm=4, k=2, trace=True).rows()
        )[4:]
    ]
    drawn = [line.split() for line in done.out.decode().splitlines()]
    assert ["1", "na", *values] in drawn
    assert ["d.txt", "1", *(f"*{value}" for value in values)] in drawn
    assert ["empty", "0", *"∞∞∞∞"] in drawn
    assert ["d.txt", *values] in drawn
    assert ["d.txt", "empty", "0", "0.000000", "0.000000"] in drawn


def test_the_rows_alone_are_tsv_and_csv(here):
    traced = [line for line in lines(here, "a.txt", "b.txt", *HOW) if "row" in line]
    rows = simdocs("compare", "a.txt", "b.txt", *HOW, "--header", cwd=here).rows
    assert [cell.decode() for cell in rows[0]] == list(traced[0])
    assert [[cell.decode() for cell in row] for row in rows[1:]] == [
        ["" if cell is None else str(cell) for cell in line.values()] for line in traced
    ]
    csv = simdocs("compare", "a.txt", "b.txt", *HOW, "--format", "csv", cwd=here).out
    assert csv.count(b"\r\n") == len(rows)


def test_a_trace_leaves_out_the_tokens_of_a_template(here):
    (here / "form").write_text("nad")
    traced = lines(here, "a.txt", "b.txt", *HOW, "--template", "form")
    assert {"na", "ad"}.isdisjoint(line.get("shingle") for line in traced)
    options = ("-k", "2", "--num-perm", "4", "--scheme", "permutation", "--template", "form", "-o", "x.signatures")
    assert simdocs("signature", "a.txt", "b.txt", *options, cwd=here).status == 0
    expected = library.open(here / "x.signatures").signatures.tolist()
    assert [of_functions(line) for line in traced if "signature" in line] == expected


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--trace"], "--trace needs --scheme permutation, --functions or --permutation-file"),
        ([*HOW, "--diff", "words"], "--trace and --diff cannot be combined"),
        ([*HOW, "-o", "x.html"], "--trace"),
        (
            [*HOW[:2], "--num-perm", "65536", *HOW[4:]],
            "would print 2,359,296 values, and at most 1,000,000 are printed: 12 shingles",
        ),
    ],
)
def test_what_has_no_trace_is_one_line(here, words, said):
    done = simdocs("compare", "a.txt", "b.txt", *words, cwd=here)
    assert (done.status, done.out, done.err.count("\n")) == (2, b"", 1)
    assert said in done.err


def test_the_status_of_a_trace_says_whether_texts_are_similar(here):
    for threshold, status in (("0.1", 1), ("0.9", 0)):
        assert simdocs("compare", "a.txt", "b.txt", *HOW, "-t", threshold, "--exit-code", cwd=here).status == status
