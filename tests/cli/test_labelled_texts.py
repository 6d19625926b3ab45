"""What the command that tune proposes finds, on sets of texts whose variants are known."""

from __future__ import annotations

import json
import random
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.amounts import slow
from tests.cli.program import simdocs
from tests.labelled_texts import SETS, Labelled, titles, tweets


@dataclass(frozen=True, slots=True)
class Measured:
    """The share of the variants that a command finds, and the share of its pairs that are false."""

    recall: float
    false: float


def lay_lines(where: Path, texts: list[Labelled]) -> None:
    lines = (json.dumps({"text": text.text}) + "\n" for text in texts)
    (where / "x.jsonl").write_text("".join(lines))


def measured(where: Path, texts: list[Labelled], command: str) -> Measured:
    """Run a command, and compare the duplicates that it prints with the labels."""
    program, *words = shlex.split(command)
    assert program == "simdocs"
    done = simdocs(*words, "-q", cwd=where)
    assert done.status == 0
    labels = [
        [texts[int(name.rpartition(b"#")[2]) - 1].label for name in (kept, duplicate)]
        for kept, duplicate, *_ in done.rows
    ]
    found = {one for one, other in labels if one == other}
    false = sum(one != other for one, other in labels)
    return Measured(len(found) / sum(text.variant for text in texts), false / max(1, len(labels)))


def proposed(where: Path, *arguments: str) -> str:
    done = simdocs("tune", "x.jsonl", *arguments, "-v", cwd=where)
    last = done.err.splitlines()[-1]
    assert last.startswith("simdocs: next: simdocs dedupe x.jsonl"), done.err
    # No line of advice proposes another threshold than this command has.
    named = set(re.findall(r"--threshold ([\d.]+)", done.err))
    assert named <= set(re.findall(r"--threshold ([\d.]+)", last)) or named == {"0.8"}, done.err
    return last.removeprefix("simdocs: next: ")


def check(where: Path, texts: list[Labelled]) -> None:
    random.Random(len(texts)).shuffle(texts)
    lay_lines(where, texts)
    command = proposed(where)
    found, by_default = measured(where, texts, command), measured(where, texts, "simdocs dedupe x.jsonl")
    assert found.recall >= max(0.95, by_default.recall), (command, found, by_default)
    assert found.false <= 0.1, (command, found)


@pytest.mark.parametrize("kind", SETS)
def test_the_proposed_command_finds_the_variants(tmp_path: Path, kind: str) -> None:
    check(tmp_path, SETS[kind](1, 250))


@pytest.mark.slow
@pytest.mark.parametrize("kind", SETS)
@pytest.mark.parametrize("seed", [2, 3, 4])
def test_the_proposed_command_finds_the_variants_of_more_texts(tmp_path: Path, kind: str, seed: int) -> None:
    check(tmp_path, SETS[kind](seed, 4000))


def test_no_command_is_proposed_for_names_and_titles_in_which_one_word_decides(tmp_path: Path) -> None:
    lay_lines(tmp_path, titles(1, 300))
    done = simdocs("tune", "x.jsonl", "--summary", "--summary-json", "note", cwd=tmp_path)
    assert done.err.splitlines()[-1].endswith("In names and titles a single word decides, which simdocs does not weigh")
    assert "next:" not in done.err
    assert json.loads((tmp_path / "note").read_bytes())["next"] == ""


def test_a_threshold_is_never_raised_and_no_larger_k_proposed_for_short_texts(tmp_path: Path) -> None:
    lay_lines(tmp_path, tweets(5, 300))
    for options in ([], ["-k", "5", "--threshold", "0.6"]):
        command = proposed(tmp_path, *options)
        given = dict(re.findall(r"(-k|--threshold) (\S+)", " ".join(options)))
        after = dict(re.findall(r"(-k|--threshold) (\S+)", command))
        assert float(after.get("--threshold", "0.8")) <= float(given.get("--threshold", "0.8"))
        assert int(after.get("-k", "9")) <= int(given.get("-k", "9"))


DOCS = Path(__file__).parents[2] / "docs"
STATED = re.findall(
    r"^\| (\(defaults\)|`.*`) \| (\d+)% \| (\d+)% \| (\d+)% \| (\d+)% \|$",
    (DOCS / "choosing.md").read_text("utf-8"),
    re.MULTILINE,
)[-3:]
"""The rows of docs/choosing.md: options, and the percentages of the variants that they find."""


@pytest.mark.parametrize(("size", "near"), [(300, 6), pytest.param(3000, 0.6, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("place", "kind"), [(1, "tweets"), (4, "thai"), *slow((2, "chinese"), (3, "japanese"))])
def test_the_docs_state_how_many_variants_its_options_find(
    tmp_path: Path, place: int, kind: str, size: int, near: float
) -> None:
    texts = SETS[kind](1, size)
    lay_lines(tmp_path, texts)
    assert [options for options, *_ in STATED] == ["(defaults)", "`-k 5 --threshold 0.6`", "`-k 3 --threshold 0.6`"]
    for options, *percentages in STATED:
        words = "" if options.startswith("(") else options.strip("`")
        found = measured(tmp_path, texts, f"simdocs dedupe x.jsonl {words}")
        assert 100 * found.recall == pytest.approx(int(percentages[place - 1]), abs=near)
        assert found.false == 0


def test_the_guide_has_options_for_texts_without_spaces_that_find_their_variants(tmp_path: Path) -> None:
    row = re.search(
        r"^\| Chinese, Japanese, Thai: .*? \| `(.*?)` \|", (DOCS / "guide.md").read_text("utf-8"), re.MULTILINE
    )
    assert row
    for kind in ("chinese", "thai"):
        texts = SETS[kind](7, 200)
        lay_lines(tmp_path, texts)
        found = measured(tmp_path, texts, f"simdocs dedupe x.jsonl {row[1]}")
        assert found.recall >= 0.95
        assert found.false == 0


def test_a_threshold_of_about_one_half_is_proposed_for_programs(tmp_path: Path) -> None:
    lay_lines(tmp_path, SETS["code"](3, 60))
    assert 0.4 <= float(proposed(tmp_path).rpartition(" --threshold ")[2]) <= 0.55
