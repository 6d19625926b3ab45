"""Strategies for forged artifacts: arrays and run.json are changed, and the checksums are made to match."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from simdocs.artifacts.formats import FORMATS
from simdocs.model.documents import FIELDS, FILE_FIELDS
from tests.cli.forged import Arrays, signed_anew

WAYS = ("one", "run", "run", "all", "all", "exchange", "copy", "sort", "reverse")


class Change(NamedTuple):
    """A change of an array, or of a field of its records: what is done, from where to where (as shares of its length),
    and with which value (or the share at which one is found)."""

    array: str
    field: str
    what: str
    begin: float
    end: float
    value: int | float


class Forgery(NamedTuple):
    """What is forged of an artifact: values of arrays, and the bytes of run.json if they are."""

    changes: Sequence[Change]
    run: bytes | None


SHARES = st.sampled_from([0.0, 1.0]) | st.floats(0, 1)

VALUES = st.sampled_from(
    [0, 0, 1, -1, 2, 7, 8, 9, 10, 35, 47, 1 << 16, 1 << 20, 1 << 31, (1 << 32) - 1, 1 << 40, -(1 << 63)]
)

ROOTS: list[Any] = [None, "", "/", ".", "docs", "..", "\0", "\ud800", "\udcff", "x" * 5000, 1, [], {}, True, 1e999]

RUNS = [
    *(b"", b"{}", b"[]", b"null", b"{", b"\xff", b"\0" * 99, b"[" * 100_000, b'{"root":' * 100_000),
    *(b'{"root": NaN, "skipped": NaN}', b'{"root": ".", "root": 1}', b'{"start": 1%s}' % (b"0" * 5000)),
    *(b'{"root": "docs", "%s": %s1%s}' % (key, b"[" * 900, b"]" * 900) for key in (b"skipped", b"start", b"command")),
    b'{"root": "docs", "skipped": %s1%s}' % (b'{"a":' * 300, b"}" * 300),
    *(json.dumps({"root": root, "command": [1, None, "\x1b[31m"], "skipped": [1]}).encode() for root in ROOTS),
]
"""The contents of run.json, which has no checksum."""


def forgeries(kind: str) -> st.SearchStrategy[Forgery]:
    """Return forgeries of an artifact of this kind: mostly of one to three arrays."""
    places = [(array.name, "") for array in FORMATS[kind].arrays if not array.dtype.names]
    of_records = {"documents": FIELDS, "files": FILE_FIELDS}
    places += [(array, name) for array, about in of_records.items() for name, *_ in about]
    one = st.builds(
        lambda place, *rest: Change(*place, *rest),
        st.sampled_from(places),
        st.sampled_from(WAYS),
        SHARES,
        SHARES,
        VALUES | SHARES,
    )
    changes = st.lists(one, min_size=1, max_size=3)
    return st.builds(Forgery, changes, st.none()) | st.builds(Forgery, st.just(()) | changes, st.sampled_from(RUNS))


def forge(path: Path, forgery: Forgery) -> None:
    """Forge an artifact, with checksums that match."""

    def change(arrays: Arrays) -> None:
        for each in forgery.changes:
            _change(arrays, each)

    signed_anew(path, change)
    if forgery.run is not None:
        (path / "run.json").write_bytes(forgery.run)


def _change(arrays: Arrays, change: Change) -> None:
    name, field, what, begin, end, value = change
    whole = arrays[name][field] if field else arrays[name]
    flat = np.ascontiguousarray(whole).reshape(-1)
    if not len(flat):
        return
    at, to = sorted((int(begin * (len(flat) - 1)), int(end * (len(flat) - 1))))
    if isinstance(value, float):
        number = flat[int(value * (len(flat) - 1))]
    else:
        number = np.array(value % (1 << 64), np.uint64).astype(flat.dtype)
    if what == "exchange":
        flat[[at, to]] = flat[[to, at]]
    elif what in ("sort", "reverse"):
        flat[at : to + 1] = np.sort(flat[at : to + 1]) if what == "sort" else flat[at : to + 1][::-1].copy()
    else:
        cut = {"one": slice(at, at + 1), "run": slice(at, to + 1), "all": slice(None), "copy": slice(at, at + 1)}[what]
        flat[cut] = flat[to] if what == "copy" else number
    whole[...] = flat.reshape(whole.shape)
