"""Messages on standard error (skips, explanations and errors), and progress there, drawn by tqdm."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Set
from typing import TYPE_CHECKING, Any

from simdocs.model.skipped import FIRST, OF_UNVERIFIED, Skip, Skipped, explanation
from simdocs.names import display_name, escape_controls

if TYPE_CHECKING:
    from simdocs.engines.engine import Explain
    from simdocs.options.answers import Talking


def say(text: str) -> None:
    """Print lines on standard error, in any locale and with any names in them. If it is closed, nothing happens."""
    harmless = "\n".join(map(escape_controls, text.split("\n")))
    rest = f"{harmless}\n".encode("utf-8", "backslashreplace")
    # Not through sys.stderr: what that cannot write it keeps, and fails at again on the way out.
    with contextlib.suppress(OSError):
        while rest:
            rest = rest[os.write(2, rest) :]


def on_terminal() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def error(message: str) -> None:
    """Print an error as one line. What it repeats of arguments and files can do no harm to a terminal, and is cut."""
    line = _LONG_WORD.sub(lambda word: _cut(word[0], _LONGEST_WORD), " ".join(message.split("\n")))
    say("simdocs: error: " + _cut(line, _LONGEST))


_LONGEST_WORD, _LONGEST = 1000, 8000
"""Characters of a word and of a line that an error shows. An error may repeat millions of characters of a file."""

_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD},}}")


def _cut(text: str, most: int) -> str:
    """The text, with `...` instead of its middle if it has more characters than this."""
    return text if len(text) <= most else f"{text[: most // 2]}...{text[-most // 2 :]}"


class Teller:
    """Reports about a run on standard error, as far as was asked for."""

    def __init__(self, options: Talking) -> None:
        self._quiet, self._verbose, self._summary = options.quiet, options.verbose, options.summary
        self._said = set[str]()

    @property
    def is_loud(self) -> bool:
        """Whether explanations are wanted: at a terminal, or because the user asked for them."""
        return not self._quiet and (self._verbose or on_terminal())

    def warnings(self, lines: Iterable[str]) -> None:
        """Print warnings. The summary does not repeat them."""
        if not self._quiet:
            for line in lines:
                if line not in self._said:
                    say(f"simdocs: warning: {line}")
                    self._said.add(line)

    def outputs(self, written: Set[str | None], replaced: Set[str | None]) -> None:
        """At a terminal, say which outputs were written, and which replaced others. The summary says where rows are."""
        for path in sorted(path for path in written | replaced if path is not None) if self.is_loud else ():
            say(f"{display_name(os.fsencode(path))}: {'replaced' if path in replaced else 'written'}")

    def skipped(self, before: Callable[[], None]) -> Skipped:
        """A record for the skips of a run. With verbose, each is printed at once, and `before` is called first."""

        def tell(skip: Skip) -> None:
            before()
            self._skip(skip, keeps_rows=found.keeps_rows)

        found = Skipped(most=FIRST, tell=tell if self._verbose and not self._quiet else None)
        return found

    def explain(self, before: Callable[[], None]) -> Explain:
        """A function that prints an explanation at once if explanations are wanted, and calls `before` first.

        Neither warnings nor the summary repeat it.
        """

        def tell(line: str, /, *, detail: bool = False) -> None:
            if self.is_loud and (self._verbose or not detail):
                before()
                say(f"simdocs: {line}")
                self._said.add(line)

        return tell

    def skips(self, skipped: Skipped) -> None:
        """Name the first documents that could not be judged, for each reason, and print the warnings of the run.

        A warning counts the files that need a library which is not installed.
        """
        if self._quiet:
            return
        for reason, count in skipped.unjudged_counts.items() if not self._verbose else ():
            if reason in skipped.explained:
                continue
            for skip in skipped.kept(reason):
                self._skip(skip, keeps_rows=skipped.keeps_rows)
            if count > FIRST:
                say(f"simdocs: and {count - FIRST:,} more: {explanation(reason)} (-v names all)")
        self.warnings(skipped.every_warning)

    def _skip(self, skip: Skip, *, keeps_rows: bool) -> None:
        why, detail = explanation(skip.reason), skip.detail
        if skip.reason in ("malformed", "named", "binary", "uninstalled") and detail:
            why, detail = detail, ""
        if skip.reason == "unverified":
            known = OF_UNVERIFIED.get(detail)
            why, detail = (known, "") if known else ("its text cannot be read again", detail)
        what = "not compared, and kept" if keeps_rows and skip.line else "skipped"
        if skip.reason == "left":
            why, detail = f"{why}: {detail}", ""
        what = why if skip.reason in ("left", "capped") else f"{what}: {why}"
        say(f"simdocs: {display_name(skip.shown_name)}: {what}" + (f" ({detail})" if detail else ""))

    def summary(self, lines: Iterable[str]) -> None:
        """Print the lines of the summary at a terminal, or if they were asked for."""
        if self.is_loud or self._summary:
            for line in lines:
                if line not in self._said:
                    say(line)

    def notes(self, lines: Iterable[str]) -> None:
        """Print notes about an answer, unless all messages are off."""
        for line in () if self._quiet else lines:
            say(f"simdocs: {line}")


_SOON = 0.3
"""Seconds before anything is drawn: a short run shows nothing, and does not pay for the import."""

_IN_BYTES = ("reading", "shingling")
"""Steps whose progress is counted in bytes; the others count documents or pairs."""

_UNCOUNTED = ("writing", "drawing")
"""Steps whose progress is not known."""

_SPARE = 5
"""Columns that stay free after the bar. A terminal echoes Ctrl-C there as ^C: if that began another line, the bar on
the line above could not be cleared."""

_NARROW = 70
"""Columns below which times and rates are left out, so that the bar itself has room."""


class ProgressBar:
    """A progress bar on standard error. If that is no terminal, nothing is drawn."""

    def __init__(self, *, quiet: bool) -> None:
        self._drawn = not quiet and on_terminal()
        self._start = time.monotonic()
        self._step = ""
        self._bar: Any = None

    def __call__(self, step: str, done: int, total: int) -> None:
        """Draw the progress of a step, at most ten times a second. total: 0 if it is unknown."""
        if not self._drawn or time.monotonic() - self._start < _SOON:
            return
        if step != self._step:
            self.close()
            self._step = step
            self._bar = _bar(step, total)
        self._bar.ncols = columns_of_terminal() - _SPARE
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Remove the bar, before anything else is written to the terminal."""
        if self._bar is not None:
            self._bar.sp = _clear  # tqdm itself clears only the bar, and not what the terminal has echoed after it
            self._bar.close()
        elif self._step:  # Ctrl-C came while it was drawn for the first time
            _clear()
            sys.stderr.write("\r")
            sys.stderr.flush()
        self._bar, self._step = None, ""


def _clear(_line: str = "") -> None:
    """Clear the line that the cursor is on."""
    sys.stderr.write("\r" + " " * (columns_of_terminal() - 1))


def _bar(step: str, total: int) -> Any:
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # no thread: processes are forked later
    in_bytes = step in _IN_BYTES
    if step in _UNCOUNTED:
        return tqdm(desc=step, leave=False, file=sys.stderr, bar_format="{desc} ...")
    narrow = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}" if total else "{desc}: {n_fmt}"
    return tqdm(
        desc=step,
        total=total or None,
        mininterval=0.1,
        leave=False,
        file=sys.stderr,
        unit="B" if in_bytes else "it",
        unit_scale=in_bytes,
        unit_divisor=1024,
        ncols=columns_of_terminal() - _SPARE,
        bar_format=narrow if columns_of_terminal() < _NARROW else None,
    )


def columns_of_terminal() -> int:
    """How wide the terminal is that standard error shows on. Standard output may be a file, so it is asked later."""
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, AttributeError):
        columns = 0
    return columns or columns_of_output()


def columns_of_output() -> int:
    """The width of the terminal that shows standard output; 80 if there is none."""
    from shutil import get_terminal_size  # takes milliseconds, and not every start needs it

    return get_terminal_size().columns
