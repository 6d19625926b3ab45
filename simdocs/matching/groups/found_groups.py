"""The groups that dedupe finds."""

from __future__ import annotations

from dataclasses import dataclass

from simdocs.matching.groups.chains import Chains
from simdocs.model.groups import Components, Pairs


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The groups that dedupe found: each duplicate (right) with its kept document (left), in row order.

    components: how similar the documents of each connected component are; None: other groups. If it was asked
    for: chains, how the documents of each component are linked; nearest, see `nearest_kept`.
    """

    pairs: Pairs
    components: Components | None = None
    chains: Chains | None = None
    nearest: Pairs | None = None
