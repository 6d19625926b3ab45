"""An audit as a table: keys and values, and for people what each key means."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from simdocs.model.answers import NAME, Row, TableColumn, TableHead
from simdocs.model.audited import Audit
from simdocs.views.answer_tables import FACTS

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "documents": "documents that were read",
        "distinct_texts": "different texts among them",
        "threshold": "near-duplicates reach this similarity",
        "bands": "bands of a signature",
        "rows": "rows of a band",
        "similar_pairs": "pairs of texts at the threshold or above",
        "found": "similar pairs that share a bucket",
        "missed": "similar pairs that share none",
        "recall": "found / similar_pairs",
        "stated_recall": "smallest recall that was asked for",
        "predicted_recall": "mean probability of these pairs to be found",
        "seeds": "other hash functions that were tried",
        "mean_recall": "mean recall with these",
        "mean_recall_low": "95% interval of the recall to expect: from",
        "mean_recall_high": "95% interval of the recall to expect: to",
        "candidates": "pairs of texts that share a bucket",
        "precision": "found / candidates",
        "sampled": "documents drawn to estimate; 0: all compared",
        "recall_low": "95% interval of recall in a sample: from",
        "recall_high": "95% interval of recall in a sample: to",
        "missed_family": "largest family that the sample may overlook (5% chance)",
    }
)
"""What each key means, in a few words."""

EXPLAINED_FACTS = TableHead((*FACTS.columns, TableColumn("meaning", NAME)), keyed=True)


_ESTIMATED = frozenset({"similar_pairs", "missed"})
"""Counts that a sample estimates. The others are exact."""


def head_of_audit(*, explained: bool) -> TableHead:
    """The columns of an audit. explained: with what each key means."""
    return EXPLAINED_FACTS if explained else FACTS


def rows_of_audit(result: Audit, *, explained: bool, for_people: bool) -> list[Row]:
    """The rows of an audit. for_people: without empty values, and estimates are marked as such."""
    rows = list[Row]()
    for key, value in result.rows():
        if value is None and for_people:
            continue
        about = for_people and result.sampled and not result.has_drawn_all and key in _ESTIMATED
        shown = f"about {value:.0f}".encode() if about else value
        meaning = "all texts were compared" if key == "sampled" and result.has_drawn_all else MEANINGS[key]
        rows.append((key.encode(), shown, *((meaning.encode(),) if explained else ())))
    return rows
