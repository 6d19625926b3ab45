"""A store on the loopback, for tests in this directory. They are skipped if pyarrow cannot reach stores."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from simdocs.reading import stores
from tests.stores.server import ObjectStore, serving

KEYS = {"AWS_ACCESS_KEY_ID": "AKIAEXAMPLEKEY", "AWS_SECRET_ACCESS_KEY": "wJalrEXAMPLESECRET"}
"""Credentials, which must appear nowhere."""


def environment_of(store: ObjectStore) -> dict[str, str]:
    """The environment of a program that reads this store."""
    here = {"AWS_ENDPOINT_URL": store.endpoint, "AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true"}
    return KEYS | here | {"no_proxy": "*"}


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    """An empty store, which this process finds in its environment. It lists three objects at a time."""
    fs = pytest.importorskip("pyarrow.fs", reason="pyarrow is not installed, so no store can be read")
    if not hasattr(fs, "S3FileSystem"):
        pytest.skip("this pyarrow was built without S3")
    made = ObjectStore(page=3)
    with serving(made):
        for name, value in environment_of(made).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(stores, "_OPEN", {})
        yield made
