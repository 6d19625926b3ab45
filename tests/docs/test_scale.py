"""The code on docs/scale.md runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.docs.executed import DOCS, EXAMPLES
from tests.spark import with_spark

PAGE = DOCS / "scale.md"


@with_spark
def test_the_code_on_the_page_about_several_machines_runs(tmp_path: Path) -> None:
    """In a process of its own, because it makes a session and stops it."""
    (tmp_path / "examples").symlink_to(EXAMPLES)
    program = f"from pathlib import Path; from tests.docs.executed import execute; execute(Path({str(PAGE)!r}))"
    where = {"PYTHONPATH": str(DOCS.parent), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=os.environ | where, check=True, timeout=300)
