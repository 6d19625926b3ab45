"""similarity: the exact Jaccard similarity of two texts."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from simdocs.commands.resolve import shingling_of
from simdocs.corpora.decode import as_bytes, as_utf8
from simdocs.errors import UsageError
from simdocs.kernels.compare import jaccard
from simdocs.kernels.tokens import multisets
from simdocs.model.ragged import Ragged
from simdocs.pipeline.shingling import shingled
from simdocs.requests.text_requests import SimilarityRequest


def similarity_of(request: SimilarityRequest, a: str | bytes, b: str | bytes) -> float:
    """The exact Jaccard similarity of two texts, from 0.0 to 1.0. UsageError: one of them is not a text."""
    for text in (a, b):
        if not isinstance(text, str | bytes):
            hint = ": read the file with read_bytes()" if isinstance(text, os.PathLike) else ""
            raise UsageError(f"a text must be str or bytes, not {type(text).__name__}{hint}")
    raws = [as_utf8(as_bytes(text))[0] for text in (a, b)]
    sets: list[Any] = [None, None]
    for part in shingled(raws, shingling_of(request.given())):
        rows = multisets.token_sets(part.tokens)
        for at, place in enumerate(part.places.tolist()):
            sets[place] = rows[at]
    return float(jaccard.exact(Ragged.from_rows(sets, np.uint32), np.array([0]), np.array([1]))[0])
