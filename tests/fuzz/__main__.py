"""Run rounds of random examples until the time is up or a test fails: `make fuzz`."""

from __future__ import annotations

import argparse
import secrets
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    """Return the exit status of the last round: 0 if no test failed."""
    parser = argparse.ArgumentParser(prog="make fuzz")
    parser.add_argument("--minutes", type=float, default=5.0, help="begin no round after this many minutes")
    parser.add_argument("--seed", type=int, help="run only the round of this seed")
    asked = parser.parse_args()
    end = time.monotonic() + 60 * asked.minutes
    rounds = 0
    while asked.seed is None or not rounds:
        seed = secrets.randbits(32) if asked.seed is None else asked.seed
        options = ("--hypothesis-profile=fuzz", f"--hypothesis-seed={seed}")
        if status := subprocess.call([sys.executable, "-m", "pytest", "-x", "--tb=short", *options, HERE]):
            print(f"make fuzz SEED={seed} repeats this round")
            return status
        rounds += 1
        if time.monotonic() > end:
            break
    print(f"rounds of random examples: {rounds}; no test failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
