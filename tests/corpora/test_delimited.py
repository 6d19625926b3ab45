"""CSV and TSV give the documents that Python's csv module reads from them, wherever they are cut."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tracemalloc
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import simdocs
from simdocs.corpora.containers.container import ContainerFile, OneText, Part, PartDocuments
from simdocs.corpora.containers.delimited import CSV, TSV, Delimited
from simdocs.corpora.containers.records import RecordEnds
from simdocs.errors import UsageError
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.texts import Sequences
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import simdocs as program
from tests.corpora.small_chunks import cut_small

FIELDS = Sequences()


def read(
    data: bytes, fields: Sequences = FIELDS, kind: Delimited = CSV, limit: int = 1 << 20
) -> tuple[list[Part], list[PartDocuments]]:
    parts = list(kind.parts(ContainerFile(b"x", limit, held=data), fields))
    return parts, [kind.documents(part, fields) for part in parts]


Document = tuple[int, bytes | None, bytes]
"""The number, the id and the text of a document."""


def documents(data: bytes, *more: Any, **others: Any) -> list[Document]:
    return [
        (where.number, its_id, text)
        for found in read(data, *more, **others)[1]
        for where, its_id, text in zip(found.locators, found.ids, found.texts, strict=True)
    ]


def skips(data: bytes, *more: Any, **others: Any) -> list[tuple[int, str]]:
    return [(skip.line, skip.detail) for found in read(data, *more, **others)[1] for skip in found.skips]


def twin(data: bytes, delimiter: str = ",") -> list[Document] | None:
    """What DictReader reads; None if the last quote has no end."""
    if _is_quoted_at_end(data, delimiter):
        return None
    text = data.decode("utf-8-sig", "surrogateescape")
    found, number = list[Document](), 0
    for row in csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter):
        number += 1
        if None in row or None in row.values():
            continue
        its_id, text = ((row.get(name) or "").encode("utf-8", "surrogateescape") for name in ("id", "text"))
        found.append((number, its_id or None, text))
    return found


def _is_quoted_at_end(data: bytes, delimiter: str) -> bool:
    """Whether the last quote has no end: then another line becomes part of the last row."""
    text = data.decode("utf-8-sig", "surrogateescape")
    lines = list(io.StringIO(text, newline=""))
    before = sum(1 for _ in csv.reader(lines, delimiter=delimiter))
    return before == sum(1 for _ in csv.reader([*lines, "x"], delimiter=delimiter)) and bool(lines)


messy = st.lists(
    st.sampled_from([b'"', b'"', b",", b"\n", b"\r", b"\r\n", b"a", b"b c", b"\xff", "ü".encode(), b"\t", b" "])
).map(b"".join)


@given(messy, st.sampled_from([1, 2, 3, 5, 64]))
@example(b'x"y,z\n"a"b"c,d\n', 1)
@example(b'"a\r', 1)
def test_records_end_where_csv_reader_ends_them(data: bytes, size: int) -> None:
    data = b"x" + data
    lines = list(io.StringIO(data.decode("utf-8", "surrogateescape"), newline=""))
    lengths = [len(line.encode("utf-8", "surrogateescape")) for line in lines]
    reader = csv.reader(lines)
    expected = [sum(lengths[: reader.line_num]) for _ in reader]
    records = RecordEnds(",")
    found = [at + int(end) for at in range(0, len(data), size) for end in records.take(data[at : at + size])]
    if not records.is_quoted and (not found or found[-1] < len(data)):
        found.append(len(data))
    if records.is_quoted:
        expected.pop()
    assert found == expected


@given(messy, st.sampled_from([b"text,id\n", b"\xef\xbb\xbfid,x,text\r\n", b'\r\n"text","a""b"\r', b"text"]))
@example(b'a,b\n\nc,"d', b"text,id\n")
def test_documents_are_those_of_its_twin(body: bytes, header: bytes) -> None:
    data = header + body
    expected = twin(data.removeprefix(b"\r\n"))
    try:
        found = documents(data)
    except DocumentSkipped as skip:
        if isinstance(skip, OneText):
            return
        assert "has a quote that never ends" in skip.detail
        assert expected is None
        return
    assert found == expected


rows = st.lists(st.tuples(st.text(max_size=5), st.text(max_size=40), st.text(max_size=5)), max_size=20)
"""The id, the text and another field of each row."""


def written(some: Iterable[Sequence[str]], delimiter: str = ",") -> bytes:
    page = io.StringIO(newline="")
    csv.writer(page, delimiter=delimiter).writerows([("id", "text", "other"), *some])
    return page.getvalue().encode("utf-8", "surrogatepass")


@given(rows, st.sampled_from([(CSV, ","), (TSV, "\t")]))
def test_what_csv_writer_writes_is_read_as_it_was(some: list[tuple[str, str, str]], how: tuple[Delimited, str]) -> None:
    kind, delimiter = how
    data = written(some, delimiter)
    encoded = [tuple(value.encode("utf-8", "surrogatepass") for value in row) for row in some if "\0" not in row[0]]
    assert [(its_id or b"", text) for _, its_id, text in documents(data, kind=kind)] == [row[:2] for row in encoded]


@given(rows, st.sampled_from([b"", b"\n", b"\r"]), st.integers(1, 200))
def test_parts_have_all_rows_once_however_much_is_read_at_once(
    some: list[tuple[str, str, str]], end: bytes, size: int
) -> None:
    header, body = b"id,text,other\r\n", written(some).removeprefix(b"id,text,other\r\n") + b"a,b,c" + end
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, size)
        parts = list(CSV.parts(ContainerFile(b"x", 1 << 20, held=header + body), FIELDS))
    assert b"".join(part.data.removeprefix(header) for part in parts) == body
    assert all(part.data.startswith(header) for part in parts)
    assert [part.first for part in parts] == [1 + sum(each.count for each in parts[:at]) for at in range(len(parts))]


TABLE = b'id,text\r\na,one\r\n\r\nb,"two\r\nlines, ""quoted"""\r\n,three\r\n'


@pytest.mark.parametrize("data", [TABLE, b"\xef\xbb\xbf" + TABLE, b"\n\r\n" + TABLE, TABLE.strip()])
def test_rows_are_documents_and_blank_lines_have_no_number(data: bytes) -> None:
    assert documents(data) == [(1, b"a", b"one"), (2, b"b", b'two\r\nlines, "quoted"'), (3, None, b"three")]


def test_other_ends_of_lines_and_delimiters_are_read() -> None:
    expected = documents(TABLE)
    assert documents(TABLE.replace(b"\r\n", b"\r"))[0] == expected[0]
    semicolons = TABLE.replace(b",", b";")
    assert documents(semicolons, Sequences(delimiter=";"))[2] == expected[2]
    assert documents(TABLE.replace(b",", b"\t"), kind=TSV)[0] == expected[0]
    assert documents(TABLE, Sequences(delimiter=","), kind=TSV) == expected


def test_without_a_header_fields_are_named_by_their_numbers() -> None:
    fields = Sequences(no_header=True, text_field=("2",), id_field="1")
    assert [text for _, _, text in documents(TABLE, fields)] == [b"text", *(text for _, _, text in documents(TABLE))]
    both = Sequences(no_header=True, text_field=("2", "1"))
    assert documents(b"a,b\nc,d", both) == [(1, None, b"b\na"), (2, None, b"d\nc")]
    (found,) = read(b"a,b\nc\n", fields)[1]
    assert [skip.detail for skip in found.textless] == ["field '2' (--text-field) is missing; the row has '1'"]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b"id,text\n", b"id,text", b"\nid,text\r\n\n"])
def test_a_table_without_rows_has_no_documents(data: bytes) -> None:
    parts, found = read(data)
    assert len(parts) == 1
    assert found[0].texts == found[0].skips == []


@pytest.mark.reliability("a quote that never ends")
@pytest.mark.parametrize("tail", [b"", b"\n", b"d,four\n", b"d,four\n" * 3000])
def test_a_quote_that_never_ends_is_named_with_its_row_and_line(tail: bytes) -> None:
    data = TABLE + b'd,"' + tail
    file, found = ContainerFile(b"x", 1 << 20, held=data), list[bytes]()
    with pytest.raises(DocumentSkipped) as caught:
        for part in CSV.parts(file, FIELDS):
            found += CSV.documents(part, FIELDS).texts
    assert caught.value.reason == "malformed"
    assert caught.value.detail == "the row on line 7 has a quote that never ends, from row 4 on"
    assert len(found) == 3


@pytest.mark.reliability("a quote that never ends")
def test_a_quote_that_never_ends_takes_no_more_memory_than_a_document_may(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(TABLE + b'd,"' + b"some words " * (1 << 21))
    tracemalloc.start()
    try:
        with pytest.raises(DocumentSkipped, match="from row 4 on"):
            list(CSV.parts(ContainerFile(bytes(path), 1 << 20), FIELDS))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_a_row_that_is_too_large_is_named_and_the_next_one_is_read() -> None:
    for size in (99, 5000):
        with pytest.MonkeyPatch.context() as patch:
            cut_small(patch, 64)
            data = b'id,text\na,"' + b'x"",\n' * size + b'"\nb,two\n'
            assert documents(data, limit=90) == [(2, b"b", b"two")]
            ((number, detail),) = skips(data, limit=90)
            assert number == 1
            assert str(5 * size + 4) in detail


@pytest.mark.reliability("rows with too few or too many fields")
def test_rows_of_another_length_are_malformed() -> None:
    data = b"id,text\na,one\nb\nc,two,three\nd,four\n"
    assert [number for number, _, _ in documents(data)] == [1, 4]
    assert skips(data) == [(2, "1 field, but the header has 2"), (3, "3 fields, but the header has 2")]


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
        (
            b"id\ttext\n",
            "no row has the field 'text'; the first has 'id\\ttext': give --delimiter '\\t', or give",
        ),
        (
            b"sep=;\nid;text\n",
            "no row has the field 'text'; the first has 'sep=;': delete the first line, sep=;, and give",
        ),
        (
            b"a;b\n",
            "no row has the field 'text'; the first has 'a;b': give --delimiter ';', and name one of the fields",
        ),
        (
            b"id,body\n",
            "no row has the field 'text'; the first has 'id', 'body': name one of them with --text-field, or",
        ),
        (b'1,"a\nb",x\n', "no row has the field 'text'; the first has '1', 'a\\nb', 'x': name one of them with"),
        (b'"1,a\nb";x\n', "no row has the field 'text'; the first has '1,a\\nb;x': give --delimiter ';', and name one"),
        ('id,"text'.encode("utf-16"), "this is UTF-16: convert it to UTF-8, for example with iconv -f UTF-16 -t UTF-8"),
        (
            b'id,"text\n1,2\n',
            "the first row has a quote that never ends: give --input-format text to read it as one text",
        ),
        (
            b"x" * (2 << 20),
            "the first row has more than 1048576 bytes: give --input-format text to read it as one text",
        ),
        (b"\x1f\x8b", "gzip data: pipe it through zcat"),
    ],
)
def test_a_header_that_names_no_text_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(DocumentSkipped) as caught:
        list(CSV.parts(ContainerFile(b"x", 1 << 20, held=data), FIELDS))
    assert caught.value.detail.startswith(said)
    assert isinstance(caught.value, OneText) == ("one text" in caught.value.detail)


@given(st.text('"\r\n,;\tx').map(str.encode), st.booleans(), st.sampled_from((CSV, TSV)))
def test_any_first_row_is_cut_or_refused_in_words(data: bytes, no_header: bool, kind: Delimited) -> None:
    with suppress(OneText):
        list(kind.parts(ContainerFile(b"x", 1 << 20, held=data), Sequences(no_header=no_header)))


@pytest.mark.parametrize(
    ("data", "more", "remedy"),
    [
        (b"id;text\n1;x\n", {}, "give --delimiter ';'"),
        (b"id\ttext\n1\tx\n", {}, "give --delimiter '\\t'"),
        (b"a;b\n1;x\n", {}, "give --delimiter ';', and name one of the fields with --text-field"),
        (b"1;x\n2;y\n", {"no_header": True, "text_field": "2"}, "give --delimiter ';'"),
        (b"id,body\n1,x\n", {}, "name one of them with --text-field"),
    ],
)
def test_the_character_between_fields_is_suggested_for_a_format_that_was_given(
    tmp_path: Path, data: bytes, more: dict[str, Any], remedy: str
) -> None:
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(UsageError, match=r"/x: no row has the field .*; the first has .*: ") as caught:
        simdocs.dedupe(tmp_path / "x", input_format="csv", **more)
    assert str(caught.value).endswith(f": {remedy}")


def test_a_repeated_name_that_is_not_wanted_is_no_problem() -> None:
    assert documents(b"x,text,x\n1,one,2\n") == [(1, None, b"one")]


def test_bytes_that_are_not_utf_8_are_those_of_a_plain_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = b"The ferry leaves \xe4t seven \xed\xa0\x80 every morning \xff except on Sundays"
    Path("plain.txt").write_bytes(text)
    Path("x.csv").write_bytes(b"text\n" + text + b"\n")
    assert list(simdocs.dedupe("plain.txt", "x.csv").rows()) == [("plain.txt", "x.csv#1", 1.0, 1.0)]


TEXTS = [A, A1, B, A2, B, b""]


@pytest.mark.parametrize(
    ("ask", "more"),
    [
        (simdocs.pairs, {}),
        (simdocs.dedupe, {}),
        (simdocs.dedupe, {"exact": True}),
        (simdocs.dedupe, {"cluster": "components"}),
    ],
)
def test_the_same_texts_give_the_same_answer_in_every_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Any, more: dict[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    table = [(f"{at}.txt", text.decode(), "") for at, text in enumerate(TEXTS)]
    lay(tmp_path, {f"files/{name}": text.encode() for name, text, _ in table})
    tabbed = written(table, "\t")
    objects = [json.dumps({"id": name, "text": text}).encode() for name, text, _ in table]
    lay(tmp_path, {"d.csv": written(table), "d.tsv": tabbed, "d.jsonl": b"\n".join(objects)})
    lay(tmp_path, {"d.csv.gz": gzip.compress(written(table)), "d.txt": tabbed})

    def answer(name: str, **others: Any) -> list[tuple[Any, ...]]:
        found = ask(name, **others, **more)
        return [tuple(str(cell).removeprefix(name)[1:] for cell in row[:2]) + row[2:] for row in found.rows()]

    expected = answer("files")
    assert expected
    for name in ("d.csv", "d.tsv", "d.jsonl", "d.csv.gz"):
        assert answer(name) == expected
    assert answer("d.txt", input_format="tsv") == expected


def test_a_table_on_standard_input_is_read_with_its_format(tmp_path: Path) -> None:
    data = written((f"{at}", text.decode(), "") for at, text in enumerate(TEXTS))
    lay(tmp_path, {"x.csv": data})
    expected = program("dedupe", "x.csv", cwd=tmp_path)
    done = program("dedupe", "-", "--input-format", "csv", cwd=tmp_path, stdin=data)
    assert done.out == expected.out.replace(b"x.csv#", b"-#")
    assert done.out
    semicolons = data.replace(b",", b";")
    words = ["--input-format", "csv", "--delimiter", ";", "--list", "kept"]
    assert program("dedupe", "-", *words, cwd=tmp_path, stdin=semicolons).out == b"-#0\n-#2\n-#5\n"


def test_faults_of_rows_are_named_by_row(tmp_path: Path) -> None:
    lay(tmp_path, {"x.csv": b'id,text\na,one\nb\na,two\nc,"three\n'})
    done = program("dedupe", "x.csv", cwd=tmp_path)
    assert done.status == 3
    for said in (
        "simdocs: x.csv: skipped: the row on line 5 has a quote that never ends, from row 4 on\n",
        "simdocs: x.csv, row 2: skipped: 1 field, but the header has 2\n",
        "simdocs: x.csv, row 3: skipped: an earlier row has the same id (x.csv#a): name a field of unique ids,",
    ):
        assert said in done.err


def test_an_id_field_that_no_row_has_is_an_error(tmp_path: Path) -> None:
    lay(tmp_path, {"x.csv": written((("", A.decode(), ""), ("", B.decode(), "")))})
    for name in ("uid", "id"):
        done = program("dedupe", "x.csv", "--id-field", name, cwd=tmp_path)
        why = f"no row has an id in the field '{name}' (--id-field); the first has 'id', 'text', 'other'"
        assert done == (2, b"", f"simdocs: error: {why}: name one of them, or leave the option out\n")
