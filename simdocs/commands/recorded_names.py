"""Documents of an artifact that somebody names."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from simdocs.errors import InputError
from simdocs.matching.documents.corpus import Corpus
from simdocs.model.names import display_name
from simdocs.model.numbering import Rows


def rows_named(corpus: Corpus, names: Sequence[bytes]) -> Rows:
    """The rows of the documents with these names, as recorded or as paths that work here. InputError: there is none."""
    recorded = {name: row for row, name in enumerate(corpus.names(np.arange(len(corpus))))}
    rows = list[int]()
    for name in names:
        below = os.path.relpath(os.path.abspath(name), os.path.abspath(corpus.root))
        row = recorded.get(name, recorded.get(os.path.normpath(name), recorded.get(below)))
        if row is None:
            raise InputError(f"{display_name(name)}: {corpus.artifact_name} has no document of this name")
        rows.append(row)
    return np.array(rows, np.int64)
