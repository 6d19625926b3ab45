"""Measure how a browser opens a report: seconds, and the memory of the process that draws it.

The answer is made up: 100,000 groups of 230,000 documents or so, without texts. Memory is the proportional set size of
the largest renderer. Needs Chromium, and playwright.

usage: python -m benchmarks.reports [--groups 100000] [--runs 3]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from simdocs.commands.report import reported
from tests.browser.browsing import a_browser, shown
from tests.saved_groups import answer_with


def largest_renderer() -> float:
    """Return the memory of the largest process that draws pages, in MB."""
    sizes = [0.0]
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and b"--type=renderer" in (process / "cmdline").read_bytes():
                lines = (process / "smaps_rollup").read_text().splitlines()
                sizes += [int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("Pss:")]
        except OSError:  # it has ended meanwhile
            continue
    return max(sizes)


def main() -> None:
    """Make the page, and open it in the browser a few times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, a_browser() as browser:
        page, begun = Path(place, "page.html"), time.process_time()
        page.write_bytes(reported(answer_with(given.groups), 0).html())
        made = time.process_time() - begun
        print(f"{given.groups:,} groups: {page.stat().st_size / 1e6:.1f} MB, made in {made:.1f} CPU s")
        for _ in range(given.runs):
            with shown(browser) as view:
                begun = time.monotonic()
                view.open(page)
                opened, memory = time.monotonic() - begun, largest_renderer()
                begun = time.monotonic()
                view.page.fill("input[type=search]", "ferry-council")
                view.until(".status", f" of {given.groups:,} groups")
                searched = time.monotonic() - begun
                print(f"opens in {opened:.1f} s, {memory:.0f} MB; answers a search in {searched:.2f} s")


if __name__ == "__main__":
    main()
