"""Parquet and Arrow: what no transcript can show."""

from __future__ import annotations

import json
from io import BytesIO

import pytest

from tests.cli.corpus import A, lay
from tests.cli.program import simdocs


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_a_binary_file_has_the_rows_of_json_lines(here, form):
    pytest.importorskip("pyarrow", reason="no pyarrow here")
    from pyarrow import ipc, parquet

    lay(here, {"docs/d,e.txt": A, "docs/é": A})
    written = simdocs("dedupe", "docs", "-j3", "-o", "-", "--format", form, cwd=here).out
    source = BytesIO(written)
    table = parquet.read_table(source) if form == "parquet" else ipc.open_file(source).read_all()
    rows = [
        {key: round(one, 6) if isinstance(one, float) else one for key, one in row.items()} for row in table.to_pylist()
    ]
    assert rows == list(map(json.loads, simdocs("dedupe", "docs", "--format", "jsonl", cwd=here).out.splitlines()))
    assert len(rows) == 3
    assert simdocs("dedupe", "docs", "-o", f"x.{form}", cwd=here) == (0, b"", "")
    assert (here / f"x.{form}").read_bytes() == written
