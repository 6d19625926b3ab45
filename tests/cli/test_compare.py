"""simdocs compare: texts from pipes, patches and percentages; tests/transcripts/compared.txt has what it says."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.model.figures import percentage
from tests.cli.program import simdocs
from tests.cli.terminal import on_terminal


@pytest.mark.parametrize("words", ["f ./f", "a.txt f --template f"])
def test_a_fifo_is_read_once_and_refused_before_that_if_it_is_named_twice(tmp_path, words):
    os.mkfifo(tmp_path / "f")
    (tmp_path / "a.txt").write_text("A text of some length, from a pipe.")
    done = simdocs("compare", *words.split(), cwd=tmp_path)
    why = "this is a FIFO, which can be read only once: name it once"
    assert done == (2, b"", f"simdocs: error: {'./' * ('./f' in words)}f: {why}\n")
    Thread(target=(tmp_path / "f").write_text, args=["a text of some length, from a pipe."]).start()
    assert [b"jaccard", b"1.000000"] in simdocs("compare", "f", "a.txt", cwd=tmp_path).rows


@pytest.mark.skipif(not shutil.which("patch"), reason="no patch here")
@pytest.mark.parametrize("end", ["\n", ""])
def test_a_unified_difference_is_a_patch(tmp_path, end):
    lines = [f"line {number}" for number in range(40)]
    other = [*lines[:2], "new", *lines[3:20], *lines[22:38], "changed", "last"]
    (tmp_path / "a").write_text("\n".join(lines) + end)
    (tmp_path / "b").write_text("\n".join(other) + end)
    done = simdocs("compare", "a", "b", "--diff", "unified", cwd=tmp_path)
    assert done.out.startswith(b"--- a\n+++ b\n@@ -1,6 +1,6 @@\n line 0\n line 1\n-line 2\n+new\n")
    assert done.out.count(b"@@ -") == 3
    subprocess.run(["patch", "-s", "a"], input=done.out, cwd=tmp_path, check=True)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@given(st.floats(0, 1), st.floats(0.01, 1))
def test_a_percentage_shows_on_which_side_of_the_threshold_it_is(share, threshold):
    shown = float(percentage(share, threshold).removesuffix("%")) / 100
    assert abs(shown - share) <= 0.0005
    if abs(share - threshold) > 1e-8:
        assert (shown >= threshold) == (share >= threshold)
    assert shown < 1 or share > 1 - 1e-8
    assert shown > 0 or share < 1e-8


@pytest.mark.parametrize("mode", ["words", "unified"])
def test_a_difference_does_no_harm_to_a_terminal(tmp_path: Path, mode: str) -> None:
    name = "\x1b[31mred"
    (tmp_path / name).write_bytes("shared \x1b]0;x\x07\n\u202e one \x9b\n".encode() + b"\xff")
    (tmp_path / "b.txt").write_bytes("shared \x1b]0;x\x07\n\u202e two \x9b\n".encode() + b"\xff")
    done = on_terminal("compare", name, "b.txt", "--diff", mode, colored=False, cwd=tmp_path)
    assert done.status == 0
    assert not set("\x1b\x07\u202e\x9b") & set(done.out.decode())
    assert b"\\xff" in done.out
    assert b"\xff" in simdocs("compare", name, "b.txt", "--diff", mode, cwd=tmp_path).out
