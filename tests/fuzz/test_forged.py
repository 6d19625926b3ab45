"""Every command ends soon, in little memory and with a plain answer, whatever a forged artifact holds."""

from __future__ import annotations

import gzip
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from simdocs.reading.files import RECENT_NS
from tests.amounts import examples
from tests.cli.bounded import harmless, within_limits
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import Done
from tests.fuzz.forging import Forgery, forge, forgeries

KINDS = {"shingles": "shingle", "signatures": "signature", "index": "index"}

LINES = b"".join(b'{"id": "%d", "text": "%s"}\n' % (at, text) for at, text in enumerate((A, A1, B, B + b"!")))

SOURCES = ("docs", "docs/x.jsonl")
"""What the honest artifacts are made of: a tree, and lines alone."""


def _updates(stage: str, target: str) -> list[list[str]]:
    """Updates of an artifact by what it was made of, by other documents, and by lines that are elsewhere now."""
    more = ["--containment"] if stage == "index" else []
    return [
        [stage, *documents, *more, *how, "-o", target, "--allow-shrink"]
        for documents in (["docs"], ["docs/x.jsonl"], ["docs", "new"], ["moved"])
        for how in ([], ["--checksum"])
    ]


ASKED: dict[str, list[list[str]]] = {
    "shingles": [
        ["signature", "x.shingles", "-o", "new.signatures", "--rebuild", "--allow-shrink"],
        ["index", "x.shingles", "-o", "new.index", "--rebuild", "--allow-shrink"],
        ["dedupe", "x.shingles"],
        ["dedupe", "x.shingles", "--exact"],
        ["dedupe", "x.shingles", "--against", "0.index"],
        ["query", "0.index", "x.shingles"],
        ["query", "0.index", "docs", "--shingles", "x.shingles"],
        *_updates("shingle", "x.shingles"),
    ],
    "signatures": [
        ["index", "x.signatures", "-o", "new.index", "--rebuild", "--allow-shrink"],
        ["pairs", "x.signatures"],
        ["dedupe", "x.signatures", "--exact"],
        ["dedupe", "x.signatures", "--list", "kept"],
        ["query", "0.index", "x.signatures"],
        *_updates("signature", "x.signatures"),
        ["signature", "0.shingles", "-o", "x.signatures"],
    ],
    "index": [
        ["index", "x.index", "-o", "new.index", "--rebuild", "--allow-shrink"],
        ["dedupe", "x.index"],
        ["pairs", "x.index", "--all-copies"],
        ["dedupe", "x.index", "--cluster", "components"],
        ["dedupe", "x.index", "--verify", "estimate"],
        ["dedupe", "x.index", "--shingles", "0.shingles"],
        ["dedupe", "docs", "new", "--against", "x.index"],
        ["dedupe", "new", "--against", "x.index", "--shingles", "0.shingles"],
        ["query", "x.index", "docs", "new"],
        ["query", "x.index", "new", "--verify", "estimate"],
        ["query", "x.index", "new", "--nearest", "3"],
        ["query", "x.index", "new", "--measure", "containment"],
        ["query", "x.index", "new", "--list", "matches", "-0"],
        ["query", "x.index", "new", "--shingles", "0.shingles"],
        *_updates("index", "x.index"),
        ["index", "docs", "--containment", "--threshold", "0.5", "-o", "x.index", "--rebuild"],
        ["index", "0.shingles", "--containment", "-o", "x.index"],
        ["index", "0.signatures", "-o", "x.index", "--rebuild"],
    ],
}
"""Commands that read an artifact of each kind, besides info and check. 0.index is the honest index of the tree."""


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("honest")
    files = {"0": A, "1": A1, "2": A.upper(), "3": b"", "4": b"ab", "5": B, "6": A2, "7": B}
    lay(root, {f"docs/{name}": data for name, data in files.items()} | {"new/a": A2 + b"!", "new/b": B})
    lay(root, {"docs/x.jsonl": LINES, "docs/y.jsonl.gz": gzip.compress(LINES.replace(b"ferry", b"boat"))})
    lay(root, {"moved/elsewhere.jsonl": LINES, "moved/later.jsonl": LINES * 2, "moved/0": A})
    for name in ("1", "2", "3", "y.jsonl.gz"):
        os.link(root / "docs" / name, root / "moved" / name)
    time.sleep(1.1 * RECENT_NS / 1e9)  # no update takes over what was written just before it was read
    for number, source in enumerate(SOURCES):
        for kind, command in KINDS.items():
            sketched = ["--containment"] if kind == "index" else []
            assert within_limits(command, source, *sketched, "-o", f"{number}.{kind}", cwd=root) == (0, b"", "")
    return root


def held_to_the_law(where: Path, kind: str, words: Sequence[str]) -> None:
    """The command gives an answer, or says in a line which file of the artifact is damaged; then check says so, too."""
    done = within_limits(*words, cwd=where)
    event(f"{words[0]}: {done.status}")
    assert done.status in (0, 3, 4), (words, done)
    assert "Traceback" not in done.err
    assert "unexpected" not in done.err, done.err
    harmless(done.err)
    if words[-3:-1] == ["-o", f"x.{kind}"] or words[-2:] == ["-o", f"x.{kind}"]:
        updated(where, kind, words, done)
        return
    if words[0] == "check" or done.status in (0, 3):
        credible(words, done)
        return
    last = done.err.splitlines()[-1]
    assert last.startswith("simdocs: error: "), (words, done)
    if "damaged" in last:
        assert last.startswith(f"simdocs: error: x.{kind}/"), (words, done)
        assert within_limits("check", f"x.{kind}", cwd=where).status == 4


def updated(where: Path, kind: str, words: Sequence[str], done: Done) -> None:
    """An update gives an artifact that can be opened; a sound one, if the old one was found to be damaged."""
    assert done.status in (0, 3), (words, done)
    assert within_limits("info", f"x.{kind}", cwd=where).status == 0
    if "damaged: " in done.err:
        assert within_limits("check", f"x.{kind}", cwd=where) == (0, b"", "")


def credible(words: Sequence[str], done: Done) -> None:
    """All similarities in an answer lie between 0 and 1."""
    if words[0] in ("dedupe", "pairs", "query") and "--list" not in words:
        for row in done.rows:
            assert all(figure == b"" or 0 <= float(figure) <= 1 for figure in row[2:]), (words, row)


def forged(place: Path, source: int, kind: str, forgery: Forgery, chosen: int) -> None:
    shutil.rmtree(place / f"x.{kind}", ignore_errors=True)
    shutil.copytree(place / f"{source}.{kind}", place / f"x.{kind}")
    forge(place / f"x.{kind}", forgery)
    for words in (["info", f"x.{kind}"], ["check", f"x.{kind}"], ASKED[kind][chosen % len(ASKED[kind])]):
        held_to_the_law(place, kind, words)


@pytest.mark.reliability("forged arrays with right checksums")
@pytest.mark.parametrize("kind", KINDS)
@examples(2)
@given(data=st.data())
def test_commands_end_with_an_answer_or_with_status_4(honest, kind, data):
    forged(honest, data.draw(st.integers(0, 1)), kind, data.draw(forgeries(kind)), data.draw(st.integers(0, 99)))
