"""Runs the program in little memory and time, and checks that what it says cannot harm a terminal."""

from __future__ import annotations

import os
import resource
import unicodedata

from tests.cli.program import Argument, Done, simdocs

SECONDS, MEMORY = 20, 1 << 30
"""Processor time and address space of a command. Honest inputs of these tests take a second, and half the space."""

BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def within_limits(*words: Argument, cwd: Argument, stdin: bytes = b"") -> Done:
    """Run a command in little memory and time, in a forked process. Warnings are errors."""
    limits = {resource.RLIMIT_CPU: (SECONDS, SECONDS), resource.RLIMIT_AS: (MEMORY, MEMORY)}
    jobs = () if words[0] in ("info", "check", "show") else ("-j1",)
    return simdocs(
        words[0], *jobs, *words[1:], cwd=os.fsdecode(cwd), stdin=stdin, limits=limits, options=("-W", "error")
    )


def harmless(text: str) -> None:
    """Check that a text holds no character that could harm a terminal."""
    for line in text.split("\n"):
        for character in line:
            assert unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp"), line
            assert character not in BIDI, line
    assert text == "" or text.endswith("\n")
