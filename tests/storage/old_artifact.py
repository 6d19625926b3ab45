"""An old artifact, some of whose documents have changed: which artifact is there after an update went wrong."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from simdocs.reading import files
from tests.cli.corpus import A1, A2, A, B, lay
from tests.commands.building import build, content, damages

HOUR = 3600 * 10**9
BEFORE = {"docs/a.txt": A, "docs/b.txt": B, "docs/s.jsonl": b'{"text": "a line"}\n' * 2}
AFTER = {"docs/b.txt": A2, "docs/new.txt": A1, "docs/s.jsonl": b'{"text": "a line"}\n' * 3}


class Update:
    """An artifact of old documents, some of which have changed: an update takes the others over from it."""

    def __init__(self, place: Path, patch: pytest.MonkeyPatch, kind: str) -> None:
        patch.chdir(place)
        patch.setattr(files, "now", lambda: time.time_ns() + HOUR)
        lay(place, BEFORE)
        self.target = Path(f"a.{kind}")
        self.run()
        shutil.copytree(self.target, "kept")
        lay(place, AFTER)
        fresh = Path(f"fresh.{kind}")
        build(fresh, ["docs"])
        self.old, self.new = content(self.target), content(fresh)
        shutil.rmtree(fresh)
        assert self.old != self.new

    def run(self, target: Path | None = None) -> None:
        """Build the artifact, or update it. It is not opened then, since that would be one more call that can fail."""
        build(self.target if target is None else target, ["docs"])

    def reset(self) -> None:
        """Put the old artifact back."""
        shutil.rmtree(self.target)
        shutil.copytree("kept", self.target)

    def state(self, target: Path | None = None) -> str:
        """Which artifact is there, undamaged: "old" or "new"; or "mix"."""
        path = self.target if target is None else target
        assert not damages(path)
        now = content(path)
        return "old" if now == self.old else "new" if now == self.new else "mix"

    def beside(self) -> set[str]:
        """The names of what does not belong there."""
        return set(os.listdir(".")) - {"docs", "kept", str(self.target)}
