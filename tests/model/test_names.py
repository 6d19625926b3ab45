"""Names as people see them: nothing in them can move a cursor, turn the direction of writing, or hide."""

from __future__ import annotations

import json
import os
import sys
from unicodedata import category

import pytest

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
