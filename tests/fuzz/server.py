"""Runs the program many times: started once, with all of it imported, it forks a process for each command line.

A request is a line of JSON: arguments, working directory, and the files that standard input, output and error are. The
answer is a line with the exit status, negative if a signal ended it.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import signal
import sys
from importlib import import_module

import simdocs
from simdocs.cli import main

PATIENCE = 60
"""Seconds, after which SIGALRM ends a process."""


def serve() -> None:
    for module in pkgutil.walk_packages(simdocs.__path__, "simdocs."):
        if module.name != "simdocs.__main__":
            import_module(module.name)
    gc.freeze()
    for line in sys.stdin:
        process = os.fork()
        if not process:
            become(**json.loads(line))
            try:
                main()
            except SystemExit as ended:
                os._exit(int(ended.code or 0))  # to take NumPy down would take longer than all the rest
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def become(arguments: list[str], cwd: str, streams: list[str]) -> None:
    """Be a process that somebody has just started."""
    os.chdir(cwd)
    sys.argv = ["simdocs", *arguments]
    for descriptor, (path, flags) in enumerate(zip(streams, (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY), strict=True)):
        opened = os.open(path, flags | os.O_CREAT)
        os.dup2(opened, descriptor)
        os.close(opened)
    signal.alarm(PATIENCE)


if __name__ == "__main__":
    serve()
