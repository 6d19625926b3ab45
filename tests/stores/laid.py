"""The same documents as files on disk and as objects of a store."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tests.stores.server import LONG_AGO, ObjectStore

BUCKET = "bucket"


def lay_both(store: ObjectStore, root: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a directory, and the same as objects of a bucket, with the same times."""
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (LONG_AGO, LONG_AGO))
        store.put(BUCKET, name, data)


def as_on_disk(data: bytes) -> bytes:
    """An answer about objects, with the names of the files."""
    return data.replace(b"s3://bucket/", b"")


def sentences(number: int, *, copies: int = 2) -> dict[str, bytes]:
    """Texts by name, in families of near-duplicates."""
    found = dict[str, bytes]()
    for family in range(number):
        words = " ".join(f"word{(family * 37 + at * at) % 997}" for at in range(60))
        for copy in range(copies):
            found[f"docs/{'below/' if family % 2 else ''}t{family:03}-{copy}.txt"] = f"{words} end{copy}".encode()
    return found
