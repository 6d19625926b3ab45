"""What goes to standard error: skips, explanations, errors."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable

from simdocs.model.names import harmless_text, shown
from simdocs.model.skipped import UNJUDGED, Skipped, meaning

_NAMED = 10


def say(line: str) -> None:
    """One line on standard error, whatever the locale; a closed standard error is nobody's loss."""
    rest = f"{line}\n".encode("utf-8", "backslashreplace")
    # Not through sys.stderr: what that cannot write it keeps, and fails at again on the way out.
    with contextlib.suppress(OSError):
        while rest:
            rest = rest[os.write(2, rest) :]


def on_terminal() -> bool:
    """Whether somebody looks at standard error."""
    return sys.stderr is not None and sys.stderr.isatty()


def error(message: str) -> None:
    """The one line that a failure is, harmless to a terminal, though an argument may be in it as it was given."""
    say("simdocs: error: " + harmless_text(" ".join(message.split("\n"))))


def warn(lines: Iterable[str]) -> None:
    """What is worth knowing though nothing has failed."""
    for line in lines:
        say(f"simdocs: warning: {line}")


def skips(skipped: Skipped, *, verbose: bool) -> None:
    """Name what was skipped: with verbose all of it, else the first ten of each reason that leaves one unjudged; and
    what was not found."""
    for reason in skipped.counts:
        if verbose or reason in UNJUDGED:
            why, entries = meaning(reason), skipped.sorted(reason)
            for name, detail in entries if verbose else entries[:_NAMED]:
                say(f"simdocs: {shown(name)}: skipped: {why}" + (f" ({detail})" if detail else ""))
            if not verbose and len(entries) > _NAMED:
                say(f"simdocs: and {len(entries) - _NAMED} more: {why} (-v names all)")
    warn(skipped.remarks)


def explain(lines: Iterable[str]) -> None:
    """What was done, for people who look."""
    for line in lines:
        say(line)
