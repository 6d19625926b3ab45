"""What is known about the arguments of an earlier run, whatever its run.json says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import simdocs
from simdocs.commands.standing import recorded_arguments, refuse_shrinking
from simdocs.errors import ShrunkError


@pytest.mark.parametrize(
    "given",
    [None, 1, "docs", {"docs": 9}, [1], ["docs"], [["docs"]], [["docs", "9"]], [[1, 9]], [["docs", 9, 9]], [{}]],
    ids=repr,
)
def test_forged_arguments_count_as_none(given: Any) -> None:
    for run in ({"given": given}, {"given": [given]}, {}):
        refuse_shrinking("x.index", run, [["docs", 0]])
        assert recorded_arguments(run) == []


def test_an_argument_may_give_half_of_what_it_gave() -> None:
    run = {"given": [["docs", 3], ["more", 4], ["docs", 1]]}
    refuse_shrinking("x.index", run, [["more", 2], ["docs", 0], ["new", 0], ["docs", 2]])
    refuse_shrinking("x.index", run, [["docs", 2], ["docs", 0]])
    for given in ([["docs", 1]], [["docs", 9], ["more", 1]], [["more", 0]]):
        with pytest.raises(ShrunkError):
            refuse_shrinking("x.index", run, given)


def test_a_slash_at_the_end_of_a_directory_does_not_make_it_another_argument(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a").write_bytes(b"a text")
    for name in ("docs", "docs/", "docs//", "docs"):
        made = simdocs.index(f"{tmp_path}/{name}", output=tmp_path / "x.index")
        assert isinstance(made, simdocs.BandIndex)
        assert made.run["given"] == [[f"{tmp_path}/docs", 1]]


def test_a_single_text_may_be_lost_but_not_the_lines_of_a_file() -> None:
    refuse_shrinking("x.index", {"given": [[__file__, 1]]}, [[__file__, 0]])
    with pytest.raises(ShrunkError):
        refuse_shrinking("x.index", {"given": [[__file__, 2]]}, [[__file__, 0]])
