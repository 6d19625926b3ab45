"""Advice about a crowd: so many documents that share half of their text that most candidates are not similar.

In a collection on one template, very many pairs of documents become candidates, and comparing them takes most of the
time. 2,000 pages of 800 bytes with J = 0.6 between any two have 386 candidates for each document. Texts that share no
template have about one, and near-duplicates are compared only with the kept document.
"""

from __future__ import annotations

from simdocs.advice.template_advice import LEAVING_OUT, MANY_DOCUMENTS
from simdocs.engines.run import Run, Tally
from simdocs.errors import mention

_EACH = 20
"""There is a crowd if there are more candidates for each document than this ..."""

_SHARE_SIMILAR = 0.05
"""... and less than this share of them are similar."""


class CrowdWatch:
    """Watches how many candidates are compared in a run, and gives advice as soon as there is a crowd.

    joinable: whether an exact join would answer, too. advice: one line if there is a crowd, otherwise none.
    """

    def __init__(self, documents: int, run: Run, *, joinable: bool) -> None:
        self._documents, self._explain, self._joinable = documents, run.explain, joinable
        self.advice: tuple[str, ...] = ()
        run.tally.watch = self.look

    def look(self, tally: Tally) -> None:
        """Look at what was counted so far."""
        if self.advice or self._documents < MANY_DOCUMENTS or tally.candidates <= _EACH * self._documents:
            return
        if tally.similar < _SHARE_SIMILAR * tally.candidates:
            remedy = LEAVING_OUT
            if self._joinable:
                remedy = f"{remedy}; or try {mention('exact')}, which may compare far fewer pairs"
            self.advice = (
                f"there are more than {_EACH} candidates for each document, and less than {_SHARE_SIMILAR:.0%} of them"
                f" are similar: if the documents share a template, {remedy}",
            )
            self._explain(self.advice[0])
