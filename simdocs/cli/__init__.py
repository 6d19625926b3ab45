"""The command line: one small file for each command, and one table from errors to exit statuses."""

# Until `main` runs, Ctrl-C shows a traceback of the interpreter. So this module and `simdocs` import next to nothing.
import _signal  # type: ignore[import-not-found]  # what `signal` wraps, without enum, whose import takes milliseconds
import sys


def main() -> None:
    """Run the console script. It never returns. Signals end it at once, except when there is something to tidy up."""
    try:
        if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
            _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        _run()
    except KeyboardInterrupt:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        _signal.raise_signal(_signal.SIGINT)


def _run() -> None:
    """Import the program, run it, and exit with its status."""
    import os

    from simdocs.cli import exits

    try:
        from simdocs.cli.program import run

        status = run(sys.argv[1:])
        exits.stop_listening()
    except exits.Ended as ended:
        exits.die_by(ended.number)
        status = 128 + ended.number
    except (MemoryError, ImportError) as error:
        if not exits.is_out_of_memory(error):
            raise
        os.write(2, b"simdocs: error: not enough memory to start\n")
        status = exits.FAILED
    if "pyarrow" in sys.modules:
        _end(status)
    sys.exit(status)


def _end(status: int) -> None:
    """Exit with this status as `sys.exit` would, but without ending the interpreter first.

    pyarrow reads the end of an Arrow file in a thread of its own, which then releases the bytes, a Python object. If
    that thread is late, the interpreter is ending already, and stops the thread inside a destructor of C++, which
    aborts the process: https://github.com/apache/arrow/issues/34314. It happened in 5 of 100 runs with an error, under
    load.
    """
    import atexit
    import contextlib
    import os

    atexit._run_exitfuncs()  # such as that of a tool that measures coverage
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):  # it is closed; `run` reported what it could not
            stream.flush()
    os._exit(status)
