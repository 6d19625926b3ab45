"""Advice on --ignore-common: the fraction of the documents that has the tokens of a template."""

from __future__ import annotations

from collections.abc import Iterator

from simdocs.advice.similarity_advice import Advice
from simdocs.advice.template_advice import MANY_DOCUMENTS
from simdocs.errors import mention
from simdocs.kernels.tokens.document_frequencies import frequencies
from simdocs.model.ragged import Index, Ragged

_FRACTIONS = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2)
"""The fractions that are considered. The largest is advised, because no group of real near-duplicates may reach it."""

_LARGE = 0.3
"""A template is found if at least this share of the tokens of documents is in more of them than the fraction says."""

_MORE = 0.1
"""With half the fraction, at most this share more may be left out. Tokens of a template are in most of the documents on
it and in no others. The words and letters of a language have all frequencies."""


OF_A_CROWD = 0.05
"""The same share if it is known that some documents form a crowd, which may be few."""


def common_advice(sets: Ragged, large: float = _LARGE) -> Iterator[Advice]:
    """Yield advice if documents share a template: which fraction leaves it out.

    sets: the token sets of some documents, drawn at random. large: see _LARGE.
    """
    if len(sets) < MANY_DOCUMENTS:
        return
    counts = frequencies(sets.values).counts
    for fraction in _FRACTIONS:
        share = _share_above(fraction * len(sets), counts)
        if share >= large and _share_above(fraction / 2 * len(sets), counts) <= (1 + _MORE) * share:
            yield Advice(
                f"{share:.0%} of the tokens of a document, on average, are in more than {fraction:.0%} of all"
                f" documents, so they may share a template: {mention('ignore_common')} {fraction:g} leaves it out",
                {"ignore_common": fraction},
            )
            return


def _share_above(least: float, counts: Index) -> float:
    """Which share of all tokens of all documents occurs in more than so many documents."""
    return float(counts[counts > least].sum() / counts.sum())
