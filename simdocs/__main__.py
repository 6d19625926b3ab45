"""The beginning of the program: `simdocs`, and `python -m simdocs`."""

# Until `console` runs, Ctrl-C shows a traceback of the interpreter. So this and `simdocs` import next to nothing.
import _signal  # type: ignore[import-not-found]  # what `signal` wraps, without enum, whose import takes milliseconds
import sys


def console() -> None:
    """Run the program, and exit. Signals end it at once, except when there is something to tidy up."""
    try:
        if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
            _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        import os

        from simdocs.cli import exits

        try:
            from simdocs.cli.program import run

            status = run(sys.argv[1:])
            exits.stop_listening()
        except exits.Ended as ended:
            status = exits.die_by(ended.number)
        except (MemoryError, ImportError) as error:
            if not exits.is_out_of_memory(error):
                raise
            os.write(2, b"simdocs: error: not enough memory to start\n")
            status = exits.FAILED
        exits.leave_with(status)
        sys.exit(status)
    except KeyboardInterrupt:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        _signal.raise_signal(_signal.SIGINT)


if __name__ == "__main__":
    console()
