"""What is asked of Spark and of one process, which must give the same: documents, commands, and what came of each."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import os
import random
import re
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from simdocs.cli.program import run
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


class Outcome(NamedTuple):
    """The status of a command, what it said, the counts of its summary, and the files of its output."""

    status: int
    said: str
    summary: Any
    files: Mapping[str, bytes]


_CHANGING = re.compile(r"\bin [0-9.]+ s\b|\bof [0-9,]+ MB available")
"""What differs between runs that are the same: times, and how much memory is left."""


def outcome(capfd: pytest.CaptureFixture[str], *arguments: str) -> Outcome:
    """What comes of a command in this process, whose output goes to out/. run.json, which has times, is left out."""
    out = Path("out")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    with restored_signals():
        status = run([*arguments])
    files = {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
    for name in files:
        if name.endswith(".simdocs-files.json"):  # which has the times when the files were written
            files[name] = " ".join(json.loads(files[name])["files"]).encode()
    said = capfd.readouterr()
    noted = files.pop("summary.json", b"null")
    summary = json.loads(noted)
    if summary is not None:
        del summary["seconds"]
    return Outcome(
        status,
        _CHANGING.sub("", said.out + said.err),
        summary,
        {name: data for name, data in files.items() if not name.endswith("run.json")},
    )


Commands = Mapping[str, tuple[str, ...]]

NAMED = ("-v", "--summary-json", "out/summary.json")
"""Each skipped document is named, and all are counted."""

ANSWERS: Commands = {
    "groups": ("dedupe", "docs", "rows", "-o", "out/a.tsv", *NAMED),
    "components": ("dedupe", "docs", "rows", "--cluster", "components", "--format", "jsonl", "-o", "out/a"),
    "pairs": ("pairs", "docs", "rows", "-t", "0.6", "-o", "out/a.jsonl", *NAMED),
    "kept": ("dedupe", "docs", "rows", "--list", "kept", "-0", "-o", "out/a"),
    "duplicates": ("dedupe", "docs", "rows", "--list", "duplicates", "-o", "out/a"),
    "kept lines": ("dedupe", "rows/a.jsonl", "--kept-rows", "out/a", *NAMED),
    "duplicate lines": ("dedupe", "rows/a.jsonl", "--removed-rows", "out/a"),
    "all groups": ("dedupe", "docs", "--list", "groups", "--keep", "longest", "-o", "out/a.csv"),
    "exact": ("dedupe", "docs", "--exact", "-o", "out/a.tsv", *NAMED),
    "without common words": ("dedupe", "docs", "--unit", "word", "--ignore-common", "0.9", "-o", "out/a.tsv"),
    "rows": (
        *("dedupe", "rows/a.jsonl", "rows/b.jsonl.gz", "rows/c.csv"),
        *("--kept-rows", "out/kept", "--removed-rows", "out/removed", "--flagged-rows", "out/flagged", *NAMED),
    ),
    "against": ("dedupe", "docs", "--against", "old.index", "-o", "out/a.tsv", *NAMED),
    "query": ("query", "old.index", "docs", "--nearest", "2", "-o", "out/a.tsv"),
    "shingles": ("shingle", "docs", "rows", "-o", "out/x.shingles", *NAMED),
    "signatures": ("signature", "docs", "rows", "-o", "out/x.signatures", *NAMED),
    "index": ("index", "docs", "rows", "-o", "out/x.index", *NAMED),
    "nothing": ("dedupe", "docs/empty.txt", "docs/binary", "-o", "out/a.tsv"),
    "a status for duplicates": ("dedupe", "docs/1", "-q", "--exit-code", "-o", "out/a.tsv"),
    "no answer": ("dedupe", "docs", "--strict", "-o", "out/a.tsv"),
}
"""Commands about the generated documents."""

OF_REAL: Commands = {
    "groups": ("dedupe", "docs.jsonl.gz", "-o", "out/a.tsv", *NAMED),
    "pairs": ("pairs", "docs.jsonl.gz", "-t", "0.6", "-o", "out/a.tsv", *NAMED),
    "groups of words": ("dedupe", "docs.jsonl.gz", "--unit", "word", "-k", "3", "-t", "0.5", "-o", "out/a.tsv", *NAMED),
    "kept lines": ("dedupe", "docs.jsonl.gz", "--kept-rows", "out/a", *NAMED),
    "duplicates": ("dedupe", "docs.jsonl.gz", "--list", "duplicates", "--keep", "longest", "-o", "out/a"),
    "all groups": ("dedupe", "docs.jsonl.gz", "--list", "groups", "-o", "out/a", *NAMED),
    "rows": (
        *("dedupe", "docs.jsonl.gz", "--kept-rows", "out/kept.jsonl.gz", "--removed-rows", "out/removed.jsonl.gz"),
        *("--flagged-rows", "out/flagged.jsonl.gz", *NAMED),
    ),
    "against": ("dedupe", "files", "--against", "old.index", "-o", "out/a.tsv", *NAMED),
    "signatures": ("signature", "docs.jsonl.gz", "files", "-o", "out/x.signatures", *NAMED),
    "index": ("index", "docs.jsonl.gz", "files", "-o", "out/x.index", *NAMED),
}
"""Commands about a real corpus."""


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
