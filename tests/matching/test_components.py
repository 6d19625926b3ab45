"""How loose a component is: all its texts are compared, if they are few enough."""

from __future__ import annotations

import pytest

import simdocs
from simdocs.matching import groups


@pytest.mark.parametrize(
    ("most", "smallest", "all_compared"), [(3, 8 / 12, True), (2, 8 / 12, True), (1, 9 / 11, False)]
)
def test_components_of_one_text_more_than_the_limit_are_compared_wholly(monkeypatch, most, smallest, all_compared):
    """The first text is similar to the two others, which are less similar to each other."""
    monkeypatch.setattr(groups, "_COMPARED_WHOLLY", most)
    texts = ["b c d e f g h i j k", "a b c d e f g h i j", "c d e f g h i j k l"]
    found = simdocs.dedupe(texts=texts, cluster="components", unit="word", k=1, threshold=0.7, bands=128, rows=1)
    (facts,) = found.summary()["components"]
    assert (facts["documents"], facts["all_compared"]) == (3, all_compared)
    assert facts["smallest_to_kept"] == pytest.approx(9 / 11)
    assert facts["smallest_of_two"] == pytest.approx(smallest)
