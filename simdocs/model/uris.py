"""Names of objects in stores, such as `s3://bucket/key`, beside paths of files."""

from __future__ import annotations

import os

STORES = (b"s3://", b"s3a://", b"gs://", b"gcs://", b"hdfs://", b"viewfs://")
"""How the names of objects begin. A file whose path begins like this is named `./s3:/...`."""


def is_uri(name: bytes) -> bool:
    """Whether this is the name of an object in a store, or of a prefix."""
    return name.startswith(STORES)


def path_from(root: bytes, name: bytes) -> bytes:
    """The path of a name that is relative to a directory. The name of an object is the same everywhere."""
    return name if is_uri(name) else os.path.join(root, name)


def is_absolute(name: bytes) -> bool:
    """Whether a name means the same in every working directory."""
    return name.startswith(b"/") or is_uri(name)
