"""A program that shells and make start in place of the console script: the server of `tests.cli.forked` does the work.

It starts in a tenth of the time, since it imports nothing to speak of. A signal sent to it does not reach the process
that does the work, so tests about signals start the console script.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from tests.cli.forked import FORKS, READ_AT_START, READ_LATER, USUAL, at_start, server
from tests.cli.program import PROGRAM, Done, bound_by_modes, environment, finished, started

_SOURCE = """#!{python} -ISE
import _signal, _socket, marshal, os, sys

env = dict(os.environ)
if {{name: env[name] for name in env if name.startswith({heeded!r}) and name not in {later!r}}} != {expected!r}:
    os.execv({program!r}, [{program!r}, *sys.argv[1:]])
umask = os.umask(0)
os.umask(umask)
channel = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
channel.connect({path!r})
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
channel.sendmsg([b"."], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
arguments = list(map(os.fsencode, [{program!r}, *sys.argv[1:]]))
channel.sendall(marshal.dumps((arguments, os.getcwdb(), dict(os.environb), umask, {before!r}, {{}})))
_, status = (int.from_bytes(channel.recv(4, _socket.MSG_WAITALL), sys.byteorder, signed=True) for _ in range(2))
if status < 0:
    _signal.signal(-status, _signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
"""


@cache
def stand_in(*, bound: bool = False) -> str:
    """The path of an executable file `simdocs` that does what the console script does; or of that itself, where nothing
    can be forked. It starts the console script where the environment is another in what matters at the start. bound:
    for a user to whom the modes of files apply, as to whoever starts it."""
    if not FORKS:
        return PROGRAM
    path = server().path.with_name("bound" if bound else "usual") / "simdocs"
    path.parent.mkdir(exist_ok=True)
    before = f"{bound_by_modes.__module__}:{bound_by_modes.__qualname__}" if bound else None
    expected = at_start(environment())
    words = {"python": sys.executable, "program": PROGRAM, "path": str(server().path), "expected": expected}
    path.write_text(_SOURCE.format(heeded=READ_AT_START, later=READ_LATER, before=before, **words))
    path.chmod(0o755)
    return str(path)


def where_it_is() -> str:
    """The directory of that file, for PATH."""
    return str(Path(stand_in()).parent)


def scripted(script: str, cwd: Path) -> Done:
    """Run a script of the shell that calls `simdocs`."""
    env = environment(PATH=f"{where_it_is()}:{USUAL['PATH']}")
    with started(["/bin/sh", "-c", script], cwd=cwd, env=env) as process:
        return finished(process)
