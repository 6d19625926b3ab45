"""Run the program as a user to whom the modes of files apply."""

from __future__ import annotations

import os
from collections.abc import Callable

from tests.cli.program import Argument, Done, anew, bound_by_modes, simdocs

Run = Callable[..., Done]
"""run(*arguments, cwd=..., stdin=...)"""


def fresh(*arguments: Argument, cwd: Argument, stdin: bytes = b"") -> Done:
    """Run the installed program in a new process."""
    return anew(*arguments, cwd=os.fsdecode(cwd), stdin=stdin, before=bound_by_modes)


def forked(*arguments: Argument, cwd: Argument, stdin: bytes = b"") -> Done:
    """Run the program in a forked process, which is about ten times faster. Warnings are errors."""
    return simdocs(*arguments, cwd=os.fsdecode(cwd), stdin=stdin, before=bound_by_modes, options=("-W", "error"))
