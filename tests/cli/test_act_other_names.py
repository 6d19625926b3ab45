"""act: a file that is kept and a duplicate under two names, as in an answer that somebody has put together, is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.artifacts.test_answer_file import Line, forge
from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import simdocs
from tests.cli.test_saved_answers import saved


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Two near-duplicates of a document, with the answer about them."""
    lay(tmp_path, {"docs/a": A, "docs/b": A1, "docs/c": A, "docs/z": B})
    saved(tmp_path, "docs")
    return tmp_path


def keep_another(place: Path, as_in: int, side: str, name: str) -> None:
    """Let the last row be about another kept document, whose contents are those of a document of some row."""

    def change(lines: list[Line]) -> None:
        fields = [field.removeprefix(side) for field in lines[as_in] if field.startswith(side)]
        lines[2].update({f"kept{field}": lines[as_in][f"{side}{field}"] for field in fields}, group=1)
        lines[2]["kept"] = name
        lines[0]["groups"] = 2

    forge(place / "x.answer", change)


@pytest.mark.reliability("a kept document that is a duplicate, too")
@pytest.mark.parametrize("yes", [(), ("--yes",)])
def test_a_duplicate_whose_kept_document_was_acted_on_under_another_name_is_left(place: Path, yes: tuple[str, ...]):
    keep_another(place, 1, "duplicate", "docs/other")
    (place / "docs/other").hardlink_to(place / "docs/b")
    done = simdocs("act", "x.answer", "--move", "away", "--max-removed", "1", *yes, cwd=place)
    assert (done.status, [row[1] for row in done.rows]) == (3, [b"docs/b"])
    why = "its kept document docs/other was a duplicate itself, under another name"
    assert f"docs/c: left as it is: {why}\n" in done.err
    assert (place / "docs/c").read_bytes() == A


@pytest.mark.reliability("a kept document that is a duplicate, too")
@pytest.mark.parametrize("yes", [(), ("--yes",)])
def test_a_duplicate_that_is_kept_under_another_name_is_left(place: Path, yes: tuple[str, ...]):
    keep_another(place, 1, "kept", "docs/other")
    lay(place, {"docs/other": A})
    (place / "docs/c").unlink()
    (place / "docs/c").hardlink_to(place / "docs/a")
    done = simdocs("act", "x.answer", "--move", "away", "--max-removed", "1", *yes, cwd=place)
    assert (done.status, [row[1] for row in done.rows]) == (3, [b"docs/b"])
    assert "docs/c: left as it is: it is the kept document of another one, under another name\n" in done.err
    assert (place / "docs/c").samefile(place / "docs/a")
