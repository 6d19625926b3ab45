"""Walks: links, patterns, other kinds of files, and trees deeper than names can be long."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.amounts import slow
from tests.cli.commands import reading
from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import FEW_FILES, environment, simdocs


def kept(where, *arguments, status=0, **how) -> list[str]:
    done = simdocs("dedupe", *arguments, "--list", "kept", cwd=where, **how)
    assert (done.status, done.err) == (status, "")
    return done.out.decode().splitlines()


@pytest.fixture
def texts(tmp_path):
    """Files and directories, hidden and not; no text like another."""
    names = "a.txt b.md notes/a.txt notes/c.TXT notes/deep/d.txt .git/e.txt notes/.f.txt g.txt/h .i/.j/k.txt"
    for name in names.split():
        lay(tmp_path, {f"docs/{name}": f"the text of {name!r} alone".encode()})
    return tmp_path


VISIBLE = ["docs/a.txt", "docs/b.md", "docs/g.txt/h", "docs/notes/a.txt", "docs/notes/c.TXT", "docs/notes/deep/d.txt"]


def test_hidden_names_are_read_with_hidden(texts):
    hidden = ["docs/.git/e.txt", "docs/.i/.j/k.txt", "docs/notes/.f.txt"]
    assert kept(texts, "docs") == VISIBLE
    assert kept(texts, "docs", "--hidden") == sorted(VISIBLE + hidden)


def test_hidden_names_are_read_if_they_are_named(texts):
    assert kept(texts, "docs/.git", "docs/notes/.f.txt") == ["docs/.git/e.txt", "docs/notes/.f.txt"]
    assert kept(texts / "docs" / ".i", ".", "-q") == []
    assert kept(texts / "docs" / ".i" / ".j", ".") == ["./k.txt"]


@pytest.mark.reliability("links with --follow, or as arguments")
@pytest.mark.reliability("broken links")
def test_links_that_are_named_are_followed(tmp_path):
    lay(tmp_path, {"docs/a": A, "elsewhere/b": B})
    os.symlink("elsewhere", tmp_path / "dir")
    os.symlink("docs/a", tmp_path / "file")
    assert kept(tmp_path, "dir", "file", "docs") == ["dir/b", "file"]
    os.symlink("gone", tmp_path / "dangling")
    assert simdocs("dedupe", "dangling", cwd=tmp_path).status == 2
    os.symlink("gone", tmp_path / "docs/b")
    os.symlink("a/gone", tmp_path / "docs/c")
    done = simdocs("dedupe", "docs", "--follow", cwd=tmp_path)
    assert (done.status, done.err.count("cannot be read (dangling link)")) == (3, 2)


@pytest.mark.reliability("another file system below a directory")
@pytest.mark.skipif(
    not Path("/dev/shm").is_dir() or os.stat("/dev").st_dev == os.stat("/dev/shm").st_dev,
    reason="/dev/shm is no other file system",
)
def test_one_file_system_leaves_others_out(tmp_path):
    """/dev holds one; what else is there is none of ours."""
    with tempfile.NamedTemporaryFile(dir="/dev/shm", prefix="simdocs-", suffix=".txt") as stream:
        stream.write(A)
        stream.flush()
        ask = ("dedupe", "/dev", "--include", os.path.basename(stream.name), "--list", "kept", "-q")
        assert simdocs(*ask, cwd=tmp_path).out.decode() == f"{stream.name}\n"
        assert simdocs(*ask, "--one-file-system", cwd=tmp_path).out == b""
        assert simdocs(*ask, "/dev/shm", "--one-file-system", cwd=tmp_path).out.decode() == f"{stream.name}\n"


def descend(root: int, depth: int, name: str = "d" * 10) -> int:
    """Make so many directories, one in another; a descriptor of the innermost."""
    for _ in range(depth):
        os.mkdir(name, dir_fd=root)
        below = os.open(name, os.O_RDONLY, dir_fd=root)
        os.close(root)
        root = below
    return root


def write_at(directory: int, name: str, data: bytes) -> None:
    with os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT, dir_fd=directory), "wb") as stream:
        stream.write(data)


def test_directories_deeper_than_a_path_can_be_long_are_reported(tmp_path):
    lay(tmp_path, {"docs/a": A, "docs/z": A1})
    os.close(descend(os.open(tmp_path / "docs", os.O_RDONLY), 450))
    try:
        done = simdocs("dedupe", "docs", cwd=tmp_path)
    finally:
        subprocess.run(["rm", "-rf", tmp_path / "docs"], check=True)  # unlike shutil, it does not recurse
    assert (done.status, done.names) == (3, [("docs/a", "docs/z")])
    assert done.err.endswith("dddddddddd: skipped: cannot be read (File name too long)\n")


@pytest.mark.reliability("more levels than open files")
def test_trees_with_more_levels_than_open_files_are_read(tmp_path):
    path, expected = tmp_path / "docs", []
    for level in range(40):
        for name in ("a/x", "b", "z/y"):
            lay(path, {name: f"level {level}, {name}: no text like another".encode()})
            expected.append(str((path / name).relative_to(tmp_path)))
        path = path / "m"
    assert kept(tmp_path, "docs", limits=FEW_FILES) == sorted(expected)
    assert kept(tmp_path, "docs", "-j2", limits=FEW_FILES) == sorted(expected)


@pytest.mark.reliability("10,000 files with 64 open at once")
@pytest.mark.reliability("10,000 documents and 64 open files")
@pytest.mark.parametrize("number", [1000, *slow(10_000)])
def test_many_files_are_read_with_64_open_at_once(tmp_path, number):
    names = [b"docs/%d" % at for at in range(number)]
    (tmp_path / "docs").mkdir()
    for at, name in enumerate(names):
        write_at(-1, str(tmp_path / name.decode()), b"text %d of many" % at)
    stdin = b"\n".join(names)
    done = reading("index", tmp_path, "--files-from", "-", "-j2", stdin=stdin, limits=FEW_FILES)
    assert done == (0, "", number, {})


ODD_ORDER = ["a/b", "a.txt", "a0", "a/c/d", "a/c.d", "a-", "a b", "A", "aa/x", "B/y", "é", "z/\x01", "z/~", "z!", "_"]


@pytest.mark.reliability("arguments that overlap")
def test_documents_are_in_bytewise_order_of_their_paths_and_of_the_first_argument_that_reaches_them(tmp_path):
    lay(tmp_path, {f"docs/{name}": f"a text of its own, {name * 30}".encode() for name in ODD_ORDER})
    names = sorted((f"docs/{name}" for name in ODD_ORDER), key=str.encode)
    for locale in ("C", "C.UTF-8"):
        assert kept(tmp_path, "docs", env=environment(LC_ALL=locale)) == names
    first = ["docs/z!", "docs/a/c/d"]
    rest = [name for name in names if name not in first]
    assert kept(tmp_path, "docs/z!", "docs/a/c", "./docs/../docs", "docs/a0", tmp_path / "docs") == first + [
        f"./docs/../{name}" for name in rest
    ]
    given = "\n".join(reversed(names)).encode()
    assert kept(tmp_path, "--files-from", "-", stdin=given) == names[::-1]
