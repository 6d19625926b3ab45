"""What to know about a collection whose documents are not all alike: in their encoding, or in where they come from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.errors import mention
from simdocs.model.documents import INVALID, OTHER_ENCODING, Documents
from simdocs.model.names import display_name

_BY_TIME = ("newest", "oldest")
"""Keep policies that compare the times of files."""


def encoding_advice(documents: Documents) -> Iterator[str]:
    """Yield a line if only some documents are not UTF-8: each byte that is not UTF-8 is a unit of its own.

    So a text in Latin-1 is not similar to its copy in UTF-8 if it has many letters beyond ASCII.
    """
    invalid = np.flatnonzero(documents.facts["flags"] & INVALID)
    if 0 < len(invalid) < len(documents):
        are = f"{len(invalid):,} {'document is' if len(invalid) == 1 else 'documents are'}"
        yield f"{are} not UTF-8, such as {display_name(documents.raw_name(int(invalid[0])))}: {OTHER_ENCODING}"


def keep_of_lines(documents: Documents, policy: str) -> Iterator[str]:
    """Yield a warning if documents are to be kept by the time of their file, and all of them are lines of files."""
    if policy in _BY_TIME and len(documents) and documents.facts["container"].all():
        yield (
            f"{mention('keep')} {policy} compares the times of files, and all documents are lines: of near-duplicates"
            " in the same file the first is kept"
        )
