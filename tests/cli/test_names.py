"""Names of every kind: what comes out leads back to the file, in every format and locale."""

from __future__ import annotations

import base64
import csv
import io
import json
import os
import re
import shutil
from unicodedata import category

import pytest

from tests.cli.corpus import A
from tests.cli.program import environment, simdocs
from tests.cli.terminal import on_terminal

NAMES = [
    b"not utf-8 \xff\xfe\xe4",
    b"new\nline",
    b"tab\tstop",
    b"back\\slash \\t \\n",
    b"carriage\rreturn",
    b"quote\" and 'single'",
    b"comma,semicolon;",
    b"\x1b]52;c;aGk=\x07\x1b[31mred",
    b"\x7f\x01\x1f",
    "c1 \x9b31m \x85".encode(),
    "\u202egpj.exe \u2066\u2069\u200f".encode(),
    "\u2028\u2029".encode(),
    b"-rf",
    b"--help",
    "zero\u200bwidth\u200d \u2060\ufeff\u00ad".encode(),
    "tags \U000e0001\U000e0041 \u206a\u206f\ufff9\ufffb".encode(),
    b" leading and trailing ",
    b"%s {0} $HOME `id` *?[a]",
    b"=cmd()",
    "café and cafe\u0301".encode(),
    "caf\u00e9".encode(),
    "cafe\u0301".encode(),
    b"[bold red]markup[not bold]",
    b"x" * 255,
    b"\xff" * 255,
]
HARMFUL = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Categories of characters that no terminal may get, but for line feeds and tabs."""

LOCALES = ["C.UTF-8", None]


@pytest.fixture
def hostile(tmp_path):
    """A directory of copies of one text under all these names; the first in row order is `!`."""
    for name in (b"!", *NAMES):
        (tmp_path / os.fsdecode(name)).write_bytes(A)
    return tmp_path


def unescaped(field: bytes) -> bytes:
    escapes = {b"\\t": b"\t", b"\\n": b"\n", b"\\r": b"\r", b"\\\\": b"\\"}
    return re.sub(rb"\\.", lambda found: escapes[found[0]], field)


def in_row_order() -> list[bytes]:
    return sorted([b"./" + name for name in (b"!", *NAMES)])


@pytest.mark.reliability("names that are not UTF-8")
@pytest.mark.reliability("line feeds, tabs, backslashes, quotes and carriage returns in names")
@pytest.mark.reliability("names that begin with a dash")
@pytest.mark.reliability("spaces, repeated slashes, . and .. in paths")
@pytest.mark.reliability("=cmd(), %s, backquotes and patterns in names")
@pytest.mark.reliability("one name composed and decomposed")
@pytest.mark.parametrize("locale", LOCALES)
def test_a_name_in_tsv_leads_back_to_its_file(hostile, locale):
    env = environment(LC_ALL=locale)
    done = simdocs("dedupe", ".", cwd=hostile, env=env, served=True)
    assert (done.status, done.err) == (0, "")
    rows = [line.split(b"\t") for line in done.out.removesuffix(b"\n").split(b"\n")]
    assert {len(row) for row in rows} == {4}
    assert b"\r" not in done.out
    first, *rest = in_row_order()
    assert [unescaped(row[1]) for row in rows] == rest
    assert {unescaped(row[0]) for row in rows} == {first}


@pytest.mark.reliability("names that are not UTF-8")
@pytest.mark.parametrize("locale", LOCALES)
def test_nul_ended_names_are_raw_bytes(hostile, locale):
    env = environment(LC_ALL=locale)
    first, *rest = in_row_order()
    done = simdocs("dedupe", ".", "--list", "duplicates", "-0", cwd=hostile, env=env, served=True)
    assert done == (0, b"".join(name + b"\0" for name in rest), "")
    assert simdocs("dedupe", ".", "--list", "kept", "-0", cwd=hostile, env=env, served=True).out == first + b"\0"


@pytest.mark.reliability("names that are not UTF-8")
@pytest.mark.reliability("line feeds, tabs, backslashes, quotes and carriage returns in names")
@pytest.mark.parametrize("locale", LOCALES)
def test_names_in_json_are_exact_or_base64(hostile, locale):
    done = simdocs("dedupe", ".", "--format", "jsonl", cwd=hostile, env=environment(LC_ALL=locale), served=True)
    found = []
    for line in done.out.removesuffix(b"\n").split(b"\n"):
        one = json.loads(line.decode("utf-8"))
        assert ("duplicate" in one) != ("duplicate_b64" in one)
        raw = "duplicate_b64" in one
        found.append(base64.b64decode(one["duplicate_b64"], validate=True) if raw else one["duplicate"].encode())
        assert raw == (b"\xff" in found[-1])
    assert found == in_row_order()[1:]


@pytest.mark.reliability("line feeds, tabs, backslashes, quotes and carriage returns in names")
@pytest.mark.reliability("=cmd(), %s, backquotes and patterns in names")
def test_names_in_csv_are_exact(hostile):
    done = simdocs("dedupe", ".", "--format", "csv", cwd=hostile)
    text = done.out.decode("utf-8", "surrogateescape")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert [os.fsencode(row[1]) for row in rows[1:]] == in_row_order()[1:]


@pytest.mark.reliability("escape sequences, control and format characters in names")
@pytest.mark.parametrize("form", ["table", "tsv", "csv", "jsonl"])
def test_no_name_harms_a_terminal_in_any_format(hostile, form):
    done = on_terminal("dedupe", ".", "--format", form, colored=False, cwd=hostile)
    assert done.status == 0
    text = done.out.decode("utf-8", "surrogateescape")
    assert {character for character in text if category(character) in HARMFUL} <= {"\n", "\t"}
    assert text.count("zero\\u200bwidth\\u200d") == 1
    assert len(re.findall(r"tags (\\U000e0001|\\udb40\\udc01)", text)) == 1


@pytest.mark.reliability("escape sequences, control and format characters in names")
def test_names_to_be_ended_by_nul_are_lines_on_a_terminal(hostile):
    """Nobody sees a NUL there. In a pipe and in a file the names are exact."""
    ask = ("dedupe", ".", "--list", "duplicates")
    done = on_terminal(*ask, "-0", cwd=hostile)
    assert done == on_terminal(*ask, "--format", "tsv", cwd=hostile)
    text = done.out.decode()
    assert len(text.splitlines()) == len(NAMES)
    assert {character for character in text if category(character) in HARMFUL} == {"\n"}
    assert on_terminal(*ask, "-0", "-o", ".list", cwd=hostile).out == b""
    assert (hostile / ".list").read_bytes().count(b"\0") == len(NAMES)
    assert on_terminal(*ask, "-0", cwd=hostile, which=["stderr"]).out.count(b"\0") == len(NAMES)


@pytest.mark.reliability("escape sequences, control and format characters in names")
def test_the_default_table_is_harmless_and_names_all_documents(hostile):
    done = on_terminal("dedupe", ".", columns=3000, cwd=hostile)
    text = re.sub(rb"\x1b\[\d*m", b"", done.out).decode("utf-8", "surrogateescape")
    assert "\x1b" not in text
    assert "\\x1b]52;c;aGk=\\x07\\x1b[31mred" in text
    assert "[bold red]markup[not bold]" in text
    assert "\\xff\\xfe\\xe4" in text
    assert "\\u202egpj.exe" in text
    assert len([line for line in text.split("\n") if "1.000000" in line]) == len(NAMES)


@pytest.mark.reliability("names that begin with a dash")
@pytest.mark.parametrize("locale", LOCALES)
def test_names_given_as_arguments_may_hold_any_bytes(hostile, locale):
    env = environment(LC_ALL=locale)
    done = simdocs("dedupe", "--list", "kept", "-0", "--", *NAMES, b"-rf", cwd=hostile, env=env, served=True)
    assert done == (0, NAMES[0] + b"\0", "")
    listed = simdocs(
        "dedupe", "--files0-from", "-", "--list", "duplicates", "-0",
        stdin=b"\0".join(NAMES), cwd=hostile, env=env, served=True,
    )  # fmt: skip
    assert listed.out.split(b"\0")[:-1] == [b"./" + name if name[:1] == b"-" else name for name in NAMES[1:]]


@pytest.mark.reliability("names that are not UTF-8")
@pytest.mark.reliability("names of 255 bytes")
def test_names_of_any_bytes_survive_in_an_index(hostile, tmp_path_factory):
    env, place = environment(LC_ALL=None), tmp_path_factory.mktemp("place")
    names = [os.path.join(os.fsencode(hostile), name) for name in in_row_order()]
    assert simdocs("index", ".", "-o", place / "x.index", cwd=hostile, env=env, served=True) == (0, b"", "")
    assert simdocs("dedupe", place / "x.index", cwd=hostile, env=env, served=True) == simdocs(
        "dedupe", ".", cwd=hostile, env=env, served=True
    )
    duplicates = simdocs("dedupe", place / "x.index", "--list", "duplicates", "-0", cwd="/", env=env, served=True)
    assert duplicates == (0, b"".join(name + b"\0" for name in names[1:]), "")
    found = simdocs("query", place / "x.index", "-", stdin=A, cwd="/", env=env, served=True)
    assert [unescaped(line.split(b"\t")[1]) for line in found.out.split(b"\n")[:-1]] == names
    raw = simdocs("query", place / "x.index", "-", "--list", "matches", "-0", stdin=A, cwd="/", env=env, served=True)
    assert raw == (0, b"".join(name + b"\0" for name in names), "")
    new = os.fsencode(place / "new") + NAMES[0]
    shutil.copy(hostile / "!", new)
    against = simdocs("dedupe", new, "--against", place / "x.index", "--format", "jsonl", cwd="/", env=env, served=True)
    assert base64.b64decode(json.loads(against.out)["duplicate_b64"]) == new
    assert json.loads(against.out)["kept"].encode() == names[0]


@pytest.mark.reliability("escape sequences, control and format characters in names")
def test_messages_about_names_of_any_bytes_are_harmless(hostile):
    """Gone from an index, each is named in a line of its own."""
    assert simdocs("index", ".", "-o", "../x.index", cwd=hostile) == (0, b"", "")
    for name in os.listdir(hostile):
        os.unlink(hostile / name)
    done = simdocs("dedupe", "../x.index", "-v", cwd=hostile)
    lines = [line for line in done.err.splitlines() if ": skipped: its file is gone" in line]
    assert (done.status, done.out, len(lines)) == (3, b"", len(NAMES) + 1)
    assert all(line.isprintable() for line in lines)
