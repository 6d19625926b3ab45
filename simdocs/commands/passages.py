"""compare and query with `passages`: where texts have passages in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simdocs.errors import Problem, UsageError, mention
from simdocs.matching.passage_search import PassageSearch
from simdocs.model.common_passages import CommonPassages
from simdocs.model.ragged import Tokens
from simdocs.parameters.families import UNITS
from simdocs.parameters.recipes import Shingling
from simdocs.parameters.texts import PassageAnswer


def passages_of(
    names: Sequence[Any], texts: Sequence[bytes], wanted: PassageAnswer, shingling: Shingling, ignored: Tokens
) -> CommonPassages:
    """The passages that two texts in UTF-8 have in common. ignored: the tokens that are left out.

    UsageError: a shingle has more units than the shortest passage that is wanted.
    """
    least = _least_units(wanted, shingling)
    search = PassageSearch(texts[0], shingling, least, ignored)
    other = search.placed(texts[1])
    return CommonPassages(
        names=(names[0], names[1]),
        passages=tuple(search.passages(other)),
        least=least,
        unit=shingling.unit,
        texts=(search.a.text, other.text),
        lengths=(len(search.a.numbers), len(other.numbers)),
    )


def _least_units(wanted: PassageAnswer, shingling: Shingling) -> int:
    """The least number of units in a passage. UsageError: a shingle has more."""
    k, given = shingling.k, wanted.min_passage
    if given is not None and given < k:
        why = f"{mention('k')} is {k}, and a passage has at least one shingle"
        raise UsageError(Problem(f"{mention('min_passage')} must be at least {k}: {why}", "min_passage", "k"))
    return max(UNITS[shingling.unit].passage, k) if given is None else given
