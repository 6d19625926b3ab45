"""What the name of an object says, and how its store is opened. Nothing is asked of any store."""

from __future__ import annotations

from unittest.mock import MagicMock

import pytest

from simdocs.errors import InputError
from simdocs.reading import stores
from simdocs.reading.stores import Place, digest_of, place_of, store_at


@pytest.mark.parametrize(
    ("name", "place"),
    [
        (b"s3a://b/x/", Place(b"s3a", b"b", b"b/x")),
        (b"gs://b/", Place(b"gs", b"b", b"b")),
        (b"gs://b", Place(b"gs", b"b", b"b")),
        (b"hdfs://host:80/a/b/", Place(b"hdfs", b"host:80", b"/a/b")),
        (b"viewfs://h", Place(b"viewfs", b"h", b"")),
    ],
)
def test_a_name_says_a_place(name: bytes, place: Place) -> None:
    assert place_of(name) == place


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (b"s3://", "no name of a bucket after"),
        (b"s3:///x", "no name of a bucket after"),
        (b"s3://b/a//c", "an object with // in"),
        (b"hdfs://h/a/./c", "an object with /./ or /../ in"),
        (b"s3://b/..", "an object with /./ or /../ in"),
    ],
)
def test_a_name_that_pyarrow_cannot_reach_is_refused(name: bytes, why: str) -> None:
    with pytest.raises(OSError, match=why):
        place_of(name)


def test_other_names_of_a_kind_of_store_are_the_same_store() -> None:
    assert digest_of(b"s3a://b/x") == digest_of(b"s3://b/x") != digest_of(b"gcs://b/x") == digest_of(b"gs://b/x")
    assert digest_of(b"hdfs://b/x") != digest_of(b"viewfs://b/x")


def test_each_store_is_opened_once_with_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    fs = MagicMock()
    fs.S3FileSystem.side_effect = lambda **how: (how["endpoint_override"], how["region"], how["tls_ca_file_path"])
    fs.resolve_s3_region.return_value = "there"
    monkeypatch.setattr(stores, "_library", lambda *_: fs)
    monkeypatch.setattr(stores, "_OPEN", {})
    one = place_of(b"s3://one/x")
    assert not stores.has_threads()
    assert store_at(one) == store_at(place_of(b"s3a://one/y")) == (None, "there", None)
    assert stores.has_threads()
    fs.resolve_s3_region.side_effect = OSError
    assert store_at(place_of(b"s3://two")) == (None, None, None)
    for name, value in (("AWS_ENDPOINT_URL", "e"), ("AWS_DEFAULT_REGION", "d"), ("AWS_CA_BUNDLE", "c")):
        monkeypatch.setenv(name, value)
    assert store_at(one) == ("e", "d", "c")
    for name, value in (("AWS_ENDPOINT_URL_S3", "s"), ("AWS_REGION", "r")):
        monkeypatch.setenv(name, value)
    assert store_at(one) == ("s", "r", "c")
    assert [call.args for call in fs.resolve_s3_region.call_args_list] == [("one",), ("two",)]
    store_at(place_of(b"hdfs://h:1/a"))
    fs.FileSystem.from_uri.assert_called_once_with("hdfs://h:1/")
    del fs.GcsFileSystem
    with pytest.raises(InputError, match="this pyarrow was built without support for gcs://"):
        store_at(place_of(b"gcs://b"))
