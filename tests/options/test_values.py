"""The ends of what options accept: the first and the last value are accepted, and the next one is not."""

from __future__ import annotations

from typing import Any

import pytest

from simdocs.options.values import DELIMITER, ENCODING, FREE_TEXT, SECONDS, SEED, SIZE, without_secret
from tests.asked import OPTIONS

LARGEST = 1 << 62

ENDS: list[tuple[Any, list[Any], list[Any]]] = [
    *((OPTIONS[name].values, [1, most], [0, most + 1]) for name, most in {"k": 1000, "jobs": 1024}.items()),
    *((OPTIONS[name].values, [1, 65536], [0, 65537]) for name in ("num_perm", "bands", "rows")),
    *((OPTIONS[name].values, [1, LARGEST], [0, LARGEST + 1]) for name in ("max_candidates", "min_passage")),
    *((OPTIONS[name].values, [5e-324, 1.0], [0.0, 1.0000001]) for name in ("threshold", "recall", "ignore_common")),
    (SEED, [0, (1 << 32) - 1], [-1, 1 << 32, True, "7"]),
    (SECONDS, [0.0, float("inf")], [-5e-324, float("nan")]),
    (FREE_TEXT, ["", "é" * 1000, "\udcff"], ["é" * 1001, "\ud800", b""]),
    (DELIMITER, ["\x01", "~", "\t", " "], ["\0", "\x7f", "", ";;", '"', "\r", "\n"]),
]


@pytest.mark.parametrize(("kind", "ends", "beyond"), ENDS)
def test_the_ends_of_a_range_are_in_it(kind, ends, beyond):
    assert list(map(kind.check, ends)) == ends
    for value in beyond:
        with pytest.raises(ValueError, match=f"^{kind.wanted[:9]}"):
            kind.check(value)
    if kind.is_number:
        assert [kind.parse(f" {end} ") for end in ends] == ends
        assert kind.parse(f"+{ends[1]}") == ends[1]


def test_every_unit_of_a_size_is_known_in_both_cases():
    powers = {"": 1, "B": 1, "K": 1024, "KIB": 1024, "KB": 1000, "M": 1024**2, "MIB": 1024**2, "MB": 10**6}
    for unit, power in (powers | {"G": 1024**3, "GIB": 1024**3, "GB": 10**9}).items():
        assert SIZE.parse(f"7{unit}") == SIZE.parse(f" 7{unit.lower()} ") == 7 * power
    assert [SIZE.parse("9" * 18), SIZE.parse("4294967296G"), SIZE.parse("0")] == [10**18 - 1, SIZE.check(LARGEST), 0]
    assert [SEED.parse("0"), SEED.parse("4294967295")] == [0, (1 << 32) - 1]
    assert len({SEED.parse("random") for _ in range(9)}) > 7
    for wrong in ("1" + "0" * 18, "4294967297G", "1T", "1KK", "1BK", "K", "1 K", "-1K"):
        with pytest.raises(ValueError, match="a size"):
            SIZE.parse(wrong)


def test_fields_and_patterns_are_named_in_a_list_and_each_field_once():
    fields, patterns = OPTIONS["text_field"].values, OPTIONS["include"].values
    assert [fields.check(given) for given in ("a", ["b", "a", "b"], ("",))] == [("a",), ("b", "a"), ("",)]
    assert [patterns.check(given) for given in (["*.a", "*.a"], ())] == [("*.a", "*.a"), ()]
    for kind, wrong in (fields, ["a", 3]), (fields, "\ud800"), (patterns, "*.a"), (patterns, ["a", b"b"]):
        with pytest.raises(ValueError, match=r"^a t"):
            kind.check(wrong)


def test_an_encoding_has_ascii_in_it():
    assert [ENCODING.check(name) for name in ("Latin-1", "cp1252", "UTF8")] == ["iso8859-1", "cp1252", "utf-8"]
    for name in ("utf-16", "utf-7", "cp037", "hex", "", "a\0", 3):
        with pytest.raises(ValueError, match="an encoding"):
            ENCODING.check(name)


def test_a_key_before_an_at_sign_of_an_object_is_not_shown_and_a_long_value_is_cut():
    assert (
        without_secret("s3://key:secret@more@bucket/a") == without_secret(b"s3://key@bucket/a") == "s3://...@bucket/a"
    )
    assert [without_secret(each) for each in ("s3://bucket/a", "a@b", b"a@b", 3)] == ["s3://bucket/a", "a@b", b"a@b", 3]
    assert SEED.refusal("a number", "9" * 60) == f"must be a number, not '{'9' * 60}'"
    assert SEED.refusal("a number", "9" * 61) == f"must be a number, not '{'9' * 60}...'"
