"""Whatever a document holds, every command takes it, or passes it by and says why; and all of them agree."""

from __future__ import annotations

import codecs
import gzip
import random
from pathlib import Path

import pytest

from tests.amounts import slow
from tests.cli.commands import reading
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import simdocs

WIDE = A.decode()
DICE = random.Random(4)

BINARY = {
    "nul": b"\0" + A,
    "nul at 8191": (A * 40)[:8191] + b"\0" + A,
    "random": DICE.randbytes(20_000),
    "program": b"\x7fELF\x02\x01\x01" + bytes(9) + DICE.randbytes(5000),
    "picture.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + DICE.randbytes(900),
    "zeros.gz": gzip.compress(bytes(1 << 24)),
    "pdf": b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" + DICE.randbytes(3000).replace(b"\0", b"\1"),
}
"""Files with a NUL byte in the first 8 KiB that are no UTF-16 or 32; and one that begins like a PDF."""

EMPTY = {
    "empty": b"",
    "spaces": b" \r\n\t\x0c\xc2\xa0\xe3\x80\x80",
    "a mark": codecs.BOM_UTF8,
    "a mark of 16": codecs.BOM_UTF16_BE,
    "a mark of 32": codecs.BOM_UTF32_LE,
    "a mark and half a character": codecs.BOM_UTF16_LE + b" ",
}

SHORT = {"short": b"ok", "short again": b"OK\n", "short gz.gz": gzip.compress(b"ok")}

TEXTS = {
    "text": A,
    "text one": A1,
    "text two.gz": gzip.compress(A2),
    "other": B,
    "marked": codecs.BOM_UTF8 + A1,
    "line ends": A.replace(b" ", b"\r\n").upper(),
    "utf-16": codecs.BOM_UTF16_LE + WIDE.encode("utf-16-le"),
    "utf-16, big end first": codecs.BOM_UTF16_BE + WIDE.encode("utf-16-be"),
    "utf-16 without a mark": WIDE.encode("utf-16-le"),
    "utf-32": codecs.BOM_UTF32_BE + WIDE.encode("utf-32-be"),
    "nul at 8192": (A * 40)[:8192] + b"\0" + A,
    "unassigned": "\u0378\u05ff\U000e0fff\U0010ffff\ufdd0".encode() + A,
    "marks": WIDE.replace("e", "e\u0301\u0323").encode(),
    "marks alone": "\u0301\u0323".encode() * 400,
    "nothing but signs": b"!?.,;:-" * 60,
    "utf-16, half a character more": codecs.BOM_UTF16_LE + WIDE.encode("utf-16-le") + b"x",
    "lines.jsonl": b"\n".join(
        (
            b'{"id": 1, "text": "%s"}' % A,
            b'{"id": "\\ud800", "text": "\\ud800\\udc00 \\udfff %s"}' % A1,
            b'{"id": 2, "text": ""}',
            b'{"text": "%s"}' % b"\\u0301".join([b"a"] * 50),
        )
    ),
}

INVALID = {
    "latin-1": "Füße größer ähnlich übrig ".encode("latin-1") * 9,
    "bad bytes": b"\xff\xfd\xc0\x80" * 9 + A,
    "surrogates": b"\xed\xa0\x80\xed\xb0\x80" * 5 + A,
    "utf-16, unpaired": codecs.BOM_UTF16_LE + b"\x3d\xd8" * 5 + WIDE.encode("utf-16-le"),
    "utf-32, beyond all": codecs.BOM_UTF32_LE + b"\xff\xff\xff\x7f" * 5 + WIDE.encode("utf-32-le"),
}

ALL = BINARY | EMPTY | SHORT | TEXTS | INVALID

SWITCHES = ["--nfkc", "--strip-accents", "--strip-punctuation", "--mask-digits"]


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay(tmp_path_factory.mktemp("odd"), {f"docs/{name}": data for name, data in ALL.items()})


def pairs(rows: list[list[bytes]], *, twice: bool = False) -> set[frozenset[bytes]]:
    """The documents of each row; twice: each pair stands there from both sides."""
    found = [frozenset(row[:2]) for row in rows]
    assert len(found) == (1 + twice) * len(set(found))
    return set(found)


HOW = [["--unit", "char"], ["--unit", "word", *SWITCHES]]
MORE = [["--unit", "word"], ["--unit", "line", "--multiset"], ["--unit", "stopword"], SWITCHES]


@pytest.mark.reliability("a later NUL byte")
@pytest.mark.reliability("bytes that are not UTF-8")
@pytest.mark.reliability("invalid UTF-16 or UTF-32")
@pytest.mark.reliability("unassigned code points")
@pytest.mark.reliability("half a surrogate pair in JSON")
@pytest.mark.parametrize("how", [*HOW, *(pytest.param(how, marks=pytest.mark.slow) for how in MORE)], ids=" ".join)
def test_all_commands_agree_about_documents_of_odd_contents(odd, tmp_path, how):
    """What is nearly the same, whether it is asked of documents, of artifacts, or of an index about documents."""

    def ask(*words: object) -> list[list[bytes]]:
        done = simdocs(*words, cwd=odd)
        assert done.status == 0
        assert all("are not UTF-8" in line for line in done.err.splitlines())
        return done.rows

    shingles, index = tmp_path / "x.shingles", tmp_path / "x.index"
    ask("shingle", "docs", "-o", shingles, *how)
    ask("index", shingles, "-o", index)
    ask("check", shingles, index)
    expected = pairs(ask("pairs", "docs", "--all-copies", *how))
    assert len(expected) >= 14
    assert pairs(ask("pairs", shingles, "--all-copies")) == expected
    assert pairs(ask("query", index, "docs"), twice=True) == expected
    nothing = simdocs("dedupe", "docs", "--against", index, cwd=odd)
    assert (nothing.status, nothing.rows, nothing.err.count("\n")) == (0, [], 2)
    assert "simdocs: warning: nothing was compared: the index of --against has all" in nothing.err
    alone = {name for pair in expected for name in pair}
    assert not alone & {f"docs/{name}".encode() for name in BINARY | EMPTY}


@pytest.mark.reliability("a file without text")
@pytest.mark.reliability("a text shorter than k units")
@pytest.mark.reliability("bytes that are not UTF-8")
def test_artifacts_note_empty_short_and_invalid_documents(odd, tmp_path):
    assert simdocs("index", "docs", "-o", tmp_path / "x.index", cwd=odd).status == 0
    rows = simdocs("info", tmp_path / "x.index", cwd=odd).rows
    told = {row[0].decode(): row[1].decode() for row in rows}
    lines = 4  # of one file, of which one is empty, and one has half of a character
    assert int(told["documents"]) == len(ALL) - len(BINARY) + lines - 1
    assert int(told["empty"]) == len(EMPTY) + 1
    assert int(told["short"]) == len(SHORT)
    assert int(told["invalid_bytes"]) == len(INVALID) + 1
    assert int(told["utf_16_or_32"]) == sum("utf-" in name for name in TEXTS | INVALID) + 3
    assert int(told["skipped_binary"]) == len(BINARY)


@pytest.mark.reliability("a file without text")
@pytest.mark.reliability("a NUL byte in the first 8 KiB")
def test_a_text_in_another_encoding_than_its_copy_brings_a_hint(tmp_path):
    text = "Ça a débuté comme ça, très tôt, à l'été : où étaient les élèves ?\n"
    lay(tmp_path, {"docs/a": text.encode(), "docs/b": text.encode("latin-1")})
    such = "simdocs: warning: docs/b: this text is not UTF-8"
    hint = f"{such}: in another encoding a text does not match its UTF-8 copy: name it with --encoding, such as latin-1"
    assert simdocs("dedupe", "docs", cwd=tmp_path) == (0, b"", f"{hint}\n")
    (tmp_path / "docs/c").write_bytes(text.upper().encode("latin-1"))
    two = "docs/b and 1 more file: these texts are not UTF-8"
    assert two in simdocs("dedupe", "docs", cwd=tmp_path).err
    (tmp_path / "docs/a").unlink()
    assert "UTF-8" not in simdocs("dedupe", "docs", "--summary", cwd=tmp_path).err
    lay(tmp_path, {"rows/x.csv": f'text\n"{text}"'.encode("latin-1"), "rows/a": text.encode(), "rows/b": b"another"})
    assert simdocs("dedupe", "rows", cwd=tmp_path).err == ""


@pytest.mark.parametrize("command", ["dedupe", "index"])
def test_binary_files_are_passed_by_and_empty_ones_are_like_nothing(tmp_path, command):
    """Binary files are counted, and named with -v; empty ones are documents, like nothing."""
    lay(tmp_path, {f"docs/{name}": data for name, data in (BINARY | EMPTY).items()})
    found = reading(command, tmp_path, "docs", "-v")
    assert (found.status, found.documents, found.skipped) == (0, len(EMPTY), {"binary": len(BINARY)})
    what = dict.fromkeys(BINARY, "a binary file (a NUL byte in the first 8 KiB)")
    what["pdf"] = "a PDF document: convert it with pdftotext"
    said = [line for line in found.err.splitlines() if ": skipped: " in line]
    assert sorted(said) == sorted(f"simdocs: docs/{name}: skipped: {why}" for name, why in what.items())
    if (tmp_path / "answer").exists():
        assert (tmp_path / "answer").read_bytes() == b""


@pytest.mark.reliability("gzip data that becomes larger than --max-size")
@pytest.mark.reliability("malformed JSON")
@pytest.mark.parametrize("command", ["query", "index"])
def test_gzip_bombs_and_deeply_nested_lines_are_named(tmp_path, command):
    """Files that unfold to more than may be, and a line that is nested more deeply than anybody would."""
    line = gzip.compress(b'{"text": "' + b"x" * (1 << 22) + b'"}')
    deep = b'{"text": "%s"}\n{"text": "a", "more": %s1%s}\n' % (A, b"[" * 100_000, b"]" * 100_000)
    bombs = {"docs/bomb.gz": gzip.compress(b"a" * (1 << 22)), "docs/lines.jsonl.gz": line}
    lay(tmp_path, {"docs/a": A, "docs/deep.jsonl": deep} | bombs)
    found = reading(command, tmp_path, "docs", "--max-size", "1M")
    assert (found.status, found.documents, found.skipped) == (3, 2, {"oversized": 2, "malformed": 1})
    named = [line.split(": ")[1] for line in found.err.splitlines()]
    assert named == ["docs/bomb.gz", "docs/lines.jsonl.gz, line 1", "docs/deep.jsonl, line 2"]
    assert "nested too deeply" in found.err


@pytest.mark.reliability("one line of 50 MB")
@pytest.mark.parametrize(
    ("unit", "size"), [("word", 1_000_000), *slow(("word", 50_000_000), ("char", 50_000_000), ("stopword", 50_000_000))]
)
def test_a_long_document_without_line_ends_is_found_by_every_road(tmp_path, unit, size):
    data = b" ".join(b"and n%d" % at for at in range(size // 12))
    lay(tmp_path, {"docs/a": data, "new/b": data + b" and the end\n"})
    options = ["--unit", unit, "--threshold", "0.3"]
    assert simdocs("index", "docs", "-o", "x.index", *options, cwd=tmp_path) == (0, b"", "")
    for words in (
        ("dedupe", "docs", "new", *options),
        ("dedupe", "new", "--against", "x.index"),
        ("query", "x.index", "new"),
    ):
        done = simdocs(*words, cwd=tmp_path)
        assert (done.status, done.err) == (0, "")
        assert pairs(done.rows) == {frozenset({b"docs/a", b"new/b"})}
