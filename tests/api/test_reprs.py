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


def test_the_repr_of_what_is_said_about_an_artifact_is_one_line(here):
    documents = len(simdocs.open("docs.index").documents)
    assert repr(simdocs.open("docs.index").documents) == f"<Documents: {documents}>"
    assert repr(simdocs.check("docs.index", "docs.shingles")) == "<Result of check: rows=0>"
    assert list(dict(simdocs.check("nowhere", "docs"))) == ["unreadable", "damage"]
