"""Rounds of random examples, until time is up or something is found: `make fuzz`."""

from __future__ import annotations

import argparse
import secrets
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    """The status of the last round: 0 if nothing was found."""
    parser = argparse.ArgumentParser(prog="make fuzz")
    parser.add_argument("--minutes", type=float, default=5.0, help="no round begins after so many")
    parser.add_argument("--seed", type=int, help="one round: that of this seed")
    asked = parser.parse_args()
    end = time.monotonic() + 60 * asked.minutes
    rounds = 0
    while asked.seed is None or not rounds:
        seed = secrets.randbits(32) if asked.seed is None else asked.seed
        options = ("--hypothesis-profile=fuzz", f"--hypothesis-seed={seed}")
        if status := subprocess.call([sys.executable, "-m", "pytest", "-x", "--tb=short", *options, HERE]):
            print(f"make fuzz SEED={seed} goes the same way again")
            return status
        rounds += 1
        if time.monotonic() > end:
            break
    print(f"rounds of random examples: {rounds}; nothing was found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
