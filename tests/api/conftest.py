"""A tree of documents with its artifacts, and an eye on standard output and error."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.asking import KINDS, TEXTS
from tests.cli.corpus import lay
from tests.cli.program import simdocs


@pytest.fixture(scope="package")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """docs and new; and docs.shingles, docs.signatures and docs.index, made by the program."""
    root = lay(tmp_path_factory.mktemp("tree"), TEXTS)
    for command, kind in zip(("shingle", "signature", "index"), KINDS, strict=True):
        assert simdocs(command, "docs", "-o", f"docs.{kind}", "-q", cwd=root) == (0, b"", "")
    return root


@pytest.fixture
def here(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, as the working directory: not to be changed, but for artifacts of other names."""
    monkeypatch.chdir(tree)
    return tree


@pytest.fixture(autouse=True)
def silence(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Nothing is printed."""
    yield
    assert capfd.readouterr() == ("", "")
