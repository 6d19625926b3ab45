"""Parquet and Arrow files of documents, written by pyarrow. Tests that use them are skipped if it is missing."""

from __future__ import annotations

import io
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

HAS_PYARROW = find_spec("pyarrow") is not None

needs_pyarrow = pytest.mark.skipif(not HAS_PYARROW, reason="pyarrow, which reads and writes these files, is missing")

IN_A_UNIT = 5
"""Rows of a row group or record batch."""


def table(documents: Sequence[tuple[str | None, str | None]]) -> Any:
    """A table of ids and texts."""
    arrow = import_module("pyarrow")
    ids, texts = ([document[place] for document in documents] for place in (0, 1))
    return arrow.table({"id": arrow.array(ids, arrow.string()), "text": arrow.array(texts, arrow.string())})


def as_parquet(some: Any, rows: int = IN_A_UNIT, **options: Any) -> bytes:
    """The bytes of a Parquet file with this table."""
    content = io.BytesIO()
    import_module("pyarrow.parquet").write_table(some, content, row_group_size=rows, **options)
    return content.getvalue()


def as_arrow_file(some: Any, rows: int = IN_A_UNIT, **options: Any) -> bytes:
    """The bytes of an Arrow file with this table."""
    return _written("new_file", some, rows, options)


def as_arrow_stream(some: Any, rows: int = IN_A_UNIT, **options: Any) -> bytes:
    """The bytes of an Arrow stream with this table."""
    return _written("new_stream", some, rows, options)


def _written(how: str, some: Any, rows: int, options: dict[str, Any]) -> bytes:
    ipc, content = import_module("pyarrow.ipc"), io.BytesIO()
    with getattr(ipc, how)(content, some.schema, options=ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(some, max_chunksize=rows)
    return content.getvalue()
