"""What walks of prefixes find is what walks of directories find, with the names of objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from simdocs.errors import InputError
from simdocs.model.skipped import Skipped
from tests.reading.finding import found_by
from tests.stores.laid import BUCKET, lay_both
from tests.stores.server import ObjectStore

TREE = {
    name: name.encode()
    for name in (
        "docs/a.txt",
        "docs/a/x.txt",
        "docs/a-b.txt",
        "docs/a0.txt",
        "docs/.hidden",
        "docs/.git/config",
        "docs/.git/objects/aa",
        "docs/b b.txt",
        "docs/per%20cent.txt",
        "docs/hash#1.txt",
        "docs/question?x=1&y.txt",
        "docs/plus+and&amp;.txt",
        "docs/line\nfeed.txt",
        "docs/carriage\rreturn.txt",
        "docs/\u00fc\U0001f600.txt",
        "docs/deep/er/and/deeper/z.log",
        "docs/x.index/names.npy",
        "docs/built/manifest.json",
        "docs/built/names.npy",
        "docs/other/manifest.json",
        "docs/other/kept.txt",
        "docs/.simdocs-tmp-1/names.npy",
    )
}
TREE["docs/built/manifest.json"] = b'{\n "format": "simdocs.index"\n}'


def names_and_skips(*names: Any, **walking: Any) -> tuple[list[bytes], Any, list[str]]:
    """The names that were found, the skips by reason, and the warnings."""
    skipped = Skipped()
    found = found_by(*names, skipped=skipped, **walking)
    return list(found.names), skipped.by_reason, skipped.warnings


@pytest.mark.parametrize(
    "walking",
    [
        {},
        {"hidden": True},
        {"include": ("*.txt",)},
        {"exclude": ("/deep/er", "other/")},
    ],
    ids=str,
)
def test_a_prefix_is_walked_as_the_directory_with_the_same_files(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, walking: Any
) -> None:
    lay_both(store, tmp_path, TREE)
    monkeypatch.chdir(tmp_path)
    names, skips, warnings = names_and_skips("docs", **walking)
    for prefix in ("s3://bucket/docs", "s3://bucket/docs/"):
        found, left, told = names_and_skips(prefix, **walking)
        assert [name.removeprefix(b"s3://bucket/") for name in found] == names
        without = {
            why: [(name.removeprefix("s3://bucket/"), detail) for name, detail in each] for why, each in left.items()
        }
        assert without == skips
        assert told == warnings


def test_a_whole_bucket_is_walked(store: ObjectStore) -> None:
    for name in ("z", "a/b", "docs/x"):
        store.put(BUCKET, name, b"text")
    wanted = [b"s3://bucket/a/b", b"s3://bucket/docs/x", b"s3://bucket/z"]
    assert names_and_skips("s3://bucket")[0] == wanted
    assert names_and_skips("s3://bucket/")[0] == wanted
    assert names_and_skips("s3a://bucket")[0] == [b"s3a" + name[2:] for name in wanted]


def test_a_prefix_with_nothing_but_a_marker_gives_a_warning(store: ObjectStore) -> None:
    store.put(BUCKET, "docs/", b"")
    for name in ("s3://bucket/docs", "s3://bucket/docs/"):
        assert names_and_skips(name) == ([], {}, [f"{name}: no documents were found below this prefix"])


def test_a_name_that_is_an_object_and_a_prefix_is_the_object_unless_it_ends_with_a_slash(store: ObjectStore) -> None:
    for name in ("docs", "docs/x"):
        store.put(BUCKET, name, b"text")
    assert names_and_skips("s3://bucket/docs")[0] == [b"s3://bucket/docs"]
    assert names_and_skips("s3://bucket/docs/")[0] == [b"s3://bucket/docs/x"]
    assert names_and_skips("s3://bucket")[0] == [b"s3://bucket/docs", b"s3://bucket/docs/x"]


@pytest.mark.parametrize("name", ["s3://bucket/nothing", "s3://bucket/nothing/", "s3://bucket/doc"])
def test_a_prefix_without_objects_is_an_argument_that_does_not_exist(store: ObjectStore, name: str) -> None:
    store.put(BUCKET, "docs/x", b"text")
    with pytest.raises(InputError, match=r"there is no object of this name, and none below it|Path does not exist"):
        found_by(name)


def test_objects_that_pyarrow_cannot_reach_are_named(store: ObjectStore) -> None:
    for name in ("docs//x", "docs/a//y", "docs/./z", "docs/../z", "z", "docs/good"):
        store.put(BUCKET, name, b"text")
    names, skips, _ = names_and_skips("s3://bucket/docs", hidden=True)
    assert names == [b"s3://bucket/docs/good"]
    assert [name.removeprefix("s3://bucket/docs/") for name, _ in skips.pop("unreadable")] == [
        "../z",
        "./z",
        "/x",
        "a//y",
    ]
    assert not skips


def test_an_object_is_read_once_by_whatever_name(store: ObjectStore, tmp_path: Path) -> None:
    for name in ("docs/x", "docs/y"):
        store.put(BUCKET, name, b"text")
    names, skips, _ = names_and_skips("s3a://bucket/docs/y", "s3://bucket/docs", "s3://bucket/docs/x")
    assert names == [b"s3a://bucket/docs/y", b"s3://bucket/docs/x"]
    assert not skips


def test_requests_for_a_list_grow_with_its_pages(store: ObjectStore) -> None:
    store.page = 1000
    for number in range(2500):
        store.put(BUCKET, f"docs/{number:05}", b"text")
    assert len(found_by("s3://bucket/docs/").names) == 2500
    assert store.counts() == {"LIST": 3}
