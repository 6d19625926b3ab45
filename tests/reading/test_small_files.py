"""Small files that are read with one call, in C: the same as one by one. What is not small and regular is left."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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


def small(*names: bytes, limit: int = LIMIT, follow: bool | list[bool] = True) -> list[bytes | None]:
    """The bytes of these files. Those that are read are what `read` returns, with their stamps."""
    each = np.full(len(names), follow)
    texts, stamps = read_small(names, limit, each)
    for name, text, stamp, one in zip(names, texts, stamps.tolist(), each.tolist(), strict=True):
        assert text is None or (text, Stamp(*stamp)) == read(name, limit, follow=one)
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
    assert small(b"link", b"a", b"link", follow=[False, False, True]) == [None, b"text", b"text"]


def test_a_time_that_64_bits_do_not_hold_is_the_nearest_one():
    for seconds, kept in ((10**10, (1 << 63) - 1), (9 * 10**9, 9 * 10**18), (-(10**10), -(1 << 63) + 1)):
        Path("a").write_bytes(b"text")
        os.utime("a", (0, seconds))
        if os.stat("a").st_mtime == seconds:
            assert read(b"a", LIMIT)[1].mtime_ns == kept
            assert small(b"a") == [b"text" if abs(seconds) < 10**10 else None]


CHANGING = """
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t read(int file, void *data, size_t size)
{
    struct timespec times[2] = {{1, 0}, {1, 0}};
    ssize_t done = syscall(SYS_read, file, data, size);
    if (size == 5)
        futimens(file, times);
    return size == 9 ? done - 1 : done;
}
"""
"""Where this is loaded, a file of 4 bytes is modified after it was read, and one of 8 bytes was made shorter before."""


def test_a_file_that_changes_while_it_is_read_is_left(tmp_path):
    compiler = shutil.which("gcc") or pytest.skip("no gcc here")
    Path("read.c").write_text(CHANGING)
    subprocess.run([compiler, "-shared", "-fPIC", "read.c", "-o", "read.so"], check=True)
    for size in (3, 4, 8, 9):
        Path(str(size)).write_bytes(b"x" * size)
    asked = "(b'3', b'4', b'8', b'9'), bytes(16), 9, bytearray(128)"
    code = f"from simdocs.kernels.native.compiled import read_files; print(read_files({asked}))"
    loaded = ":".join(filter(None, (os.environ.get("LD_PRELOAD"), str(tmp_path / "read.so"))))
    env = os.environ | {"LD_PRELOAD": loaded}
    done = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True)
    assert done.stdout == f"[b'xxx', None, None, {b'x' * 9}]\n"
