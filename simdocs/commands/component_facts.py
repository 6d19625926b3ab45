"""Facts that show how similar the documents of each connected component are."""

from __future__ import annotations

import math
from collections.abc import Iterator

from simdocs.commands.printed_names import Named
from simdocs.model.deduplication import ComponentFacts
from simdocs.model.groups import Components


def component_facts(documents: Named, components: Components) -> Iterator[ComponentFacts]:
    """The facts of each component, the loosest first."""
    order = sorted(range(len(components.kept)), key=lambda at: (components.pairwise[at], components.kept[at]))
    for at in order:
        yield ComponentFacts(
            documents.printed_names(components.kept[at : at + 1])[0],
            int(components.size[at]),
            _rounded(components.to_kept[at]),
            _rounded(components.pairwise[at]),
            bool(components.complete[at]),
        )


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(float(value), 6)
