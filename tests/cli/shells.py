"""Types at interactive shells that have read the files for completion."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
from pathlib import Path

from tests.cli.program import PATIENCE, environment, started
from tests.cli.stand_in import where_it_is

_SHARE = Path(__file__).resolve().parent.parent.parent / "share"
COMPLETION = {
    "bash": _SHARE / "bash-completion/completions/simdocs",
    "zsh": _SHARE / "zsh/site-functions/_simdocs",
    "fish": _SHARE / "fish/vendor_completions.d/simdocs.fish",
}
"""The file for each shell, which was written when the program was built."""

SHELLS = ("bash", "zsh", "fish")

_COMMANDS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
_PREPARE = {
    "bash": "bind 'set bell-style none'; source {file}; PS1=rea''dy:\n",
    "zsh": "setopt nobeep; fpath=({folder} $fpath); autoload -U compinit; compinit -u -D; PS1=rea''dy:\n",
    "fish": "source {file}; function fish_prompt; echo rea''dy:; end\n",
}
"""What is typed first. The prompt is not in it as it is, so that whoever waits for it does not meet its echo."""

_TO_THE_START = b"\x01"


def typed(shell: str, lines: list[str], cwd: Path) -> list[list[str]]:
    """The words that each of these lines has after a TAB."""
    side, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 400, 0, 0))

    def take_terminal() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    streams = {"stdin": end, "stdout": end, "stderr": end}
    with started(_COMMANDS[shell], cwd=cwd, env=_environment(cwd), before=take_terminal, **streams):
        os.close(end)
        try:
            file = COMPLETION[shell]
            os.write(side, _PREPARE[shell].format(file=file, folder=file.parent).encode())
            _until(side, "ready:")
            return [_words_of(side, line) for line in lines]
        finally:
            os.close(side)


def _words_of(side: int, line: str) -> list[str]:
    os.write(side, line.encode() + b"\t" + _TO_THE_START + b"printf '(%s)' \n")
    # What is printed, and not what is typed, has (simdocs) in it.
    seen = _until(side, r"\(simdocs\).*ready:")
    return re.findall(r"\(([^()]*)\)", seen[seen.rindex("(simdocs)") :])


def _until(side: int, pattern: str) -> str:
    """What the shell writes until this comes, without what moves the cursor."""
    seen, deadline = b"", time.monotonic() + PATIENCE
    while True:
        text = re.sub(
            r"\x1b\[[0-9;?>]*[A-Za-z]|\x1b\][^\x07]*\x07|\x1b[=>]|\x1b\([B0]|\r", "", seen.decode("utf-8", "replace")
        )
        if re.search(pattern, text, re.DOTALL):
            return text
        readable = select.select([side], [], [], max(0, deadline - time.monotonic()))[0]
        assert readable, f"no {pattern} in {text!r}"
        seen += os.read(side, 1 << 16)


def _environment(home: Path) -> dict[str, str]:
    return environment(PATH=f"{where_it_is()}:{os.defpath}", TERM="xterm", HOME=str(home))
