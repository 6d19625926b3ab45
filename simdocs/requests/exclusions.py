"""Parameters that exclude each other, and why."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from simdocs.errors import mention

NOT_FOR_EXACT: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(
        ("recall", "rule", "bands", "rows", "max_candidates", "verify", "against"),
        f"{mention('exact')} finds and compares every pair",
    )
)
"""Parameters about pairs that may be missed or are not compared: an exact join misses none."""

NOT_FOR_EXACT_QUERY: Mapping[str, str] = MappingProxyType(
    {"verify": f"{mention('exact')} finds and compares every pair"}
)
"""Parameters of a query that cannot be combined with an exact join."""

NOT_FOR_CONTAINMENT: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("recall", "rule", "bands", "rows"), "containment is computed for every pair in any case"),
        "verify": "signatures do not tell the containment",
    }
)
"""Parameters about signatures, which say little about containment."""

NOT_FOR_PAIRS: Mapping[str, str] = MappingProxyType(
    {
        "against": f"{mention('pairs')} finds pairs only within the documents",
        "keep": f"{mention('pairs')} does not choose documents to keep",
        "max_candidates": f"{mention('pairs')} has no such limit",
    }
)
"""Parameters that all pairs do not need."""

NOT_FOR_COMPONENTS: Mapping[str, str] = MappingProxyType(
    {
        "pairs": f"{mention('pairs')} lists pairs, not groups",
        "against": f"{mention('against')} keeps every document of the index, and a component keeps one",
        "max_candidates": "components have no such limit",
    }
)
"""Parameters that cannot be combined with connected components."""

NOT_FOR_EXPLANATIONS: Mapping[str, str] = MappingProxyType(
    {
        "pairs": f"{mention('explain')} explains groups",
        "list": f"{mention('explain')} lists all documents",
    }
)
"""What an explanation of groups cannot be."""

NOT_FOR_NEAREST: Mapping[str, str] = MappingProxyType(
    {
        "threshold": f"{mention('nearest')} ignores the threshold",
        "top": f"{mention('nearest')} limits the number of matches already",
        "max_memory": "only a few token sets are in memory at once",
    }
)
"""Parameters that the nearest documents do not need."""


def containment_instead(nearest: int) -> str:
    """How to ask for as many documents that contain others as the nearest that were asked for."""
    containment = f"{mention('measure')} containment {mention('top')} {nearest}"
    return f"use {containment} instead of {mention('nearest')} {nearest}"


def not_together(*names: str, why: str = "") -> str:
    """The problem that these parameters exclude each other. why: the reason, or what to do."""
    *most, last = map(mention, names)
    return f"{', '.join(most)} and {last} cannot be combined" + (f": {why}" if why else "")
