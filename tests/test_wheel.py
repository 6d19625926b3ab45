"""The wheel has the guide, and installs manual pages and completion files where man and the shells look for them.

It has kernels in C if there is a compiler, and works without them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from functools import partial
from pathlib import Path

import pytest

from docs.manpages import pages

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ROOT / "docs" / "guide.md"
PLACES = {f"share/man/man1/{name}" for name in pages()} | {
    "share/doc/simdocs/reference.md",
    "share/bash-completion/completions/simdocs",
    "share/zsh/site-functions/_simdocs",
    "share/fish/vendor_completions.d/simdocs.fish",
}
BUILD_SDIST = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of what is committed, so that a build leaves nothing in the tree."""
    made = ("__pycache__", "*.egg-info", "build", "dist", "share", "*.so", "node_modules")
    ignored = shutil.ignore_patterns(".*", *made)
    return shutil.copytree(ROOT, tmp_path_factory.mktemp("copy") / "simdocs", ignore=ignored, symlinks=True)


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def wheel_of(source: Path, place: Path) -> Path:
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", place, source, cwd=place)
    (wheel,) = place.glob("*.whl")
    return wheel


@pytest.mark.slow
def test_an_installed_wheel_has_manual_pages_and_completion_files(tree, tmp_path):
    wheel = wheel_of(tree, tmp_path)
    python = tmp_path / "new" / "bin" / "python"
    run(sys.executable, "-m", "venv", tmp_path / "new", cwd=tmp_path)
    run(python, "-m", "pip", "install", "--quiet", wheel, cwd=tmp_path)
    prefix = tmp_path / "new"
    for name, text in pages().items():
        assert (prefix / "share/man/man1" / name).read_text(encoding="utf-8") == text
    assert run(python.with_name("simdocs"), "--version", cwd=tmp_path).startswith("simdocs ")
    assert run(python.with_name("simdocs"), "help", "guide", cwd=tmp_path) == GUIDE.read_text(encoding="utf-8")
    script = "source share/bash-completion/completions/simdocs; COMP_WORDS=(bin/simdocs ded) COMP_CWORD=1"
    done = run("bash", "--norc", "-c", f"{script}; _simdocs_completion bin/simdocs; echo $COMPREPLY", cwd=prefix)
    assert done == "dedupe\n"
    if shutil.which("man") is not None:
        assert Path(run("man", "-M", "share/man", "-w", "simdocs-dedupe", cwd=prefix).strip()).name in pages()


@pytest.mark.slow
def test_a_wheel_from_the_source_distribution_has_them_too(tree, tmp_path):
    # With a setuptools of its own: that of the tests may be older than the one the project asks for.
    run(sys.executable, "-m", "venv", tmp_path / "builder", cwd=tmp_path)
    python = tmp_path / "builder" / "bin" / "python"
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    run(python, "-m", "pip", "install", "--quiet", *wanted, cwd=tmp_path)
    run(python, "-c", BUILD_SDIST, tmp_path, cwd=tree)
    (source,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(source) as packed:
        assert {name.partition("/")[2] for name in packed.getnames()} >= PLACES
    with zipfile.ZipFile(wheel_of(source, tmp_path)) as wheel:
        assert wheel.read("simdocs/cli/guide.md") == GUIDE.read_bytes()
        names = {name.partition(".data/data/")[2] for name in wheel.namelist()}
    assert names - {""} == PLACES


def built(tree: Path, place: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Build a wheel with these variables in the environment, from a tree in which nothing was built before."""
    tree = shutil.copytree(tree, place / "tree", ignore=shutil.ignore_patterns("build"), symlinks=True)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(place), str(tree)]
    return subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, env=os.environ | env)


@pytest.mark.slow
def test_without_a_compiler_numpy_does_the_work(tree, tmp_path):
    done = built(tree, tmp_path, CC="/nonexistent", SIMDOCS_NATIVE="auto")
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "unpacked")
    (tmp_path / "docs").mkdir()
    for name in "ab":
        (tmp_path / "docs" / name).write_text("the cows jump over the moon")
    env = {"PATH": os.defpath, "PYTHONPATH": str(tmp_path / "unpacked")}
    program = partial(subprocess.run, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    version = program([sys.executable, "-m", "simdocs", "--version"])
    assert version.stdout.endswith(" (kernels: numpy)\n"), version.stderr
    found = program([sys.executable, "-m", "simdocs", "dedupe", "docs", "--list", "duplicates"])
    assert (found.stdout, found.stderr) == ("docs/b\n", "")
    asked = program([sys.executable, "-m", "simdocs", "dedupe", "docs"], env=env | {"SIMDOCS_KERNELS": "native"})
    assert asked.returncode == 2
    assert asked.stderr.startswith("simdocs: error: SIMDOCS_KERNELS is native, but simdocs was installed without")


@pytest.mark.slow
def test_a_release_cannot_be_built_without_a_compiler(tree, tmp_path):
    assert built(tree, tmp_path, CC="/nonexistent", SIMDOCS_NATIVE="require").returncode != 0
    assert list(tmp_path.glob("*.whl")) == []


@pytest.mark.slow
@pytest.mark.parametrize(("wanted", "has_kernels"), [("no", False), ("auto", True)])
def test_kernels_in_c_are_in_the_wheel_unless_they_are_not_wanted(wanted, has_kernels, tree, tmp_path):
    if shutil.which("cc") is None:
        pytest.skip("no C compiler here")
    assert built(tree, tmp_path, SIMDOCS_NATIVE=wanted).returncode == 0
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        assert any(name.endswith("compiled.abi3.so") for name in packed.namelist()) == has_kernels
    assert wheel.name.endswith("-none-any.whl") != has_kernels
