"""Names and numbers as people see them: nothing in a name can move a cursor, turn the direction of writing, or hide."""

from __future__ import annotations

import doctest
import json
import os
import sys
from unicodedata import category

import pytest

from simdocs.model import figures
from simdocs.names import (
    command_line,
    display_name,
    escape_controls,
    from_here,
    name_for_json,
    name_from_json,
    path_from,
)

HARMFUL = {"Cc", "Cf", "Cs", "Zl", "Zp"}
UNSEEN = "\u200b\u200d\u2060\ufeff\u00ad\u061c\u180e\u206a\u206f\ufff9\ufffb\u202e\u2066\U000e0001\U000e0041\U0001d173"


@pytest.fixture(scope="module")
def kinds() -> dict[str, str]:
    """The category of every character."""
    return {chr(code): category(chr(code)) for code in range(sys.maxunicode + 1)}


@pytest.mark.reliability("escape sequences, control and format characters in names")
def test_every_control_and_format_character_of_unicode_is_escaped(kinds):
    harmful = [character for character, kind in kinds.items() if kind in HARMFUL]
    unassigned = [character for character, kind in kinds.items() if kind == "Cn"]
    assert set(UNSEEN) <= set(harmful)
    for character in (*harmful, *unassigned[::5003]):
        drawn = escape_controls(character)
        assert drawn.isascii() and drawn.isprintable(), ascii(character)
        assert drawn.encode().decode("unicode_escape") == character
        assert json.loads(f'"{escape_controls(character, json=True)}"') == character


def test_every_other_character_of_unicode_is_shown_as_it_is(kinds):
    harmless = "".join(character for character, kind in kinds.items() if kind not in {*HARMFUL, "Cn"})
    assert escape_controls(harmless) == harmless
    assert set(" \u00a0\u3000\ue000é\u0301中😀\\") <= set(harmless)


def test_a_name_is_one_line_whatever_its_bytes():
    assert display_name(b"a\xff\n\x1b[2J" + "\u200b\U000e0041".encode()) == r"a\xff\n\x1b[2J\u200b\U000e0041"
    assert (display_name(b""), display_name("\u200d".encode())) == ("''", r"\u200d")


def test_a_path_below_the_working_directory_is_relative_and_no_option(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = os.getcwdb()
    for path, shown in {b"/a/b": b"a/b", b"/-x": b"./-x", b"/-": b"-"}.items():
        assert from_here(here + path) == shown
    assert [from_here(path) for path in (here, here + b"2/a")] == [here, here + b"2/a"]
    assert [path_from(b"/r", name) for name in (b"a", b"/a", b"s3://b/a")] == [b"/r/a", b"/a", b"s3://b/a"]


def test_a_command_can_be_pasted_and_a_name_read_back_from_json():
    options = {"threshold": 0.5, "k": 3, "nfkc": True, "include": ("*.txt", "b")}
    line = r"simdocs dedupe 'a b' $'\x5c\x27\x0aé\xff' --threshold 0.5 -k 3 --nfkc --include '*.txt' --include b"
    assert command_line("dedupe", ["a b", "\\'\né\udcff"], options) == line
    for name in (b"a", b"\xff", b""):
        assert name_from_json(name_for_json("x", name), "x") == name
    for wrong in ({"x": "a\0"}, {"x_b64": "AA=="}, {"x_b64": "!"}):
        with pytest.raises(ValueError, match=r"."):
            name_from_json(wrong, "x")


KNOWN = {
    "counted": "1 copy|0 copies|1,000 pairs",
    "size": "0 bytes|1 byte|1,023 bytes|1 KiB|1.5 KiB|999 KiB|999 KiB|1,000 KiB|1,000 KiB|1,023 KiB"
    "|1 MiB|1.5 GiB|5,120 GiB",
    "shown_probability": "0.0000|<0.0001|0.0001|0.9855|0.9999|>0.9999|1.0000",
    "least_percentage": "98.55%|19.00%|99.99%|100%",
    "percentage": "0%|100%|50.0%|80.0%|79.996%|99.996%|0.04%|100.000000%",
    "figure": "12|10|9.4|3|0.12|1,234|0|0.001|< 0.001",
    "at_least": "at least 98.55% of pairs at 0.8, more above|at least 100% of pairs at 0.8"
    "|at least 99.00% of pairs at 1",
    "found_by": "1 band of 2 rows finds at least 100% of pairs at 1|2 bands of 1 row find at least 100% of pairs at 1",
}
GIVEN = {
    "counted": [(1, "copy", "copies"), (0, "copy", "copies"), (1000, "pair")],
    "size": [
        0,
        1,
        1023,
        1024,
        1536,
        999 << 10,
        1_023_487,
        1_023_488,
        1000 << 10,
        1023 << 10,
        1 << 20,
        3 << 29,
        5 << 40,
    ],
    "shown_probability": [0.0, 0.00009, 0.0001, 0.98553, 0.9999, 0.99991, 1.0],
    "least_percentage": [0.98559, 0.19, 0.999998, 1.0],
    "percentage": [(at, 0.8) for at in (0, 1, 0.5, 0.8, 0.79996, 0.99996, 0.0004, 1 - 1e-10)],
    "figure": [12.4, 9.5, 9.4, 3, 0.12345, 1234, 0, 0.001, 0.0009],
    "at_least": [(0.985542, 0.8), (1.0, 0.8), (0.99, 1.0)],
    "found_by": [(1, 2, 1.0, 1.0), (2, 1, 1.0, 1.0)],
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_number_is_worded_as_known(name):
    worded = getattr(figures, name)
    assert [worded(*each) if isinstance(each, tuple) else worded(each) for each in GIVEN[name]] == KNOWN[name].split(
        "|"
    )


def test_the_examples_of_figures_are_true():
    failed, attempted = doctest.testmod(figures)
    assert failed == 0 < attempted
