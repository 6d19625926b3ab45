"""The implementation of a signature scheme, found by the name of the scheme."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from simdocs.model.ragged import Index, Ragged, Tokens
from simdocs.parameters.families import SCHEMES


class Scheme(NamedTuple):
    """The implementation of a signature scheme.

    signatures(tokens, num_perm, seed): the signatures of N documents, (N, num_perm) uint32
    partial_signatures(tokens, num_perm, seed): the same array with some rows unfinished, and the numbers of those rows.
        Finishing them is cheaper for many documents at once: pass their tokens to `signatures`.
    """

    signatures: Callable[[Ragged, int, int], Tokens]
    partial_signatures: Callable[[Ragged, int, int], tuple[Tokens, Index]]


def scheme_of(name: str) -> Scheme:
    """The scheme of this name, from the table of schemes. KeyError: the name is not in the table."""
    scheme = SCHEMES[name].load()
    assert isinstance(scheme, Scheme)
    return scheme
