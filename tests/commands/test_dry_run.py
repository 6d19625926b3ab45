"""A dry run says of each document what a comparison of the artifacts before and after the build says."""

from __future__ import annotations

import os
import shutil
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from tests.amounts import examples
from tests.asked import ASKED
from tests.commands.building import built, content, opened
from tests.commands.histories import content_for, lines, names, steps, texts, write
from tests.commands.test_update import HOUR, OPTIONS, Clock
from tests.reading.small_chunks import cut_small
from tests.runs import without_sync


def contents(artifact: Any) -> dict[str, tuple[Any, ...]]:
    """What identifies the text of each document, by name."""
    facts = artifact.documents.facts
    each = zip(facts["size"].tolist(), facts["digest"].tolist(), strict=True)
    return {artifact.documents.name(row): (size, *digest) for row, (size, digest) in enumerate(each)}


def compared(before: dict[str, Any], after: dict[str, Any]) -> list[tuple[str, str]]:
    """The status and name of each document. A new name takes the text of the first one that is gone, if any has it."""
    gone = {name: text for name, text in before.items() if name not in after}
    found = []
    for name, text in after.items():
        if name in before:
            found.append(("unchanged" if before[name] == text else "changed", name))
        elif (former := next((each for each, its in gone.items() if its == text), None)) is not None:
            del gone[former]
            found.append(("renamed", name))
        else:
            found.append(("new", name))
    return [*found, *(("removed", name) for name in gone)]


@given(
    st.lists(st.tuples(names, texts, lines), min_size=1, max_size=5),
    st.lists(st.lists(steps(), max_size=4), min_size=1, max_size=3),
    st.sampled_from(["shingle", "signature", "index"]),
    st.sampled_from([16, 1 << 19]),
)
@examples(6)
def test_a_dry_run_lists_what_the_build_changes(
    tmp_path_factory: pytest.TempPathFactory, begun: Any, history: Any, stage: str, size: int
) -> None:
    place = tmp_path_factory.mktemp("dry", numbered=True)
    with pytest.MonkeyPatch.context() as patch, chdir(place):
        cut_small(patch, size)
        without_sync(patch)
        Clock(patch).ahead = HOUR
        os.mkdir("docs")
        for name, text, rows in begun:
            write(name, content_for(name, text, rows))
        target = Path("x." + {"shingle": "shingles", "signature": "signatures"}.get(stage, stage))
        options = {name: value for name, value in OPTIONS.items() if name in ASKED[stage].options}
        built(target, ["docs"], **options)
        for changes in history:
            for change in changes:
                change()
            before, old = contents(opened(target)), content(target)
            found = getattr(simdocs, stage)("docs", output=target, dry_run=True, allow_shrink=True, **options)
            assert content(target) == old
            built(target, ["docs"], allow_shrink=True, **options)
            expected = compared(before, contents(opened(target)))
            assert list(found.rows("all")) == expected
            assert list(found.rows()) == [row for row in expected if row[0] != "unchanged"]
            counts = found.summary()["update"]
            statuses = ("unchanged", "changed", "new", "removed", "renamed")
            assert [counts[status] for status in statuses] == [
                sum(status == one for one, _ in expected) for status in statuses
            ]
            rows = dict(zip((name for _, name in expected), range(len(expected)), strict=False))
            of = {status: [rows[name] for one, name in expected if one == status] for status in statuses}
            assert opened(target).changed.tolist() == sorted(of["changed"] + of["new"])
    shutil.rmtree(place)
