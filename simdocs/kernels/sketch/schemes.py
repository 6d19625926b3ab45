"""The signature schemes, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from simdocs.kernels.sketch import fss, permutation
from simdocs.model.ragged import Index, Ragged, Tokens


@dataclass(frozen=True, slots=True)
class Scheme:
    """A member of the family.

    signatures(tokens, size, seed): signatures (N, size) uint32. begin: the same, but some rows, whose numbers it gives
    as well, are not done, because the work is cheaper for many at a time: they are to be given to `signatures`.
    """

    signatures: Callable[[Ragged, int, int], Tokens]
    begin: Callable[[Ragged, int, int], tuple[Tokens, Index]]


SCHEMES: Mapping[str, Scheme] = MappingProxyType(
    {
        "fss": Scheme(fss.signatures, fss.begin),
        "permutation": Scheme(permutation.signatures, permutation.begin),
    }
)
