"""What is expected of the bands of an index."""

from __future__ import annotations

import numpy as np
import pytest

from simdocs.pipeline.indexing import expectation
from simdocs.recipes import Banding


@pytest.mark.parametrize("size", [0, 1, 2, 5, 200])
def test_a_document_among_equal_ones_has_all_others_as_candidates(size: int) -> None:
    signatures = np.ones((size, 8), np.uint32)
    expected = expectation(lambda rows: signatures[rows], np.arange(size), Banding(0.8, 0.95, "recall", 4, 2), 1)
    assert expected.candidates == max(0, size - 1)
