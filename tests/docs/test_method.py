"""The code on the pages about the method and several machines runs, and figures are those of the formulas."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from math import comb
from pathlib import Path

import numpy as np
import pytest

from simdocs.kernels import banding, jaccard
from simdocs.options.families import UNITS
from simdocs.options.recipes import ChoosingBands
from tests.docs.executed import DOCS, EXAMPLES, execute
from tests.spark import QUICK, with_spark

METHOD = DOCS / "method.md"
PLACES = 128


def test_the_code_on_the_method_page_runs() -> None:
    execute(METHOD)


def test_the_table_of_units_has_each_unit_with_its_default_k() -> None:
    listed = re.findall(r"^\| `(\w+)` \| (\d+) \| \S", METHOD.read_text(encoding="utf-8"), re.MULTILINE)
    assert listed == [(name, str(unit.k)) for name, unit in UNITS.items()]


def lost(threshold: float, bands: int, rows: int) -> float:
    """Return the probability that some band agrees throughout, and the prefilter drops the pair.

    These are all sums of agreeing places that it drops, less those without a full band.
    """

    def chance(size: int) -> np.ndarray:
        return np.array([comb(size, x) * threshold**x * (1 - threshold) ** (size - x) for x in range(size + 1)])

    band, without = chance(rows), chance(PLACES - bands * rows)
    band[rows] = 0
    for _ in range(bands):
        without = np.convolve(without, band)
    dropped = jaccard.below_prefilter(np.arange(PLACES + 1) / PLACES, threshold, PLACES)
    return float((chance(PLACES) - without)[dropped].sum())


@pytest.mark.parametrize(
    ("threshold", "figure"),
    [(0.5, 8.5e-8), (0.7, 3.5e-7), (0.8, 6.2e-7), (0.9, 2.3e-6), (0.95, 5.9e-6), (0.99, 5.3e-5)],
)
def test_the_prefilter_loses_as_few_pairs_as_section_9_says(threshold: float, figure: float) -> None:
    chosen = banding.choose(ChoosingBands(threshold=threshold), PLACES)
    assert lost(threshold, *chosen) == pytest.approx(figure, rel=0.02)


# The page about several machines.

PAGE = DOCS / "scale.md"


@with_spark
@pytest.mark.slow
def test_the_code_on_the_page_about_several_machines_runs(tmp_path: Path) -> None:
    """In a process of its own, because it makes a session and stops it."""
    (tmp_path / "examples").symlink_to(EXAMPLES)
    program = f"from pathlib import Path; from tests.docs.executed import execute; execute(Path({str(PAGE)!r}))"
    where = {"PYTHONPATH": str(DOCS.parent), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    where["JDK_JAVA_OPTIONS"] = QUICK["spark.driver.extraJavaOptions"]
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=os.environ | where, check=True, timeout=300)
