"""A new member of a family needs only one entry in its table."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import simdocs
from simdocs.options.families import UNITS
from tests.commands.building import opened
from tests.toys import registered

ROOT = Path(__file__).resolve().parent.parent
FERRY = "The ferry leaves at nine. The harbour is closed today. Bring the tickets."
TEXTS = {"a": FERRY, "b": FERRY.replace(". ", "...\n"), "c": FERRY.replace("tickets", "luggage")}
TOYS = ("--unit", "toyunit", "--scheme", "toyscheme", "--keep", "toykeep", "--format", "toyformat")


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay out two documents with the same sentences, and one with another last sentence."""
    (tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "docs" / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def program(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line with the toys in their tables."""
    return subprocess.run(
        [sys.executable, "-m", "tests.toys", *arguments],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_help_lists_every_toy_with_what_it_is() -> None:
    shown = " ".join(program("dedupe", "--help-all").stdout.split())
    said = {
        "unit toy units in a row",
        "scheme a toy of a scheme",
        "keep the toy that is kept",
        "format a toy of a format",
    }
    assert all(f"toy{each}" in shown for each in (*said, "unit 2"))


def test_dedupe_answers_with_toys(docs: Path) -> None:
    for output in ((), ("-o", "found.toyformat")):  # whose suffix chooses the format, too
        done = program("dedupe", "docs", *TOYS[: 8 - len(output)], *output, cwd=docs)
        assert (done.returncode, done.stderr) == (0, "")
        drawn = (docs / output[1]).read_text() if output else done.stdout
        assert drawn == "{kept|duplicate|jaccard|estimate\n(docs/a|docs/b|1.000000|1.000000)\n}\n"
    assert "docs/c" in program("dedupe", "docs", *TOYS, "--threshold", "0.3", "--exact", cwd=docs).stdout


def test_python_answers_with_toys_and_names_them_in_errors(docs: Path) -> None:
    with registered():
        found = simdocs.dedupe("docs", unit="toyunit", scheme="toyscheme", keep="toykeep")
        assert [row[:2] for row in found.rows()] == [("docs/a", "docs/b")]
        assert found.summary()["parameters"]["shingling"]["k"] == 2
        with pytest.raises(simdocs.UsageError, match=f"one of {', '.join(UNITS)}, not 'toys'"):
            simdocs.dedupe("docs", unit="toys")
    with pytest.raises(simdocs.UsageError, match="--unit must be one of"):
        simdocs.dedupe("docs", unit="toyunit")


def test_a_manifest_keeps_toys_and_is_refused_without_them(docs: Path) -> None:
    with registered():
        simdocs.index("docs", output="docs.index", unit="toyunit", scheme="toyscheme")
        recipe = opened(b"docs.index").recipe
        assert (recipe.shingling.unit, recipe.sketching.scheme) == ("toyunit", "toyscheme")
        assert [row[1] for row in simdocs.query("docs.index", "docs/a").rows()] == ["docs/b"]
    with pytest.raises(simdocs.ArtifactError, match="made with unit 'toyunit', which this simdocs does not know"):
        opened("docs.index")
