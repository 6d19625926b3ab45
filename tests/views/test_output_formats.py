"""Any name can be read back from any format, and no format harms a terminal."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from simdocs.model.result import NAME, SIMILARITY, TableHead, table_head
from simdocs.names import display_name
from simdocs.options.declaration import loaded
from simdocs.options.families import FORMATS
from simdocs.views.output import NulEnded, harmless

BYTES = st.binary(min_size=1, max_size=12).map(lambda name: name.replace(b"\0", b"x"))
WRITTEN = st.text("\t\n\r\\\"',;nrtu0 \x1b\x9b\x7f\u202e\u2028\u200b\U000e0041é😀a", min_size=1).map(str.encode)
NAMES = st.lists(BYTES | WRITTEN, min_size=1, max_size=5)
HEAD = table_head(name=NAME, jaccard=SIMILARITY)


def drawn(form: str, names: list[bytes]) -> bytes:
    """Draw the names in this format, in blocks of two rows, half of them with a similarity."""
    drawing = loaded(FORMATS[form].implementation)(HEAD)
    rows = [(name, None if at % 2 else 2 / 3) for at, name in enumerate(names)]
    blocks = [drawing.rows(rows[at : at + 2]) for at in range(0, len(rows), 2)]
    return b"".join([drawing.begin(), *blocks, drawing.end()])


def untabbed(field: bytes) -> bytes:
    escapes = {b"\\t": b"\t", b"\\n": b"\n", b"\\r": b"\r", b"\\\\": b"\\"}
    return re.sub(rb"\\.", lambda found: escapes[found[0]], field)


def named(line: bytes) -> bytes:
    one = json.loads(line.decode("utf-8"))
    return one["name"].encode() if "name" in one else base64.b64decode(one["name_b64"], validate=True)


@given(NAMES)
@example([b"\\", b"\\t", b"\t\\", b"\\\\n\n", b"\r\n"])
@example([b"\r"])
def test_names_can_be_read_back_from_tsv(names):
    lines = drawn("tsv", names).split(b"\n")
    assert lines.pop() == b""
    assert b"\r" not in b"".join(lines)
    fields = [line.split(b"\t") for line in lines]
    assert [untabbed(row[0]) for row in fields] == names
    assert [row[1] for row in fields] == [b"" if at % 2 else b"0.666667" for at in range(len(names))]


@given(NAMES)
@example([b'"', b",", b'""\r', b" ", b"\n"])
def test_names_can_be_read_back_from_csv(names):
    text = drawn("csv", names).decode("utf-8", "surrogateescape")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert [row[0].encode("utf-8", "surrogateescape") for row in rows[1:]] == names


@given(NAMES)
def test_names_can_be_read_back_from_jsonl(names):
    lines = drawn("jsonl", names).split(b"\n")
    assert lines.pop() == b""
    assert [named(line) for line in lines] == names


@given(NAMES)
def test_names_ended_by_nul_can_be_read_back(names):
    drawing = NulEnded(TableHead(HEAD.columns[:1]))
    assert drawing.begin() == drawing.end() == b""
    assert drawing.rows([(name,) for name in names]).split(b"\0") == [*names, b""]


def is_harmless(text: str) -> bool:
    """Whether a text has no control or format characters, line separators or lone surrogates."""
    return not {unicodedata.category(character) for character in text} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(NAMES)
def test_no_format_harms_a_terminal(names):
    assert all(is_harmless(display_name(name)) for name in names)
    for form in ("tsv", "csv", "jsonl", "table"):
        text = harmless(drawn(form, names), json=form == "jsonl").decode("utf-8")
        assert is_harmless(re.sub(r"[\n\t]", "", text))


@given(NAMES)
def test_json_stays_exact_on_a_terminal(names):
    lines = harmless(drawn("jsonl", names), json=True).split(b"\n")
    assert [named(line) for line in lines[:-1]] == names
