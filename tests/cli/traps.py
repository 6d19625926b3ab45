"""Traps: something that happens inside the program at an exact moment, by a hook on the interpreter's audit events."""

from __future__ import annotations

from pathlib import Path

from tests.cli.program import environment

_HOOK = """
import os, signal, sys, time

main, left = os.getpid(), {at}

def spring():
{action}

def hook(event, arguments):
    global left
    if event == {event!r} and any(match in repr(arguments) for match in {matches!r}) and {where}:
        left -= 1
        if left == 0:
            spring()

sys.addaudithook(hook)
"""

EAGER = """
import simdocs.engines.local
simdocs.engines.local.Local.__init__.__defaults__ = (1,)
"""
"""Source that makes workers read even few documents."""


READS_AGAIN = """
import simdocs.engines.local
simdocs.engines.local._ROOM_FOR_ROWS = 0
"""
"""Source that makes the program hold no documents until they are compared."""

_LOOK = """
import os
from simdocs.pipeline import again

main, find = os.getpid(), again.status_of

def look(name):
    if name == {path!r} and again.status_of is look and {where}:
        again.status_of = find
{action}
    return find(name)

again.status_of = look
"""


def prelude(directory: Path, source: str) -> dict[str, str]:
    """An environment in which this Python source runs before the program."""
    place = directory / "trap"
    place.mkdir()
    (place / "sitecustomize.py").write_text(source)
    return environment(PYTHONPATH=str(place), PYTHONDONTWRITEBYTECODE="1")


def trap(
    directory: Path,
    action: str,
    event: str,
    match: str = "",
    *,
    at: int = 1,
    in_worker: bool = False,
    again: bool = False,
) -> dict[str, str]:
    """An environment in which the program runs `action`, Python source, when the at-th audit event of this name that
    shows `match` happens: in the process itself, or in any of its workers, which then read even few documents. Events
    of imports happen in what `anew` runs only. A file below a walked directory is opened from there, so its name alone
    matches, too. again: documents that are compared are always read again."""
    where = _where(in_worker)
    matches = [match, "'" + match.rpartition("/")[2]] if event == "open" and "/" in match else [match]
    indented = "".join(f"    {line}\n" for line in action.splitlines())
    hook = _HOOK.format(action=indented, event=event, matches=matches, at=at, where=where)
    return prelude(directory, in_worker * EAGER + again * READS_AGAIN + hook)


TOKENS_ARE_HELD = ("--unit", "word", "--threshold", "0.6")
"""Options with which the tokens of the texts here take less memory than the texts."""


def trap_of_held(directory: Path, action: str, path: str, *, in_worker: bool = False) -> dict[str, str]:
    """An environment in which the program runs `action` when it looks whether a held document has changed."""
    indented = "".join(f"        {line}\n" for line in action.splitlines())
    look = _LOOK.format(path=path.encode(), action=indented, where=_where(in_worker))
    return prelude(directory, in_worker * EAGER + look)


def _where(in_worker: bool) -> str:
    return "os.getpid() != main" if in_worker else "os.getpid() == main"


def with_workers(directory: Path) -> dict[str, str]:
    """An environment in which a worker reads the documents even if there are few."""
    return prelude(directory, EAGER)
