"""Measure `simdocs dedupe` on real texts whose similarities are known exactly, and the candidates of its peers.

usage: python benchmarks/accuracy.py [--seeds 20] [--corpora NAME,NAME] [--output build/accuracy.md]
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import accuracy_page, corpora, groups, peers, recall

THRESHOLDS = (0.9, 0.8, 0.7, 0.6, 0.5)


def measure(names: list[str], seeds: int, scratch: Path) -> accuracy_page.Results:
    """Measure everything, corpus by corpus."""
    results = accuracy_page.Results(seeds, peers.installed())
    for name in names:
        for unit in corpora.UNITS:
            corpus = corpora.read(name, unit)
            directory = scratch / f"{name}-{unit}"
            times = groups.lay(corpus, directory)
            files = groups.shingled(corpus, directory)
            artifacts = recall.shingled(corpus, seeds, scratch)
            sketched = {peer: peers.sketches(corpus, peer) for peer in results.peers}
            for threshold in THRESHOLDS:
                start = time.monotonic()
                found = recall.measure(corpus, threshold, artifacts)
                results.recalls.append(found)
                grouped = [groups.measure(corpus, threshold, policy, files, times) for policy in groups.POLICIES]
                results.groups += grouped
                own = peers.measure_simdocs(corpus, threshold, found.bands, found.rows, artifacts[0])
                results.proposed.append(own)
                meant = [peer for peer in results.peers if threshold >= peers.PEERS[peer][3]]
                results.proposed += [peers.measure(corpus, threshold, peer, sketched[peer]) for peer in meant]
                mean, error, _ = found.measured(found.scored)
                print(
                    f"{name} {unit} {threshold}: recall of {found.scored} {mean:.5f}, predicted"
                    f" {found.predicted(found.scored):.5f}, standard error {error:.5f}; precision"
                    f" {found.precision:.6f}; --exact {found.exact.pairs:.5f};"
                    f" {sum(one.wrong for one in grouped)} wrong duplicates; {time.monotonic() - start:.0f} s",
                    flush=True,
                )
            for artifact in (files, *artifacts):
                shutil.rmtree(artifact)
    return results


def main() -> None:
    """Measure and write the page. The exit status is 1 if a claim does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--corpora", default=",".join(corpora.NAMES))
    parser.add_argument("--output", type=Path, default=accuracy_page.PAGE)
    options = parser.parse_args()
    if options.seeds < 2:
        parser.error("--seeds must be 2 or more: the standard error needs two seeds")
    names = [name for name in options.corpora.split(",") if not (reason := corpora.absent(name)) or print(reason)]
    if not names:
        raise SystemExit("there is no corpus to measure")
    with tempfile.TemporaryDirectory() as scratch:
        results = measure(names, options.seeds, Path(scratch))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(accuracy_page.page(results))
    print(f"{options.output}: written")
    if not results.hold:
        raise SystemExit(f"some claims do not hold: see {options.output}")


if __name__ == "__main__":
    main()
