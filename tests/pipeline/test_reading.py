"""Documents in any encoding are read, and binary, empty and short ones are recognised."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

import simdocs
from simdocs.model.documents import INVALID
from simdocs.pipeline import signing
from tests import strategies as some
from tests.commands.deduping import CATCH_ALL, sketched

A = b"The ferry leaves the northern quay at seven every morning except on Sundays, when it leaves at nine."
TEXT = "Fünf Äpfel, ein naïve café, 中文字符 und ein 😀; davor und danach nicht viel anderes, " * 2


def encoded(text: str) -> dict[str, bytes]:
    return {
        "utf-8": text.encode(),
        "utf-8-bom": codecs.BOM_UTF8 + text.encode(),
        "utf-16-le": codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
        "utf-16-be": codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
        "utf-32-le": codecs.BOM_UTF32_LE + text.encode("utf-32-le"),
        "utf-32-be": codecs.BOM_UTF32_BE + text.encode("utf-32-be"),
    }


def similar(where: Path, files: dict[str, bytes], what: str = "groups", **options: object) -> dict[str, float]:
    """Return the similarity of every duplicate among these files, by `kept duplicate`."""
    for name, data in files.items():
        (where / name).write_bytes(data)
    with sketched([where], **options) as work:
        rows = work.answer(what)
        assert set(work.skipped.counts) <= {"binary"}
    return {" ".join(Path(name.decode()).name for name in row[:2]): row[2] for row in rows}


@pytest.mark.reliability("a byte order mark of UTF-8, UTF-16 or UTF-32")
@some.each("unit")
def test_the_same_text_in_every_encoding_is_a_copy(tmp_path, unit):
    found = similar(tmp_path, encoded(TEXT), unit=unit, k=2)
    assert len(found) == 5
    assert set(found.values()) == {1.0}


@pytest.mark.reliability("invalid UTF-16 or UTF-32")
def test_utf_16_and_utf_32_that_are_cut_short_are_still_text(tmp_path):
    whole = encoded(TEXT)["utf-16-le"]
    assert set(similar(tmp_path, {"a": whole, "b": whole[:-1], "c": encoded(TEXT)["utf-32-be"][:-3]})) == {"a b", "a c"}


@pytest.mark.reliability("other line ends, white space, capitals")
def test_line_ends_case_and_spaces_do_not_matter(tmp_path):
    words = A.split()
    files = {"a": A, "b": b"\r\n".join(words).upper(), "c": b"\n\n" + b" \t ".join(words) + b"\f"}
    assert similar(tmp_path, files) == {"a b": 1.0, "a c": 1.0}


@pytest.mark.reliability("a NUL byte in the first 8 KiB")
@pytest.mark.parametrize("at", [0, 100, 8191])
def test_binary_files_are_no_documents(tmp_path, at):
    text = A * 100
    binary = text[:at] + b"\0" + text[at:]
    assert similar(tmp_path, {"a": binary, "b": binary, "c": A}) == {}


@pytest.mark.reliability("a later NUL byte")
def test_a_nul_after_the_first_8_kib_is_a_character(tmp_path):
    text = A * 100
    assert set(similar(tmp_path, {"a": text[:8192] + b"\0" + text[8192:], "b": text})) == {"a b"}


@pytest.mark.reliability("a file without text")
@pytest.mark.parametrize("what", ["groups", "pairs", "all_pairs", "components"])
@some.each("unit")
def test_empty_documents_are_similar_to_nothing(tmp_path, what, unit):
    files = {"a": b"", "b": b"", "c": b" \n\t", "d": codecs.BOM_UTF8, "e": codecs.BOM_UTF16_LE, "f": b" \n"}
    if what == "components":
        assert similar(tmp_path, files, unit=unit, cluster="components") == {}
    else:
        assert similar(tmp_path, files, what, unit=unit) == {}


@pytest.mark.reliability("a text without words, compared by words")
def test_a_text_without_words_is_empty_only_if_compared_by_words(tmp_path):
    files = {"a": b"!!! ... !!!", "b": b"!!! ... !!!"}
    assert similar(tmp_path, files) == {"a b": 1.0}
    assert similar(tmp_path, files, unit="word", k=5) == {}


@pytest.mark.reliability("a text shorter than k units")
def test_short_texts_are_one_shingle(tmp_path):
    files = {"a": b"ok", "b": b"OK\n", "c": b"ok.", "d": b"o"}
    assert similar(tmp_path, files, threshold=0.01, **CATCH_ALL) == {"a b": 1.0}


@pytest.mark.reliability("bytes that are not UTF-8")
def test_different_bytes_that_are_not_utf_8_stay_different(tmp_path):
    def text(byte: int) -> bytes:
        return b"".join(b"%c%d" % (byte, at) for at in range(100))

    assert set(similar(tmp_path, {"a": text(0xE4), "b": text(0xF6), "c": text(0xE4) + b"x"})) == {"a c"}


def test_no_character_is_taken_for_a_byte_that_is_not_utf_8(monkeypatch):
    monkeypatch.setattr(signing, "STRIDE", 4)
    found = simdocs.shingle(texts=["abcdefgh\U0001f600\uff01\ud7ff", b"abcdefgh\xff", "\uff01 \uff01 \uff01", b"\xff"])
    assert (found.documents.facts["flags"] & INVALID).tolist() == [0, INVALID, 0, INVALID]


@pytest.mark.reliability("options that make different texts equal")
@pytest.mark.parametrize(
    ("switch", "one", "other"),
    [
        ("nfkc", "ﬁne ① ｗｉｄｅ", "fine 1 wide"),
        ("strip_accents", "où sont les élèves zélés", "ou sont les eleves zeles"),
        ("strip_punctuation", "well, what; a (long) story!", "well what a long story"),
        ("mask_digits", "call 555-1234 at 9:30", "call 000-9876 at 1:11"),
    ],
)
def test_each_normalisation_switch_makes_its_texts_equal(tmp_path, switch, one, other):
    files = {"a": one.encode(), "b": other.encode()}
    assert similar(tmp_path, files) == {}
    assert similar(tmp_path, files, **{switch: True}) == {"a b": 1.0}


@pytest.mark.parametrize("mark", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("end", [b"x", b"\xe9"])
def test_a_byte_after_the_last_unit_is_kept_as_that_byte(tmp_path, mark, end):
    """It counts as a unit of its own: the text is that of a file in UTF-8 with the same byte at its end."""
    wide = codecs.lookup(mark).encode("\ufeff" + TEXT)[0] + end
    assert similar(tmp_path, {"a": wide, "b": TEXT.encode() + end}, k=2) == {"a b": 1.0}
    assert similar(tmp_path, {"a": wide, "b": TEXT.encode()}, k=2)["a b"] < 1
