"""Files whose rows may be documents, and files that are not text, are called what they are."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import shlex
import zipfile
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import simdocs

TEXT = ("--input-format", "text")

TEXTS = [A.decode(), A1.decode(), 'a third text, with a comma and "quotes"\nand two lines: ' + B.decode()]


def table(delimiter: str, *, bom: bool = False) -> bytes:
    """A table with a header, and texts with commas, quotes and line feeds."""
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(
        [["id", "body"], *([f"n{at}", text] for at, text in enumerate(TEXTS))]
    )
    return out.getvalue().encode("utf-8-sig" if bom else "utf-8")


ARRAY = json.dumps([{"id": f"n{at}", "body": text} for at, text in enumerate(TEXTS)]).encode()

FILES = {
    "commas": (table(","), "CSV", "csv"),
    "excel export.txt": (table(",", bom=True), "CSV", "csv"),
    "b.txt": (table(";"), "CSV with semicolons", "csv and --delimiter ';'"),
    "c.tab": (table("\t"), "TSV", "tsv"),
    "array": (ARRAY, "a JSON array", "json"),
    "lines.log": (b"\n".join(json.dumps(row).encode() for row in json.loads(ARRAY)), "JSON Lines", "jsonl"),
    "e.txt.gz": (gzip.compress(table(","), mtime=0), "CSV", "csv"),
}
"""Files whose names do not show what they hold, what they look like, and what --input-format must be."""


@pytest.fixture
def there(tmp_path: Path) -> Path:
    return lay(tmp_path, {f"d/{name}": data for name, (data, *_) in FILES.items()} | {"text": A})


@pytest.mark.reliability("a table or JSON array under another name, or on standard input")
@pytest.mark.parametrize("command", ["dedupe {}", "index {} -o x.index", "query t.index {}"])
def test_every_command_says_that_a_table_is_read_as_one_text(there, command):
    assert simdocs("index", "text", "-o", "t.index", cwd=there).status == 0
    for name, stdin in (("d/commas", None), ("-", FILES["commas"][0])):
        ask = command.replace("{}", name).split()
        done = simdocs(*ask, cwd=there, stdin=stdin)
        assert (done.status, done.err.count("looks like")) == (0, 1)
        assert f"simdocs: warning: {name}: this looks like CSV, but is read as one text: " in done.err
        assert "looks like" not in simdocs(*ask, *TEXT, cwd=there, stdin=stdin).err


@pytest.mark.parametrize("name", FILES)
def test_the_options_in_the_warning_read_rows_as_documents(there, name):
    """They are read by a shell as they stand there."""
    asked = f"d/{name}"
    done = simdocs("dedupe", asked, cwd=there)
    assert (done.status, done.out) == (0, b"")
    wrong, _, rest = done.err.rstrip("\n").partition(": to read its rows as documents, give ")
    assert wrong == f"simdocs: warning: {asked}: this looks like {FILES[name][1]}, but is read as one text"
    options, _, plain = rest.partition("; ")
    assert (options, plain) == (f"--input-format {FILES[name][2]}", "if it is one text, --input-format text")
    given = shlex.split(options.replace(" and", ""))
    found = simdocs("dedupe", asked, *given, "--text-field", "body", cwd=there)
    assert (found.status, found.err, found.names) == (0, "", [(f"{asked}#n0", f"{asked}#n1")])


def test_standard_input_is_read_in_the_format_of_the_index(there):
    of_table = ("--input-format", "csv", "--delimiter", ";", "--text-field", "body")
    assert simdocs("index", "d/b.txt", *of_table, "-q", "-o", "x.index", cwd=there)[0] == 0
    data = (there / "d" / "b.txt").read_bytes()
    for command in ("query x.index - --top 1", "dedupe - --against x.index --list duplicates"):
        done = simdocs(*command.split(), "-q", "--format", "tsv", cwd=there, stdin=data)
        assert [line.partition(b"\t")[0] for line in done.out.splitlines()][:1] == [b"-#n0"]
    one_text = simdocs("dedupe", "-", "--against", "x.index", *TEXT, "--list", "kept", "-q", cwd=there, stdin=data)
    assert one_text.out == b"-\n"


def test_tables_in_a_directory_are_counted(there):
    counted = {"JSON Lines": 1, "a JSON array": 1, "TSV": 1, "CSV with semicolons": 1, "CSV": 3}
    for ask in (("index", "d", "-o", "x.index"), ("dedupe", "x.index")):
        done = simdocs(*ask, "--summary", "--summary-json", "note", cwd=there)
        assert done.err.count("is read as one text") == (5 if ask[0] == "index" else 0)
        assert (" and 2 more files: these look like CSV, but each is" in done.err) == (ask[0] == "index")
        assert ", 1 looks like TSV, 1 looks like CSV with semicolons, 3 look like CSV" in done.err
        assert json.loads((there / "note").read_bytes())["looks_like"] == counted
    plain = simdocs("dedupe", "d", *TEXT, "--summary", "--summary-json", "note", cwd=there)
    assert "look" not in plain.err
    assert json.loads((there / "note").read_bytes())["looks_like"] == {}


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


def test_single_texts_and_standard_input_are_called_what_they_are_too(tmp_path):
    lay(tmp_path, {"x.pdf": BINARY["x.pdf"][0], "text": A})
    what = "a PDF document: convert it with pdftotext"
    assert simdocs("compare", "text", "x.pdf", cwd=tmp_path) == (2, b"", f"simdocs: error: x.pdf: {what}\n")
    done = simdocs("dedupe", "text", "-", stdin=BINARY["x.pdf"][0], cwd=tmp_path)
    assert done == (3, b"", f"simdocs: -: skipped: {what}\n")
