"""Advice from similarities: documents that look alike, a threshold among many pairs, and too many false candidates."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from simdocs.advice.similarity_advice import Advice, Suits, length_of_signatures, similarity_advice
from simdocs.matching import sampled_pairs
from simdocs.model.tuning import BandChoice, CorpusFacts, CurvePoint, Estimate
from simdocs.pipeline.indexing import MANY_CANDIDATES
from tests import strategies as some
from tests.twins.bands import chance


def exactly(number: float) -> Estimate:
    return Estimate(number, number, number)


def choice(threshold: float = 0.8, false_candidates: float = 0.0) -> BandChoice:
    recipe = some.index_recipe(some.banding(threshold=threshold))
    (chosen,) = [one for one in sampled_pairs.choices(recipe, None) if one.chosen]
    figures = {name: getattr(chosen, name) for name in BandChoice.__slots__}
    return BandChoice(**figures | {"misses": exactly(0), "false_candidates": exactly(false_candidates)})


def points(pairs: Mapping[float, float]) -> tuple[CurvePoint, ...]:
    """Return a curve with these numbers of pairs, and no others."""
    similarities = [step / 20 for step in range(21)]
    found = [exactly(pairs.get(similarity, 0)) for similarity in similarities]
    return tuple(
        CurvePoint(at, 0.5, each, exactly(0), exactly(0)) for at, each in zip(similarities, found, strict=True)
    )


def facts(pairs: int = 1_000_000, similar: float = 1450, typical: float = 0.01, texts: int = 1415) -> CorpusFacts:
    return CorpusFacts(texts, pairs, pairs, exactly(similar), typical=typical, unusual=0.05)


def advised(
    pairs: Mapping[float, float],
    threshold: float = 0.8,
    corpus: CorpusFacts | None = None,
    unit: str = "char",
    larger: int | None = None,
    highest: float = 1.0,
    asked: float = 0.0,
) -> list[Advice]:
    suits = Suits(larger, highest, asked)
    return list(
        similarity_advice(corpus or facts(), points(pairs), choice(threshold), some.shingling(unit=unit), suits)
    )


VALLEY = {0.0: 10**6, 0.55: 80, 0.6: 5, 0.65: 0, 0.7: 0, 0.75: 60, 0.8: 60, 0.85: 90, 0.9: 400, 0.95: 900}


def test_a_threshold_in_a_clear_gap_is_advised():
    (found,) = advised(VALLEY)
    assert found.change == {"threshold": 0.7}
    assert found.line == (
        "about 120 pairs lie within 0.05 of the threshold 0.8, so small edits tip them over; --threshold 0.7 falls"
        " in a gap (about 0 pairs near it), with about 60 more similar pairs"
    )


def test_a_few_more_pairs_above_an_empty_range_are_proposed():
    pairs = {0.0: 14_000, 0.45: 1, 0.65: 1, 0.7: 2, 0.75: 2, 0.8: 6, 0.9: 20}
    (found,) = advised(pairs, corpus=facts(similar=26))
    assert found.change == {"threshold": 0.65}
    assert found.line == (
        "5 more pairs lie between 0.65 and 0.8, and none between 0.5 and 0.65: --threshold 0.65 adds them"
    )
    assert advised(pairs, 0.65, facts(similar=31)) == []  # It is above that range already.
    assert advised(pairs | {0.6: 1}, corpus=facts(similar=26)) == []
    assert advised(pairs, corpus=facts(171, similar=26, texts=19)) == []


def test_only_thresholds_near_the_chosen_one_are_advised():
    far = {0.0: 10**6, 0.45: 0, 0.6: 60, 0.65: 60, 0.7: 60, 0.75: 80, 0.8: 80, 0.85: 80, 0.9: 80, 0.95: 90}
    assert advised(far, 0.95) == []
    many = {0.5: 300, 0.55: 400, 0.6: 400, 0.65: 300, 0.7: 300, 0.75: 90, 0.85: 90, 0.9: 400, 0.95: 900}
    (found,) = advised(many, 0.7, facts(similar=1780))
    assert found.change == {"threshold": 0.8}
    assert found.line.endswith("with about 390 fewer similar pairs")


@pytest.mark.parametrize("texts", [4, 11, 19])
def test_a_few_similar_texts_are_taken_for_versions(texts):
    pairs = texts * (texts - 1) // 2
    assert advised({}, corpus=facts(pairs, similar=pairs, typical=0.9, texts=texts), larger=13) == []
    assert advised({}, corpus=facts(190, similar=190, typical=0.9, texts=20), larger=13) != []


def test_a_larger_k_is_advised_with_its_value():
    (found,) = advised({}, corpus=facts(typical=0.5), larger=13)
    assert found.change == {"k": 13}
    assert "look alike: try -k 13, or else --unit word, or" in found.line


def test_a_larger_k_is_named_but_not_tried_if_documents_are_only_a_little_alike():
    (found,) = advised({}, corpus=facts(typical=0.2), larger=13)
    assert found.change == {}
    assert "look alike: try -k 13, or else" in found.line


def test_no_threshold_is_advised_that_variants_of_short_documents_do_not_reach():
    many = {0.5: 300, 0.55: 400, 0.6: 400, 0.65: 300, 0.7: 300, 0.75: 90, 0.85: 90, 0.9: 400, 0.95: 900}
    assert advised(many, 0.7, facts(similar=1780), highest=0.78) == []
    low = {0.9: 50, 0.95: 90}
    (found,) = advised(low, 0.6, facts(100, similar=12, typical=0.05), highest=0.6, asked=0.8)
    assert "look at some pairs" in found.line and "raise" not in found.line
    assert found.change == {}


UNRELATED = {0.3: 90_000, 0.4: 30_000, 0.5: 9000, 0.55: 4000, 0.6: 900, 0.65: 200, 0.7: 40, 0.8: 12, 0.9: 10}


def test_a_lowered_threshold_stays_above_the_slope_of_unrelated_pairs():
    (found,) = advised(UNRELATED, 0.55, facts(similar=5000), highest=0.55, asked=0.8)
    assert found.change == {"threshold": 0.75}
    assert "below 0.75 pairs become more and more" in found.line
    hump = {0.3: 200, 0.55: 300, 0.6: 500, 0.65: 40, 0.7: 10}  # of variants, with a gap below
    (found,) = advised(hump, 0.55, facts(similar=850), highest=0.55, asked=0.8)
    assert "0.5 falls in a gap" in found.line
    # If the threshold was not lowered, it is not raised for this reason.
    assert all("more and more" not in each.line for each in advised(UNRELATED, 0.55, facts(similar=5000), asked=0.55))


def test_no_larger_k_is_advised_for_lines():
    (found,) = advised({}, corpus=facts(typical=0.2), unit="line")
    assert found.change == {}
    assert found.line.endswith("look alike: try --ignore-common or --template if they share a template")


@pytest.mark.parametrize(
    ("pairs", "threshold"),
    [
        (VALLEY, 0.7),  # it is in the gap already
        ({0.6: 1, 0.7: 1, 0.75: 4, 0.8: 4, 0.9: 400}, 0.8),  # few pairs are near it
        ({0.4: 9000, 0.5: 5000, 0.6: 2000, 0.7: 900, 0.75: 500, 0.8: 300, 0.9: 50}, 0.8),  # pairs only become fewer
        ({}, 0.8),
    ],
)
def test_no_other_threshold_is_advised_without_a_reason(pairs, threshold):
    assert advised(pairs, threshold) == []


def test_documents_that_look_alike_and_suit_no_larger_k_get_other_advice():
    (found,) = advised({}, corpus=facts(typical=0.2))
    assert "half of all pairs of documents have a similarity of 0.20 or more" in found.line
    assert "no larger k suits texts of this length; try --unit word, or --ignore-common" in found.line
    assert advised({}, corpus=facts(typical=0.09)) == []


def test_many_pairs_at_the_threshold_mean_that_it_is_low():
    (found,) = advised(VALLEY, corpus=facts(pairs=1000, similar=120))
    assert "12% of all pairs are at 0.8 or above, more than near-duplicates explain" in found.line
    assert found.change == {}
    assert found.line.endswith(": raise --threshold, or leave out a template that they share with --template FILE")


def test_a_template_is_named_only_once():
    first, second = (each.line for each in advised({}, corpus=facts(1000, similar=120, typical=0.2)))
    assert "template" in first
    assert second.endswith("more than near-duplicates explain: raise --threshold")


def test_a_longer_signature_is_advised_if_it_saves_most_false_candidates():
    def false_candidates(cut: tuple[int, int]) -> Estimate:
        return exactly(2_000_000 * chance(0.6, *cut))

    many = choice(false_candidates=false_candidates((18, 7)).value)
    (found,) = length_of_signatures(10_000, many, 0.95, false_candidates)
    places = found.change["num_perm"]
    assert 2 * false_candidates((18, 7)).value / 10_000 > MANY_CANDIDATES
    assert places == 256
    assert found.line == ("160 false candidates for each document are many: --num-perm 256 would have 99")
    assert list(length_of_signatures(20_000, many, 0.95, false_candidates)) == []
