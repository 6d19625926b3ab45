"""Single numbers that Python callers get are Python's. Only arrays hold those of NumPy."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import simdocs

DICE = random.Random(5)
WORDS = [f"word{place}" for place in range(500)]
TEXTS = [" ".join(DICE.choices(WORDS, k=60)) for _ in range(120)]
TEXTS += [f"{text} and {place} more" for place, text in enumerate(TEXTS)]
"""More than tune compares in full, so that it estimates."""


def of_numpy(result: object, path: str) -> Iterator[str]:
    """Yield where a result, outside of arrays, has a number of NumPy."""
    if isinstance(result, np.generic):
        yield f"{path}: {type(result).__name__}"
    elif isinstance(result, dict):
        for key, value in result.items():
            yield from of_numpy(value, f"{path}[{key!r}]")
    elif isinstance(result, tuple | list):
        for place, value in enumerate(result):
            yield from of_numpy(value, f"{path}[{place}]")
    elif is_dataclass(result):
        for field in fields(result):
            yield from of_numpy(getattr(result, field.name), f"{path}.{field.name}")
    elif isinstance(result, simdocs.Result):
        for name, value in vars(result).items():
            yield from of_numpy(value, f"{path}.{name}")
        yield from of_numpy(list(result.rows()), f"{path}.rows()")


ASKED = {
    "dedupe": lambda: simdocs.dedupe(texts=TEXTS),
    "pairs": lambda: simdocs.pairs(texts=TEXTS, measure="containment"),
    "query": lambda: simdocs.query(simdocs.index(texts=TEXTS), texts=TEXTS[:3], nearest=4),
    "compare": lambda: simdocs.compare(texts=TEXTS[:2], diff="words"),
    "tune": lambda: simdocs.tune(texts=TEXTS),
    "audit, sampled": lambda: simdocs.audit(texts=TEXTS, sample=20),
    "similarity": lambda: simdocs.similarity(TEXTS[0], TEXTS[120]),
}


@pytest.mark.parametrize("asked", ASKED)
def test_single_numbers_are_of_python(asked):
    assert list(of_numpy(ASKED[asked](), asked)) == []
