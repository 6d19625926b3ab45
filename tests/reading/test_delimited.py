"""CSV and TSV give the documents that Python's csv module reads from them, wherever they are cut."""

from __future__ import annotations

import csv
import io
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import simdocs
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.recipes import Sequences
from simdocs.reading.decode import NoTable, as_utf8, utf8_pieces
from simdocs.reading.formats.delimited import check
from tests.reading.reading import FIELDS, MIB, Document, read
from tests.reading.small_chunks import cut_small


def documents(data: bytes, fields: Sequences = FIELDS, form: str = "csv") -> list[Document]:
    return read(data, form, fields).documents


def twin(data: bytes) -> list[Document] | None:
    """What DictReader reads; None if the last quote has no end: then another line becomes part of the last row."""
    text = data.decode("utf-8-sig", "surrogateescape")
    lines = list(io.StringIO(text, newline=""))
    if lines and sum(1 for _ in csv.reader(lines)) == sum(1 for _ in csv.reader([*lines, "x"])):
        return None
    found = list[Document]()
    for number, row in enumerate(csv.DictReader(io.StringIO(text, newline="")), 1):
        if None not in row and None not in row.values() and "text" in row:
            its_id, text = ((row.get(name) or "").encode("utf-8", "surrogateescape") for name in ("id", "text"))
            found.append((number, its_id or None, text))
    return found


messy = st.lists(
    st.sampled_from([b'"', b'"', b",", b"\n", b"\r", b"\r\n", b"a", b"b c", b"\xff", "ü".encode(), b"\t", b" "])
).map(b"".join)


@given(
    messy,
    st.sampled_from([b"text,id\n", b"\xef\xbb\xbfid,x,text\r\n", b'\r\n"text","a""b"\r', b"text"]),
    st.sampled_from([3, 4, 5, 64, 1 << 19]),
)
@example(b'a,b\n\nc,"d', b"text,id\n", 64)
@example(b"a,\xff", b"text,id\n", 64)
def test_documents_are_those_of_its_twin_however_much_is_read_at_once(body: bytes, header: bytes, size: int) -> None:
    data = header + body
    expected = twin(data.removeprefix(b"\r\n"))
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, size)
        found = read(data, "csv")
    if expected is None:
        assert found.trouble is not None
        assert "has a quote that never ends" in found.trouble.detail
    else:
        assert (found.documents, found.trouble) == (expected, None)


TABLE = b'id,text\r\na,one\r\n\r\nb,"two\r\nlines, ""quoted"""\r\n,three\r\n'
ROWS: list[Document] = [(1, b"a", b"one"), (2, b"b", b'two\r\nlines, "quoted"'), (3, None, b"three")]


@pytest.mark.parametrize("data", [TABLE, b"\xef\xbb\xbf" + TABLE, b"\n\r\n" + TABLE, TABLE.strip()])
def test_rows_are_documents_and_blank_lines_have_no_number_wherever_it_is_cut(data: bytes) -> None:
    for size in range(3, len(data) + 2):
        with pytest.MonkeyPatch.context() as patch:
            cut_small(patch, size)
            assert documents(data) == ROWS, size


def test_without_a_header_fields_are_named_by_their_numbers() -> None:
    fields = Sequences(no_header=True, text_field=("2",), id_field="1")
    assert documents(TABLE, fields)[1:] == [(number + 1, *more) for number, *more in ROWS]
    both = Sequences(no_header=True, text_field=("2", "1"))
    assert documents(b"a,b\nc,d", both) == [(1, None, b"b\na"), (2, None, b"d\nc")]
    skips = read(b"a,b\nc\n", "csv", fields).skips
    assert skips == [(2, "field '2' (--text-field) is missing; the row has '1'")]


@pytest.mark.reliability("a quote that never ends")
@pytest.mark.parametrize("tail", [b"", b"\n", b"d,four\n", b"d,four\n" * 3000])
def test_a_quote_that_never_ends_is_named_with_its_row_and_line(tmp_path: Path, tail: bytes) -> None:
    (tmp_path / "x.csv").write_bytes(TABLE + b'd,"' + tail)
    assert documents(TABLE + b'd,"' + tail) == ROWS
    found = simdocs.signature(tmp_path / "x.csv")
    ((_, why),) = found.skipped.by_reason["malformed"]
    assert why == "the row on line 7 has a quote that never ends, from row 4 on"
    assert len(found.documents) == 3


@pytest.mark.reliability("a quote that never ends")
def test_a_quote_that_never_ends_takes_no_more_memory_than_a_document_may(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(TABLE + b'd,"' + b"some words " * (1 << 21))
    tracemalloc.start()
    try:
        found = read(path, "csv")
        assert tracemalloc.get_traced_memory()[1] < 14 * MIB
    finally:
        tracemalloc.stop()
    assert found.trouble is not None
    assert found.documents == ROWS


def test_a_row_that_is_too_large_is_named_and_the_next_one_is_read() -> None:
    for size in (99, 5000):
        with pytest.MonkeyPatch.context() as patch:
            cut_small(patch, 64)
            found = read(b'id,text\na,"' + b'x"",\n' * size + b'"\nb,two\n', "csv", limit=90)
        assert found.documents == [(2, b"b", b"two")]
        ((number, detail),) = found.skips
        assert (number, str(5 * size + 4) in detail, found.reasons) == (1, True, ["oversized"])


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_row_as_long_as_the_limit_without_its_end_is_read(end: bytes) -> None:
    for row in (b"a,one more", b'a,"one' + end + b'more"'):
        for limit in range(len(row) - 1, len(row) + 3):
            found = read(b"id,text" + end + row + end + b"b,two", "csv", limit=limit)
            there = [(1, b"a", row[2:].strip(b'"'))] if limit >= len(row) else []
            assert (found.documents, found.reasons) == ([*there, (2, b"b", b"two")], ["oversized"] * (not there))


@pytest.mark.reliability("rows with too few or too many fields")
def test_rows_of_another_length_are_malformed() -> None:
    found = read(b"id,text\na,one\nb\nc,two,three\nd,four\n", "csv")
    assert found.numbers == [1, 4]
    assert found.skips == [(2, "1 field, but the header has 2"), (3, "3 fields, but the header has 2")]


@pytest.mark.reliability("a header with a field twice")
@pytest.mark.reliability("a table without the text field")
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"text,id,text\n", "the header has the field 'text' twice: rename one of them, or name another field with"),
        (b"id,text,id\n", "the header has the field 'id' twice: rename one of them, or name another field with"),
        (
            b"id;text\n1;x\n",
            "no row has the field 'text'; the first has 'id;text': give --delimiter ';', or give --input-format text",
        ),
        (b"id|text\n", "no row has the field 'text'; the first has 'id|text': give --delimiter '|', or give --input"),
        (
            b"id\tbody\n",
            "no row has the field 'text'; the first has 'id\\tbody': give --delimiter '\\t', and name one of the",
        ),
        (
            b"sep=;\nid;text\n",
            "no row has the field 'text'; the first has 'sep=;': delete the first line, which begins with sep=, and",
        ),
        (
            b"id,body\n",
            "no row has the field 'text'; the first has 'id', 'body': name one of them with --text-field, or",
        ),
        (
            b'id,"text\n1,2\n',
            "the first row has a quote that never ends, or is too long: give --input-format text to",
        ),
    ],
)
def test_a_header_that_names_no_text_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(DocumentSkipped) as caught:
        check(data, "csv", FIELDS)
    assert caught.value.detail.startswith(said)
    assert isinstance(caught.value, NoTable) == ("one text" in caught.value.detail)


def test_half_a_character_at_the_end_of_utf_16_is_kept():
    text = "id,text\n1,one".encode("utf-16") + b"\xff"
    assert b"".join(utf8_pieces(iter([text]))) == as_utf8(text)[0]
