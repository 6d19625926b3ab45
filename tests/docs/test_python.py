"""The code on docs/python.md runs, and the page mentions every public name."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest

import simdocs
from tests.docs.executed import DOCS, EXAMPLES, execute

PAGE = DOCS / "python.md"


def test_the_code_on_the_python_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    here, scratch = tmp_path / "here", tmp_path / "scratch"
    shutil.copytree(EXAMPLES, here / "examples")
    scratch.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    missing = execute(PAGE)["missing"]
    printed, complaints = capfd.readouterr()
    assert complaints == ""
    # The first session of the README, in other words.
    assert re.findall(r"^(0\.\d{6}) \S+/(\S+) \S+/(\S+)$", printed, re.MULTILINE) == [
        ("0.866041", "lamplighter-a.txt", "lamplighter-b.txt"),
        ("0.919192", "nebel-am-wehr-original.txt", "nebel-am-wehr-zeitung.txt"),
        ("0.864750", "salt-road-final.txt", "salt-road-no-fifth.txt"),
        ("0.866267", "salt-road-final.txt", "salt-road-two-lines.txt"),
    ]
    assert sorted(path.name for path in tmp_path.rglob("*.index")) == ["archive.index", "mem.index", "poems.index"]
    assert not [name for name in os.listdir() if name.startswith(".simdocs-tmp-")]
    if missing:
        pytest.skip(f"no {', '.join(sorted(missing))} here: only the other blocks were run")


def test_every_public_name_is_on_the_python_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    public = set(simdocs.__all__) - {"__version__"}
    assert {name for name in public if not re.search(rf"\b{name}\b", text)} == set()
