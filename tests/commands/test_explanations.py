"""Every explanation is true: similarities, bands, links and the smallest similarity are those of the twin."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.kernels.lsh import buckets
from simdocs.matching.groups import components
from simdocs.model.groups import MOST_LINKS
from tests import strategies as some
from tests.amounts import examples
from tests.similar_texts import corpora, family
from tests.twins.answers import Signing
from tests.twins.text_answers import Choices, Text, Twin

BANDS = {"num_perm": 16, "bands": 8, "rows": 2}


def explained(texts: list[Text], choices: Choices, **options: Any) -> list[Any]:
    """Return the explanations of texts, which are named by their numbers."""
    names = [f"{row:04}" for row in range(len(texts))]
    wanted = {"unit": choices.unit, "k": choices.k, "multiset": choices.multiset, "threshold": choices.threshold}
    wanted["keep"] = choices.keep
    found = simdocs.dedupe(texts=[text.data for text in texts], names=names, **wanted, explain=True, **options)
    assert found.explained is not None
    return list(found.explained)


def check(texts: list[Text], choices: Choices, signing: Signing | None, estimate: bool = False, **options: Any) -> int:
    """Compare the explanations of groups with those of the twin. Return the number of links in the longest chain."""
    if signing is not None:
        options |= {"scheme": signing.scheme, "ignore_common": signing.ignore_common, **BANDS}
    twin, exact_join = Twin(texts, choices, signing=signing), signing is None
    twin.criteria = twin.criteria._replace(by_estimate=estimate)
    in_components = options.get("cluster") == "components"
    rows = twin.components() if in_components else twin.greedy()
    of_kept: dict[int, list[int]] = {}
    for kept, row, _ in rows:
        of_kept.setdefault(kept, []).append(row)
    found = {int(one.document): one for one in explained(texts, choices, **options)}
    assert list(found) == list(range(len(texts)))
    under = {row: kept for kept, row, _ in rows}
    similar = {(a, b): score for a, b, score in twin.all_pairs()}
    longest = 0
    for row, one in found.items():
        kept = under.get(row, row)
        group = [kept, *of_kept.get(kept, [])]
        assert (int(one.kept), one.documents) == (kept, len(group))
        assert one.bands == (8 if signing else None)
        assert one.smallest_to_kept == min((twin.score(kept, other) for other in group[1:]), default=None)
        smallest = min((twin.score(*sorted(pair)) for pair in combinations(group, 2)), default=None)
        assert one.smallest_of_two == (smallest if in_components else None)
        assert one.all_compared == (True if in_components and len(group) > 1 else None)
        if row == kept:
            assert one.reason == reason_to_keep(twin, row, group)
            assert one.links is None
            if not exact_join:
                near = nearest(twin, row, under)
                assert one.compared_with == (None if near is None else f"{near:04}")
        else:
            assert one.compared_with == one.kept
        if one.compared_with is None:
            assert (one.jaccard, one.estimate, one.bands_met) == (None,) * 3
        else:
            pair = int(one.compared_with), row
            assert one.jaccard == (None if estimate else twin.jaccard(*pair))
            assert one.estimate == twin.estimate(*pair)
            assert one.bands_met == (bands_met(twin, *pair) if signing else None)
        if row == kept:
            assert one.compared_with is None or twin.score(*pair) < choices.threshold
            continue
        alike = twin.normalised[kept] == twin.normalised[row]
        enough = twin.score(kept, row) >= choices.threshold
        assert enough or in_components
        assert one.reason == ("identical" if alike else "similar" if enough else "linked")
        if not in_components:
            assert one.links is None
            continue
        assert one.links is not None
        check_links(twin, one, similar)
        longest = max(longest, len(one.links))
    return longest


def check_links(twin: Twin, one: Any, similar: dict[tuple[int, int], float]) -> None:
    """Check that the links lead from the kept document to this one, and that each is a similar pair."""
    assert one.links is not None
    chain = [int(one.kept), *(int(link.document) for link in one.links)]
    assert chain[-1] == int(one.document)
    for pair, link in zip(pairwise(chain), one.links, strict=True):
        score = similar[min(pair), max(pair)]
        assert twin.criteria.threshold <= score == (link.estimate if link.jaccard is None else link.jaccard)
        assert (link.jaccard is None) == twin.criteria.by_estimate
        assert link.estimate == twin.estimate(*pair)


def reason_to_keep(twin: Twin, row: int, group: list[int]) -> str:
    if not twin.sets[row]:
        return "empty"
    if not twin.left[row]:
        return "ignored"
    return "chosen" if len(group) > 1 else "unmatched"


def nearest(twin: Twin, row: int, under: dict[int, int]) -> int | None:
    """Return the kept document before this one with the largest estimate of those that share a bucket with it."""
    order = twin.in_keep_order()
    before = order[: order.index(row)] if row in order else []
    candidates = [other for other in before if other not in under and bands_met(twin, other, row)]
    return max(candidates, key=lambda other: twin.estimate(other, row), default=None)


def bands_met(twin: Twin, left: int, right: int) -> tuple[int, ...]:
    one, other = twin.signatures[left], twin.signatures[right]
    return tuple(band for band in range(1, 9) if one[2 * band - 2 : 2 * band] == other[2 * band - 2 : 2 * band])


@pytest.mark.parametrize("cluster", ["greedy", "components"])
@examples(12)
@given(
    texts=corpora(),
    scheme=some.one_of("scheme"),
    multiset=st.booleans(),
    common=st.sampled_from([1.0, 0.3]),
    estimate=st.booleans(),
    keep=st.sampled_from(["first", "longest"]),
)
def test_explanations_are_those_of_the_twin(cluster, texts, scheme, multiset, common, estimate, keep):
    choices = Choices("word", 2, multiset and common == 1, 0.5, keep)
    more = {"verify": "estimate"} if estimate else {}
    signing = Signing(scheme, 16, 8, 2, common)
    check(texts, choices, signing, estimate=estimate, cluster=cluster, **more)


@pytest.mark.parametrize("cluster", ["greedy", "components"])
@examples(5)
@given(texts=corpora())
def test_explanations_of_an_exact_join_name_no_bands(cluster, texts):
    check(texts, Choices("word", 2, False, 0.5), None, cluster=cluster, exact=True)


@pytest.mark.parametrize("exact", [False, True])
def test_explanations_of_large_families_have_chains_of_several_links(exact):
    signing = None if exact else Signing("fss", 16, 8, 2)
    more = {"exact": True} if exact else {}
    assert check(family(8, 40), Choices("word", 2, False, 0.85), signing, cluster="components", **more) > 1


@pytest.mark.parametrize("seed", range(4))
def test_of_several_nearest_documents_the_earliest_is_named(seed, monkeypatch):
    """Also if their candidate pairs are in different blocks. Signatures have 16 places, so ties are frequent."""
    monkeypatch.setattr(buckets, "PAIRS_AT_ONCE", 1)
    check(family(seed, 40), Choices("word", 2, False, 1.0), Signing("permutation", 16, 8, 2))


CHAIN = [" ".join(f"w{place}" for place in range(at, at + 20)) for at in range(130)]
"""Each text is similar to the next one: 17 of 21 pairs of words."""

LINES: dict[str, Any] = {"unit": "word", "k": 1, "threshold": 0.9, "bands": 128, "rows": 1, "cluster": "components"}


def test_a_very_long_chain_is_listed_by_its_last_links():
    found = simdocs.dedupe(texts=CHAIN, names=[f"{at:03}" for at in range(130)], **LINES, explain=True)
    assert found.explained is not None
    assert [len(one.links or ()) for one in found.explained] == [*range(MOST_LINKS), *[100] * 30]
    last = found.explained[-1].links
    assert last is not None
    assert [link.document for link in last] == [f"{at:03}" for at in range(30, 130)]


def test_chains_are_complete_if_links_that_shorten_none_are_dropped_meanwhile(monkeypatch):
    class WithoutRoom(components.LinkCollector):
        def __init__(self, texts: Any) -> None:
            super().__init__(texts)
            self._most = 0

    monkeypatch.setattr(components, "LinkCollector", WithoutRoom)
    signing = Signing("fss", 16, 8, 2)
    assert check(family(8, 40), Choices("word", 2, False, 0.85), signing, cluster="components") > 1


def test_large_components_are_judged_by_a_sample_and_say_so(monkeypatch):
    """The first text is in the middle of a chain, and the two ends have less in common than either has with it."""
    monkeypatch.setattr(components, "_COMPARED_WHOLLY", 100)
    places = [55, *range(55), *range(56, 110)]
    texts = [" ".join(f"w{place}" for place in range(at, at + 120)) for at in places]
    found = simdocs.dedupe(texts=texts, **LINES, explain=True)
    assert found.explained is not None
    assert {(one.all_compared, one.smallest_to_kept) for one in found.explained} == {(False, 65 / 175)}
    (smallest,) = {one.smallest_of_two for one in found.explained}
    assert smallest is not None
    assert 11 / 229 <= smallest < 0.1
    assert found.components is not None
    assert (found.components[0].smallest_of_two, found.components[0].all_compared) == (round(smallest, 6), False)
