"""The contents of files: similar texts in every script and encoding, JSON lines, compressed files, and random bytes."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis import strategies as st

from simdocs.parameters.file_formats import compression_of
from tests.packing import packed
from tests.similar_texts import WORDS, edited
from tests.strategies import ATOMS

PROSE = [word + b" " for word in WORDS]

ENCODINGS = [
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (b"", "utf-16-le"),
    (b"", "latin-1"),
]

VALUES = [None, True, 1.5, [], {}, "\0", "\ud800", 10**30]
"""Wrong values for a field of a line."""

BAD_LINES = [
    b"{",
    b"[]",
    b"\xff",
    b"1",
    b'{"text": "a"',
    b"\x1c",
    b"[" * 2000,
    b"{} {}",
    b'{"text": 1%s}' % (b"0" * 5000),
]

T = TypeVar("T")

Holds = Callable[[bytes], st.SearchStrategy[bytes]]
"""Returns a strategy for the contents of a file, from its name."""


def mostly(usual: st.SearchStrategy[T], *others: st.SearchStrategy[T]) -> st.SearchStrategy[T]:
    """Draw from the usual strategy two times in three, and otherwise from one of the others."""
    weighted = [usual] * 2 * len(others) + list(others)  # `|` would take a strategy that stands there twice as one
    return st.sampled_from(weighted).flatmap(lambda one: one)


@st.composite
def families(draw: st.DrawFn) -> list[bytes]:
    """Draw texts, most of which are edited versions of earlier ones."""
    few = draw(st.just(PROSE) | st.lists(st.sampled_from(ATOMS).flatmap(st.sampled_from), min_size=2, max_size=7))
    atom = st.sampled_from(few)
    long, short = st.lists(atom, min_size=15, max_size=40), st.lists(atom, max_size=4)
    texts = [draw(long)]
    kinds = st.sampled_from(("insert", "drop", "replace", "insert", "drop", "replace", "twice", "long", "short"))
    for kind in draw(st.lists(kinds, min_size=2, max_size=8)):
        if kind in ("long", "short"):
            text = draw(long if kind == "long" else short)
        else:
            text = edited(draw(st.sampled_from(texts)), kind, draw(st.integers(0, 40)), draw(atom))
        texts.append(text if kind != "twice" else text + text)
    return list(map(b"".join, texts))


def held(texts: Sequence[bytes], *, tables: bool = False) -> Holds:
    """Return strategies for the contents of files, which depend mostly on the suffixes of their names.

    tables: whether most files hold rows of CSV or TSV.
    """
    one = st.sampled_from(texts)
    any_bytes = mostly(one, one.flatmap(_written), one.flatmap(_written), one.flatmap(_damaged), st.binary(max_size=40))
    line = _lines(texts)
    lines = st.lists(mostly(line, line, line, line, st.sampled_from(BAD_LINES)), min_size=2, max_size=9)
    lines = lines.map(b"\n".join)
    sequences = mostly(lines, lines.map(lambda data: codecs.BOM_UTF8 + data + b"\n"), lines.flatmap(_damaged))

    if tables:
        table = _tables(texts)
        any_bytes = sequences = mostly(table, table, table.flatmap(_damaged), any_bytes)

    def of(name: bytes) -> st.SearchStrategy[bytes]:
        inside = sequences if b".jsonl" in name else any_bytes
        compression = compression_of(name)
        return inside.flatmap(lambda data: _compressed(data, compression)) if compression else inside

    return of


def _written(text: bytes) -> st.SearchStrategy[bytes]:
    """Draw the text in another encoding or case, or with other spaces."""
    characters = text.decode("utf-8", "replace")
    others = [mark + characters.encode(encoding, "replace") for mark, encoding in ENCODINGS]
    return st.sampled_from([*others, text.upper(), text.replace(b" ", b"\r\n"), b"\n" + text + b"\t", text + text])


def _damaged(text: bytes) -> st.SearchStrategy[bytes]:
    """Draw the text with a few bytes inserted, or cut short."""
    place = st.integers(0, len(text))
    put = st.tuples(
        place, st.sampled_from([b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xff\xfe", b"\n", b"!", b"\x85"])
    )
    return put.map(lambda at: text[: at[0]] + at[1] + text[at[0] :]) | place.map(lambda end: text[:end])


def _lines(texts: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Draw lines of JSON, most of them well-formed, with or without an id."""
    text = st.sampled_from([text.decode("utf-8", "surrogateescape") for text in texts])
    own = mostly(st.integers(0, 30), st.text(max_size=3), st.sampled_from(VALUES))
    fields = st.fixed_dictionaries(
        {"text": mostly(text, text, text, st.sampled_from(VALUES))}, optional={"id": own, "body": text}
    )
    spelt = st.tuples(fields, st.booleans(), st.sampled_from([b"", b" ", b"\r", b"\t"]))
    return spelt.map(
        lambda one: one[2] + json.dumps(one[0], ensure_ascii=one[1]).encode("utf-8", "surrogatepass") + one[2]
    )


@st.composite
def _tables(draw: st.DrawFn, texts: Sequence[bytes]) -> bytes:
    """Draw a table with texts, most of whose rows are well-formed."""
    text = st.sampled_from([text.decode("utf-8", "surrogateescape") for text in texts])
    own = mostly(st.integers(0, 30).map(str), st.sampled_from(["", "\0", "a,b", 'a"b', "a\nb", "é", " "]))
    header = draw(mostly(st.just(["id", "text"]), st.permutations(["id", "text", "body"]), st.just(["id", "id"])))
    cells = [mostly(own, text) if name == "id" else text for name in header]
    rows = draw(st.lists(mostly(st.tuples(*cells), st.lists(text, max_size=4)), max_size=7))
    out = io.StringIO()
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    ending = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    writer = csv.writer(
        out, delimiter=draw(st.sampled_from(",,;\t")), quoting=quoting, lineterminator=ending, escapechar="\\"
    )
    writer.writerows([header, *rows])
    blank = draw(st.sampled_from(["", "", "\n", "\r\n\r"]))
    mark = draw(st.sampled_from([b"", b"", codecs.BOM_UTF8]))
    return mark + (blank + out.getvalue() + blank).encode("utf-8", "surrogateescape")


def _compressed(data: bytes, name: str) -> st.SearchStrategy[bytes]:
    """Draw a compressed file of one or two frames, which may be damaged, or the data itself."""
    whole = packed(name, data)
    half = len(data) // 2
    two = packed(name, data[:half]) + b"\0" * (half % 3) + packed(name, data[half:])
    cut = st.integers(0, len(whole) - 1).map(lambda end: whole[:end])
    flipped = st.integers(0, len(whole) - 1).map(lambda at: whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    return st.sampled_from([whole, whole, two, whole + b"\0\0", whole + b"rubbish", data]) | cut | flipped
