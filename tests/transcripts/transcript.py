"""A transcript: command lines that are run one after the other in one directory, each with all that it did.

    $ simdocs dedupe docs -q            a command line, after which come:
      docs/a.txt   docs/b.txt           its standard output, indented by two spaces,
    ! simdocs: warning: ...             its standard error,
    ? 3                                 its exit status, if it is not 0,
    + x.index/names.npy 5d1c0b2e        each file that it wrote, and the beginning of its SHA-256.

`$60 simdocs ...` runs it in a terminal of 60 columns, which both streams go to. `$ echo more >> docs/a.txt` is run by
the shell. A line may end in `< FILE`. Bytes that are not UTF-8, and control characters, are written as `\xff`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from tests.cli.program import Done, in_shell, simdocs
from tests.cli.terminal import on_terminal

HERE = Path(__file__).parent
SCENES = sorted(HERE.glob("*.txt"))

_MAY_DIFFER = (
    *("files.npy", "run.json", "summary.json", "saved.answer", "saved.answer.journal.jsonl", ".simdocs-files.json"),
    "report.html",
)
"""Files that hold times, inodes or the directory."""


_TIMES = {
    r"\b\d+\.\d\d s\b": "SECONDS s",
    r'"seconds": [\d.]+': '"seconds": SECONDS',
    r"of [\d,]+ MB available": "of MEGABYTES MB available",
    r"(kernels(?:_in_use)?\b.{1,14}?)(?:native|numpy)\b": r"\1KERNELS",
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ": "TIME",
}
"""What differs between two runs, and what a transcript has instead."""

_MOST = 60
"""Lines of one stream. Of a longer one, a transcript has as many, and the beginning of the SHA-256 of all."""


def command_lines(transcript: str) -> list[str]:
    """Return the command lines of a transcript, and its comments."""
    return [line for line in transcript.splitlines() if line.startswith(("$", "#"))]


def replayed(lines: list[str], here: Path) -> Iterator[str]:
    """Run command lines in a directory, and yield the lines of the transcript."""
    known = _digests(here)
    for line in lines:
        yield line
        if line.startswith("#"):
            continue
        done = _run(line, here)
        yield from _shown("  ", done.out, here)
        yield from _shown("! ", done.err.encode("utf-8", "surrogateescape"), here)
        if done.status:
            yield f"? {done.status}"
        if _is_ours(line):
            now = _digests(here)
            yield from (f"+ {name} {now[name]}" for name in sorted(now) if known.get(name) != now[name])
            yield from (f"- {name}" for name in sorted(known) if name not in now)
            known = now
        else:
            known = _digests(here)


def _is_ours(line: str) -> bool:
    return re.match(r"\$\d* simdocs\b", line) is not None


def _shown(mark: str, data: bytes, here: Path) -> Iterator[str]:
    """Yield what was written to one stream, as a transcript has it."""
    data = re.sub(rb"\r[^\n]*\r", b"", data)  # progress, which is there only if a command takes long enough
    text = data.replace(os.fsencode(here), b"HERE").decode("utf-8", "backslashreplace")
    text = re.sub(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", lambda found: ascii(found[0])[1:-1], text)
    for pattern, word in _TIMES.items():
        text = re.sub(pattern, word, text)
    lines = text.splitlines()
    yield from ((mark + line).rstrip(" ") for line in lines[:_MOST])
    if len(lines) > _MOST:
        yield f"{mark}... {len(lines) - _MOST} more lines; all: {hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _run(line: str, here: Path) -> Done:
    columns, _, rest = line[1:].partition(" ")
    if rest.split()[0] != "simdocs":
        done = in_shell(rest, cwd=here)
        assert done.status == 0, (line, done)
        return done
    rest, _, source = rest.partition(" < ")
    words = [word.encode().decode("unicode_escape").encode("latin-1") for word in shlex.split(rest)[1:]]
    if columns:
        return on_terminal(*words, which=("stdout", "stderr"), columns=int(columns), cwd=here)
    return simdocs(*words, stdin=(here / source).read_bytes() if source else None, cwd=here)


def _digests(here: Path) -> dict[str, str]:
    """Return the beginning of the SHA-256 of each file by name."""
    found = {}
    for path in here.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.name not in _MAY_DIFFER:
            data = path.read_bytes()
            if path.name == "manifest.json":
                data = _without_times(data)
            found[path.relative_to(here).as_posix()] = hashlib.sha256(data).hexdigest()[:8]
    return found


def _without_times(manifest: bytes) -> bytes:
    """Return a manifest without what depends on times and inodes."""
    try:
        fields = json.loads(manifest)
        fields["arrays"].pop("files", None)
    except (ValueError, KeyError):
        return manifest
    fields.pop("checksum", None)
    return json.dumps(fields).encode()
