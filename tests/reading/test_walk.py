"""Walks hold little memory for each file, and find files in their order."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from simdocs.reading import file_list
from tests.amounts import slow
from tests.cli.corpus import lay
from tests.reading.finding import found_by


def walked(root: Path) -> tuple[list[bytes], int]:
    """Return the names found below a directory, and the peak of the memory that the walk held."""
    tracemalloc.start()
    try:
        found = found_by(root)
        return list(found.names), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.reliability("20,000 files in one directory")
@pytest.mark.parametrize("number", [4000, *slow(20_000)])
def test_a_walk_holds_less_than_512_bytes_for_each_file(tmp_path, number):
    """That is less than a signature takes. It includes the name, and holds during the walk, too."""
    names = [f"{tmp_path}/{at * 7919 % number:06}" for at in range(number)]
    for name in names:
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
    names_found, held = walked(tmp_path)
    assert names_found == sorted(os.fsencode(name) for name in names)
    assert held < 512 * number


@pytest.mark.parametrize("at_once", [1, 2, 3, 1000])
def test_files_are_in_bytewise_order_however_many_are_found_at_once(tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(file_list, "_AT_ONCE", at_once)
    files = [b"%b%d" % (letter, at) for letter in (b"a", b"b", b"\xff", "\U0001f600".encode()) for at in range(4)]
    names = sorted([*files, *(b"%b.d/%b" % (name, name) for name in files[::3]), b"a/x", b"a0.d/y/z", b"a0.d/y0"])
    lay(tmp_path, {os.fsdecode(name): name for name in names})
    found = found_by(tmp_path)
    assert list(found.names) == [bytes(tmp_path) + b"/" + name for name in names]
    assert found.met["inode"].tolist() == [os.stat(name).st_ino for name in found.names]
