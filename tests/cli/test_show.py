"""simdocs show: what a text is compared by."""

from __future__ import annotations

import pytest

from tests import strategies as some
from tests.cli.program import bound_by_modes, simdocs
from tests.cli.terminal import on_terminal
from tests.twins import shingles as twin


@pytest.mark.parametrize(
    "words", ["show text", "compare text other --passages", "compare text other --diff words", "passages ."]
)
def test_texts_do_no_harm_to_a_terminal(tmp_path, words):
    for name in ("text", "other"):
        (tmp_path / name).write_bytes(f"\x1b]0;x\x07 \u202e \x9b, {'and so on ' * 9}{name}".encode())
    done = on_terminal(*words.split(), colored=False, cwd=tmp_path)
    assert (done.status, b"x1b]0;x" in done.out) == (0, True)
    assert not set("\x1b\x07\u202e\x9b") & set(done.out.decode())


def test_a_text_that_cannot_be_read_has_no_shingles_to_show(tmp_path):
    (tmp_path / "closed").touch(mode=0)
    for name, why in {"gone": "No such file", ".": "directory", "closed": ""}.items():
        done = simdocs("show", name, cwd=tmp_path, before=bound_by_modes)
        assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
        assert done.err.startswith("simdocs: error: ")
        assert name in done.err
        assert why in done.err


def test_a_text_of_very_many_shingles_is_shown_whole():
    text = "the three Fähren, 日本 and one ".encode() * 700
    for unit, k in (("char", 9), ("word", 3), ("line", 1), ("stopword", 3)):
        how = some.shingling(unit=unit, k=k)
        done = simdocs("show", "-", "--unit", unit, "-k", str(k), stdin=text)
        assert [int(row[1]) for row in done.rows] == twin.tokens(text, how)
        joint = {"char": "", "line": "\n"}.get(unit, " ")
        spelt = [joint.join(one) for one in twin.shingles(twin.text_of(text, how), how)]
        assert [row[0].decode() for row in done.rows] == spelt
