"""A damaged artifact raises an ArtifactError, whose message names the file and a remedy. It gives no wrong answer."""

from __future__ import annotations

import errno
import os
import re
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import simdocs as library
from simdocs.artifacts import formats, manifest, reader
from simdocs.errors import ArtifactError
from tests.amounts import slow
from tests.artifacts.tiny import KINDS, arrays, arrays_of, laid
from tests.cli.program import simdocs

REMEDY = re.compile(r"build (it|the artifact) again|upgrade simdocs|name (one|an artifact)")
ARRAYS = [(kind, array.file) for kind in KINDS for array in arrays_of(kind)]
NOT_READ = ("ignored.npy", "sketch_tokens.npy", "sketch_rows.npy")
OF_INDEX = [file for kind, file in ARRAYS if kind == "index"]
FILES = [*(("index", file) for file in OF_INDEX), ("shingles", "tokens.npy"), ("shingles", "offsets.npy")]


def verdict(path: Path) -> str:
    """Read all of an artifact and return the message of the error, or nothing if it holds what was written."""
    try:
        artifact = reader.open_artifact(os.fsencode(path))
        for name, array in arrays(artifact.kind, 1, 3).items():
            assert np.array_equal(artifact[name].all(), array)
    except ArtifactError as error:
        said = str(error)
        assert "\n" not in said
        assert said.startswith(f"{path}")
        assert REMEDY.search(said), said
        assert len(said) < 300 + len(os.fsencode(path))
        return said
    return ""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return laid(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def index(tiny: dict[str, Path], place: Path) -> Path:
    """An index that a test may damage."""
    return Path(shutil.copytree(tiny["index"], place / "tiny.index"))


def truncated(data: bytes, step: int) -> Iterator[bytes]:
    return (data[:length] for length in range(0, len(data), step))


def flipped(data: bytes, step: int) -> Iterator[bytes]:
    """Flip one bit of each step-th byte in turn."""
    for at in range(0, len(data), step):
        yield data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]


def longer(data: bytes, _step: int) -> Iterator[bytes]:
    return (data + more for more in (b"\0", b"\n", b"}", data[-64:], b"\0" * 4096))


WAYS = {"truncated": truncated, "flipped": flipped, "longer": longer}


@pytest.mark.reliability("an array or manifest that is cut short, longer, or has a flipped bit")
@pytest.mark.parametrize("step", [11, *slow(1)])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("kind", "file"), FILES)
def test_damaged_arrays_are_reported(tiny, place, kind, file, way, step):
    path = Path(shutil.copytree(tiny[kind], place / f"tiny.{kind}"))
    assert verdict(path) == ""
    data = (path / file).read_bytes()
    for damaged in WAYS[way](data, step):
        (path / file).write_bytes(damaged)
        assert verdict(path).startswith(f"{path}/{file}: damaged: ")
    (path / file).write_bytes(data)
    assert verdict(path) == ""


@pytest.mark.reliability("an array or manifest that is cut short, longer, or has a flipped bit")
@pytest.mark.parametrize("step", [7, *slow(1)])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_manifests_are_reported(tiny, kind, way, step):
    data = (tiny[kind] / "manifest.json").read_bytes()
    for damaged in WAYS[way](data, step):
        with pytest.raises(ArtifactError, match=r"^it/manifest\.json: damaged: .*: build the artifact again$"):
            manifest.decoded(damaged, "it")


@pytest.mark.reliability("a file of an artifact that is missing, a FIFO, a link or a directory")
@pytest.mark.parametrize("file", [*OF_INDEX, "manifest.json"])
def test_files_that_are_missing_or_not_regular_are_reported(index, file):
    for put in STRANGERS.values():
        (index / file).unlink()
        put(index / file)
        assert verdict(index).startswith(f"{index}/{file}: "), put
        if (index / file).is_dir():
            (index / file).rmdir()
            (index / file).touch()
    (index / file).unlink()
    assert verdict(index) == f"{index}/{file}: damaged: the file is missing: build the artifact again"


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


STRANGERS = {
    "empty": Path.touch,
    "FIFO": os.mkfifo,
    "link to nowhere": lambda path: path.symlink_to("nowhere"),
    "link to a file": lambda path: path.symlink_to("run.json"),
    "link to zeros": lambda path: path.symlink_to("/dev/zero"),
    "socket": _socket,
    "directory": Path.mkdir,
}


class Trap:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (self.path,)


@pytest.mark.reliability("an array or manifest that is cut short, longer, or has a flipped bit")
@pytest.mark.reliability("pickled objects")
def test_arrays_of_another_type_or_shape_are_reported(index, place):
    """Some of these arrays have the right size. One would run code if it were unpickled."""
    file = index / "same_as.npy"
    right = np.load(file)
    size = file.stat().st_size
    others = [right.astype(">u4"), right.astype("<i4"), right.astype("<f4"), right.reshape(1, 3), right[:2], right[:0]]
    for other in others:
        np.save(file, other)
        assert verdict(index).startswith(f"{file}: damaged: ")
    with file.open("wb") as stream:
        np.lib.format.write_array(stream, right, (2, 0))
    assert verdict(index).startswith(f"{file}: damaged: ")
    np.save(file, np.array([Trap(place / "trapped")] * 3, object), allow_pickle=True)
    assert verdict(index).startswith(f"{file}: damaged: ")
    file.write_bytes(file.read_bytes()[:size].ljust(size, b"\0"))
    assert verdict(index) == f"{file}: damaged: its header does not match the manifest: build the artifact again"
    assert not (place / "trapped").exists()


HARMLESS = {
    "empty": b"",
    "garbage": b"\xff\xfe",
    "list": b"[]",
    "number": b"1" * 5000,
    "deep": b"[" * 100_000,
    "root a number": b'{"root": 3}',
    "root no name": rb'{"root": "\ud800"}',
    "root with NUL": rb'{"root": "a\u0000b"}',
}


@pytest.mark.reliability("a damaged run.json")
@pytest.mark.parametrize("what", [*HARMLESS, *STRANGERS, "missing"])
def test_a_damaged_run_json_does_no_harm(index, what):
    run = index / "run.json"
    run.unlink()
    if what in HARMLESS:
        run.write_bytes(HARMLESS[what])
    elif what != "missing":
        STRANGERS[what](run)
    assert verdict(index) == ""
    assert reader.open_artifact(os.fsencode(index)).root == b""


def test_of_a_run_with_too_many_facts_the_longest_are_not_recorded(place, monkeypatch):
    monkeypatch.setattr("simdocs.artifacts.writer.MOST_RUN_BYTES", 2000)
    monkeypatch.setattr("sys.argv", ["simdocs", "x" * 2000])
    library.index(texts=["a text"], output=str(place / "x.index"))
    run = reader.open_artifact(os.fsencode(place / "x.index")).run
    assert "read_ns" in run
    assert "command" not in run


@pytest.mark.reliability("a file of an artifact that is missing, a FIFO, a link or a directory")
def test_a_fifo_for_a_manifest_is_not_waited_for(place):
    (place / "docs").mkdir()
    os.mkfifo(place / "docs/manifest.json")
    assert formats.kind_of(os.fsencode(place / "docs")) is None


@pytest.mark.parametrize("file", [file for file in OF_INDEX if file not in NOT_READ])
def test_the_program_reports_a_damaged_block(built, place, file):
    """What is read is checked first. There are no tokens left out, and no sketch here."""
    path = Path(shutil.copytree(built / "docs.index", place / "docs.index")) / file
    data = bytearray(path.read_bytes())
    data[-1] ^= 4
    path.write_bytes(data)
    said = f"simdocs: error: {path}: damaged: block 0 does not match its checksum: build the artifact again\n"
    assert simdocs("query", place / "docs.index", "docs", cwd=built) == (4, b"", said)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM])
def test_a_lack_of_open_files_or_memory_is_no_damage(tmp_path, monkeypatch, number):
    path = laid(tmp_path)["index"]
    monkeypatch.setattr(reader.syscalls, "open_found", mock.Mock(side_effect=OSError(number, "too many")))
    with pytest.raises(OSError, match="too many"):
        reader.open_artifact(os.fsencode(path))
