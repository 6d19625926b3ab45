"""The signature schemes, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from simdocs.kernels import fss, permutation
from simdocs.model.ragged import Ragged, Tokens

SCHEMES: Mapping[str, Callable[[Ragged, int, int], Tokens]] = MappingProxyType(
    {"fss": fss.signatures, "permutation": permutation.signatures}
)
