"""A process that has the program imported, and forks a copy of itself for each command line that it is asked to run.

The copy becomes what a newly started program is: it has its own session, working directory, environment, umask, streams
and arguments, and calls the program's own entry. Starting the interpreter and importing NumPy, which takes longer than
all else, is spared. `tests.cli.forked` asks, and so does `tests.cli.stand_in`, a program.

Each connects to a socket and sends three descriptors, which are to be standard input, output and error, and a `Job`,
as `marshal` writes it. It receives two numbers: that of the process when it has been forked, and its exit status when
it has ended. The server ends when its standard input does.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import marshal
import os
import pkgutil
import resource
import select
import signal
import socket
import struct
import sys
import threading
import traceback
from importlib import import_module
from typing import NamedTuple, NoReturn, TextIO

import simdocs
from simdocs.__main__ import console
from simdocs.options.families import UNITS

RICH = ("rich.bar", "rich.box", "rich.console", "rich.table", "rich.text", "rich._emoji_codes")
LATER = (*RICH, "tqdm", "numpy.ma", "mmap", "multiprocessing.popen_fork", "difflib", "secrets")
"""Modules that are imported when they are needed first."""

OPTIONAL = ("pyarrow.ipc", "pyarrow.parquet", "backports.zstd", "jinja2")
"""Modules that may be missing. None of them starts a thread when it is imported."""

NUMBER = struct.Struct("i")
"""How a number crosses the channel."""


class Job(NamedTuple):
    """What a process is to run as. before: a function to be called just before the program, as `module:name`. limits:
    the soft and the hard limit of each of these resources."""

    arguments: list[bytes]
    cwd: bytes
    env: dict[bytes, bytes]
    umask: int
    before: str | None
    limits: dict[int, tuple[int, int]]


def serve(listener: socket.socket) -> None:
    """Fork a process for each connection, until standard input ends."""
    running: dict[int, tuple[int, socket.socket]] = {}  # by descriptor of the process: its number, its channel
    waiting = select.poll()
    waiting.register(listener, select.POLLIN)
    waiting.register(0, select.POLLIN)
    while True:
        for descriptor, _ in waiting.poll():
            if descriptor == listener.fileno():
                channel, _ = listener.accept()
                _, streams, *_ = socket.recv_fds(channel, 1, 3)
                process = os.fork()
                if not process:
                    become(channel.fileno(), streams)
                for stream in streams:
                    os.close(stream)
                ended = os.pidfd_open(process)
                running[ended] = process, channel
                waiting.register(ended, select.POLLIN)
                _tell(channel, process)
            elif descriptor in running:
                waiting.unregister(descriptor)
                os.close(descriptor)
                process, channel = running.pop(descriptor)
                _tell(channel, os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
                channel.close()
            else:
                for process, _ in running.values():
                    _kill(process)
                return


def _kill(process: int) -> None:
    for kill in (os.killpg, os.kill):  # it may not have come to have a session of its own
        with contextlib.suppress(ProcessLookupError):
            kill(process, signal.SIGKILL)


def _tell(channel: socket.socket, number: int) -> None:
    with contextlib.suppress(BrokenPipeError):  # who asked may have gone away
        channel.send(NUMBER.pack(number))


def become(channel: int, streams: list[int]) -> NoReturn:
    """Be a process that somebody has just started, and run the program."""
    try:
        os.setsid()
        with open(channel, "rb", closefd=False) as pipe:
            job = Job(*marshal.load(pipe))
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, 1 << 16)
        os.chdir(job.cwd)
        os.umask(job.umask)
        os.environ.clear()
        os.environb.update(job.env)
        sys.argv = list(map(os.fsdecode, job.arguments))
        for name, stream in zip(("stdin", "stdout", "stderr"), streams_anew(), strict=True):
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
        if job.before is not None:
            module, _, name = job.before.partition(":")
            getattr(import_module(module), name)()
        add_modules(os.environ.get("PYTHONPATH"))
        for limited, bounds in job.limits.items():
            resource.setrlimit(limited, bounds)
    except BaseException:
        os.write(2, traceback.format_exc().encode())
        os._exit(125)
    status = 1
    try:
        console()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
    leave(status)


def streams_anew() -> tuple[TextIO, TextIO, TextIO]:
    """Standard streams as the interpreter makes them when it starts."""
    encoding, _, errors = os.environ.get("PYTHONIOENCODING", "").partition(":")
    made = []
    for number, (mode, old) in enumerate(zip("rww", (sys.stdin, sys.stdout, sys.stderr), strict=True)):
        binary = open(number, f"{mode}b", closefd=False)  # noqa: SIM115  (they stay open to the end)
        each_line = binary.isatty() or number == 2
        how = errors if errors and number < 2 else old.errors
        made.append(io.TextIOWrapper(binary, encoding or old.encoding, how, "\n", line_buffering=each_line))
    return made[0], made[1], made[2]


def add_modules(path: str | None) -> None:
    """Do with PYTHONPATH, and a `sitecustomize` found there, what the interpreter does when it starts."""
    if path:
        sys.dont_write_bytecode = "PYTHONDONTWRITEBYTECODE" in os.environ
        sys.path[:0] = path.split(os.pathsep)
        sys.modules.pop("sitecustomize", None)
        with contextlib.suppress(ModuleNotFoundError):
            import_module("sitecustomize")


def leave(status: int) -> NoReturn:
    """End as the interpreter does: functions registered with `atexit`, and streams flushed, whose failure is reported.
    To take NumPy down would take longer than all the rest."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError as error:
            status = 120
            sys.unraisablehook(_Unraisable(type(error), error, error.__traceback__, None, stream))  # type: ignore[arg-type]
    os._exit(status)


class _Unraisable(NamedTuple):
    exc_type: type[BaseException]
    exc_value: BaseException
    exc_traceback: object
    err_msg: str | None
    object: object


def make_tables() -> None:
    """Make the tables that the program makes when it first needs them, such as that of kinds of characters."""
    texts = ("A text, and another: été, \u0430, 12.", b"\xff")
    built = simdocs.index(texts=texts)
    for unit in UNITS:
        simdocs.dedupe(texts=texts, unit=unit)
    simdocs.query(built, texts=texts)


def start() -> None:
    """Import all that the program may come to import, and serve whoever connects to the socket that is argument 1."""
    listener = socket.socket(fileno=int(sys.argv[1]))
    sys.path[0] = os.path.dirname(sys.executable)  # where a console script is
    for module in pkgutil.walk_packages(simdocs.__path__, "simdocs."):
        with contextlib.suppress(ModuleNotFoundError):  # modules of simdocs/spark need pyspark
            if module.name != "simdocs.__main__":
                import_module(module.name)
    for name in (*LATER, "tests.cli.program"):
        import_module(name)
    for name in OPTIONAL:
        with contextlib.suppress(ModuleNotFoundError):
            import_module(name)
    make_tables()
    gc.collect()
    gc.freeze()
    serve(listener)
