"""The command line: one small file for each command, and one table from errors to exit statuses."""

from __future__ import annotations

import os
import sys

from simdocs.cli import exits


def main() -> None:
    """Run the console script. It never returns. Signals are handled from the first import on."""
    exits.listen()
    try:
        from simdocs.cli.program import run

        status = run(sys.argv[1:])
    except exits.Ended as ended:
        exits.die_by(ended.number)
        status = 128 + ended.number
    except (MemoryError, ImportError) as error:
        if not exits.is_out_of_memory(error):
            raise
        os.write(2, b"simdocs: error: not enough memory to start\n")
        status = exits.FAILED
    sys.exit(status)
