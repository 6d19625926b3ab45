import numpy as np
from numpy.typing import NDArray

from simdocs.model.ragged import Bytes, Index, Mask

def read_still(
    root: int,
    names: Bytes,
    offsets: Index,
    ids: NDArray[np.void],
    flags: int,
    before: int,
    most: int,
    data: Bytes,
    facts: NDArray[np.void],
) -> int: ...
def statuses(directory: int, names: bytes, out: bytearray) -> None: ...
def plain(
    data: Bytes, offsets: Index, marks: Bytes, mark_offsets: Index, without_nul: int, looked_at: int, out: Mask
) -> None: ...
