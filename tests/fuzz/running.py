"""Run the program as a user to whom the modes of files apply."""

from __future__ import annotations

import os
import resource
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


SECONDS, MEMORY = 20, 1 << 30
"""Processor time and address space of a command. Honest inputs of these tests take a second, and half the space."""


def within_limits(*words: Argument, cwd: Argument, stdin: bytes = b"") -> Done:
    """Run a command in little memory and time, in a forked process. Warnings are errors."""
    limits = {resource.RLIMIT_CPU: (SECONDS, SECONDS), resource.RLIMIT_AS: (MEMORY, MEMORY)}
    jobs = () if words[0] in ("info", "check", "show") else ("-j1",)
    return simdocs(
        words[0], *jobs, *words[1:], cwd=os.fsdecode(cwd), stdin=stdin, limits=limits, options=("-W", "error")
    )
