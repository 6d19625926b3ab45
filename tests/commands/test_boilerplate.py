"""Documents are compared without the tokens of templates and without common tokens, as by the twin."""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.pipeline import boilerplate
from tests import strategies as some
from tests.amounts import examples
from tests.commands.building import built
from tests.commands.deduping import CATCH_ALL, sketched, write_texts
from tests.similar_texts import corpora
from tests.twins.answers import Signing
from tests.twins.text_answers import Choices, Row, Twin

SHARES = st.sampled_from([0.1, 1 / 3, 0.5, 0.75, 1.0])


def rows_of(names: list[Any], what: str, **options: Any) -> tuple[list[Row], Counter[str]]:
    """Return the answer of dedupe in row numbers, and how many documents were skipped."""
    with sketched(names, **options) as work:
        rows = [(int(row[0][-4:]), int(row[1][-4:]), row[2]) for row in work.answer(what)]
        return rows, Counter(work.skipped.counts)


@some.each("unit")
@examples(3)
@given(
    texts=corpora(),
    what=st.sampled_from(["groups", "pairs", "components"]),
    share=SHARES,
    template=st.integers(0, 2),
    multiset=st.booleans(),
    scheme=some.one_of("scheme"),
    exact=st.booleans(),
)
def test_answers_without_boilerplate_are_those_of_the_twin(
    tmp_path_factory, unit, texts, what, share, template, multiset, scheme, exact
):
    choices = Choices(unit, some.small_k(unit), multiset, 0.5)
    plain = Twin(texts, choices)
    templates = [text.data for text, tokens in zip(texts, plain.tokens, strict=True) if tokens][:template]
    twin = Twin(texts, choices, signing=Signing(scheme, 128, 128, 1, share, tuple(templates)))
    twin.criteria = twin.criteria._replace(exact=exact)
    place = tmp_path_factory.mktemp("boilerplate", numbered=True)
    os.mkdir(place / "docs")
    write_texts(place / "docs", texts)
    options: dict[str, Any] = {"unit": unit, "k": choices.k, "multiset": multiset, "threshold": 0.5}
    options |= {"ignore_common": share, "scheme": scheme}
    for number, text in enumerate(templates):
        (place / f"{number}.txt").write_bytes(text)
    options["template"] = tuple(place / f"{number}.txt" for number in range(len(templates)))
    way: dict[str, Any] = {"exact": True} if exact else {}
    way |= {"cluster": "components"} if what == "components" else {}
    found, skipped = rows_of([place / "docs"], what, **options, **way, **({} if exact else CATCH_ALL))
    rows = {"groups": twin.greedy, "pairs": twin.pairs, "components": twin.components}[what]()
    assert found == rows
    assert skipped["ignored"] == sum(map(twin.is_ignored, twin.documents))
    with chdir(place):
        index = built(Path("x.index"), ["docs"], **options, **CATCH_ALL)
        assert index.ignored.tolist() == sorted(twin.ignored)
        assert np.asarray(index["signatures"].all()).tolist() == twin.signatures
        assert rows_of(["x.index"], what, **way) == (found, skipped)
    shutil.rmtree(place)


@given(st.lists(st.sets(st.integers(0, 9) | some.tokens, max_size=12), max_size=9), SHARES, st.data())
@examples(60)
def test_common_tokens_are_counted_exactly_with_any_number_of_counters(documents, share, data):
    known = Counter(token for tokens in documents for token in tokens)
    sets = some.ragged([sorted(tokens) for tokens in documents], np.uint32)

    def every(take: Any) -> int:
        for at in range(0, len(sets), 2):
            take(sets.cut(at, min(at + 2, len(sets))))
        return len(sets)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boilerplate, "_COUNTERS", data.draw(st.sampled_from([2, 5, 100])))
        patch.setattr(boilerplate, "_COUNTED_AT_ONCE", data.draw(st.sampled_from([1, 4, 100])))
        found = boilerplate.common_tokens(every, share)
    assert found.tolist() == sorted(token for token, count in known.items() if count / len(documents) > share)
    assert found.dtype == np.uint32


TEMPLATE = "This page is part of the manual of the ferry company, and tells all passengers what they must know: "


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with twenty different pages of one template, a copy, the template alone, and no text."""
    dice = random.Random(4)
    os.mkdir(tmp_path / "docs")
    for page in range(20):
        words = " ".join(f"w{dice.randrange(10**6)}" for _ in range(6))
        (tmp_path / "docs" / f"{page:02}").write_text(TEMPLATE + words)
    shutil.copy(tmp_path / "docs" / "03", tmp_path / "docs" / "copy")
    (tmp_path / "docs" / "bare").write_text(TEMPLATE)
    (tmp_path / "docs" / "empty").write_text("")
    (tmp_path / "template").write_text(TEMPLATE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_tokens_that_are_held_are_compared_without_those_of_the_template(there):
    for name, last in (("x", "delta"), ("y", "echoes")):
        (there / name).write_text(f"{TEMPLATE} alpha bravo charlie {last}")
    found = simdocs.dedupe("x", "y", template="template", unit="word", k=1, threshold=0.5, **CATCH_ALL)
    assert [row[2] for row in found] == [3 / 5]


def test_pages_of_one_template_do_not_look_alike_without_it(there):
    def names(**options: Any) -> tuple[list[tuple[bytes, bytes]], Counter[str]]:
        with sketched(["docs"], threshold=0.5, **options) as work:
            return [(row[0], row[1]) for row in work.groups()], Counter(work.skipped.counts)

    copies = [(b"docs/03", b"docs/copy")]
    assert len(names()[0]) == 21
    assert names(ignore_common=0.5) == names(template=("template",)) == (copies, {"ignored": 1})
    assert names(ignore_common=0.5, exact=True)[0] == copies
