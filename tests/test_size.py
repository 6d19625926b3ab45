"""The program does not grow: each issue leaves it at most as large as it found it."""

from __future__ import annotations

import json

from tests.size import HELD, LIMITS, ROOT, of_folder


def test_the_program_is_no_larger_than_the_last_issue_left_it():
    most, now = json.loads(LIMITS.read_text()), of_folder(ROOT / "simdocs")
    assert [name for name in HELD if now[name] > most[name]] == [], (
        f"simdocs/ is larger than {most}: take something away"
    )
