"""What a text looks like: tables and arrays are recognised, and prose, code and lists are not taken for them."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.reading.decode import _LOOKED_AT as LOOKED_AT
from simdocs.reading.decode import LOOKALIKES, as_utf8, binary_format, flag_of, is_binary, lookalike_of


def look(text: str | bytes) -> str:
    """What a text looks like."""
    data = text.encode() if isinstance(text, str) else text
    found = lookalike_of(flag_of(data))
    return "" if found is None else found.name


TABLES = {
    "id,text\n1,one\n2,two\n": "CSV",
    'id,text\r\n1,"one, two\nthree"\r\n2,"four ""five"""\r\n': "CSV",
    "1,alpha,x\n2,beta,y\n3,gamma,z\n": "CSV",
    "key,word\na,one\nb,two\nc,three\nd,four": "CSV",
    "id;text\n1;eins, zwei\n2;drei, vier\n": "CSV with semicolons",
    "id\ttext\n1\tone, two\n2\tthree\n": "TSV",
    "a\t\t1\nb\tx\t2\nc\t\t3\n": "TSV",
    '[{"text": "one"}, {"text": "two"}]': "a JSON array",
    '[\n  {\n    "text": "one"\n  }\n]\n': "a JSON array",
    '{"text": "one"}\n{"text": "two"}\n': "JSON Lines",
    ' {"text": "one"}\n{"text": "two"}\n': "JSON Lines",
    ' \t[{"text": "one"}]': "a JSON array",
    "\ufeffid,text\n1,one\n2,two\n": "CSV",
    "a, b,c\nd, e,f\ng,h,i\nj,k,l\n": "CSV",
}

OTHERS = [
    "",
    "one, two and three\nfour, five and six\nseven, eight and nine\n" * 3,
    "Paris, France\nLondon, England\nRome, Italy\nBerlin, Germany\nVienna, Austria\n",
    "a, b,c\nd, e,f\ng, h,i\nj,k,l\n",
    "1,alpha,x\n2,beta,y\n",
    "a,one\nb,two\nc,three\nd,four\n",
    "x = 1;\ny = 2;\nz = 3;\nprint(x);\nreturn y;\n",
    "1,\n2,\n3,\n4,\n5,\n6,\n",
    "3,14\n2,71\n1,41\n1,73\n2,23\n1,61\n",
    "\tone\n\ttwo\n\tthree\n\tfour\n\tfive\n\tsix\n",
    "all:\n\tcc -c a.c\n\tcc -c b.c\n",
    "- apples, pears\n- nuts, figs\n- milk, eggs\n- bread, salt\n- beer, wine\n",
    "[link](http://x) and more\n",
    "[1, 2, 3]",
    '["one text", "another text"]',
    '{"name": "x", "of": [{"a": 1}, {"a": 2}]}',
    "[{not json",
    "for (i = 0; i < n; i++) {\n  a[i] = f(i, i);\n  b[i] = g(i, i);\n}\n",
]


@pytest.mark.parametrize("text", TABLES, ids=range(len(TABLES)))
def test_tables_and_arrays_are_recognised(text):
    assert look(text) == TABLES[text]
    assert look(text.encode("utf-8")) == TABLES[text]


@pytest.mark.parametrize("text", OTHERS, ids=range(len(OTHERS)))
def test_prose_code_and_lists_are_not_taken_for_a_table(text):
    assert look(text) == ""


words = st.text(st.sampled_from('abcdefg hijk,;\t"\n'), min_size=1, max_size=20).map(str.strip).map("w{}".format)


@given(st.integers(2, 6).flatmap(lambda n: st.lists(st.lists(words, min_size=n, max_size=n), min_size=5, max_size=9)))
def test_every_table_that_the_csv_module_writes_is_recognised(rows):
    for delimiter, name in ((",", "CSV"), (";", "CSV with semicolons"), ("\t", "TSV")):
        table = io.StringIO()
        csv.writer(table, delimiter=delimiter).writerows(rows)
        flags = flag_of(table.getvalue().encode())
        assert flags
        if sum(mark in table.getvalue() for mark in ",;\t") == 1:
            assert lookalike_of(flags).name == name


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_no_text_makes_the_look_fail(data):
    assert flag_of(data) in {0, *(container.flag for container in LOOKALIKES)}


def test_the_beginning_of_a_large_table_or_array_is_enough():
    rows = "".join(f"{at},some text of row {at},{at % 7}\n" for at in range(20_000))
    assert len(rows) > 3 * LOOKED_AT
    assert look(rows) == "CSV"
    assert look(json.dumps([{"text": "word " * LOOKED_AT}, {"text": "x"}])) == "a JSON array"
    whole = "1,a,x\n2,b,y\n3,,z".replace(",,", f",{'c' * (LOOKED_AT - 16)},")
    assert [len(whole) - LOOKED_AT, look(whole), look(whole + "z")] == [0, "CSV", ""]
    # A field that begins before the end of what is looked at and ends after it is no field of a record.
    assert look("id,text,more\n" + '1,"a",b\n' * 3 + '2,"' + "c, " * LOOKED_AT + '",d\n') == "CSV"


PARQUET = "a Parquet file: give the file a name that ends in .parquet, or give --input-format parquet"


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (b"BZh is short for ...", b"x", ""),
        (b"BZh91AY&SY...", b"x", "bzip2 data: pipe it through bzcat"),
        (b"PAR1", b"x.txt", PARQUET),
        (b"PAR1", b"-", PARQUET.replace("give the file a name that", "save it as a file whose name", 1)),
        (b"PAR1", b"x.Parquet", "a Parquet file: leave --input-format text out"),
        (b"PAR1", b"x.gz", "a Parquet file that was compressed once more: decompress it"),
        (b"\x1f\x8b", b"x", "gzip data: pipe it through zcat, or give the file a name that ends in .gz"),
        (b"\x1f\x8b", b"x.arrow", "gzip data: pipe it through zcat"),
        (b"\xff\xff\xff\xff\1\0\0\0", b"x.arrow", "an Arrow stream: leave --input-format text out"),
        (b"\xff\xff\xff\xff\0\0\0\1", b"x.arrow", ""),
        (b"PK\3\4", b"x.DOCX", "a Word document: save it as text"),
        (b"PK\3\4", b"x", "a ZIP archive: unpack it"),
        (b"ORC", b"x.orc", "an ORC file: convert it to Parquet, for example with pyarrow"),
        (b"ORCHIDS", b"x", ""),
    ],
)
def test_what_is_no_text_is_named_with_a_remedy(data, name, said):
    assert binary_format(data, name) == said


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_recognised_by_its_letters(encoding):
    long = "ab c\n" * LOOKED_AT
    for text in ("a\tb\n", "abc\u0436", long):
        assert as_utf8(text.encode(encoding)) == (text.encode(), True)
    assert as_utf8(long.encode(encoding) + b"x")[1]
    for data in (
        *(text.encode(encoding) for text in ("abc", "ab\u0436\u0436", "abc\0")),
        "abcd".encode(encoding) + b"x",
    ):
        assert as_utf8(data) == (data, False) and is_binary(data)
    assert as_utf8(b"abcd") == (b"abcd", False)
