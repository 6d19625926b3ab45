"""What an interactive session shows of a result: one short line with its counts."""

from __future__ import annotations

import simdocs
from tests.cli.corpus import A, B


def test_the_repr_of_a_result_is_one_line_with_its_counts(here):
    found = simdocs.dedupe(texts=[A, A, B])
    assert repr(found) == "<Deduplication of dedupe: documents=3, rows=1>"
    assert repr(simdocs.pairs(texts=[A, A, B])) == "<SimilarPairs of pairs: documents=3, rows=1>"
    planned = simdocs.index(texts=[A, B], output="docs.index", dry_run=True)
    assert repr(planned).startswith("<Result of index: documents=2, rows=")
    assert repr(simdocs.query("docs.index", texts=[A, b""])).startswith("<SimilarPairs of query: documents=2, rows=")
