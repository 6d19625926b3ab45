"""A saved answer is read as it was written, and anything else is refused: cut, damaged, forged, of another version."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simdocs
from simdocs.errors import ArtifactError, InputError
from tests.cli.corpus import A1, A2, A, B, lay

Line = dict[str, Any]


@pytest.fixture
def answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An answer about four files, three of which are nearly the same."""
    lay(tmp_path, {"docs/a": A, "docs/b": A1, "docs/c/d": A2, "docs/z": B})
    monkeypatch.chdir(tmp_path)
    simdocs.write_answer(simdocs.dedupe("docs", threshold=0.5), "x.answer")
    return tmp_path / "x.answer"


def test_it_is_read_as_it_was_written(answer: Path) -> None:
    read = simdocs.read_answer(answer)
    pairs = list(read.pairs())
    assert [(pair.kept.name, pair.duplicate.name, pair.group) for pair in pairs] == [
        (b"docs/a", b"docs/b", 0),
        (b"docs/a", b"docs/c/d", 0),
    ]
    assert [pair.duplicate.content for pair in pairs] == [hashlib.sha256(text).hexdigest()[:32] for text in (A1, A2)]
    assert [pair.duplicate.file_size for pair in pairs] == [len(A1), len(A2)]
    assert pairs[0].duplicate.inode == (answer.parent / "docs/b").stat().st_ino
    assert [read.path(pair.duplicate) for pair in pairs] == [
        bytes(answer.parent / name) for name in ("docs/b", "docs/c/d")
    ]
    assert [each[:2] for each in read.arguments] == [(b"docs", 4)]
    assert (read.documents, read.kept, read.groups, read.duplicates) == (4, 2, 1, 2)
    scores = [[round(each, 6) for each in row[2:]] for row in simdocs.dedupe("docs", threshold=0.5)]
    assert [[pair.jaccard, pair.estimate] for pair in pairs] == scores
    simdocs.write_answer(simdocs.dedupe("docs", exclude=["\udcff"]), "y.answer")
    assert simdocs.read_answer("y.answer").parameters["walking"]["exclude"] == ["\udcff"]


def test_groups_are_numbered_on_from_block_to_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simdocs.commands.saving._AT_ONCE", 2)
    saved = simdocs.dedupe(texts=[A, A, A, A, B, B]).saved()
    assert [pair.group for pair in saved] == [0, 0, 0, 1]


def shorter(answer: Path) -> None:
    os.truncate(answer, answer.stat().st_size - 9)


def another(answer: Path) -> None:
    answer.rename("first")
    answer.write_bytes(Path("first").read_bytes())


@pytest.mark.parametrize(("change", "later"), [(lambda _: None, 1), (shorter, 0), (another, 0)])
def test_an_answer_that_is_written_again_after_it_was_opened_is_not_read(answer: Path, change: Any, later: int) -> None:
    read, time = simdocs.read_answer(answer), answer.stat().st_mtime_ns
    change(answer)
    os.utime(answer, ns=(0, time + later))
    with pytest.raises(InputError, match="changed while it was read"):
        list(read)


def test_every_truncation_is_damage(answer: Path) -> None:
    whole = answer.read_bytes()
    for end in range(0, len(whole), 7):
        answer.write_bytes(whole[:end])
        with pytest.raises(ArtifactError):
            simdocs.read_answer(answer)
    answer.write_bytes(whole + b"\n")
    with pytest.raises(ArtifactError, match="its last line is missing, or does not fit"):
        simdocs.read_answer(answer)


@pytest.mark.reliability("a damaged answer or journal")
def test_every_changed_byte_is_damage(answer: Path) -> None:
    whole = answer.read_bytes()
    for at in range(0, len(whole), 3):
        answer.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(ArtifactError):
            simdocs.read_answer(answer)


def forge(answer: Path, change: Callable[[list[Line]], object]) -> None:
    """Change the lines of an answer, and give it the right checksum."""
    lines = [json.loads(line) for line in answer.read_text().splitlines()[:-1]]
    change(lines)
    whole = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
    end = {"rows": len(lines) - 1, "checksum": hashlib.sha256(whole).hexdigest()}
    answer.write_bytes(whole + json.dumps(end).encode() + b"\n")


def in_row(number: int, **values: Any) -> Callable[[list[Line]], object]:
    return lambda lines: lines[number].update(values)


def of_root(**values: Any) -> Callable[[list[Line]], object]:
    return lambda lines: lines[0]["roots"][0].update(values)


FORGED = {
    "a name above": in_row(1, duplicate="docs/../secret"),
    "a name with a dot": in_row(1, duplicate="docs/./b"),
    "a name with two slashes": in_row(1, duplicate="docs//b"),
    "an absolute name": in_row(1, duplicate="/etc/passwd"),
    "a name with NUL": in_row(1, duplicate="docs/a\0b"),
    "a root that is not there": in_row(1, duplicate_root=7),
    "a missing row": lambda lines: lines.pop(1),
    "a row more": lambda lines: lines[0].update(duplicates=1),
    "another root": of_root(path="/etc/"),
    "a relative root": of_root(path="docs/"),
    "other parameters": lambda lines: lines[0]["parameters"]["shingling"].update(k=0),
    "another format": lambda lines: lines[0].update(format="simdocs.index"),
    "other tables of Unicode": lambda lines: lines[0].update(unicode="3.2.0"),
}


@pytest.mark.parametrize("what", FORGED)
def test_forged_lines_that_lead_elsewhere_are_refused_although_the_checksum_is_right(answer: Path, what: str) -> None:
    forge(answer, lambda _: None)
    assert len(list(simdocs.read_answer(answer))) == 2
    forge(answer, FORGED[what])
    with pytest.raises(ArtifactError):
        list(simdocs.read_answer(answer))


def test_a_forged_line_is_named_and_a_fifo_is_not_waited_for(answer: Path) -> None:
    forge(answer, in_row(2, duplicate="/etc/passwd"))
    with pytest.raises(ArtifactError, match=", line 3: "):
        list(simdocs.read_answer(answer))
    os.mkfifo("fifo")
    with pytest.raises(InputError, match="fifo: this is not a file"):
        simdocs.read_answer("fifo")


@pytest.mark.parametrize(("version", "remedy"), [(3, "upgrade simdocs"), (1, "write the answer again")])
def test_another_version_names_both_and_the_remedy(answer: Path, version: int, remedy: str) -> None:
    forge(answer, lambda lines: lines[0].update(version=version))
    with pytest.raises(ArtifactError, match=f"format version {version}, but this simdocs reads version 2: {remedy}"):
        simdocs.read_answer(answer)
