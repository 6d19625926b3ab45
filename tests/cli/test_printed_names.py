"""Printed names work where they are printed: `cat $(simdocs ...)` finds every document."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A2, A, lay
from tests.cli.program import Done, simdocs
from tests.commands.building import names_on

ASKS = {
    "kept": ("dedupe", "{}/x.index", "--list", "kept"),
    "groups of signatures": ("dedupe", "{}/x.signatures"),
    "pairs": ("pairs", "{}/x.index"),
    "matches": ("query", "{}/x.index", "{}/near", "--list", "matches"),
    "queries": ("query", "{}/x.index", "{}/y.signatures"),
    "against": ("dedupe", "{}/near", "--against", "{}/x.index"),
}
"""What is asked; {}: the directory where the artifacts were built."""


@pytest.fixture(scope="module")
def built_there(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with docs, artifacts of it, and documents that are nearly the same as some."""
    there = lay(
        tmp_path_factory.mktemp("built"),
        {"docs/a": A, "docs/b": A1, "docs/d/c": A1, "docs/e": b"another text", "near": A2, "sub/near": A2},
    )
    for command, target in (("signature", "x.signatures"), ("index", "x.index")):
        assert simdocs(command, "docs", "-o", target, cwd=there) == (0, b"", "")
    assert simdocs("signature", "near", "-o", "y.signatures", cwd=there) == (0, b"", "")
    return there


def asked(ask: str, directory: Path | str, cwd: Path, *options: str | Path) -> Done:
    done = simdocs(*(word.replace("{}", str(directory)) for word in ASKS[ask]), *options, cwd=cwd)
    assert (done.status, done.err) == (0, "")
    assert done.out
    return done


def printed(done: Done) -> list[str]:
    return [name for row in done.names for name in row]


@pytest.mark.parametrize("ask", ASKS)
def test_names_are_those_recorded_in_the_directory_of_the_build(built_there, ask):
    """However that directory, and the artifact in it, are spelled."""
    names = printed(asked(ask, ".", built_there))
    recorded = set(map(os.fsdecode, names_on(built_there / "x.index")))
    assert set(names) <= recorded | {"near", "./near"}
    assert set(names) & recorded
    again = printed(asked(ask, built_there, built_there))
    assert [name.removeprefix(f"{built_there}/") for name in again] == [name.removeprefix("./") for name in names]
    assert printed(asked(ask, ".", built_there, "--root", "docs/..")) == names


@pytest.mark.parametrize("ask", ASKS)
def test_names_are_joined_to_the_recorded_directory_elsewhere(built_there, tmp_path, ask):
    expected = [(built_there / name).read_bytes() for name in printed(asked(ask, ".", built_there))]
    for cwd, directory in ((tmp_path, built_there), (built_there / "sub", ".."), (Path("/"), built_there)):
        names = printed(asked(ask, directory, cwd))
        assert [(cwd / name).read_bytes() for name in names] == expected
        assert any(name.startswith(f"{built_there}/docs/") for name in names)


@pytest.mark.parametrize("ask", ASKS)
def test_names_are_joined_to_root_elsewhere(built_there, ask):
    expected = [(built_there / name).read_bytes() for name in printed(asked(ask, ".", built_there))]
    cwd = built_there / "sub"
    for root in ("..", "../docs/..", built_there):
        names = printed(asked(ask, "..", cwd, "--root", root))
        assert [(cwd / name).read_bytes() for name in names] == expected
        assert any(name.startswith(f"{root}/docs/") for name in names)


def test_absolute_names_stay_as_they_are(built_there, tmp_path):
    docs = built_there / "docs"
    assert simdocs("index", docs, "-o", "x.index", cwd=tmp_path).status == 0
    for cwd, options in ((tmp_path, ()), (Path("/"), ()), (built_there, ("--root", "docs"))):
        done = simdocs("dedupe", tmp_path / "x.index", "--list", "duplicates", *options, cwd=cwd)
        assert done == (0, b"%s/b\n%s/d/c\n" % (bytes(docs), bytes(docs)), "")
