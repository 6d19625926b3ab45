"""Advice for a search: documents may share a template, and may have an encoding or times that cannot be compared.

A template, such as a form or a page layout, connects many documents, each with many others. So the share of the similar
pairs that are in large groups shows whether there is one. Groups of 20 or more documents have this share of the pairs
at 0.5 or more: 97% among short manual pages with a common layout (though the largest group has only 4% of the
documents); 99% among licence texts; 3% among versions of technical papers, which share no template.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.engines.run import Run, Tally
from simdocs.kernels.grouping import PairGraph, connected_groups
from simdocs.matching.corpus import Corpus
from simdocs.model.documents import INVALID, OTHER_ENCODING, Documents
from simdocs.names import display_name
from simdocs.options.families import UNITS

LEAVING_OUT = "leave it out with --template FILE or --ignore-common F (simdocs tune DOCS looks for F)"
"""The advice that leaves out a template."""

MANY_DOCUMENTS = 100
"""With fewer documents than this, no advice is given, because the answer is easily read in full."""

LARGE_GROUP = 20
"""The smallest number of documents in a large group."""

_SHARE_OF_PAIRS = 0.5
"""Advice is given if large groups have more than this share of the pairs of different texts."""

_SHARE_OF_DOCUMENTS = 0.1
"""Advice is given if one group has more than this share of the documents."""


def template_advice(graph: PairGraph, corpus: Corpus, unit: str) -> tuple[str, ...]:
    """One line if a template may explain the similar pairs, otherwise none.

    A template may explain them if groups of LARGE_GROUP or more documents have most pairs of different texts, or if a
    group has a large share of all documents.

    graph: all rows of the corpus, with all pairs that were found
    unit: the unit of the shingles
    """
    size = len(graph.labels)
    first, documents, pairs = connected_groups(graph)
    if size < MANY_DOCUMENTS or not len(first):
        return ()
    in_large, of_all = int(pairs[documents >= LARGE_GROUP].sum()), int(pairs.sum())
    largest = int(np.argmax(documents))
    count = int(documents[largest])
    name = display_name(corpus.printed_names(first[largest : largest + 1])[0])
    some = f"{count:,} documents ({count / size:.0%} of all), such as {name}"
    linked = f"{some}, are {'linked by chains of similar pairs' if pairs[largest] else 'copies of one text'}"
    remedy = f"if they share only a template, {LEAVING_OUT}"
    if coarser := UNITS[unit].coarser:
        remedy += f", or try --unit {coarser}"
    if in_large > _SHARE_OF_PAIRS * of_all:
        spread = f"{in_large:,} of {of_all:,} pairs of different texts are in chains of {LARGE_GROUP} or more documents"
        return (f"{spread}, the largest of {some}: {remedy}",)
    if count > _SHARE_OF_DOCUMENTS * size:
        return (f"{linked}: {remedy}" if pairs[largest] else linked,)
    return ()


_EACH = 20
"""There is a crowd if there are more candidates for each document than this ..."""

_SHARE_SIMILAR = 0.05
"""... and less than this share of them are similar."""


class CrowdWatch:
    """Watches the number of candidates in a run, and gives advice as soon as there is a crowd.

    joinable: whether an exact join would answer, too
    advice: one line if there is a crowd, otherwise none
    """

    def __init__(self, documents: int, run: Run, *, joinable: bool) -> None:
        self._documents, self._explain, self._joinable = documents, run.explain, joinable
        self.advice: tuple[str, ...] = ()
        run.tally.watch = self.look

    def look(self, tally: Tally) -> None:
        """Give advice if the counts show a crowd."""
        if self.advice or self._documents < MANY_DOCUMENTS or tally.candidates <= _EACH * self._documents:
            return
        if tally.similar < _SHARE_SIMILAR * tally.candidates:
            remedy = LEAVING_OUT
            if self._joinable:
                remedy = f"{remedy}; or try --exact, which may compare far fewer pairs"
            self.advice = (
                f"there are more than {_EACH} candidates for each document, and less than {_SHARE_SIMILAR:.0%} of them"
                f" are similar: if the documents share a template, {remedy}",
            )
            self._explain(self.advice[0])


def encoding_advice(documents: Documents) -> Iterator[str]:
    """Yield a line if only some documents are not UTF-8: each byte that is not UTF-8 is a unit of its own.

    So a text in Latin-1 is not similar to its copy in UTF-8 if it has many letters beyond ASCII.
    """
    invalid = np.flatnonzero(documents.facts["flags"] & INVALID)
    if 0 < len(invalid) < len(documents):
        are = f"{len(invalid):,} {'document is' if len(invalid) == 1 else 'documents are'}"
        yield f"{are} not UTF-8, such as {display_name(documents.raw_name(int(invalid[0])))}: {OTHER_ENCODING}"


def keep_of_lines(documents: Documents, policy: str) -> Iterator[str]:
    """Yield a warning if documents are to be kept by the time of their file, and none has a file of its own."""
    if policy in ("newest", "oldest") and len(documents) and documents.facts["container"].all():
        yield (
            f"--keep {policy} compares the times of files, and no document has a file of its own: of"
            " near-duplicates in the same file the first is kept"
        )
