"""The call that comes after tune: it has every change that is advised, and nothing that contradicts one."""

from __future__ import annotations

import pytest

import simdocs
from simdocs.advice.similarity_advice import Advice
from simdocs.commands.next_call import BANDS_AGAIN, built_again, next_call
from simdocs.names import flag
from tests.asked import ASKED

BY_HAND = ASKED["tune"](documents=(b"docs",), bands=10, rows=10)


@pytest.mark.parametrize(
    ("changes", "call"),
    [
        ({}, "simdocs dedupe docs --bands 10 --rows 10"),
        ({"threshold": 0.7}, "simdocs dedupe docs --threshold 0.7"),
        ({"num_perm": 256}, "simdocs dedupe docs --num-perm 256"),
        ({BANDS_AGAIN: None}, "simdocs dedupe docs"),
        ({"k": 6}, "simdocs dedupe docs --bands 10 --rows 10 -k 6"),
    ],
)
def test_bands_by_hand_stay_only_with_the_threshold_and_signature_they_were_chosen_for(changes, call):
    assert next_call(BY_HAND, None, changes)[0] == call


@pytest.mark.parametrize("name", ["k", "ignore_common"])
def test_a_call_does_not_change_what_an_index_has_fixed(name):
    index = simdocs.index(texts=["one text of words", "another text of words"])
    call, lines = next_call(ASKED["tune"](documents=(b"x.index",)), index, {name: 3})
    assert (call, lines) == ("simdocs dedupe x.index", [])
    (line,) = built_again(index, [Advice("another value would do", {name: 3})])
    assert line.endswith(f"cannot change {flag(name)}: build it again from its documents with {flag(name)} 3")
    assert list(built_again(index, [Advice("another threshold would do", {"threshold": 0.7})])) == []
