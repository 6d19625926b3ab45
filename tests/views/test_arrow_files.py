"""Parquet and Arrow files hold the rows of an answer with their types."""

from __future__ import annotations

import base64
import io
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simdocs.errors import OutputError
from simdocs.model.result import NAME, NUMBER, SIMILARITY, Row, table_head
from simdocs.options.declaration import loaded
from simdocs.options.families import FORMATS
from simdocs.views import output_formats

pyarrow = pytest.importorskip("pyarrow", reason="no pyarrow here")
parquet = pytest.importorskip("pyarrow.parquet", reason="no Parquet in this pyarrow")

BINARY = ("parquet", "arrow")
HEAD = table_head(document=NAME, group=NUMBER, kept=NAME, jaccard=SIMILARITY)
TEXTS = st.text(max_size=6).filter(lambda text: text.isprintable())
NAMES = TEXTS.map(str.encode) | st.binary(max_size=4)
ROWS = st.lists(
    st.tuples(NAMES, st.integers(0, 2**62) | st.none(), TEXTS.map(str.encode) | st.none(), st.floats(0, 1) | st.none()),
    max_size=12,
)


def drawn(form: str, rows: list[Row], at_once: int = 5) -> bytes:
    """Draw rows in this format, in blocks of so many."""
    drawing = loaded(FORMATS[form].implementation)(HEAD)
    blocks = [drawing.rows(rows[at : at + at_once]) for at in range(0, len(rows), at_once)]
    return b"".join([drawing.begin(), *blocks, drawing.end()])


def read(form: str, data: bytes) -> Any:
    """Read the table that a file holds."""
    return parquet.read_table(io.BytesIO(data)) if form == "parquet" else pyarrow.ipc.open_file(data).read_all()


def as_read(row: Row, table: Any) -> dict[str, Any]:
    """Return the row that a table should have."""
    values = dict.fromkeys(table.column_names)
    for name, cell in zip((name for name, _ in HEAD.columns), row, strict=True):
        if not isinstance(cell, bytes):
            values[name] = cell
            continue
        try:
            values[name] = cell.decode()
        except UnicodeDecodeError:
            values[f"{name}_b64"] = base64.b64encode(cell).decode()
    return values


@pytest.mark.parametrize("form", BINARY)
@given(rows=ROWS)
@example(rows=[])
@example(rows=[(b"", 0, b"", 0.0), (b"\xff", None, None, None), (b"\xc3\xa9", 1, b"a\0b\n", 1.0)])
def test_every_row_can_be_read_back(form, rows):
    table = read(form, drawn(form, rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(output_formats, "_AT_ONCE", 4)
        same = [(b"a", *row[1:]) for row in rows]
        cut = drawn(form, same, 3)
        assert cut == drawn(form, same, 12)
        file = parquet.ParquetFile(io.BytesIO(cut)) if form == "parquet" else pyarrow.ipc.open_file(cut)
        assert (file.num_row_groups if form == "parquet" else file.num_record_batches) == max(1, -(-len(rows) // 4))
    assert table.to_pylist() == [as_read(row, table) for row in rows]
    types = {field.name: str(field.type) for field in table.schema}
    invalid = types.pop("document_b64", None)
    assert types == {"document": "string", "group": "int64", "kept": "string", "jaccard": "double"}
    assert (invalid is not None) == any("\\x" in row[0].decode("utf-8", "backslashreplace") for row in rows)


@pytest.mark.parametrize("form", BINARY)
def test_a_late_name_that_is_not_utf8_is_an_error(form, monkeypatch):
    monkeypatch.setattr(output_formats, "_AT_ONCE", 2)
    drawing = loaded(FORMATS[form].implementation)(HEAD)
    drawing.rows([(b"a", 0, b"a", None), (b"b", 0, b"a", None)])
    with pytest.raises(OutputError, match=r"^document has a name that is not UTF-8, and none of the first 2 rows has"):
        drawing.rows([(b"c", 0, b"a", None), (b"\xff", 0, b"a", None)])
