"""Passages in common agree when normalised, are as long as they can be, and none is missed by the rule."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from simdocs.matching.passage_search import PassageSearch
from simdocs.model.comparison import CommonPassage
from simdocs.options.recipes import Shingling
from tests import strategies as some
from tests.amounts import examples
from tests.twins import common_runs as runs
from tests.twins import text as texts
from tests.twins import units

documents = some.batches.map(lambda batch: b"".join(batch[:2]))

WORDS = ["the ", "cow ", "ox, ", "cow. ", "(ox) ", "\n\n", "  ", "a", "é", "日本", "𝔘 "]
plain = st.lists(st.sampled_from(WORDS), max_size=14).map(lambda words: "".join(words).encode())


@st.composite
def kin(draw: st.DrawFn, documents: st.SearchStrategy[bytes]) -> tuple[bytes, bytes]:
    """Draw two texts of which the second is made of excerpts of the first."""
    a, more = draw(documents), draw(documents)
    cuts = draw(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 40)), max_size=3))
    return a, b" ".join(a[begin : begin + size] + more[:5] for begin, size in cuts) or more


def found(a: bytes, b: bytes, shingling: Shingling, least: int) -> list[CommonPassage]:
    search = PassageSearch([a], shingling, least)
    return search.passages(0, search.placed(b))


def excerpts(a: bytes, b: bytes, passage: CommonPassage) -> list[str]:
    whole = [each.decode("utf-8", "surrogateescape") for each in (a, b)]
    return [whole[0][passage.a_begin : passage.a_end], whole[1][passage.b_begin : passage.b_end]]


@examples(80)
@given(kin(documents), some.shinglings)
def test_passages_agree_when_normalised(both, shingling):
    shingling = shingling.but(k=min(shingling.k, 4))
    for passage in found(*both, shingling, shingling.k):
        left, right = some.spelt_units([texts.encoded(text) for text in excerpts(*both, passage)], shingling)
        # An excerpt may end with a sigma that is no final one in the text.
        assert [unit.replace("ς", "σ") for unit in left] == [unit.replace("ς", "σ") for unit in right]
        assert len(left) == passage.units >= shingling.k


@examples(100)
@given(kin(plain), st.integers(1, 4), st.sampled_from(["char", "word", "line"]))
def test_passages_are_the_longest_runs_of_units_and_none_is_missed(both, least, unit):
    split = {"char": units.chars, "word": units.words, "line": units.lines}[unit]
    a, b = (split(texts.normalised(data, lines=unit == "line")) for data in both)
    edge = [unit != "char" or each != " " for each in a]  # no passage begins or ends with a space
    expected = [a[begin : begin + size] for begin, size in runs.common_runs(a, b, least, edge, edge)]
    passages = found(*both, some.shingling(unit=unit, k=1), least)
    got = [split(texts.normalised(texts.encoded(excerpts(*both, each)[0]), lines=unit == "line")) for each in passages]
    assert sorted(map(tuple, got)) == sorted(map(tuple, expected))
    assert [each.units for each in passages] == sorted(map(len, expected), reverse=True)


def test_lines_are_counted_from_one_and_end_with_lf_crlf_or_cr():
    a, b = b"the first line\nand the second one", b"\n\r\nx\ry\n\n  the first line\r\n   AND the  second one.\n"
    (passage,) = found(a, b, some.shingling(unit="word", k=2), 2)
    assert passage == CommonPassage(0, 33, 1, 10, 48, 6, 7)
    assert excerpts(a, b, passage) == [a.decode(), "the first line\r\n   AND the  second one"]


def test_signs_around_words_belong_to_a_passage_if_both_texts_have_them():
    a, b = b'He said: "(The cow went home.)" Nobody', b'x "(the COW went home.)! y'
    (passage,) = found(a, b, some.shingling(unit="word", k=2), 2)
    assert excerpts(a, b, passage) == ['"(The cow went home.)', '"(the COW went home.)']


def test_passages_of_left_out_tokens_alone_are_not_found():
    template, own = b"all rights reserved by the owner", b"the bridge was open to all of us until noon"
    shingling = some.shingling(unit="word", k=3)
    a, b = template + b". " + own, own + b" -- " + template
    ignored = some.sets_of([template], shingling).values
    search = PassageSearch([a], shingling, 5, ignored)
    assert [excerpts(a, b, each)[0] for each in search.passages(0, search.placed(b))] == [own.decode()]
    part = PassageSearch([a], shingling, 5, ignored[:-1])
    assert len(part.passages(0, part.placed(b))) == 2


def is_left_out(a: str, b: str, passages: list[CommonPassage], least: int) -> list[str]:
    """Return what A and B have in common that begins and ends with letters, in places of A that are in no passage."""
    listed = {place for each in passages for place in range(each.a_begin, each.a_end)}
    windows = [(begin, a[begin : begin + size]) for size in (least, least + 1) for begin in range(len(a) - size + 1)]
    return [
        text
        for begin, text in windows
        if text == text.strip() and text in b and listed.isdisjoint(range(begin, begin + len(text)))
    ]


spaced = st.lists(st.text("xy", min_size=1, max_size=3), min_size=2, max_size=10).map(" ".join)


@examples(300)
@example("x y x yx y", [(0, 3), (3, 3)], 3)
@given(spaced, st.lists(st.tuples(st.integers(0, 30), st.integers(2, 14)), max_size=5), st.integers(3, 6))
def test_nothing_that_is_long_enough_is_left_in_what_is_not_listed_of_either_text(a, cuts, least):
    b = "".join(f"!{a[begin : begin + size]}" for begin, size in cuts) + "!"
    for left, right in ((a, b), (b, a)):
        passages = found(left.encode(), right.encode(), some.shingling(unit="char", k=1), least)
        assert is_left_out(left, right, passages, least) == []
