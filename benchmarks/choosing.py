"""Print the tables of docs/choosing.md: what each choice of unit, k, threshold and recall finds in real texts.

A corpus that is not there is left out.

usage: SIMDOCS_CORPORA=/path/to/corpora python benchmarks/choosing.py
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import corpora

SIMDOCS = str(Path(sys.executable).with_name("simdocs"))
UNITS = ("", "-k 5", "--unit word", "--unit word -k 3", "--unit line")
CODE = (*UNITS, "--unit line --strip-punctuation")
SHORT = ("", "-k 5", "--unit word", "--unit line", "--ignore-common 0.005", "--ignore-common 0.002")
RECALLS = ("--recall 0.8", "--recall 0.95", "--recall 0.99", "--exact")

Documents = dict[str, dict[str, Any]]
Pairs = list[tuple[dict[str, Any], dict[str, Any], float]]


def documents(corpus: str) -> Documents:
    """The documents of a corpus by id, in their order."""
    with gzip.open(corpora.home() / corpus / "docs.jsonl.gz") as file:
        return {document["id"]: document for document in map(json.loads, file)}


def run(corpus: str, *options: str) -> tuple[list[str], dict[str, Any]]:
    """The lines and the summary of `simdocs pairs` on a corpus."""
    with tempfile.TemporaryDirectory() as directory:
        summary = Path(directory) / "summary.json"
        command = [SIMDOCS, "pairs", str(corpora.home() / corpus / "docs.jsonl.gz"), "--all-copies", "-q"]
        command += ["--summary-json", str(summary), *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        return done.stdout.decode().splitlines(), json.loads(summary.read_bytes())


def similar(corpus: str, least: float, options: str) -> Pairs:
    """The pairs of a corpus whose similarity is `least` or more."""
    by_id = documents(corpus)
    lines, _ = run(corpus, "--threshold", str(least), *options.split(), *sure(corpus))
    rows = [line.split("\t") for line in lines]
    return [(by_id[a.split("#", 1)[1]], by_id[b.split("#", 1)[1]], float(j)) for a, b, j, _ in rows]


def sure(corpus: str) -> list[str]:
    """Return the options that find all pairs, or nearly all pairs where finding all would take long."""
    return ["--exact"] if corpus == "irplag" else ["--recall", "0.99"]


def table(heading: str, columns: Iterable[str], rows: Iterable[tuple[str, list[str]]]) -> None:
    """Print a table in Markdown."""
    columns = list(columns)
    print(f"\n{heading}\n\n| options | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
    for options, cells in rows:
        print(f"| {f'`{options}`' if options else '(defaults)'} | {' | '.join(cells)} |", flush=True)


def share(part: int, whole: int) -> str:
    """Return a share in whole per cent."""
    return f"{100 * part / whole:.0f} %"


def prose() -> None:
    """Print how many pairs of successive versions of a document are found, and how many pairs of two documents."""
    families: dict[str, list[str]] = {}
    for document in documents("peps_history_pd").values():
        families.setdefault(document["family"], []).append(document["id"])
    following = {pair for versions in families.values() for pair in pairwise(versions)}

    def row(options: str) -> list[str]:
        pairs = similar("peps_history_pd", 0.5, options)
        cells = []
        for threshold in (0.9, 0.8, 0.5):
            found = [(a, b) for a, b, j in pairs if j >= threshold]
            cells.append(share(sum((a["id"], b["id"]) in following for a, b in found), len(following)))
        others = [sum(a["family"] != b["family"] for a, b, j in pairs if j >= t) for t in (0.8, 0.5)]
        return [*cells, *map(str, others)]

    columns = ("at 0.9", "at 0.8", "at 0.5", "other pairs at 0.8", "other pairs at 0.5")
    table(f"peps_history_pd: {len(following)} pairs of versions", columns, ((one, row(one)) for one in UNITS))


def code() -> None:
    """Print how many copies of programs are found by level of disguise, and how many independent programs."""
    every = documents("irplag").values()
    copies = {level: sum(document["label"] == level for document in every) for level in ("L1", "L2", "L3")}
    independent = sum(document["label"] == "non" for document in every)

    def row(options: str, threshold: float) -> list[str]:
        count = dict.fromkeys([*copies, "non"], 0)
        for a, b, _ in similar("irplag", threshold, options):
            labels = {a["label"], b["label"]}
            if a["case"] == b["case"] and "orig" in labels:
                (label,) = labels - {"orig"}
                count[label] = count.get(label, 0) + 1
        return [str(threshold), *(share(count[level], copies[level]) for level in copies), f"{count['non']}"]

    columns = ("threshold", *(f"{level} ({size})" for level, size in copies.items()), f"independent ({independent})")
    table("irplag", columns, ((one, row(one, at)) for one in CODE for at in (0.8, 0.65, 0.5, 0.3)))


def short() -> None:
    """Print how many pairs of short pages are found, and how many of them are pages about the same command."""

    def row(options: str) -> list[str]:
        pairs = similar("tldr_short", 0.5, options)
        cells = []
        for threshold in (0.9, 0.8, 0.7, 0.5):
            names = [(a["id"].split("/")[-1], b["id"].split("/")[-1]) for a, b, j in pairs if j >= threshold]
            cells.append(f"{sum(a == b for a, b in names)} of {len(names):,}")
        return cells

    table(
        "tldr_short: pairs of one command", ("at 0.9", "at 0.8", "at 0.7", "at 0.5"), ((one, row(one)) for one in SHORT)
    )


def laws() -> None:
    """Print how many documents have a similar one, and for how many the most similar one is another licence."""

    def row(options: str) -> list[str]:
        pairs = similar("licences_scancode", 0.8, options)
        cells = []
        for threshold in (0.8, 0.9, 0.95, 0.98):
            best: dict[str, tuple[float, bool]] = {}
            for a, b, jaccard in pairs:
                if jaccard >= threshold:
                    for document in (a, b):
                        match = (jaccard, a["label"] == b["label"])
                        best[document["id"]] = max(best.get(document["id"], (0.0, False)), match)
            cells.append(f"{sum(not same for _, same in best.values())} of {len(best):,}")
        return cells

    columns = ("at 0.8", "at 0.9", "at 0.95", "at 0.98")
    table(
        "licences_scancode: documents most similar to another licence",
        columns,
        ((one, row(one)) for one in ("", "--unit word")),
    )


def recall() -> None:
    """Print how many candidates are compared, and how many similar pairs are found."""

    def row(corpus: str, threshold: str, options: str) -> list[str]:
        lines, summary = run(corpus, "--unit", "word", "--threshold", threshold, *options.split())
        bands = f"{summary['bands']} × {summary['rows']}" if summary.get("bands") else "none"
        return [corpus, threshold, bands, f"{summary['candidates']:,}", f"{len(lines):,}"]

    cases = [("peps_history_pd", "0.8"), ("licences_scancode", "0.8")]
    columns = ("corpus", "threshold", "bands × rows", "candidates", "pairs found")
    table("recall", columns, ((one, row(*case, one)) for case in cases for one in RECALLS))


MEASURES: tuple[tuple[str, Callable[[], None]], ...] = (
    ("peps_history_pd", prose),
    ("irplag", code),
    ("tldr_short", short),
    ("licences_scancode", laws),
    ("licences_scancode", recall),
)

if __name__ == "__main__":
    for name, measure in MEASURES:
        if reason := corpora.absent(name):
            print(reason, file=sys.stderr)
        else:
            measure()
