"""Advice about documents that may be similar only because they share a template, such as a form or a page layout.

A template connects many documents, each with many others. So the share of the similar pairs that are in large groups
shows whether there is one. Groups of 20 or more documents have this share of the pairs at 0.5 or more: 97% among short
manual pages with a common layout (though the largest group has only 4% of the documents); 99% among licence texts; 3%
among versions of technical papers, which share no template.
"""

from __future__ import annotations

import numpy as np

from simdocs.errors import mention, suggested
from simdocs.kernels.group.pair_graph import PairGraph, connected_groups
from simdocs.matching.documents.corpus import Documented
from simdocs.model.names import display_name

LEAVING_OUT = (
    f"leave it out with {mention('template')} FILE or {mention('ignore_common')} F"
    f" ({suggested('tune', 'DOCS')} looks for F)"
)
"""What leaves out a template."""

MANY_DOCUMENTS = 100
"""With fewer documents than this, no advice is given, because the answer is easily read in full."""

LARGE_GROUP = 20
"""The smallest number of documents in a large group."""

_SHARE_OF_PAIRS = 0.5
"""Advice is given if large groups have more than this share of the pairs of different texts."""

_SHARE_OF_DOCUMENTS = 0.1
"""Advice is given if one group has more than this share of the documents."""


def template_advice(graph: PairGraph, corpus: Documented, unit: str) -> tuple[str, ...]:
    """One line if a template may explain the similar pairs, otherwise none.

    A template may explain them if groups of LARGE_GROUP or more documents have most pairs of different texts, or if a
    group has a large share of all documents. graph: all rows of the corpus, with all pairs that were found. unit: that
    of the shingles.
    """
    size = len(graph.labels)
    first, documents, pairs = connected_groups(graph)
    if size < MANY_DOCUMENTS or not len(first):
        return ()
    in_large, of_all = int(pairs[documents >= LARGE_GROUP].sum()), int(pairs.sum())
    largest = int(np.argmax(documents))
    count = int(documents[largest])
    name = display_name(corpus.printed_names(first[largest : largest + 1])[0])
    linked = (
        f"{count:,} documents ({count / size:.0%} of all), such as {name}, are linked by chains of similar pairs"
        if pairs[largest]
        else f"{count:,} documents ({count / size:.0%} of all), such as {name}, are copies of one text"
    )
    remedy = f"if they share only a template, {LEAVING_OUT}"
    if unit != "line":
        remedy += f", or try {mention('unit')} line"
    if in_large > _SHARE_OF_PAIRS * of_all:
        spread = f"{in_large:,} of {of_all:,} pairs of different texts link {LARGE_GROUP} or more documents in chains"
        return (f"{spread}; {linked}: {remedy}",)
    if count > _SHARE_OF_DOCUMENTS * size:
        return (f"{linked}: {remedy}" if pairs[largest] else linked,)
    return ()
