"""Row order: by argument, and within it bytewise by whole path; every file once."""

from __future__ import annotations

import random

import pytest

from tests.cli.corpus import lay
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


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_documents_are_in_bytewise_order_of_their_paths(many, locale):
    assert kept(many, "docs", env=environment(LC_ALL=locale)) == below("docs")


@pytest.mark.reliability("arguments that overlap")
def test_a_file_reached_twice_belongs_to_the_first_argument(many):
    assert kept(many, "docs/a/c", "docs") == below("docs", "a/c/") + [
        name for name in below("docs") if not name.startswith(b"docs/a/c/")
    ]
    assert kept(many, "docs", "docs/a/c", "./docs/../docs", "docs/a0", many / "docs") == below("docs")


def test_a_list_keeps_its_order(many):
    shuffled = random.Random(1).sample(below("docs"), len(NAMES))
    given = b"\0".join(shuffled)
    assert kept(many, "--files0-from", "-", stdin=given) == shuffled
