"""What is asked of Spark and of one process, which must give the same: documents, commands, and what came of each."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import os
import random
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.cli.corpus import lay
from tests.reading.arrow_files import HAS_PYARROW, as_parquet, table

CORPORA = Path(os.environ.get("SIMDOCS_CORPORA") or Path(__file__).resolve().parents[3] / "shared/corpora")
"""The directory of corpora of real texts, which are not part of this project."""


def texts(seed: int, number: int, words: int = 120) -> list[str]:
    """Texts, of which a third are copies of earlier ones with or without edits."""
    dice = random.Random(seed)
    vocabulary = ["".join(dice.choices("abcdefghijklmnop", k=dice.randint(2, 9))) for _ in range(2000)]
    made: list[list[str]] = []
    for _ in range(number):
        words_of_it = dice.choices(vocabulary, k=dice.randint(words // 2, 2 * words))
        if made and dice.random() < 0.35:
            words_of_it = list(dice.choice(made))
            for _ in range(dice.randint(0, 3)):
                words_of_it[dice.randrange(len(words_of_it))] = dice.choice(vocabulary)
        made.append(words_of_it)
    return [" ".join(each) for each in made]


def as_csv(rows: Sequence[str]) -> bytes:
    page = io.StringIO(newline="")
    csv.writer(page).writerows([("id", "text"), *((f"c{number}", text) for number, text in enumerate(rows))])
    return page.getvalue().encode()


def lay_generated(root: Path) -> Path:
    """Files and containers that share texts, some of several parts, with documents that cannot be judged."""
    files = {f"docs/{number % 7}/{number:04}.txt": text.encode() for number, text in enumerate(texts(1, 400))}
    files |= {f"docs/packed/{number}.gz": gzip.compress(text.encode()) for number, text in enumerate(texts(1, 12))}
    files |= {"docs/binary": b"\0\1\2", "docs/empty.txt": b"", "docs/broken.gz": gzip.compress(b"x" * 9999)[:-9]}
    lines = [json.dumps({"id": f"j{number}", "text": text}) for number, text in enumerate(texts(2, 2600, 200))]
    lines.insert(2300, "{late")
    lines[40:40] = ["{not json", json.dumps({"id": "j3", "text": "again"}), json.dumps({"other": 1})]
    files["rows/a.jsonl"] = "\n".join(lines).encode()
    files["rows/b.jsonl.gz"] = gzip.compress("\n".join(lines[:300]).encode())
    files["rows/c.csv"] = as_csv(texts(3, 300))
    files["rows/settings.json"] = b'{"colour": "red"}'
    if HAS_PYARROW:
        files["rows/d.parquet"] = as_parquet(table([(f"p{number}", text) for number, text in enumerate(texts(4, 300))]))
    return lay(root, files)


@contextlib.contextmanager
def restored_signals() -> Iterator[None]:
    """The program sets handlers of signals."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    hook = sys.unraisablehook
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for number, handler in kept.items():
            signal.signal(number, handler)


def lay_real(root: Path, name: str, most: int) -> Path:
    """The first documents of a real corpus as lines, and some of them as files. Skips the test if there is no corpus.

    most: the largest number of documents.
    """
    source = CORPORA / name / "docs.jsonl.gz"
    if not source.exists():
        pytest.skip(f"no corpus {name}: SIMDOCS_CORPORA names the directory that holds {name}/docs.jsonl.gz")
    lines = gzip.decompress(source.read_bytes()).splitlines()[:most]
    some = {f"files/{number % 5}/{number:05}": json.loads(line)["text"] for number, line in enumerate(lines[::7])}
    files = {path: text.encode() for path, text in some.items()}
    return lay(root, files | {"docs.jsonl.gz": gzip.compress(b"\n".join(lines), mtime=0)})
