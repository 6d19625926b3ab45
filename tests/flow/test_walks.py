"""Walks over many files: how much is held of each."""

from __future__ import annotations

import os
import tracemalloc

from simdocs.corpora.arguments import Sources, find
from simdocs.model.skipped import Skipped
from simdocs.parameters import Walking

MANY = 20_000


def test_a_directory_of_twenty_thousand_files(tmp_path):
    """Less is held of a file, its name included, than of its signature; in the walk, too."""
    names = [f"{tmp_path}/{number * 7919 % MANY:06}" for number in range(MANY)]
    for name in names:
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
    tracemalloc.start()
    try:
        found = find(Sources((os.fsencode(tmp_path),)), Walking(), Skipped())
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.names == sorted(os.fsencode(name) for name in names)
    assert held < 512 * MANY
