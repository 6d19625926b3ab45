"""Normalised texts equal those of `str`, one document at a time."""

from __future__ import annotations

import sys
import unicodedata
from contextlib import ExitStack
from importlib import import_module
from itertools import product
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simdocs.kernels import characters
from simdocs.kernels import normalise as kernel
from simdocs.kernels.native import is_installed
from simdocs.kernels.normalise import normalise
from simdocs.model import ragged as model
from simdocs.model.ragged import STRIDE, Texts
from tests import strategies as some
from tests.amounts import slow
from tests.twins import text as twin

PLAIN = some.normalisation()
ALL_ON = some.normalisation(nfkc=True, keep_case=False, strip_accents=True, strip_punctuation=True, mask_digits=True)


def as_bytes(texts: Texts) -> list[bytes]:
    return [texts.encoded[row].tobytes() for row in range(len(texts))]


def as_str(texts: Texts) -> list[str]:
    return ["".join(map(chr, texts.codepoints[row].tolist())) for row in range(len(texts))]


def normalised(batch: list[bytes], switches: some.Normalisation = PLAIN, *, lines: bool = False) -> list[bytes]:
    return as_bytes(normalise(some.documents(batch), switches, lines=lines))


@given(some.batches, some.normalisations, st.booleans())
@example([b"\xc3", b"\xa9 a\xc3", b"\xa9"], PLAIN, False)
@example(["\u0301".encode(), b"", "\u00ad\u0301\u200b".encode()], ALL_ON, True)
@example(["a\u0080b".encode()], ALL_ON, False)
def test_normalised_texts_equal_those_of_str(batch, switches, lines):
    texts = normalise(some.documents(batch), switches, lines=lines)
    expected = [twin.normalised(document, switches, lines=lines) for document in batch]
    assert as_str(texts) == expected
    assert as_bytes(texts) == [twin.encoded(text) for text in expected]


@pytest.mark.reliability("a character, shingle or run of marks between two pieces of a text")
@given(some.batches, some.normalisations, st.booleans(), st.sampled_from([1, 2, 5, 16]))
def test_texts_normalised_in_pieces_equal_whole_ones(batch, switches, lines, size):
    expected = [twin.normalised(document, switches, lines=lines) for document in batch]
    with mock.patch.object(kernel, "PIECE", size):
        texts = normalise(some.documents(batch), switches, lines=lines)
        one = normalise(some.documents([b"".join(batch)]), switches, lines=lines)
    assert as_str(texts) == expected
    assert as_bytes(texts) == [twin.encoded(text) for text in expected]
    assert as_str(one) == [twin.normalised(b"".join(batch), switches, lines=lines)]


@given(some.batches, st.data())
def test_byte_offsets_are_found_from_those_of_some_code_points(batch, data):
    modules = [model, kernel]
    if is_installed():
        modules.append(import_module("simdocs.kernels.native.functions"))
    with ExitStack() as patched:
        for module in modules:
            patched.enter_context(mock.patch.object(module, "STRIDE", 3))
        texts = normalise(some.documents(batch), PLAIN)
        points = texts.codepoints.values.tolist()
        places = [0, *np.cumsum([len(twin.encoded(chr(point))) for point in points]).tolist()]
        edges = np.arange(len(places))
        begins, sizes = texts.byte_spans(edges[:-1], edges[1:])
        assert (begins.tolist(), (begins + sizes).tolist()) == (places[:-1], places[1:])
        some_of_them = sorted(data.draw(st.lists(st.sampled_from(range(len(places))))))
        starts, stops = np.array(some_of_them[: len(some_of_them) // 2 * 2], np.int64).reshape(-1, 2).T
        begins, sizes = texts.byte_spans(starts, stops)
        assert begins.tolist() == [places[at] for at in starts]
        assert (begins + sizes).tolist() == [places[at] for at in stops]
        first, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(points))] * 2)))
        assert texts.byte_offsets(first, stop).tolist() == places[first : stop + 1]


ODD = [b"", b"\xff", "ΑΣ ".encode(), "İ".encode(), "😀".encode(), bytes(range(128))]
SWITCHES = [PLAIN, some.normalisation(keep_case=True), ALL_ON]


@pytest.mark.parametrize(
    ("odd", "switches", "lines"),
    [
        pytest.param(*case, marks=[] if at in (0, 14, 28) else pytest.mark.slow)
        for at, case in enumerate(product(ODD, SWITCHES, [False, True]))
    ],
)
def test_a_text_larger_than_a_piece_is_normalised_whole(odd, switches, lines):
    line = " Ёлка,\u3000e\u0301té \t\r\n\n日本語のΑΣ。กำ \n "
    plain = "The cow  \t\n\n and the ox, 12 of them.\n"
    large = (plain * 7300).encode() + odd + (line * 1000).encode() + odd + b" \n " * 20_000 + odd
    assert len(plain * 7300) > kernel.PIECE
    batch = [b"one", large, b"", "twô".encode(), (plain * 7300).encode()]
    texts = normalise(some.documents(batch), switches, lines=lines)
    assert as_bytes(texts) == [twin.encoded(twin.normalised(one, switches, lines=lines)) for one in batch]
    assert texts.codepoints.values.dtype == (np.uint32 if odd == "😀".encode() and switches != ALL_ON else np.uint16)
    assert texts.codepoints.lengths.sum() > STRIDE


EVERY = [chr(point) for point in range(sys.maxunicode + 1) if not 0xD800 <= point < 0xE000]


@pytest.fixture(scope="module")
def joining() -> set[str]:
    """Return the characters that some normal form of Unicode joins to the character before them."""
    decomposed = (unicodedata.normalize("NFD", character) for character in EVERY)
    return {form[1] for form in decomposed if len(form) > 1}


@pytest.mark.reliability("a character, shingle or run of marks between two pieces of a text")
def test_a_character_at_which_a_text_is_cut_joins_to_nothing_before_it(joining):
    beginning = [character for character in EVERY if characters.CONTEXT_FREE_CUTS.match(character.encode())]
    assert len(beginning) > 20_000
    for character in beginning:
        assert characters.CONTEXT_FREE_CUTS.search(character.encode()[1:]) is None
        assert unicodedata.combining(character) == 0
        assert unicodedata.normalize("NFKD", character)[0] not in joining


@pytest.mark.reliability("U+FDFA with --nfkc")
@pytest.mark.parametrize(
    ("repeated", "switches"),
    [
        ("Σ", ALL_ON),
        ("Σж", ALL_ON),
        ("\ufdfa", some.normalisation(nfkc=True)),
    ],
)
def test_words_without_end_are_normalised_in_pieces(repeated, switches):
    """The largest piece decides how much memory a large text takes."""
    document = repeated.encode() * 100
    with (
        mock.patch.object(kernel, "PIECE", 16),
        mock.patch.object(kernel, "map_characters", wraps=kernel.map_characters) as pieces,
    ):
        assert normalised([document], switches) == [twin.encoded(twin.normalised(document, switches))]
    assert max(len(call.args[0].values) for call in pieces.call_args_list) < 16 + 4


ASSIGNED = EVERY[:0x40000]
"""Four planes of Unicode. Hardly anything is assigned in the others."""


@pytest.mark.parametrize(
    ("every", "switches"), [(ASSIGNED, some.normalisation(strip_accents=True)), *slow((EVERY, PLAIN), (EVERY, ALL_ON))]
)
def test_every_code_point_is_normalised_as_by_str(every, switches):
    rows = ["".join(f"a{one}b " for one in every[at : at + 256]).encode() for at in range(0, len(every), 256)]
    assert normalised(rows, switches) == [twin.encoded(twin.normalised(row, switches)) for row in rows]


def test_bytes_that_are_no_character_make_none_when_what_is_between_them_is_dropped():
    texts = normalise(some.documents([b"x\xc3\xc2\xad\xa9y z"]), PLAIN)
    assert texts.codepoints.values.tolist() == [0x78, 0xDCC3, 0xDCA9, 0x79, 0x20, 0x7A]
    assert [len(words) for words in some.spelt_units([b"x\xc3\xc2\xad\xa9y z"], some.shingling(unit="word"))] == [3]


@pytest.mark.reliability("bytes that are not UTF-8")
def test_an_invalid_byte_is_kept_and_not_mapped():
    texts = normalise(some.documents([b"A\xffB\xed\xb2\x80"]), some.normalisation())
    assert as_bytes(texts) == [b"a\xffb\xed\xb2\x80"]
    assert texts.codepoints.values.tolist() == [0x61, 0xDCFF, 0x62, 0xDCED, 0xDCB2, 0xDC80]


@pytest.mark.parametrize(
    ("switches", "expected"),
    [
        (some.normalisation(), "finis: é ½ und ss_7٣!"),
        (some.normalisation(nfkc=True), "finis: é 1⁄2 und ss_7٣!"),
        (some.normalisation(keep_case=True), "ﬁNIS: É ½ und ß_7٣!"),
        (some.normalisation(strip_accents=True), "finis: e ½ und ss_7٣!"),
        (some.normalisation(strip_punctuation=True), "finis é ½ und ss 7٣"),
        (some.normalisation(mask_digits=True), "finis: é ½ und ss_00!"),
        (ALL_ON, "finis e 0 0 und ss 00"),
    ],
)
def test_each_switch_does_what_it_says(switches, expected):
    assert normalised(["ﬁNIS:  É ½\r\nund ß_7٣!".encode()], switches) == [expected.encode()]
