"""Progress in bytes never goes back, moves within a large file, and ends at the total."""

from __future__ import annotations

import gzip
import itertools
import random
from pathlib import Path
from typing import Any

import pytest

from simdocs.reading.read_tasks import Advance, Cutting
from tests import strategies as some
from tests.reading.finding import found_by


@pytest.mark.parametrize("name", ["b.jsonl", "b.jsonl.gz"])
def test_bytes_rise_to_the_total_and_move_within_a_large_file(tmp_path: Path, name: str) -> None:
    texts = (random.Random(row).randbytes(500).hex() for row in range((4 << 20) // 1000))
    lines = "".join(f'{{"text": "{text}"}}\n' for text in texts).encode()
    (tmp_path / "a.txt").write_bytes(b"x" * 1000)
    (tmp_path / name).write_bytes(gzip.compress(lines, 1) if name.endswith(".gz") else lines)
    (tmp_path / "c.txt").write_bytes(b"y" * 3000)
    (tmp_path / "d.jsonl").write_bytes(b"")
    found = found_by(tmp_path)
    advance, skips = Advance(found), list[Any]()
    assert len(
        list(advance.watch(Cutting(found, 1 << 30, some.sequences(), lambda skip, _: skips.append(skip)).tasks()))
    ) == len(advance.files)
    assert sum(advance.files) == 4
    assert all(a <= b for a, b in itertools.pairwise(advance.bytes))
    assert advance.bytes[-1] == advance.total == sum(found.sizes)
    within = [done for done in advance.bytes if 1000 < done < 1000 + found.sizes[1]]
    assert len(within) >= 3
