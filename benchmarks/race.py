"""Race simdocs against other libraries: CPU time, memory, recall and precision, from files to verified pairs.

Every library gets an environment of its own. All get the same files, shingles, threshold and bands, one worker, and
candidates are compared exactly. Runs of simdocs and of a contestant alternate, and the ratios of their CPU times are
what counts. Environments, files and the exact truth are kept in DIRECTORY for the next race.

usage: python benchmarks/race.py [--directory build/race] [--files 20000] [--runs 3] [--corpora NAME,NAME]
    [--rivals NAME,NAME] [--output build/race.md]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import contestants, contests, corpora, race_page
from benchmarks.contestants import Contestant
from benchmarks.contests import Contest
from benchmarks.dedupe import Failed, measured
from benchmarks.race_page import Result, Table

LIMIT = 900
"""Seconds after which a run is stopped."""

FILES_TO_WARM_UP = 100


@dataclass(slots=True)
class Race:
    """A race on one contest after another, with the same number of runs for each pair of contestants."""

    own: Contestant
    runs: int
    scratch: Path
    warm_up: dict[str, Contest]
    """For each unit, a small contest: the first run of everyone, in which libraries are loaded and compiled."""

    def run(self, contestant: Contestant, contest: Contest) -> tuple[float, int]:
        """Run a contestant, which writes its answer to `answer`: return its CPU seconds and its peak of memory."""
        self.answer(contestant).unlink(missing_ok=True)
        cpu, _, peak = measured(contestant.command(contest, self.answer(contestant)), contestant.environment, LIMIT)
        return cpu, peak

    def run_own(self, contest: Contest) -> tuple[float, int]:
        """Run simdocs. If it fails, the race ends."""
        try:
            return self.run(self.own, contest)
        except Failed as error:
            raise SystemExit(str(error)) from error

    def answer(self, contestant: Contestant) -> Path:
        """Return where a contestant writes its answer."""
        return self.scratch / ("own.tsv" if contestant is self.own else "other.tsv")

    def on(self, contest: Contest, others: Iterable[Contestant]) -> Table:
        """Race all contestants that can cut this unit against simdocs."""
        own = [self.run_own(contest)]  # it fills the file cache, and does not count
        table = Table(contest, [])
        for other in others:
            if contest.unit in other.units:
                table.results.append(self.against(other, contest, own))
                print("    " + "  ".join(race_page.row(table.results[-1])), flush=True)
        seconds, peaks = zip(*(own[1:] or own), strict=True)
        recall, precision = contest.scored(self.answer(self.own))
        table.results.insert(0, Result(self.own, seconds, (), max(peaks), recall, precision))
        return table

    def against(self, other: Contestant, contest: Contest, own: list[tuple[float, int]]) -> Result:
        """Race one contestant against simdocs, in turn, and add what simdocs took to `own`."""
        if other.why_not:
            return Result(other, why_not=other.why_not)
        taken, ratios = [], []
        try:
            self.run(other, self.warm_up[contest.unit])
            for _ in range(self.runs):
                own.append(self.run_own(contest))
                taken.append(self.run(other, contest))
                ratios.append(taken[-1][0] / own[-1][0])
            recall, precision = contest.scored(self.answer(other)) if other.answers else (None, None)
        except Failed as error:
            return Result(other, why_not=error.why)
        except (OSError, ValueError) as error:
            return Result(other, why_not=f"its answer cannot be read: {error}")
        seconds, peaks = zip(*taken, strict=True)
        return Result(other, seconds, tuple(ratios), max(peaks), recall, precision)


def main() -> None:
    """Race, and write the page. The exit status is 1 if no library could take part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--directory", type=Path, default=contestants.ROOT / "build" / "race")
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--corpora", default=",".join((contests.GENERATED, *contests.REAL)))
    parser.add_argument("--rivals", help="names of libraries, separated by commas; all if it is left out")
    parser.add_argument("--output", type=Path, default=race_page.PAGE)
    options = parser.parse_args()
    home = options.directory.resolve()
    options.output.parent.mkdir(parents=True, exist_ok=True)
    wanted = options.rivals.split(",") if options.rivals else None
    names, absent = list[str](), list[str]()
    for name in options.corpora.split(","):
        reason = None if name == contests.GENERATED else corpora.absent(name)
        (absent if reason else names).append(name)
        if reason:
            print(reason)
    others = list(contestants.contestants(home, wanted))
    libraries = [one for one in others if one.kind not in (contestants.OWN, contestants.BYTES)]
    if all(one.why_not for one in libraries):
        raise SystemExit("no library could be installed, so there is no race: the first race needs a network")
    warm_up = {unit: contests.contest(contests.GENERATED, unit, FILES_TO_WARM_UP, home) for unit in contests.UNITS}
    with tempfile.TemporaryDirectory() as scratch:
        tables: list[Table] = []
        race = Race(contestants.simdocs(), options.runs, Path(scratch), warm_up)
        for name in names:
            for unit in contests.UNITS:
                contest = contests.contest(name, unit, options.files, home)
                print(f"{name}, {unit} {contest.k}: {contest.files:,} files, {contest.size / 1e6:.1f} MB", flush=True)
                tables.append(race.on(contest, others))
                # An interrupted race leaves a page about the contests that are over.
                options.output.write_text(race_page.page(tables, options.runs, absent), encoding="utf-8")
    print(f"{options.output}: written")


if __name__ == "__main__":
    main()
