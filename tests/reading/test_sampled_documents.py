"""Documents are drawn at random from files and from lines, the same ones every time."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

from simdocs.reading.batches import named
from simdocs.reading.file_list import Found, Reached
from simdocs.reading.formats.lines import LineBlock, read_block
from simdocs.reading.read_tasks import Cutting, Files, ReadRows, sampled
from tests import strategies as some
from tests.reading.finding import found_by


def lay(where: Path) -> Any:
    lines = b"".join(json.dumps({"text": f"line {number}"}).encode() + b"\n" for number in range(1, 41))
    (where / "a.txt").write_bytes(b"a file")
    (where / "b.jsonl").write_bytes(lines.removesuffix(b"\n"))
    (where / "c.jsonl.gz").write_bytes(gzip.compress(lines))
    (where / "d.txt").write_bytes(b"another file")
    return found_by(where)


def names(found: Any) -> list[str]:
    read = []
    for task, _ in Cutting(found, 1 << 20, some.sequences(), lambda *_: None).tasks():
        if isinstance(task, Files):
            read += task.names
        elif isinstance(task, ReadRows | LineBlock):
            batch = (
                task.rows.batch(some.sequences())
                if isinstance(task, ReadRows)
                else read_block(task, some.sequences())[0]
            )
            read += named(batch.name, batch.ids, batch.numbers)
    return [os.path.basename(os.fsdecode(name)) for name in read]


def test_each_document_is_drawn_as_often_and_the_same_ones_every_time(tmp_path):
    found, every = lay(tmp_path), names(lay(tmp_path))
    drawn: dict[str, int] = dict.fromkeys(every, 0)
    for seed in range(200):
        few, count = sampled(found, 1 << 20, some.sequences(), 20, seed)
        read = names(few)
        assert (len(read), count) == (20, 82)
        assert read == names(sampled(found, 1 << 20, some.sequences(), 20, seed)[0])
        assert read == [name for name in every if name in set(read)]  # in row order
        for name in read:
            drawn[name] += 1
    assert all(25 <= times <= 75 for times in drawn.values())  # 49 are expected, and 6 are the standard deviation


def test_what_is_known_of_arguments_is_known_of_those_that_are_drawn() -> None:
    lines = b"".join(b'{"text": "line %d"}\n' % number for number in range(1, 41))
    reached, whole = Reached(), set[int]()
    reached.add([Found(b"a", 1, 1, 1, 1, 1)], named=True)
    reached.add([Found(b"-", len(lines), 0, 0, 1, 2, held=lines)], named=True, container="jsonl")
    for seed in range(9):
        few, count = sampled(reached.files(()), 1 << 20, some.sequences(), 20, seed)
        has_a = int(few.names[0] == b"a")
        whole.add(has_a)
        assert (count, few.counts.tolist(), few.named) == (41, [has_a, 1], frozenset(range(has_a + 1)))
        assert (dict(few.held), dict(few.held_in)) == ({has_a: lines}, {has_a: "jsonl"})
        assert len(names(few)) == 20
    assert whole == {0, 1}
