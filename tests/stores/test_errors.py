"""What a store refuses is said in one line, which holds no secret, and soon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import simdocs
from simdocs.errors import InputError
from simdocs.model.skipped import DocumentSkipped, Skipped
from simdocs.reading import stores
from simdocs.reading.files import read
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
