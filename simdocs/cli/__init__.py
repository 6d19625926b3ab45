"""The mouth: options declared once each, one small file a command, one table from errors to exit statuses."""

from __future__ import annotations

import sys

from simdocs.cli import exits


def main() -> None:
    """The console script: never returns. Signals are heeded from the first import on."""
    exits.listen()
    try:
        from simdocs.cli.program import run

        status = run(sys.argv[1:])
    except exits.Ended as ended:
        exits.die_by(ended.number)
        status = 128 + ended.number
    sys.exit(status)
