"""Ask a store for several objects at a time: each answer takes long, and they need not wait for each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import TypeVar

from simdocs.names import is_uri

AT_A_TIME = 16
"""Objects that are asked for at a time by each process. Stores allow thousands of requests a second."""

_Answer = TypeVar("_Answer")


def each_in_threads(names: Sequence[bytes], ask: Callable[[int], _Answer]) -> Iterator[Callable[[], _Answer]]:
    """Yield what `each_ahead` does, where some names are those of objects."""
    pool, coming = ThreadPoolExecutor(AT_A_TIME), iter(range(len(names)))

    def asked(place: int) -> Callable[[], _Answer]:
        if not is_uri(names[place]):
            return partial(ask, place)
        begun: Future[_Answer] = pool.submit(ask, place)
        return begun.result

    try:
        waiting = deque(map(asked, islice(coming, AT_A_TIME)))
        while waiting:
            yield waiting.popleft()
            waiting.extend(map(asked, islice(coming, 1)))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
