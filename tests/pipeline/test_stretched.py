"""Containers that workers open themselves give what the calling process gives when it opens them."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

import simdocs
from simdocs.corpora import read_tasks
from simdocs.corpora.containers import line_stretches, lines, stretches
from simdocs.corpora.read_tasks import Cutting
from simdocs.model.skipped import Skipped
from simdocs.pipeline import stretched
from tests.amounts import slow
from tests.asked import ASKED
from tests.cli.corpus import A1, A, lay
from tests.commands.building import content
from tests.corpora.arrow_files import HAS_PYARROW, as_arrow_stream, as_parquet, table
from tests.corpora.small_chunks import cut_small
from tests.runs import answered


def lines_of(drawn: random.Random, number: int) -> list[str]:
    """Lines with and without ids and texts, and such as are no documents."""
    made = list[str]()
    words = ["ferry", "quay", "seven", "morning", "apples", "butter"]
    for at in range(number):
        text = " ".join(drawn.choices(words, k=drawn.randrange(9)))
        rows = [{"text": text}, {"text": text, "id": at}, {"text": text, "id": at % 9}, {"body": text}, {"text": 3}]
        rows += [{"text": text, "id": [at]}] * (at > number // 2)
        made.append(drawn.choice([json.dumps(drawn.choice(rows))] * 9 + ["", "{", "x" * 90, '["a"]']))
    return made


def as_csv(rows: list[str]) -> bytes:
    page = io.StringIO(newline="")
    csv.writer(page).writerows([("id", "text"), *((f"c{at}", row + '\n"quoted"') for at, row in enumerate(rows))])
    return page.getvalue().encode()


def corpus(seed: int) -> dict[str, bytes]:
    """Files of many kinds, in a random order of sizes."""
    drawn = random.Random(seed)
    found = {"a.txt": A, "z.txt": A1, "d/one.json": b'{"colour": 1}', "d/no.csv": b"colour,size\nred,2\n"}
    for at in range(8):
        rows = lines_of(drawn, drawn.choice([0, 1, 9, 60, 200]))
        some = "\n".join(rows).encode() + b"\n" * drawn.randrange(2)
        match drawn.randrange(6):
            case 0:
                found[f"d/{at}.jsonl.gz"] = gzip.compress(some)
            case 1:
                found[f"d/{at}.csv"] = as_csv(rows)
            case 2:
                found[f"d/{at}.jsonl"] = b"\n".join(b'{"body": "x%d"}' % row for row in range(70))
            case 3:
                found[f"d/{at}.jsonl"] = b'{"text": "the same again"}\n' * 90
            case _:
                found[f"d/{at}.jsonl"] = some
    if HAS_PYARROW:
        rows = [(f"r{at}" if at % 7 else f"r{at // 9}", f"ferry {at} quay" * drawn.randrange(9)) for at in range(300)]
        found["d/t.parquet"], found["d/t.arrow"] = as_parquet(table(rows)), as_arrow_stream(table(rows[:90]))
    found["d/broken.jsonl.gz"] = gzip.compress(b'{"text": "ferry"}\n' * 99)[:-20]
    found["d/table.jsonl"] = b"id,text\n" + b"7,seven ferries\n" * 99
    found["e.jsonl"] = b"\0" * 300 + b'\n{"text": "after a hole"}\n' * 20
    return found


def seen(target: Path, documents: tuple[str, ...], jobs: int = 1, **options: Any) -> Any:
    """The files of an artifact, what was skipped, in the order in which it was said, and the warnings; or the error."""
    shutil.rmtree(target, ignore_errors=True)
    said, skipped = list[Any](), Skipped()
    skipped.tell = said.append
    request = ASKED["index"](documents=documents, output=target, bands=4, rows=2, num_perm=8, **options)
    try:
        answered(request, jobs, skipped=skipped)
    except simdocs.errors.SimdocsError as error:
        return type(error), str(error)
    order = sorted(said) if jobs > 1 else said
    return content(target), skipped.by_reason, order, skipped.warnings, skipped.counts


def by_the_caller(patch: pytest.MonkeyPatch) -> None:
    """Let the calling process open all containers."""
    patch.setattr(Cutting, "_stretches", lambda *_: [])


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("seed", [0, 1, *slow(2, 3, 4, 5)])
def test_artifacts_and_messages_are_those_of_one_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, jobs: int
) -> None:
    monkeypatch.chdir(tmp_path)
    files = corpus(seed)
    lay(tmp_path, {f"docs/{name}": data for name, data in files.items()})
    cut_small(monkeypatch, 128)
    monkeypatch.setattr(stretches, "BYTES", 512)
    monkeypatch.setattr(read_tasks, "_OFTEN_ONE_TEXT", 0)
    every = [("docs",), *((f"docs/{name}",) for name in files), ("docs/d/one.json", "docs/a.txt")]
    for documents in every[:: 1 if jobs == 1 else 9]:
        with monkeypatch.context() as patch:
            by_the_caller(patch)
            expected = seen(tmp_path / "x.index", documents, max_size=80)
        assert seen(tmp_path / "x.index", documents, jobs, max_size=80)[:2] == expected[:2]
        if jobs == 1:
            for few in (1, 7, 1 << 20):
                monkeypatch.setattr(stretched, "MOST_DOCUMENTS", few)
                assert seen(tmp_path / "x.index", documents, max_size=80) == expected


def test_a_small_file_with_very_many_documents_is_not_held_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a compressed one, of which little is known before it is read."""
    monkeypatch.chdir(tmp_path)
    Path("x.jsonl.gz").write_bytes(gzip.compress(b"".join(b'{"text": "%d"}\n' % number for number in range(60_000))))
    held = list[int]()
    take = stretched.Following.take

    def counted(following: Any, stretch: Any, worked: Any) -> Any:
        held.append(len(worked.found[0].names))
        return take(following, stretch, worked)

    monkeypatch.setattr(stretched.Following, "take", counted)
    monkeypatch.setattr(stretched, "MOST_DOCUMENTS", 1000)
    assert len(simdocs.signature("x.jsonl.gz", output="x.signatures").documents) == 60_000
    assert len(held) == 1
    assert held[0] < 1000 + (1 << 14) + 1


REPETITIVE = {
    "equal": [b"seven ferries"],
    "two in turn": [b"seven ferries", b"a quay"],
    "with the same middle and end": [b"%d %s" % (number, b"seven ferries " * 9) for number in range(10)],
    "blank": [b""],
}
"""Lines that are alike where parts are cut."""


@pytest.mark.parametrize("most", [10, 1 << 20])
@pytest.mark.parametrize("kind", REPETITIVE)
def test_repetitive_lines_are_searched_for_little_more_than_one_pass_looks_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, most: int
) -> None:
    """A stretch searches at most twice its bytes, and nothing if it has more lines than are read of one stretch."""
    monkeypatch.chdir(tmp_path)
    cut_small(monkeypatch, 256)
    monkeypatch.setattr(stretches, "BYTES", 8 * 256)
    monkeypatch.setattr(line_stretches, "MOST_DOCUMENTS", most)
    looked_at, good_ends, cut = list[int](), lines.good_ends, stretched.cut
    monkeypatch.setattr(lines, "good_ends", lambda *given: looked_at.append(len(given[0])) or good_ends(*given))
    each = [b'{"text": "%b"}\n' % text if text else b"\n" for text in REPETITIVE[kind]]
    data = b"".join(each) * (30_000 // len(b"".join(each))) + b'{"text": "the last"}\n'
    Path("x.jsonl").write_bytes(data)
    Path("x.jsonl.gz").write_bytes(gzip.compress(data))
    names = simdocs.signature("x.jsonl.gz", output="x.signatures", jobs=1).documents
    in_one_pass = sum(looked_at)
    looked_at.clear()
    cuts = list[int]()
    monkeypatch.setattr(stretched, "cut", lambda *given: cuts.append(given[0].start) or cut(*given))
    assert len(simdocs.signature("x.jsonl", output="y.signatures", jobs=1).documents) == len(names)
    searches = len(cuts) if most > 10 else 0
    assert sum(looked_at) <= in_one_pass + searches * 2 * stretches.BYTES
