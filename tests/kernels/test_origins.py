"""Each code point of a normalised text is traced to the characters that it is made of."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels import normalise as module
from simdocs.kernels.normalise import Origins, normalise, origins
from simdocs.options.recipes import Normalisation
from tests import strategies as some
from tests.amounts import examples
from tests.twins import text as twin

documents = some.batches.map(lambda batch: b"".join(batch[:2]))


def traced(data: bytes, switches: Normalisation, *, lines: bool = False) -> tuple[str, str, Origins]:
    """Return the decoded text, the normalised one, and where its code points come from."""
    raw, text = some.documents([data]), data.decode("utf-8", "surrogateescape")
    codepoints = normalise(raw, switches, lines=lines).codepoints.values
    return text, "".join(map(chr, codepoints.tolist())), origins(text, raw, switches, lines=lines)


@pytest.mark.parametrize("at_once", [1 << 16, 3])
@examples(60)
@given(data=documents, switches=some.normalisations, lines=st.booleans())
def test_an_excerpt_is_normalised_to_the_code_points_that_come_from_it(at_once, data, switches, lines):
    with mock.patch.object(module, "_AT_ONCE", at_once):
        text, normalised, found = traced(data, switches, lines=lines)
    assert len(found.begins) == len(normalised)
    assert (np.diff(found.begins) >= 0).all()
    assert (found.begins < found.ends).all()
    solid = np.array([character not in " \n" for character in normalised], bool)
    for first in np.flatnonzero(found.opens & solid)[:4].tolist():
        for last in np.flatnonzero(found.closes & solid)[-4:].tolist():
            if first <= last:
                excerpt = twin.encoded(text[found.begins[first] : found.ends[last]])
                assert twin.normalised(excerpt, switches, lines=lines) == normalised[first : last + 1]


def test_characters_that_become_several_open_and_close_with_the_first_and_last_of_them():
    text, normalised, found = traced("aﬁ  ½".encode(), some.normalisation(nfkc=True))
    assert (text, normalised) == ("aﬁ  ½", "afi 1⁄2")
    assert found.begins.tolist() == [0, 1, 1, 2, 4, 4, 4]
    assert found.ends.tolist() == [1, 2, 2, 3, 5, 5, 5]
    assert found.opens.tolist() == [True, True, False, True, True, False, False]
    assert found.closes.tolist() == [True, False, True, True, False, False, True]


@pytest.mark.parametrize("stripped", [False, True])
def test_characters_that_are_dropped_belong_to_no_other_or_to_the_one_before(stripped):
    _, normalised, found = traced("\u200ba\u00ad\u200bß \u2060 c".encode(), some.normalisation(strip_accents=stripped))
    assert normalised == "ass c"
    assert found.begins.tolist() == [1, 4, 4, 5, 8]
    assert found.ends.tolist() == ([4, 5, 5, 7, 9] if stripped else [2, 5, 5, 6, 9])
