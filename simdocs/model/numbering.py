"""Type aliases that say what the numbers in an array count. All are int64 arrays of one axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
"""Rows of documents in a corpus."""

TextNumbers = NDArray[np.int64]
"""Numbers of distinct texts. Copies of a text have the same number. -1: a text that is not compared."""

BlockPlaces = NDArray[np.int64]
"""Positions, from 0, among the documents, pairs or texts that a block of work is about."""
