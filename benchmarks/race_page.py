"""Write build/race.md: put the figures and tables of a race into race.template.md."""

from __future__ import annotations

import datetime
import math
import os
import platform
import re
import statistics
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Template

from benchmarks.contestants import ARRAYS, BYTES, DOCUMENTED, EXPERT, Contestant
from benchmarks.contests import BANDS, ROWS, THRESHOLD, UNITS, Contest

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "build" / "race.md"
TEMPLATE = HERE / "race.template.md"

TARGETS = {
    ("char", DOCUMENTED): 10,
    ("word", DOCUMENTED): 3.5,
    ("char", EXPERT): 4,
    ("word", EXPERT): 4,
}
"""How many times as much CPU as simdocs the best contestant of a kind takes at least."""

MOST_OF_BYTES = 3.5
"""How many times as much CPU as sha256sum simdocs takes at most."""

SHINGLES = {"char": "characters", "word": "words"}
HEAD = ["contestant", "CPU seconds", "CPU, as a multiple of simdocs", "peak memory", "recall", "precision"]


@dataclass(frozen=True, slots=True)
class Result:
    """What a contestant took and found in one contest, or why it did not take part."""

    contestant: Contestant
    seconds: tuple[float, ...] = ()
    """CPU seconds of each run."""
    ratios: tuple[float, ...] = ()
    """CPU time of each run, divided by that of the run of simdocs before it. None for simdocs itself."""
    peak: int = 0
    """Bytes."""
    recall: float | None = None
    precision: float | None = None
    why_not: str = ""

    @property
    def ratio(self) -> float:
        """The median of the ratios; 1 for simdocs itself."""
        return statistics.median(self.ratios or (1,))


@dataclass(frozen=True, slots=True)
class Table:
    """The results of one contest, those of simdocs first."""

    contest: Contest
    results: list[Result]

    @property
    def chance(self) -> float:
        """Two standard errors of the difference of two recalls, if what they count is independent of each other."""
        expected = self.contest.expected
        share = expected.mean() if len(expected) else 1.0
        return 2 * math.sqrt(2 * share * (1 - share) / max(1, len(expected)))

    def ran(self, *kinds: str) -> list[Result]:
        """The results of contestants of these kinds that took part, the fastest first."""
        some = [one for one in self.results if one.contestant.kind in kinds and not one.why_not]
        return sorted(some, key=lambda one: one.ratio)

    def misses(self, one: Result, other: Result) -> bool:
        """Whether one contestant found fewer pairs than the other, by more than chance."""
        return (one.recall or 0) < (other.recall or 0) - self.chance


def page(tables: list[Table], runs: int, absent: list[str]) -> str:
    """Return the whole page. absent: corpora that were not there."""
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        date=datetime.datetime.now(datetime.UTC).strftime("%-d %B %Y"),
        machine=machine(),
        load=f"{os.getloadavg()[2]:.1f}",
        python=platform.python_version(),
        versions=textwrap.fill(", ".join(versions(tables)) + ".", 120, break_on_hyphens=False),
        runs=runs,
        threshold=THRESHOLD,
        bands=BANDS,
        rows=ROWS,
        targets=targets(tables),
        behind="\n".join(behind(tables)),
        tables="\n".join(section(table) for table in tables),
        absent=f"Not raced this time, because their texts were not there: {', '.join(absent)}.\n" if absent else "",
    )


def machine() -> str:
    """Return the processor and the number of cores that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    try:
        name = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    except OSError:
        name = None
    return f"{name[1] if name else platform.processor() or platform.machine()}, {cores} cores, {platform.system()}"


def versions(tables: list[Table]) -> Iterator[str]:
    """Yield each contestant that took part once, with its version."""
    seen = set()
    for table in tables:
        for one in table.results:
            name = one.contestant.name.partition(",")[0]
            if not one.why_not and name not in seen:
                seen.add(name)
                yield f"{name} {one.contestant.version}"


def section(table: Table) -> str:
    """Return the heading, facts and results of one contest."""
    contest = table.contest
    title = f"{contest.corpus}, {SHINGLES[contest.unit]}, k = {contest.k}"
    facts = f"{contest.files:,} files, {contest.size / 1e6:.1f} MB; {len(contest.truth.clear):,} similar pairs."
    if len(contest.expected):
        facts += f" The expected recall is {'at least ' * contest.by_documents}{contest.expected.mean():.4f}."
    if contest.by_documents:
        facts += (
            f" It counts the {len(contest.expected):,} documents in similar pairs: one family has most of the pairs."
        )
    return f"### {title}\n\n{facts}\n\n{drawn(HEAD, [row(one) for one in table.results])}"


def row(one: Result) -> list[str]:
    """Return the cells of one result."""
    name = f"`{one.contestant.name}`" if one.contestant.kind == BYTES else one.contestant.name
    if one.why_not:
        return [name, f"did not take part: {said(one.why_not)}", "", "", "", ""]
    ratios = f"{one.ratio:.2f} ({min(one.ratios):.2f} to {max(one.ratios):.2f})" if one.ratios else "1"
    shares = ["" if share is None else f"{share:.4f}" for share in (one.recall, one.precision)]
    return [name, f"{statistics.median(one.seconds):.2f}", ratios, f"{one.peak / 2**20:.0f} MiB", *shares]


def said(why_not: str) -> str:
    """Return a message in one cell: without the directories of this machine, and not too long."""
    short = re.sub(r"(?<![\w.])/[^\s'\"]*/", "", why_not).replace("|", "/")
    return short if len(short) <= 160 else f"{short[:160]}…"


def drawn(head: list[str], cells: list[list[str]]) -> str:
    """Return a table in Markdown."""
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, ["---"] * len(head), *cells])


def targets(tables: list[Table]) -> str:
    """Return the table of the targets, and whether each is reached on each corpus."""
    columns = list(dict.fromkeys(table.contest.corpus for table in tables))
    rows = []
    for unit in UNITS:
        some = {table.contest.corpus: table for table in tables if table.contest.unit == unit}
        for kind, words in ((DOCUMENTED, "fastest documented path"), (EXPERT, "fastest driver of an expert")):
            least = TARGETS[unit, kind]
            name = f"{SHINGLES[unit]}: the {words} takes {least:g} times as much CPU"
            rows.append([name, *(over(some.get(column), kind, least) for column in columns)])
        name = f"{SHINGLES[unit]}: neither of these two finds more of the similar pairs"
        rows.append([name, *(finds(some.get(column)) for column in columns)])
        name = f"{SHINGLES[unit]}: simdocs takes at most {MOST_OF_BYTES:g} times as much CPU as `sha256sum`"
        rows.append([name, *(over_bytes(some.get(column)) for column in columns)])
    return drawn(["target", *columns], rows)


def over(table: Table | None, kind: str, least: float) -> str:
    """Return by how much simdocs is faster than the fastest of a kind, and whether that is enough."""
    if not table or not (some := table.ran(kind)):
        return ""
    name = some[0].contestant.name.partition(",")[0]
    return f"{reached(some[0].ratio >= least)}: {some[0].ratio:.1f} ({name})"


def over_bytes(table: Table | None) -> str:
    """Return how many times as much CPU as sha256sum simdocs takes, and whether that is little enough."""
    if not table or not (some := table.ran(BYTES)):
        return ""
    return f"{reached(1 / some[0].ratio <= MOST_OF_BYTES)}: {1 / some[0].ratio:.1f}"


def finds(table: Table | None) -> str:
    """Return the recall of simdocs and of the fastest of two kinds, and whether it is as good as both."""
    if not table or not (fastest := [one for kind in (DOCUMENTED, EXPERT) for one in table.ran(kind)[:1]]):
        return ""
    own = table.results[0]
    found = " and ".join(f"{one.recall:.4f}" for one in fastest)
    return f"{reached(not any(table.misses(own, one) for one in fastest))}: {own.recall:.4f}, theirs {found}"


def reached(is_it: bool) -> str:
    """Return the word for it."""
    return "reached" if is_it else "**missed**"


def behind(tables: list[Table]) -> Iterator[str]:
    """Yield a line for each contest in which a library was better than simdocs at anything."""
    any_of_them = False
    for table in tables:
        own, others = table.results[0], table.ran(DOCUMENTED, EXPERT, ARRAYS)
        better = {
            "less CPU time": [one for one in others if one.ratio < 1],
            "less memory": [one for one in others if one.peak < own.peak],
            "more pairs": [one for one in others if table.misses(own, one)],
            "fewer false pairs": [one for one in others if (one.precision or 0) > (own.precision or 0)],
        }
        for what, some in better.items():
            if some:
                any_of_them = True
                names = "; ".join(one.contestant.name for one in some)
                yield f"- {table.contest.corpus}, {SHINGLES[table.contest.unit]}, {what}: {names}"
    if not any_of_them:
        yield "No library took less CPU or memory, found more pairs, or reported fewer false ones."
