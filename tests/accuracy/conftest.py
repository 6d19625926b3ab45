"""An invented corpus in the form of the real ones, with the truth by brute force."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from pathlib import Path

import pytest

from benchmarks import corpora, exact, groups, recall, texts
from tests.cli.forked import at_start
from tests.cli.stand_in import stand_in

NAME = "irplag"
"""The name of the real corpus that the invented one stands for."""

LEAST = 0.4


def write_truth(home: Path, unit: str, pairs: dict[tuple[str, str], float]) -> None:
    """Write the truth of the corpus for a unit."""
    with gzip.open(home / NAME / f"truth_{unit[0]}{corpora.UNITS[unit]}.tsv.gz", "wt", encoding="utf-8") as file:
        file.writelines(f"{one}\t{other}\t{jaccard:.6f}\n" for (one, other), jaccard in pairs.items())


def read_truth(home: Path, unit: str) -> dict[tuple[str, str], float]:
    """Read the truth of the corpus for a unit."""
    with gzip.open(home / NAME / f"truth_{unit[0]}{corpora.UNITS[unit]}.tsv.gz", "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    return {(one, other): float(jaccard) for one, other, jaccard in rows}


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the measurements start the stand-in for the program, which starts faster."""
    for name in at_start(os.environ):
        monkeypatch.delenv(name)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    for module in (recall, groups):
        monkeypatch.setattr(module, "SIMDOCS", stand_in())


@pytest.fixture(scope="session")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `home` is copied from."""
    home = tmp_path_factory.mktemp("invented")
    (home / NAME).mkdir(parents=True)
    some = list(texts.texts(120, 600, seed=5))
    with gzip.open(home / NAME / "docs.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps({"id": f"d{row}", "text": text}) + "\n" for row, text in enumerate(some))
    for unit, k in corpora.UNITS.items():
        pairs = exact.pairs(some, unit, k, LEAST)
        write_truth(home, unit, {(f"d{one}", f"d{other}"): jaccard for (one, other), jaccard in pairs.items()})
    return home


@pytest.fixture
def home(invented: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of corpora, with one corpus of 120 short texts, a third of them edited versions."""
    home = Path(shutil.copytree(invented, tmp_path / "corpora"))
    monkeypatch.setenv("SIMDOCS_CORPORA", str(home))
    return home
