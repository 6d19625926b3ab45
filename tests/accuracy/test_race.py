"""The race measures what it says, a contestant that fails is a row, and the drivers' own steps are right."""

from __future__ import annotations

import re
import sys
from itertools import combinations
from pathlib import Path

import pytest

from benchmarks import contestants, contests, exact, race_page, texts
from benchmarks.contestants import DOCUMENTED, Contestant
from benchmarks.contests import Contest
from benchmarks.race import Race
from benchmarks.rivals import hashes, steps
from tests.docs.executed import DOCS, ROOT

LISTS = """
import sys, time
from pathlib import Path
directory, answer, *pairs = sys.argv[1:]
path = {int(file.stem): file for file in Path(directory).rglob("*.txt")}
with open(answer, "w") as file:
    for pair in pairs:
        left, right = map(int, pair.split(","))
        file.write(f"{path[left]}\\t{path[right]}\\t0.9\\n")
time.sleep(0.5)  # its memory is sampled while it runs
"""
FAILS = "import sys; sys.exit('/home/someone/toy.py: out of luck')"


def toy(source: str, *pairs: str, kind: str = DOCUMENTED, name: str = "toy") -> Contestant:
    """Return a contestant that runs this source."""
    return Contestant(name, kind, "1.0", lambda contest, answer: [
        sys.executable, "-c", source, str(contest.directory), str(answer), *pairs
    ])  # fmt: skip


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory) -> Contest:
    return contests.contest(contests.GENERATED, "char", 60, tmp_path_factory.mktemp("race"))


@pytest.fixture
def raced(contest: Contest, tmp_path: Path) -> Race:
    return Race(contestants.simdocs(), 1, tmp_path, {"char": contest})


def pairs_of(contest: Contest) -> list[str]:
    """Return the similar pairs as a toy takes them."""
    return [f"{key // contest.files},{key % contest.files}" for key in contest.truth.clear.tolist()]


def test_simdocs_and_a_toy_are_scored_by_the_truth(contest, raced):
    true = pairs_of(contest)
    assert len(true) > 5
    unlike = next(
        key
        for left, right in combinations(range(60), 2)
        if (key := left * 60 + right) not in {*contest.truth.clear.tolist(), *contest.truth.near.tolist()}
    )
    other = toy(LISTS, *true[1:], f"{unlike // 60},{unlike % 60}", true[1])
    own, found = raced.on(contest, [other]).results
    assert (own.recall, own.precision) == (1, 1)
    assert (found.recall, found.precision) == ((len(true) - 1) / len(true),) * 2
    assert found.ratios == (found.seconds[0] / own.seconds[0],)
    assert min(own.peak, found.peak) > 2**20


def test_a_contestant_that_fails_is_a_row_that_says_why(contest, raced):
    table = raced.on(contest, [toy(FAILS), toy(LISTS, *pairs_of(contest), name="other toy")])
    assert [not one.why_not for one in table.results] == [True, False, True]
    written = race_page.page([table], 1, [])
    assert "| toy | did not take part: status 1: toy.py: out of luck" in written
    assert "/home" not in written
    assert re.search(r"^\| other toy \| \d+\.\d\d \| \d+\.\d\d .* \| 1\.0000 \| 1\.0000 \|$", written, re.MULTILINE)


@pytest.fixture
def laid(tmp_path: Path) -> Path:
    """Texts whose words are the same for all libraries."""
    some = [" ".join(exact.WORD.findall(text.lower())) for text in texts.texts(60, 400, seed=4)]
    texts.write(tmp_path / "texts", [*some, "short", "short", "naïve слова 日本 ½ naïve слова 日本 ½"])
    return tmp_path


@pytest.mark.parametrize("step", [steps, hashes], ids=["strings", "hashes"])
@pytest.mark.parametrize(("unit", "k"), contests.UNITS.items())
def test_the_steps_of_the_drivers_find_the_exact_pairs(unit, k, step, laid, monkeypatch):
    arguments = (laid / "texts", unit, k, 0.8, 16, 8, laid / "answer.tsv", "lists")
    monkeypatch.setattr(sys, "argv", ["driver", *map(str, arguments)])
    given = steps.task()
    paths, found = steps.read(given.directory)
    step.compare_and_write(given, paths, found, list(combinations(range(len(paths)), 2)))
    lines = [line.split("\t") for line in (laid / "answer.tsv").read_text().splitlines()]
    expected = exact.pairs([Path(path).read_text() for path in paths], unit, k, 0.8)
    assert len(expected) > 5
    assert {(paths.index(left), paths.index(right)): jaccard for left, right, jaccard in lines} == {
        pair: f"{jaccard:.6f}" for pair, jaccard in expected.items()
    }


def test_figures_in_the_readme_are_those_of_the_page():
    speed = (ROOT / "README.md").read_text().partition("\n## Speed\n")[2].partition("\n## ")[0]
    page = (DOCS / "benchmarks.md").read_text()
    figures = re.findall(r"\d+(?:\.\d+)?(?= (?:MB|times))", speed)
    assert len(figures) > 3
    assert [figure for figure in figures if not re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d.])", page)] == []
