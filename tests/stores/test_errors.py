"""What a store refuses is said in one line, which holds no secret, and soon. Names say places without any store."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

import simdocs
from simdocs.errors import InputError
from simdocs.model.skipped import DocumentSkipped, Skipped
from simdocs.reading import stores
from simdocs.reading.files import read
from simdocs.reading.stores import Place, digest_of, place_of, store_at
from tests.reading.finding import found_by
from tests.stores.conftest import KEYS
from tests.stores.server import ObjectStore, Refused


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait one second instead of twenty, and ask twice."""
    monkeypatch.setattr(stores, "SILENT_SECONDS", 1)
    monkeypatch.setattr(stores, "ATTEMPTS", 2)


def refused(status: int, code: str) -> Any:
    def before(*_: str) -> None:
        raise Refused(status, code)

    return before


@pytest.mark.reliability("access denied, expired credentials, another region")
@pytest.mark.parametrize(
    ("status", "code"),
    [(403, "AccessDenied"), (400, "ExpiredToken"), (301, "PermanentRedirect"), (500, "InternalError")],
)
@pytest.mark.parametrize("name", ["s3://bucket/docs", "s3://bucket/docs/"])
def test_a_refused_prefix_is_named_with_the_reason(store: ObjectStore, name: str, status: int, code: str) -> None:
    store.put("bucket", "docs/x", b"text")
    store.before = refused(status, code)
    skipped = Skipped()
    assert not len(found_by(name, skipped=skipped).names)
    ((named, said),) = skipped.by_reason["unreadable"]
    assert named == name
    assert said.startswith("When ") and "AWS Error" in said and "\n" not in said
    assert len(store.asked) <= 2 * stores.ATTEMPTS


@pytest.mark.parametrize(("status", "code"), [(403, "AccessDenied"), (500, "InternalError"), (404, "NoSuchKey")])
def test_a_refused_object_is_skipped(store: ObjectStore, status: int, code: str) -> None:
    store.put("bucket", "docs/x", b"text")
    store.before = refused(status, code)
    with pytest.raises(DocumentSkipped) as raised:
        read(b"s3://bucket/docs/x", 1000)
    assert raised.value.reason == ("vanished" if status == 404 else "unreadable")


@pytest.mark.reliability("no such bucket")
@pytest.mark.parametrize("name", ["s3://nowhere", "s3://nowhere/docs/"])
def test_a_bucket_that_does_not_exist_is_an_argument_that_does_not_exist(store: ObjectStore, name: str) -> None:
    with pytest.raises(InputError) as raised:
        found_by(name)
    assert str(raised.value).startswith(f"{name}: ")


@pytest.mark.reliability("no connection")
def test_a_store_that_is_not_there_is_named(store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    skipped = Skipped()
    found_by("s3://bucket/docs/", skipped=skipped)
    ((_, said),) = skipped.by_reason["unreadable"]
    assert "Could not connect to server" in said


@pytest.mark.reliability("a name with a key")
@pytest.mark.parametrize("name", ["s3a://KEY:SECRET@bucket", "s3://KEY:SEC/RET@bucket/x", "gs://SECRET@bucket/x"])
def test_keys_in_a_name_are_refused_and_not_repeated(name: str, tmp_path: Path) -> None:
    (tmp_path / "list").write_text(f"{name}\n")
    for names, given in (([name], {}), ([], {"files_from": str(tmp_path / "list")})):
        with pytest.raises(simdocs.SimdocsError) as raised:
            simdocs.dedupe(*names, **given)
        said = str(raised.value)
        assert "the environment" in said
        assert "SEC" not in said
        assert "KEY:" not in said


@pytest.mark.reliability("credentials")
@pytest.mark.parametrize("kind", [OSError, ValueError, FileNotFoundError])
def test_credentials_are_cut_out_of_what_the_library_says(
    kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)

    def refuse() -> None:
        raise kind(f"AWS Error ACCESS_DENIED:\n{' '.join(KEYS.values())} may not do this")

    with pytest.raises(OSError) as raised:
        stores.answered(refuse)
    assert raised.value.strerror == f"AWS Error ACCESS_DENIED: {' '.join(['...'] * len(KEYS))} may not do this"


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
