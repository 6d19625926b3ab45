"""Documents that change during an update, and queries meanwhile."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import simdocs.reading.formats.lines  # to change what it does
from simdocs.kernels import native
from tests.amounts import amount, slow
from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import finished, running, simdocs
from tests.commands.building import built, content
from tests.storage.old_artifact import AFTER, BEFORE, Update


@pytest.fixture
def update(place: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Update:
    return Update(place, monkeypatch, request.param)


def rewrite(path: Path) -> None:
    path.write_bytes(path.read_bytes().swapcase())


def grow(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b'{"text": "another line"}\n')


def replace(path: Path) -> None:
    Path("aside").write_bytes(path.read_bytes().swapcase())
    os.replace("aside", path)


def remove(path: Path) -> None:
    path.unlink()


MOMENTS = {
    "before files are compared": "simdocs.reading.unchanged._hashes_of",
    "after files were compared": "simdocs.pipeline.reading.Cutting",
    "before a document is read": "simdocs.pipeline.reading.read",
    "when a document is opened": "simdocs.reading.files.open_file",
    "when lines are opened": "simdocs.reading.formats.lines._between",
    "when a document is decoded": "simdocs.pipeline.reading.content_digest",
    "when lines are parsed": "simdocs.reading.formats.lines._object_on",
}


def once(patch: pytest.MonkeyPatch, moment: str, change: Callable[[], None]) -> list[str]:
    """Make a change when a function is first called: before it runs, or after it opened a file.

    Return a list that is not empty from then on.
    """
    module, _, function = moment.rpartition(".")
    real, happened = getattr(sys.modules[module], function), list[str]()

    def changing(*arguments: Any, **more: Any) -> Any:
        opened = real(*arguments) if function.startswith("open_") else None
        if not happened:
            happened.append(moment)
            change()
        return opened or real(*arguments, **more)

    patch.setattr(moment, changing)
    return happened


@pytest.mark.reliability("a change during an update")
@pytest.mark.parametrize("update", ["shingles"], indirect=True)
@pytest.mark.parametrize("change", [rewrite, *slow(grow, replace, remove)])
@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
def test_a_document_that_changes_during_an_update_has_its_old_or_its_new_text(
    update: Update, moment: str, change: Callable[[Path], None]
) -> None:
    """Old facts with new times would be found by the next update, which is then not what a build from scratch is."""
    for name in ("docs/a.txt", "docs/b.txt", "docs/s.jsonl"):
        lay(Path(), BEFORE | AFTER)
        update.reset()
        one_by_one = (
            mock.patch.object(native, "_chosen", "numpy")
            if moment == MOMENTS["when a document is opened"]
            else nullcontext()
        )
        with pytest.MonkeyPatch.context() as patch, one_by_one:
            changed = once(patch, moment, lambda path=Path(name): change(path))
            update.run()
        assert len(changed) == 1
        update.run()
        fresh = Path("fresh.shingles")
        built(fresh, ["docs"])
        assert content(update.target) == content(fresh), name
        shutil.rmtree(fresh)


@pytest.mark.reliability("queries during updates")
def test_queries_during_updates_see_one_artifact_each(place: Path) -> None:
    texts = (A, A1, A1 + b"!")
    both = [{f"docs/{one}.txt": text for one, text in zip(names, texts, strict=True)} for names in ("abc", "def")]
    lay(place, both[0] | {"asked": A1 + b" And so on.", "docs/always.txt": B})
    assert simdocs("index", "docs", "-o", "x.index", cwd=place).status == 0
    answers, seen = [sorted(one) for one in both], set[str]()
    end, turn = time.monotonic() + (60 if amount(1) > 1 else 1), 0
    while time.monotonic() < end or len(seen) < 2:
        turn += 1
        for name in both[1 - turn % 2]:
            (place / name).unlink()
        lay(place, both[turn % 2])
        with running("index", "docs", "-o", "x.index", "--allow-shrink", cwd=place) as update:
            while update.poll() is None:
                done = simdocs("query", "x.index", "asked", "--verify", "estimate", "--format", "jsonl", cwd=place)
                found = sorted(name for name in answers[0] + answers[1] if name.encode() in done.out)
                assert (done.status, done.err, found in answers) == (0, "", True), done
                seen.add(found[0])
            assert finished(update) == (0, b"", "")
