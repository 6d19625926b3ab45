"""Files whose rows may be documents, and files that are not text, are called what they are."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile

import pytest

from tests.cli.corpus import A, B, lay
from tests.cli.program import simdocs

TEXT = ("--input-format", "text")

COMMAS = b'id,body\nn0,"%s"\nn1,"a third text, with ""quotes""\nand two lines: %s"\n' % (A, B)


@pytest.mark.reliability("a table or JSON array under another name, or on standard input")
@pytest.mark.parametrize("command", ["dedupe {}", "index {} -o x.index", "query t.index {}"])
def test_every_command_says_that_a_table_is_read_as_one_text(tmp_path, command):
    lay(tmp_path, {"commas": COMMAS, "text": A})
    assert simdocs("index", "text", "-o", "t.index", cwd=tmp_path).status == 0
    for name, stdin in (("commas", None), ("-", COMMAS)):
        ask = command.replace("{}", name).split()
        done = simdocs(*ask, cwd=tmp_path, stdin=stdin)
        assert (done.status, done.err.count("looks like")) == (0, 1)
        assert f"simdocs: warning: {name}: this looks like CSV, but is read as one text: " in done.err
        assert "looks like" not in simdocs(*ask, *TEXT, cwd=tmp_path, stdin=stdin).err


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", "<w:t>text</w:t>" * 9)
    return out.getvalue()


NAMED = "give the file a name that ends in"
BINARY = {
    "x.pq": (b"PAR1\x15\x04", f"a Parquet file: {NAMED} .parquet, or give --input-format parquet"),
    "x.parquet.gz": (
        gzip.compress(b"PAR1\x15\x04\0"),
        "a Parquet file that was compressed once more: decompress it",
    ),
    "x.orc": (b"ORC\0", "an ORC file: convert it to Parquet, for example with pyarrow"),
    "x.avro": (b"Obj\x01\0", "an Avro file: convert it to Parquet, for example with DuckDB"),
    "x.feather": (b"ARROW1\0\0", f"an Arrow file: {NAMED} .arrow, or give --input-format arrow"),
    "x.zs": (b"\x28\xb5\x2f\xfd\x04\x58", f"zstd data: pipe it through zstdcat, or {NAMED} .zst"),
    "x.xz": (lzma.compress(A), "xz data: pipe it through xzcat"),
    "x.bz2": (bz2.compress(A), "bzip2 data: pipe it through bzcat"),
    "x.pdf": (b"%PDF-1.7\nno NUL in this one", "a PDF document: convert it with pdftotext"),
    "x.docx": (zipped(), "a Word document: save it as text"),
    "x.XLSX": (zipped(), "an Excel workbook: save its rows as CSV"),
    "unnamed": (zipped(), "a ZIP archive: unpack it"),
    "damaged.sqlite": (b"\0\0", "an SQLite database: save its rows as CSV"),
    "large.zip": (zipped() + bytes(2 << 20), "a ZIP archive: unpack it"),
    "photo": (b"\0\1", "a binary file (a NUL byte in the first 8 KiB)"),
}


@pytest.mark.reliability("archives, databases, PDF, office documents")
def test_files_that_are_not_text_are_called_what_they_are(tmp_path):
    lay(tmp_path, {f"d/{name}": data for name, (data, _) in BINARY.items()} | {"d/text": A})
    named = simdocs("dedupe", *(f"d/{name}" for name in BINARY), "-v", cwd=tmp_path)
    assert named.status == 3
    for name, (_, what) in BINARY.items():
        assert f"simdocs: d/{name}: skipped: {what}\n" in named.err
    walked = simdocs("dedupe", "d", "-v", cwd=tmp_path)
    assert walked.status == 0
    for name, (_, what) in BINARY.items():
        assert f"simdocs: d/{name}: skipped: {what}\n" in walked.err
    assert f", {len(BINARY)} skipped: a binary file\n" in walked.err
    assert simdocs("dedupe", "d", cwd=tmp_path) == (0, b"", "")
