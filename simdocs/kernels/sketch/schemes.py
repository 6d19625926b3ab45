"""The signature schemes, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from simdocs.families import SCHEMES
from simdocs.model.ragged import Index, Ragged, Tokens


@dataclass(frozen=True, slots=True)
class Scheme:
    """A member of the family.

    signatures(tokens, size, seed): signatures (N, size) uint32. begin: the same, but some rows, whose numbers it gives
    as well, are not done, because the work is cheaper for many at a time: they are to be given to `signatures`.
    """

    signatures: Callable[[Ragged, int, int], Tokens]
    begin: Callable[[Ragged, int, int], tuple[Tokens, Index]]


def scheme_of(name: str) -> Scheme:
    """The scheme of this name, from the table of the family. KeyError: there is none."""
    scheme = SCHEMES[name].load()
    assert isinstance(scheme, Scheme)
    return scheme
