"""The implementation of a signature scheme, found by its name, or made from the functions that a user stated."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simdocs.model.ragged import Index, Ragged, Tokens
from simdocs.options.families import SCHEMES
from simdocs.options.hash_functions import OWN_SCHEMES, values_of
from simdocs.options.recipes import Sketching


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


def signing_of(sketching: Sketching) -> Scheme:
    """The scheme that these parameters choose.

    The signatures of a scheme with own functions depend on neither num_perm nor seed. Its items are known.
    """
    if sketching.scheme not in OWN_SCHEMES:
        return scheme_of(sketching.scheme)
    from simdocs.kernels.permutation import table_signatures

    tokens = np.array(sketching.item_tokens, np.uint32)
    order = np.argsort(tokens)
    known = tokens[order]
    values = np.array(values_of(sketching), np.uint32).reshape(sketching.num_perm, len(tokens)).T[order]

    def signatures(tokens: Ragged, _num_perm: int, _seed: int) -> Tokens:
        return table_signatures(tokens, known, values)

    def partial_signatures(tokens: Ragged, _num_perm: int, _seed: int) -> tuple[Tokens, Index]:
        return table_signatures(tokens, known, values), np.empty(0, np.int64)

    return Scheme(signatures, partial_signatures)
