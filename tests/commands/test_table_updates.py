"""An artifact of Parquet and Arrow files that is updated has, byte for byte, what a build from scratch has."""

from __future__ import annotations

import os
import shutil
from contextlib import chdir
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.amounts import examples
from tests.commands.test_update import ALLOWED, HOUR, OPTIONS, Clock, the_same
from tests.reading.arrow_files import as_arrow_file, as_arrow_stream, as_parquet, needs_pyarrow, table
from tests.reading.small_chunks import cut_small
from tests.runs import without_sync

pytestmark = needs_pyarrow

WORDS = ["the fox jumps over the lazy dog", "an owl sees it", "zwölf", "", "a quick brown fox and an owl " * 4]

rows = st.tuples(st.one_of(st.none(), st.integers(1, 40).map(str)), st.one_of(st.none(), st.sampled_from(WORDS)))
groups = st.lists(st.lists(rows, max_size=8), max_size=4)
WRITERS = {"x.parquet": as_parquet, "y.arrow": as_arrow_file, "z.arrow": as_arrow_stream}


def write(name: str, some: list[list[Any]]) -> None:
    """Write these row groups, or record batches of about their size."""
    if not name.endswith(".parquet"):
        Path("docs", name).write_bytes(WRITERS[name](table([*chain.from_iterable(some)]), rows=len(some) + 1))
        return
    schema = table([]).schema
    with import_module("pyarrow.parquet").ParquetWriter(f"docs/{name}", schema) as writer:
        for group in some:
            writer.write_table(table(group))


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, int, int, list[Any]]:
    """Draw a file, the groups to replace, and others in their place."""
    return draw(st.sampled_from(sorted(WRITERS))), draw(st.integers(0, 4)), draw(st.integers(0, 2)), draw(groups)


@given(
    st.dictionaries(st.sampled_from(sorted(WRITERS)), groups, min_size=1),
    st.lists(changes(), min_size=1, max_size=4),
    st.sampled_from(["shingles", "signatures", "index"]),
    st.sampled_from([16, 64, 1 << 19]),
)
@examples(6)
def test_an_update_has_the_bytes_of_a_build_from_scratch(
    tmp_path_factory: pytest.TempPathFactory, begun: dict[str, Any], history: list[Any], kind: str, size: int
) -> None:
    place = tmp_path_factory.mktemp("tables", numbered=True)
    with pytest.MonkeyPatch.context() as patch, chdir(place):
        cut_small(patch, size)
        without_sync(patch)
        set_clock = Clock(patch)
        os.mkdir("docs")
        Path("docs/a.txt").write_text("there is always a document")
        for name, some in begun.items():
            write(name, some)
        for name, at, cut, some in [("x.parquet", 0, 0, []), *history]:
            begun.setdefault(name, [])[at : at + cut] = some
            write(name, begun[name])
            set_clock.ahead += HOUR
            the_same(Path(f"x.{kind}"), **OPTIONS, **ALLOWED)
    shutil.rmtree(place)
