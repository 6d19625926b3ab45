"""Row order: by argument, and within it bytewise by whole path; every file once."""

from __future__ import annotations

import os
import random

import pytest

from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import environment, simdocs

NAMES = [
    "a/b",
    "a.txt",
    "a0",
    "a/c/d",
    "a/c.d",
    "a-",
    "a b",
    "A",
    "aa/x",
    "B/y",
    "é",
    "z/\x01",
    "z/~",
    "z!",
    "a/ ",
    "_",
]


@pytest.fixture
def many(tmp_path):
    """Texts of which none is like another, in directories whose names nearly sort one way and another."""
    for name in NAMES:
        lay(tmp_path, {f"docs/{name}": f"a text of its own, number {random.Random(name).random()}".encode()})
    return tmp_path


def kept(where, *arguments, **how) -> list[bytes]:
    done = simdocs("dedupe", *arguments, "--list", "kept", "-0", cwd=where, **how)
    assert (done.status, done.err) == (0, "")
    return done.out.split(b"\0")[:-1]


def below(directory: str, start: str = "") -> list[bytes]:
    return sorted(f"{directory}/{name}".encode() for name in NAMES if name.startswith(start))


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "en_US.UTF-8"])
def test_bytewise_by_whole_path(many, locale):
    assert kept(many, "docs", env=environment(LC_ALL=locale)) == below("docs")


def test_arguments_in_their_order(many):
    assert kept(many, "docs/z", "docs/B/y", "docs/a") == [*below("docs", "z/"), b"docs/B/y", *below("docs", "a/")]


def test_the_first_argument_has_it(many):
    assert kept(many, "docs/a/c", "docs") == below("docs", "a/c/") + [
        name for name in below("docs") if not name.startswith(b"docs/a/c/")
    ]
    assert kept(many, "docs", "docs/a/c", "./docs/../docs", "docs/a0", many / "docs") == below("docs")
    assert kept(many, "docs/a0", "docs/a0", "./docs/a0") == [b"docs/a0"]


@pytest.mark.parametrize("spelt", ["docs", "docs/", "docs//", "./docs", ".", "docs/.", "docs/a/.."])
def test_names_are_as_reached(many, spelt):
    def name(rest: str) -> bytes:
        return os.fsencode(spelt + rest if spelt.endswith("/") else f"{spelt}/{rest}")

    inside = NAMES if spelt != "." else [f"docs/{rest}" for rest in NAMES]
    assert kept(many, spelt) == sorted(map(name, inside))


def test_absolute_names(many):
    root = os.fsencode(many / "docs")
    assert kept("/", root) == sorted(root + b"/" + name.encode() for name in NAMES)


def test_lists_are_one_argument(many):
    shuffled = random.Random(1).sample(below("docs"), len(NAMES))
    given = b"\0".join(shuffled)
    assert kept(many, "--files0-from", "-", stdin=given) == below("docs")


def test_hard_links_are_one_document(tmp_path):
    lay(tmp_path, {"docs/m": A, "docs/z": B})
    for name in ("docs/a", "docs/x", "other"):
        os.link(tmp_path / "docs/m", tmp_path / name)
    assert simdocs("dedupe", "docs", "other", cwd=tmp_path) == (0, b"", "")
    assert kept(tmp_path, "docs") == [b"docs/a", b"docs/z"]
    assert kept(tmp_path, "other", "docs") == [b"other", b"docs/z"]
    done = simdocs("dedupe", "docs", "-v", cwd=tmp_path)
    assert "docs/m: skipped: reached before" in done.err


@pytest.mark.parametrize(
    ("policy", "kept_name"), [("first", "p"), ("longest", "q"), ("shortest", "r"), ("newest", "s"), ("oldest", "t")]
)
def test_what_is_kept(tmp_path, policy, kept_name):
    lay(tmp_path, {"p": A, "q": A + b" " * 50, "r": A[:-1], "s": A1, "t": A1 + b" "})
    for at, name in enumerate("tpqrs"):
        os.utime(tmp_path / name, ns=(0, at * 10**9 - 10**9))
    done = simdocs("dedupe", *"pqrst", "--keep", policy, cwd=tmp_path)
    assert {row[0] for row in done.names} == {kept_name}
    assert [row[1] for row in done.names] == [name for name in "pqrst" if name != kept_name]
    assert kept(tmp_path, *"pqrst", "--keep", policy) == [kept_name.encode()]


def test_nanoseconds_count(tmp_path):
    lay(tmp_path, {"a": A, "b": A, "c": A})
    for at, name in enumerate("bca"):
        os.utime(tmp_path / name, ns=(0, 1_700_000_000_000_000_000 + at))
    assert kept(tmp_path, *"abc", "--keep", "oldest") == [b"b"]
    assert kept(tmp_path, *"abc", "--keep", "newest") == [b"a"]
