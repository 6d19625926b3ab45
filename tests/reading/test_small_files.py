"""Small files that are read with one call, in C: the same as one by one. What is not small and regular is left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from simdocs.kernels import native
from simdocs.reading import files
from simdocs.reading.files import Stamp, read, read_small

LIMIT = 1 << 30


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if not native.is_installed():
        pytest.skip("the kernels in C are not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "_FEW", 1)
    with mock.patch.object(native, "_chosen", "native"):
        yield


def small(*names: bytes, limit: int = LIMIT, follow: bool = True) -> list[bytes | None]:
    """The bytes of these files. Those that are read are what `read` returns, with their stamps."""
    texts, stamps = read_small(names, limit, np.full(len(names), follow))
    for name, text, stamp in zip(names, texts, stamps.tolist(), strict=True):
        assert text is None or (text, Stamp(*stamp)) == read(name, limit, follow=follow)
    return texts


def test_small_files_are_read_as_one_by_one():
    rng = np.random.default_rng(1)
    names = [b"a", b"b c", b"c\n\xed", b"d", b"e" * 255]
    contents = [rng.bytes(size) for size in (1, 4000, 4001, 65536, 3)]
    for name, content in zip(names, contents, strict=True):
        Path(os.fsdecode(name)).write_bytes(content)
    os.utime("d", ns=(-5, -5))
    assert small(*names) == contents


def test_what_is_not_small_or_is_compressed_is_left():
    for name, content in {"a": b"", "b": bytes(65537), "c.gz": b"text", "d.ZST": b"text", "e": b"1234567890"}.items():
        Path(name).write_bytes(content)
    names = [b"a", b"b", b"c.gz", b"d.ZST", b"e"]
    assert small(*names) == [None, None, None, None, b"1234567890"]
    assert small(*names, limit=9) == [None] * 5


def test_what_is_no_regular_file_is_left():
    Path("a").write_bytes(b"text")
    os.symlink("a", "link")
    os.mkfifo("fifo")
    os.mkdir("directory")
    os.mkdir("s3:")
    Path("s3:", "a").write_bytes(b"text")
    others = (b"fifo", b"directory", b"none", b"", b"a\0", b"s3://a", b"directory/none/a")
    assert small(b"link", b"a", *others) == [b"text", b"text"] + [None] * len(others)
    assert small(b"link", b"a", follow=False) == [None, b"text"]
