"""Updates that keep the documents of what cannot be read now, as if it had not changed since it was read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.model.artifact import Artifact, rows_of_ranges
from tests.amounts import examples
from tests.cli.program import unprivileged
from tests.commands.building import built, opened
from tests.commands.histories import FOLDERS, content_for, lines, names, rewrite_in_place, steps, texts, write
from tests.commands.test_update import ALLOWED, HOUR, OPTIONS, Clock, compare, moves
from tests.corpora.small_chunks import cut_small
from tests.runs import without_sync

PLAIN: dict[str, Any] = {name: value for name, value in OPTIONS.items() if name != "follow"}

KEEP: dict[str, Any] = PLAIN | ALLOWED | {"keep_unreadable": True}


@contextmanager
def closed(paths: set[str]) -> Iterator[None]:
    """Make these files and directories unreadable, as far as they are there."""
    modes = {path: os.stat(path).st_mode for path in sorted(paths, reverse=True) if os.path.lexists(path)}
    for path in modes:
        os.chmod(path, 0)
    try:
        with unprivileged():
            yield
    finally:
        for path in reversed(modes):
            os.chmod(path, modes[path])


def files() -> dict[str, bytes]:
    """The content of every file."""
    found = (os.path.join(top, name) for top, _, here in os.walk("docs") for name in here)
    return {name: Path(name).read_bytes() for name in found}


def damaged() -> set[str]:
    """The files that a build from scratch cannot read to their ends."""
    told = simdocs.index("docs", output="scratch.index", dry_run=True, **PLAIN)
    return {skip.name.decode() for skip in told.skipped.kept("malformed") if not skip.line}


def is_at(name: str, paths: set[str]) -> bool:
    """Whether a file is one of these paths, or below one."""
    return any(f"{name}/".startswith(f"{path}/") for path in paths)


def expected(known: dict[str, bytes], paths: set[str]) -> dict[str, bytes]:
    """What counts as the content of every file: of those at these paths, what is known from when they were read."""
    now = files()
    found = {name: data for name, data in now.items() if not is_at(name, paths)}
    there = {path for path in paths if os.path.isdir(path)} | (paths & now.keys())
    return found | {name: data for name, data in known.items() if is_at(name, there)}


def differences(target: Artifact, other: Artifact) -> list[str]:
    """The arrays in which two artifacts differ, apart from the stamps of files."""
    of_files = ("row", "content", "chunk")
    found = [name for name in target.columns if name != "files" and not same(target[name], other[name])]
    ours, theirs = (artifact.documents.sources.files for artifact in (target, other))
    return found + [name for name in of_files if not np.array_equal(ours[name], theirs[name])]


def same(column: Any, other: Any) -> bool:
    return column.shape == other.shape and np.array_equal(column.all(), other.all())


def hold_and_count(target: Path, known: dict[str, bytes], paths: set[str]) -> dict[str, bytes]:
    """Hold that the artifact is what a build from these contents is, and tells what is kept. Return them."""
    wanted = expected(known, paths)
    shutil.rmtree("expected", ignore_errors=True)
    os.mkdir("expected")
    with chdir("expected"):
        os.mkdir("docs")
        for name, data in wanted.items():
            write(name, data)
        fresh = built(target, ["docs"], **PLAIN)
        assert differences(opened(Path("..") / target), fresh) == []
    artifact = opened(target)
    kept = rows_of_ranges(artifact.run["kept"], artifact.n_documents)
    of_files = [artifact.documents.name(row).partition("#")[0] for row in range(artifact.n_documents)]
    assert kept.tolist() == [row for row, name in enumerate(of_files) if is_at(name, paths)]
    return wanted


@given(
    st.lists(st.tuples(names, texts, lines), min_size=1, max_size=5),
    st.lists(
        st.tuples(
            st.lists(steps(moves=False), max_size=4),
            moves,
            st.sets(st.one_of(st.sampled_from(FOLDERS[1:]), names), max_size=3),
        ),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from(["shingles", "signatures", "index"]),
    st.sampled_from([16, 1 << 19]),
)
@examples(12)
def test_an_update_keeps_what_cannot_be_read_as_if_it_had_not_changed(
    tmp_path_factory: pytest.TempPathFactory, begun: Any, history: Any, kind: str, size: int
) -> None:
    place = tmp_path_factory.mktemp("kept", numbered=True)
    target = Path(f"x.{kind}")
    with pytest.MonkeyPatch.context() as patch, chdir(place):
        cut_small(patch, size)
        without_sync(patch)
        set_clock = Clock(patch)
        set_clock.ahead = HOUR
        os.mkdir("docs")
        for name, text, rows in begun:
            write(name, content_for(name, text, rows))
        built(target, ["docs"], **KEEP)
        known = files()
        for changes, ahead, paths in history:
            for change in changes:
                change()
            set_clock.ahead += ahead
            open_but_damaged = damaged() & known.keys()
            with closed(paths):
                built(target, ["docs"], **KEEP)
            known = hold_and_count(target, known, paths | open_but_damaged)
        for name in damaged():
            os.remove(name)
        built(target, ["docs"], **KEEP)
        compare(target, **PLAIN)
    shutil.rmtree(place)


@pytest.mark.parametrize("path", ["docs/below", "docs/below/a", "docs/below/a.jsonl"])
def test_a_file_that_was_new_when_it_was_read_is_read_again_although_it_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """It may have been changed once more in the same tick of the clock, and its directory or itself closed then."""
    monkeypatch.chdir(tmp_path)
    clock, target, how = Clock(monkeypatch), Path("x.index"), KEEP | {"ignore_ctime": True}
    write("docs/below/a", b"the quick brown fox")
    write("docs/below/a.jsonl", b'{"text": "the quick brown fox"}\n')
    built(target, ["docs"], **how)
    rewrite_in_place("docs/below/a", b"one slow fox jumps ")
    rewrite_in_place("docs/below/a.jsonl", b'{"text": "one slow fox jumps "}\n')
    for _ in range(2):
        clock.ahead += HOUR
        with closed({path}):
            built(target, ["docs"], **how)
    clock.ahead += HOUR
    built(target, ["docs"], **how)
    compare(target, **how)
