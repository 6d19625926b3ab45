"""Files whose rows may be documents, and files that are not text, are called what they are."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import simdocs
from tests.commands.building import opened

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
    "a.csv": (table(","), "CSV"),
    "excel export.csv": (table(",", bom=True), "CSV"),
    "b.csv": (table(";"), "CSV with semicolons"),
    "c.tsv": (table("\t"), "TSV"),
    "array": (ARRAY, "a JSON array"),
    "rows": (table(","), "CSV"),
    "e.csv.gz": (gzip.compress(table(","), mtime=0), "CSV"),
}


@pytest.fixture
def there(tmp_path: Path) -> Path:
    return lay(tmp_path, {f"d/{name}": data for name, (data, _) in FILES.items()} | {"text": A})


COMMANDS = {
    "shingle": "shingle {} -o x.shingles",
    "signature": "signature {} -o x.signatures",
    "index": "index {} -o x.index",
    "dedupe": "dedupe {}",
    "pairs": "dedupe {} --pairs",
    "dry run": "index {} -o x.index --dry-run",
    "query": "query t.index {}",
    "tune": "tune {}",
    "audit": "audit {}",
}


@pytest.mark.reliability("a table or JSON array as an argument or standard input")
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_that_a_table_is_read_as_one_text(there, command):
    assert simdocs("index", "text", "-o", "t.index", cwd=there).status == 0
    words = COMMANDS[command].split()
    for name, stdin in (("d/a.csv", None), ("-", FILES["a.csv"][0])):
        ask = [word.replace("{}", name) for word in words]
        done = simdocs(*ask, cwd=there, stdin=stdin)
        assert done.status == 0
        assert done.err.count("looks like") == 1
        assert f"simdocs: warning: {name}: this looks like CSV, but is read as one text: " in done.err
        for option in ("-q", "--plain"):
            assert "looks like" not in simdocs(*ask, option, cwd=there, stdin=stdin).err


@pytest.mark.parametrize("name", FILES)
def test_the_command_in_the_warning_turns_rows_into_documents(there, name):
    """It is run by a shell as it stands there."""
    done = simdocs("dedupe", f"d/{name}", cwd=there)
    assert (done.status, done.out) == (0, b"")
    wrong, _, command = done.err.rstrip("\n").partition("--text-field NAME: ")
    assert f"this looks like {FILES[name][1]}, but is read as one text: if it is one text, give --plain" in wrong
    made = subprocess.run(["/bin/sh", "-c", command], cwd=there, capture_output=True, check=True)
    assert (made.stdout, made.stderr) == (b"", b"")
    (lines,) = there.glob("d/*.jsonl")
    assert lines.name.removesuffix(".jsonl") == name.removesuffix(".gz").rsplit(".", 1)[0]
    assert [json.loads(line)["body"] for line in lines.read_text().splitlines()] == TEXTS
    found = simdocs("dedupe", lines, "--text-field", "body", cwd=there)
    assert (found.status, found.err, len(found.rows)) == (0, "", 1)
    assert found.names == [(f"{lines}#n0", f"{lines}#n1")]


def test_the_command_for_standard_input_goes_into_a_pipe(there):
    done = simdocs("dedupe", "-", stdin=ARRAY, cwd=there)
    command = done.err.rstrip("\n").partition("give --jsonl and --text-field NAME: ")[2]
    made = subprocess.run(["/bin/sh", "-c", command], input=ARRAY, capture_output=True, check=True)
    found = simdocs("dedupe", "-", "--jsonl", "--text-field", "body", stdin=made.stdout, cwd=there)
    assert (found.status, found.err, found.names) == (0, "", [("-#n0", "-#n1")])


def test_an_array_of_strings_becomes_lines_of_text(tmp_path):
    lay(tmp_path, {"x": json.dumps(TEXTS).encode()})
    command = simdocs("dedupe", "x", cwd=tmp_path).err.rstrip("\n").partition("NAME: ")[2]
    subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, check=True)
    assert [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()] == [
        {"text": text} for text in TEXTS
    ]


def test_tables_in_a_directory_are_counted(there):
    said = "3 look like CSV"
    for ask in (
        ("dedupe", "d"),
        ("index", "d", "-o", "x.index"),
        ("index", "d", "-o", "x.index"),
        ("dedupe", "x.index"),
    ):
        assert simdocs(*ask, cwd=there, env=None).err == ""
        done = simdocs(*ask, "--summary", "--summary-json", "note", cwd=there)
        assert (
            ", 1 looks like a JSON array, 1 looks like TSV, 1 looks like CSV with semicolons, 4 look like CSV"
            in done.err
        )
        counts = json.loads((there / "note").read_bytes())["looks_like"]
        assert counts == {"a JSON array": 1, "TSV": 1, "CSV with semicolons": 1, "CSV": 4}
    plain = simdocs("dedupe", "d", "--plain", "--summary", "--summary-json", "note", cwd=there)
    assert "look" not in plain.err
    assert json.loads((there / "note").read_bytes())["looks_like"] == {}
    assert said not in plain.err


def test_entries_of_a_list_are_counted_like_files_of_a_directory(there):
    done = simdocs("dedupe", "--files-from", "-", "--summary", stdin=b"d/a.csv\nd/c.tsv\n", cwd=there)
    assert (done.status, "warning" in done.err) == (0, False)
    assert ", 1 looks like TSV, 1 looks like CSV" in done.err


def test_an_update_warns_of_a_table_that_has_not_changed_and_equals_a_build_from_scratch(there):
    ask = ("index", "d/a.csv", "d", "-o", "x.index")
    first = simdocs(*ask, cwd=there)
    assert first.err.count("this looks like CSV") == 1
    (there / "d/rows").rename(there / "d/rows.csv")
    assert simdocs(*ask, cwd=there) == first
    updated = opened(there / "x.index").documents.facts.tobytes()
    assert simdocs(*ask, "--rebuild", cwd=there) == first
    assert opened(there / "x.index").documents.facts.tobytes() == updated


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", "<w:t>text</w:t>" * 9)
    return out.getvalue()


BINARY = {
    "x.parq": (
        b"PAR1\x15\x04",
        "a Parquet file: give the file a name that ends in .parquet, or give --input-format parquet",
    ),
    "x.zs": (
        b"\x28\xb5\x2f\xfd\x04\x58",
        "zstd data: pipe it through zstdcat, or give the file a name that ends in .zst",
    ),
    "x.xz": (lzma.compress(A), "xz data: pipe it through xzcat"),
    "x.bz2": (bz2.compress(A), "bzip2 data: pipe it through bzcat"),
    "empty.bz2": (bz2.compress(b""), "bzip2 data: pipe it through bzcat"),
    "x.pdf": (b"%PDF-1.7\nno NUL in this one", "a PDF document: convert it with pdftotext"),
    "x.docx": (zipped(), "a Word document: save it as text"),
    "x.XLSX": (zipped(), "an Excel workbook: convert its rows to JSON Lines, for example with pandas"),
    "x.zip": (zipped(), "a ZIP archive: unpack it"),
    "unnamed": (zipped(), "a ZIP archive: unpack it"),
    "damaged.sqlite": (b"\0\0", "an SQLite database: convert its rows to JSON Lines, for example with pandas"),
    "large.zip": (zipped() + bytes(2 << 20), "a ZIP archive: unpack it"),
    "photo": (b"\0\1", "a binary file (a NUL byte in the first 8 KiB)"),
}


@pytest.mark.reliability("archives, Parquet, PDF, office documents")
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
    assert simdocs("show", "x.pdf", cwd=tmp_path) == (2, b"", f"simdocs: error: x.pdf: {what}\n")
    assert simdocs("compare", "text", "x.pdf", cwd=tmp_path) == (2, b"", f"simdocs: error: x.pdf: {what}\n")
    done = simdocs("dedupe", "text", "-", stdin=BINARY["x.pdf"][0], cwd=tmp_path)
    assert done == (3, b"", f"simdocs: -: skipped: {what}\n")
