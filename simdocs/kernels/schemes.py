"""The implementation of a signature scheme, found by its name, or made from the functions that a user stated."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from simdocs.kernels import fss, permutation
from simdocs.model.ragged import Ragged, Tokens
from simdocs.options.hash_functions import OWN_SCHEMES, values_of
from simdocs.options.recipes import Sketching

Scheme: TypeAlias = Callable[[Ragged, int, int], Tokens]
"""Returns the signatures of N documents, (N, num_perm) uint32, from their tokens, num_perm and the seed."""

SIGNATURES: dict[str, Scheme] = {"fss": fss.signatures, "permutation": permutation.signatures}
"""The implementations of SCHEMES in options/families.py."""


def scheme_of(name: str) -> Scheme:
    """The scheme of this name. KeyError: there is none."""
    return SIGNATURES[name]


def signing_of(sketching: Sketching) -> Scheme:
    """The scheme that these parameters choose.

    The signatures of a scheme with own functions depend on neither num_perm nor seed. Its items are known.
    """
    if sketching.scheme not in OWN_SCHEMES:
        return scheme_of(sketching.scheme)
    tokens = np.array(sketching.item_tokens, np.uint32)
    order = np.argsort(tokens)
    known = tokens[order]
    values = np.array(values_of(sketching), np.uint32).reshape(sketching.num_perm, len(tokens)).T[order]

    return lambda tokens, _num_perm, _seed: permutation.table_signatures(tokens, known, values)
