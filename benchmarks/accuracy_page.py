"""Write build/accuracy.md: put the figures and tables that were measured into accuracy.template.md."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from string import Template

from benchmarks import peers
from benchmarks.corpora import BY_DOCUMENT, NAMES, UNITS
from benchmarks.groups import POLICIES, Groups
from benchmarks.peers import Proposed
from benchmarks.recall import STANDARD_ERRORS, Recall

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "build" / "accuracy.md"
TEMPLATE = HERE / "accuracy.template.md"

SHOWN = (0.9, 0.8, 0.5)
"""The thresholds of the tables of documents, groups and libraries. The figures at the top are of all thresholds."""


@dataclass(slots=True)
class Results:
    """Everything that was measured, in the order of measuring, and the versions of the peers."""

    seeds: int
    peers: dict[str, str]
    recalls: list[Recall] = field(default_factory=list)
    groups: list[Groups] = field(default_factory=list)
    proposed: list[Proposed] = field(default_factory=list)

    @property
    def hold(self) -> bool:
        """Whether every claim holds."""
        return all(one.holds and one.precision == 1 and not one.unexplained for one in self.recalls) and all(
            one.holds for one in self.groups
        )


def page(results: Results) -> str:
    """Return the whole page."""
    found = sum(seed.found for one in results.recalls for seed in one.seeds)
    moved = sum(seed.moved for one in results.recalls for seed in one.seeds)
    looked_at = sum(one.seeds[0].moved for one in results.recalls)
    unexplained = sum(one.unexplained for one in results.recalls)
    means = [one.measured(one.scored)[0] for one in results.recalls]
    worst = min(one.measured("pairs")[2] for one in results.recalls)
    absent = [name for name in NAMES if name not in {one.corpus for one in results.recalls}]
    uninstalled = [peer for peer in peers.PEERS if peer not in results.peers]
    used = {name: version(name) for name in ("simdocs", "numpy", "mmh3")}
    return Template(TEMPLATE.read_text()).substitute(
        runs=f"{len(results.recalls) * results.seeds:,}",
        found=f"{found:,}",
        false=f"{sum(seed.false for one in results.recalls for seed in one.seeds):,}",
        seeds=results.seeds,
        least_mean=share(min(means)),
        greatest_mean=share(max(means)),
        worst=share(worst),
        cases=len(means),
        short=sum(not one.reached for one in results.recalls),
        missed=sum(one.exact.pairs < 1 for one in results.recalls),
        false_exact=sum(one.exact.false for one in results.recalls),
        most=STANDARD_ERRORS,
        group_runs=len(results.groups),
        removed=f"{sum(one.removed for one in results.groups):,}",
        wrong=sum(one.wrong for one in results.groups),
        texts=texts(results.recalls),
        absent=f"\nNot measured this time: {', '.join(absent)}.\n" if absent else "",
        pairs=pairs(results.recalls),
        by_document=" and ".join(sorted(BY_DOCUMENT)),
        documents=documents(results.recalls),
        moved=f"{moved:,}",
        moved_share=f"{moved / found:.6f}",
        looked_at=f"{looked_at:,}",
        explained=f"all but {unexplained}" if unexplained else "all",
        groups=groups(results.groups),
        beside=beside(results),
        uninstalled=f"\nNot installed, and so not measured: {', '.join(uninstalled)}.\n" if uninstalled else "",
        versions=", ".join(f"{name} {what}" for name, what in used.items())
        + f", Python {platform.python_version()}, and {results.seeds} seeds",
    )


def share(value: float, digits: int = 5) -> str:
    """Return a share as text: 0.99788, 1.00000."""
    return f"{value:.{digits}f}"


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table in Markdown."""
    lines = [list(head), *[list(row) for row in rows]]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def case(one: Recall | Groups) -> tuple[str, str, str]:
    """Return the first three columns: the corpus, the unit with k, and the threshold."""
    return one.corpus, f"{one.unit} {UNITS[one.unit]}", share(one.threshold, 1)


def texts(recalls: list[Recall]) -> str:
    """Return the table of the corpora."""
    rows = []
    for name in dict.fromkeys(one.corpus for one in recalls):
        left_out = {one.unit: one.left_out for one in recalls if one.corpus == name}
        documents = next(one.documents + one.left_out for one in recalls if one.corpus == name)
        rows.append([name, *NAMES[name], f"{documents:,}", *(left_out[unit] for unit in UNITS)])
    return table(["corpus", "what it is", "source", "documents", "left out by characters", "by words"], rows)


def pairs(recalls: list[Recall]) -> str:
    """Return the table of the recall of pairs."""
    rows = []
    for one in recalls:
        mean, error, _ = one.measured("pairs")
        off = f"{(mean - one.pairs_predicted) / error:+.1f}" if error else "all found" if mean == 1 else "none vary"
        rows.append(
            [*case(one), f"{one.true:,}", f"{one.near:,}", *map(share, (one.pairs_predicted, mean, error)), off]
        )
    head = ["corpus", "unit, k", "t", "similar pairs", "excluded", "predicted", "mean recall", "standard error"]
    return table([*head, "deviation"], rows)


def documents(recalls: list[Recall]) -> str:
    """Return the table of the recall of documents."""
    rows = []
    for one in (one for one in recalls if one.threshold in SHOWN):
        mean, error, _ = one.measured("documents")
        rows.append([*case(one), f"{one.in_pairs:,}", *map(share, (one.documents_predicted, mean, error))])
    head = ["corpus", "unit, k", "t", "documents in similar pairs", "predicted at least", "mean recall"]
    return table([*head, "standard error"], rows)


def groups(measured: list[Groups]) -> str:
    """Return the table of the duplicates, with one row for all policies."""
    rows = []
    for one in dict.fromkeys(case(group) for group in measured if group.threshold in SHOWN):
        some = {group.policy: group for group in measured if case(group) == one}
        rows.append([*one, *(duplicates(some[policy]) for policy in POLICIES)])
    return table(["corpus", "unit, k", "t", *(f"`{policy}`" for policy in POLICIES)], rows)


def duplicates(group: Groups) -> str:
    """Return the number of duplicates, and in brackets the number of similar pairs that are both kept."""
    return f"{group.removed:,} ({group.left:,})" if group.left else f"{group.removed:,}"


def beside(results: Results) -> str:
    """Return the table of the candidates of simdocs and its peers."""
    columns = list(dict.fromkeys((one.corpus, one.unit) for one in results.proposed))
    versions = results.peers | {"simdocs": version("simdocs")}
    rows = []
    for threshold, peer in dict.fromkeys((one.threshold, one.peer) for one in results.proposed):
        if threshold not in SHOWN:
            continue
        some = [one for one in results.proposed if (one.threshold, one.peer) == (threshold, peer)]
        cells = {(one.corpus, one.unit): proposed(one) for one in some}
        bands = " and ".join(dict.fromkeys(f"{one.bands} × {one.rows}" for one in some))
        rows.append([share(threshold, 1), f"{peer} {versions[peer]}", bands, *(cells[column] for column in columns)])
    head = ["t", "library", "b × r", *(f"{name}, {unit} {UNITS[unit]}" for name, unit in columns)]
    return table(head, rows)


def proposed(one: Proposed) -> str:
    """Return the recall, and in brackets the share of false candidates."""
    found = one.documents if one.corpus in BY_DOCUMENT else one.pairs
    return f"{share(found, 3)} ({share(one.false, 2)})"
