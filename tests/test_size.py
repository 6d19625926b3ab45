"""The program does not grow: each issue leaves it at most as large as it found it."""

from __future__ import annotations

import json

from tests.size import HELD, LIMITS, ROOT, of_folder, of_source

SOURCE = '''"""A docstring
of two lines."""
import os
from a import (
    b,
)

# a comment
X = 1  # counted
"""About X."""


class A:
    """About A."""

    def f(self):
        return """a
string"""
'''


def test_code_lines_leave_out_blanks_comments_docstrings_and_imports():
    assert of_source(SOURCE) == {"files": 1, "code": 5, "classes": 1, "functions": 1}


def test_the_program_is_no_larger_than_the_last_issue_left_it():
    most, now = json.loads(LIMITS.read_text()), of_folder(ROOT / "simdocs")
    assert [name for name in HELD if now[name] > most[name]] == [], (
        f"simdocs/ is larger than {most}: take something away"
    )
