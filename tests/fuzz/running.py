"""Runs of the program as somebody who is bound by the modes of files."""

from __future__ import annotations

import os
from collections.abc import Callable

from tests.cli.program import Argument, Done, anew, bound_by_modes, simdocs

Run = Callable[..., Done]
"""run(*arguments, cwd=..., stdin=...)"""


def fresh(*arguments: Argument, cwd: Argument, stdin: bytes = b"") -> Done:
    """The installed program, in a process that is started for it."""
    return anew(*arguments, cwd=os.fsdecode(cwd), stdin=stdin, before=bound_by_modes)


def forked(*arguments: Argument, cwd: Argument, stdin: bytes = b"") -> Done:
    """The same, some ten times faster. Warnings are errors."""
    return simdocs(*arguments, cwd=os.fsdecode(cwd), stdin=stdin, before=bound_by_modes, options=("-W", "error"))
