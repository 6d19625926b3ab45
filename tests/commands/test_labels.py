"""The group of each document: labels, and the rows of the groups."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given

import simdocs
from tests import strategies as some
from tests.amounts import examples
from tests.commands.deduping import CATCH_ALL, write_texts
from tests.similar_texts import corpora
from tests.twins.text_answers import Choices, Row, Text, Twin


def labels_of(rows: list[Row], documents: int) -> list[int]:
    """Return the number of each document's group, from the duplicates with their kept documents."""
    kept = dict(zip(range(documents), range(documents), strict=True)) | {right: left for left, right, _ in rows}
    numbers = {row: number for number, row in enumerate(sorted(set(kept.values())))}
    return [numbers[kept[row]] for row in range(documents)]


def found_among(texts: list[Text], choices: Choices, **options: Any) -> simdocs.Deduplication:
    """Return the answer of dedupe about these texts."""
    with tempfile.TemporaryDirectory() as root:
        write_texts(Path(root), texts)
        given = choices._asdict() | CATCH_ALL | options
        return simdocs.dedupe(root, **given)


@some.each("cluster")
@examples(8)
@given(texts=corpora(), unit=some.one_of("unit"), keep=some.one_of("keep"))
def test_labels_are_the_groups_of_the_twin(cluster, texts, unit, keep):
    choices = Choices(unit, 2, False, 0.5, keep)
    twin = Twin(texts, choices)
    found = found_among(texts, choices, cluster=cluster)
    expected = twin.greedy() if cluster == "greedy" else twin.components()
    assert found.labels.dtype == np.int64
    assert found.labels.tolist() == labels_of(expected, len(texts))


def test_groups_of_documents_of_an_index_come_last():
    index = simdocs.index(texts=["one two three four", "seven eight nine ten"])
    found = simdocs.dedupe(
        texts=["one  two three four", "other words are here", "seven eight nine  ten"], against=index
    )
    assert found.labels.tolist() == [1, 0, 2]
