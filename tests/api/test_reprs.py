"""What an interactive session shows of a result: one short line with its counts."""

from __future__ import annotations

import simdocs
from tests.cli.corpus import A, B


def test_the_repr_of_a_result_is_one_line_with_its_counts(here):
    found = simdocs.dedupe(texts=[A, A, B])
    assert repr(found) == "<Deduplication: documents=3, groups=1, duplicates=1>"
    assert repr(found.comparison) == "<SearchFacts: documents=3, candidates=0, verified=0, threshold=0.8>"
    assert repr(simdocs.pairs(texts=[A, A, B])) == "<SimilarPairs: documents=3, pairs=1>"
    planned = simdocs.index(texts=[A, B], output="docs.index", dry_run=True)
    assert repr(planned).startswith("<DryRun: unchanged=0, changed=0, new=0, removed=")
    assert repr(planned).endswith(", renamed=2>")
    assert repr(simdocs.query("docs.index", texts=[A, b""])).startswith("<Matches: documents=2, matched=1, matches=")


def test_the_repr_of_what_is_said_about_an_artifact_is_one_line(here):
    documents = len(simdocs.open("docs.index").documents)
    assert repr(simdocs.info("docs.index")) == f"<ArtifactInfo: kind='index', documents={documents}>"
    assert repr(simdocs.check("docs.index", "docs.shingles")) == "<CheckResult: damages=0, unreadable=0>"
    assert repr(simdocs.open("docs.index").documents) == f"<Documents: {documents}>"
    assert repr(simdocs.check("nowhere", "docs")) == "<CheckResult: damages=1, unreadable=1>"
