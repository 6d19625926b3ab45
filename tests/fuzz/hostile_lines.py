"""Strategies for JSON Lines that nobody writes by accident: hostile values, ids and line ends, as bytes."""

from __future__ import annotations

import codecs
import json
from collections.abc import Sequence

from hypothesis import strategies as st

from tests.fuzz.contents import mostly
from tests.packing import has_zstd, packed

DEEP = [b"%s1%s" % (left * depth, right * depth) for depth in (90, 5000, 200_000) for left, right in ((b"[", b"]"),)]
DEEP += [b'{"text":' * depth for depth in (90, 200_000)] + [b'{"a":' * 5000 + b"1" + b"}" * 5000]

NUMBERS = [b"NaN", b"Infinity", b"-Infinity", b"-0", b"-0.0", b"1e999", b"1E-999", b"1" + b"0" * 4299, b"9" * 100_000]
NUMBERS += [b"-1", b"18446744073709551616", b"0.1", b"1.0", b"01", b"+1", b".5", b"0x1", b"1_0"]

OTHERS = [b"null", b"true", b"false", b"[]", b"{}", b'["a"]', b'{"id": 1}']

TEXTS = [
    *("", " ", "\0", "\n", "\r\n", "..", ".", "-", "--pairs", "-rf", "/", "../b", "/../x", "a/../../b", "/etc/passwd"),
    *("\x1b[31m", "\x07", "\x7f", "\x85", "\u2028", "\u202e", "\u2066", "\ufeff", "\ud800", "\udcff", "\udfff\ud800"),
    *("1", "01", "#1", "x.jsonl#1", "e\u0301", "\xe9", "\U0001f600", "\U000e0041", "\U0010ffff", "%s%n", "$(x)", "`x`"),
    *("'", '"', "\\", "a\tb", "a\nb", "=1+1", "y" * 255, "y" * 100_000, "\u202e" * 1000),
]

WHOLE = [
    *(b"", b" ", b"\t\r", b"\x0b", b"\x0c", b"\0", b"\xff", b"\xed\xa0\x80", b"\xc0\x80", codecs.BOM_UTF8, b"null"),
    *(b"1", b'"text"', b"[]", b"{", b"}", b"{}{}", b'{"text"}', b"{'text': 'a'}", b'{"text": "a",}', b"// text"),
    *(b'{"text": "a"', b'{"text": "\n"}', b'{"text": "\\u12"}', b'{"text": "\\ud800\\udc00"}', b'{"text": "\\x"}'),
    *(b'{"id": 1}', b'{"TEXT": "a"}', b'{"text": "a", "id": 1, "id": 2}', b"\xff\xfe{\0}\0", b"x" * 100_000),
]
"""Whole lines, most of which are not documents."""


def lines_of(texts: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Draw a line: mostly an object with a text, and with an id that is often hostile."""
    known = st.sampled_from([_spelt(text.decode("utf-8", "surrogateescape")) for text in texts])
    odd = st.sampled_from([*DEEP, *NUMBERS, *OTHERS, *map(_spelt, TEXTS)])
    own = st.sampled_from([*(b"%d" % number for number in range(4)), *OTHERS]) | odd
    fields = st.tuples(mostly(known, known, known, odd), st.none() | own, st.none() | odd, st.integers(0, 5))
    return mostly(fields.map(lambda one: _line(*one)), st.sampled_from(WHOLE))


def _spelt(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=len(text) % 2 == 0).encode("utf-8", "surrogatepass")


def _line(text: bytes, own: bytes | None, other: bytes | None, turn: int) -> bytes:
    fields = [(b"text", text), *([(b"id", own)] if own else []), *([(b"more", other)] if other else [])]
    fields = fields[turn % len(fields) :] + fields[: turn % len(fields)]
    if turn == 5:
        fields.append(fields[0])  # a key that is repeated
    return b"{%s}" % b", ".join(b'"%s": %s' % field for field in fields)


def files_of(texts: Sequence[bytes], *, compression: str = "") -> st.SearchStrategy[bytes]:
    """Draw the contents of a file of such lines: with any line ends, encoded as UTF-16, compressed, or cut short."""
    ends = st.sampled_from([b"\n", b"\n", b"\r\n", b"\n\n", b"\n \r\n", b"\r"])
    lines = st.lists(lines_of(texts), max_size=8)
    whole = st.builds(lambda some, end, last: end.join(some) + end * last, lines, ends, st.integers(0, 2))
    encoded = whole.flatmap(lambda data: st.sampled_from(_encoded(data)))
    written = mostly(whole, encoded)
    if compression:
        written = written.flatmap(lambda data: st.sampled_from(_compressed(data, compression)))
    return written | written.flatmap(lambda data: st.integers(0, len(data)).map(lambda end: data[:end]))


def _encoded(data: bytes) -> list[bytes]:
    text = data.decode("utf-8", "replace")
    wide = [codecs.BOM_UTF16_LE + text.encode("utf-16-le"), text.encode("utf-16-be"), text.encode("utf-32")]
    return [codecs.BOM_UTF8 + data, data.replace(b"\n", b"\n" + codecs.BOM_UTF8), *wide]


def _compressed(data: bytes, name: str) -> list[bytes]:
    whole, half = packed(name, data, 1), len(data) // 2
    two = packed(name, data[:half], 1) + packed(name, data[half:], 1)
    other = packed("gzip" if name == "zstd" or not has_zstd() else "zstd", data)
    return [whole, two, whole + b"\0" * 999, whole + b"{}\n", packed(name, whole, 1), other, data]
