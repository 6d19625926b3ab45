"""A forged manifest with a correct checksum, or random damage, gives an ArtifactError or the original content."""

from __future__ import annotations

import json
import os
import shutil
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.artifacts import formats, manifest
from simdocs.errors import ArtifactError
from tests.amounts import slow
from tests.artifacts.test_damage import tiny, verdict  # noqa: F401  (a fixture)

Body = dict[str, Any]


def body_of(path: Path) -> Body:
    body: Body = json.loads((path / "manifest.json").read_bytes())
    del body["checksum"]
    return body


def forge(path: Path, body: Body) -> str:
    """Give an artifact this manifest with a correct checksum, and return the message of the error."""
    (path / "manifest.json").write_bytes(manifest._with_checksum(body))
    return verdict(path)


@pytest.fixture
def copies(tiny, place) -> dict[str, Path]:  # noqa: F811
    """An artifact of each kind that a test may damage."""
    return {kind: Path(shutil.copytree(path, place / path.name)) for kind, path in tiny.items()}


def leaves(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of keys to every value, at any depth."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield (*way, key)
        yield from leaves(value[key], (*way, key))


def changed(body: Body, way: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Body:
    copy: Body = json.loads(json.dumps(body))
    inner: Any = copy
    for key in way[:-1]:
        inner = inner[key]
    change(inner, way[-1])
    return copy


ABSURD = (
    *(-1, 0, 1, 1 << 31, 1 << 48, 1 << 64, 10**4000, 0.5, float("inf"), float("nan")),
    *(True, None, "", "x", "../x", "a\0b", "x" * 10_000, "\ud800"),
    *([], {}, [1, 2, 3], {"a": 1}),
)


OF_INDEX = tuple(array.name for array in formats.FORMATS["index"].arrays)


@pytest.mark.reliability("a forged manifest")
@pytest.mark.parametrize("arrays", [("band_keys", "signatures"), *slow((OF_INDEX,))])
def test_a_manifest_with_an_absurd_value_is_refused(copies, arrays):
    """A manifest that still passes has another recipe, or its files do not match it."""
    path = copies["index"]
    body = body_of(path)
    passed = set()
    for way in leaves(body):
        if way[0] == "arrays" and way[1:] and way[1] not in arrays:
            continue
        for value in ABSURD:
            forged = changed(body, way, lambda inner, key, value=value: inner.__setitem__(key, value))
            if json.dumps(forged) != json.dumps(body) and _said_of(manifest._with_checksum(forged)) is None:
                passed.add(way)
                assert way[0] != "arrays" or forge(path, forged).startswith(f"{path}/")
    assert {("made_from",), ("unicode",), ("parameters", "sequences", "text_field", 0)} <= passed
    assert {way[0] for way in passed} <= {"made_from", "unicode", "parameters", "arrays"}
    assert ("arrays", "band_keys", "shape", 0) not in passed
    assert ("arrays", "signatures", "shape", 1) not in passed
    assert ("parameters", "sketching", "num_perm") not in passed


def _said_of(data: bytes) -> str | None:
    try:
        manifest.decoded(data, "it")
    except ArtifactError as error:
        assert "\n" not in str(error)
        assert len(str(error)) < 300
        return str(error)
    return None


@pytest.mark.reliability("a forged manifest")
def test_a_manifest_with_other_counts_is_refused_before_allocation(copies):
    """The number of rows is changed everywhere in the manifest, so that only the sizes of the files contradict it."""
    body = body_of(copies["index"])
    tracemalloc.start()
    try:
        for rows in (0, 2, 4, 1 << 30, (1 << 48) - 2, 1 << 48, 1 << 63, -1):
            forged = json.loads(json.dumps(body))
            forged["rows"] = rows
            for name, more in (("documents", 0), ("same_as", 0), ("signatures", 0), ("name_offsets", 1)):
                forged["arrays"][name]["shape"][0] = rows + more
            said = forge(copies["index"], forged)
            assert said.startswith(f"{copies['index']}/"), rows
            assert "damaged" in said
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.reliability("an artifact of another version or kind")
@pytest.mark.parametrize(
    ("version", "said"),
    [
        (7, "upgrade simdocs"),
        (10**9, "upgrade simdocs"),
        (-1, "build it again"),
    ],
)
def test_other_versions_are_refused_with_a_remedy(copies, version, said):
    body = body_of(copies["index"]) | {"version": version}
    name = copies["index"]
    assert forge(name, body) == f"{name}: has format version {version}, but this simdocs reads version 6: {said}"
    assert forge(name, body | {"parameters": {}, "more": 1}).endswith(said)  # whatever else is in it


@pytest.mark.reliability("an artifact of another version or kind")
def test_an_unknown_kind_is_refused(copies):
    name = copies["index"]
    said = forge(name, body_of(name) | {"format": "simdocs.graph"})
    assert said == f"{name}: has a kind that this simdocs does not know ('simdocs.graph'): upgrade simdocs"


TEXTS = {
    "empty": b"",
    "not JSON": b"simdocs",
    "a list": b"[]",
    "a string": b'"simdocs.index"',
    "null": b"null",
    "deep": b'{"format":' * 100_000,
    "deep list": b"[" * 1_000_000,
    "digits": b'{"version": %s}' % (b"9" * 10_000),
    "UTF-16": '{"format": "simdocs.index"}'.encode("utf-16"),
    "not UTF-8": b'{"format": "\xff"}',
    "NULs": b"\0" * 4096,
}


@pytest.mark.reliability("a forged manifest")
@pytest.mark.parametrize("what", TEXTS)
def test_files_that_are_not_manifests_are_refused(copies, what):
    (copies["index"] / "manifest.json").write_bytes(TEXTS[what])
    assert verdict(copies["index"]).startswith(f"{copies['index']}/manifest.json: damaged: ")


@pytest.mark.reliability("a manifest of 100 MB")
def test_a_manifest_larger_than_the_arrays_need_is_not_read(copies):
    for kind, path in copies.items():
        data = (path / "manifest.json").read_bytes()
        for size in (4 << 20, 100 << 20):
            os.truncate(path / "manifest.json", size)
            tracemalloc.start()
            try:
                said = verdict(path)
                assert tracemalloc.get_traced_memory()[1] < 1 << 19, kind
            finally:
                tracemalloc.stop()
            assert said.startswith(f"{path}/manifest.json: damaged: {size} bytes are too many for this file")
        (path / "manifest.json").write_bytes(data)
        assert verdict(path) == ""


@pytest.mark.reliability("a forged manifest")
def test_a_manifest_with_a_repeated_key_is_refused(copies):
    path = copies["index"] / "manifest.json"
    data = path.read_bytes()
    for key in ('"rows": 3', '"version": 6', '"block": 262144', '"file": "names.npy"'):
        for other in (key, key.replace("names", "../names").replace("3", "4").replace("5", "4")):
            for twice in (f"{other},\n {key}", f"{key},\n {other}"):
                path.write_bytes(data.replace(key.encode(), twice.encode()))
                assert path.read_bytes() != data
                assert verdict(copies["index"]).startswith(f"{path}: damaged: ")


PLACES = st.integers(0, 1 << 12)
MUTATIONS = st.lists(
    st.tuples(
        st.sampled_from(["manifest.json", "run.json", "names.npy", "documents.npy", "signatures.npy", "band_keys.npy"]),
        st.sampled_from(["flip", "cut", "insert", "repeat", "zero", "swap", "shorten"]),
        PLACES,
        PLACES,
        st.binary(min_size=1, max_size=40),
    ),
    min_size=1,
    max_size=4,
)


def mutate(path: Path, file: str, kind: str, at: int, to: int, more: bytes) -> None:
    data = (path / file).read_bytes()
    begin, end = sorted((at % (len(data) + 1), to % (len(data) + 1)))
    piece = data[begin:end]
    if kind == "swap":
        other = sorted(os.listdir(path))[to % len(os.listdir(path))]
        (path / file).write_bytes((path / other).read_bytes())
        return
    new = {
        "flip": bytes(byte ^ more[at % len(more)] for at, byte in enumerate(piece)),
        "cut": b"",
        "insert": more + piece,
        "repeat": piece * 2,
        "zero": bytes(len(piece)),
    }
    (path / file).write_bytes(data[:begin] if kind == "shorten" else data[:begin] + new[kind] + data[end:])


def damage_at_random(tiny: dict[str, Path], place: Path, mutations: list[Any]) -> None:  # noqa: F811
    path = place / "tiny.index"
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(tiny["index"], path)
    for mutation in mutations:
        mutate(path, *mutation)
    said = verdict(path)
    same = all(
        (path / file).read_bytes() == (tiny["index"] / file).read_bytes()
        for file in formats.FORMATS["index"].files - {"run.json", "chunks.npy"}
    )
    assert (said == "") == same


@pytest.mark.reliability("random damage")
@given(mutations=MUTATIONS)
def test_random_damage_is_reported_or_harmless(tiny, tmp_path_factory, mutations):  # noqa: F811
    damage_at_random(tiny, tmp_path_factory.getbasetemp(), mutations)
