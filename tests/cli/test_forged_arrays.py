"""Forged arrays with right checksums: what loops and allocations rely on is checked before it is used."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Callable
from itertools import cycle, product
from pathlib import Path

import pytest

from tests.amounts import slow
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.forged import Arrays, put, signed_anew
from tests.cli.program import simdocs
from tests.commands.building import content, damages

KINDS = {"shingles": "shingle", "signatures": "signature", "index": "index"}

EVERY = slice(None)
LIMITS = {resource.RLIMIT_AS: (1 << 30, 1 << 30)}


def set_fact(field: str, row: int, value: int) -> Callable[[Arrays], None]:
    return lambda arrays: arrays["documents"][field].__setitem__(row, value)


NOBODY = "holds the row of a document that does not exist"
OTHER = "holds a document that is not the first one with its text"
FALLS = "damaged: does not ascend from 0 to "
RANGE = "of a document is out of range"
TWICE = "does not hold every distinct text once in each band"

ASKS = {
    "dedupe": ["dedupe", "x.index"],
    "against": ["dedupe", "docs", "new", "--against", "x.index"],
    "query": ["query", "x.index", "new"],
    "shingles": ["dedupe", "x.shingles"],
    "sign": ["signature", "x.shingles", "-o", "new.signatures"],
    "verify": ["query", "whole.index", "new", "--shingles", "x.shingles"],
    "info": ["info", "x.index"],
}

FORGED = {
    "an empty document in a band": (put("band_rows", 1, 3), "dedupe", f"band_rows.npy: damaged: {TWICE}"),
    "a text twice in a band": (put("band_rows", (2, 0), 5), "dedupe", f"band_rows.npy: damaged: {TWICE}"),
    "nobody in the bands": (put("band_rows", EVERY, (1 << 32) - 1), "against", f"band_rows.npy: damaged: {NOBODY}"),
    "a copy of nobody": (put("same_as", EVERY, (1 << 32) - 1), "query", f"same_as.npy: damaged: {NOBODY}"),
    "a copy of a copy": (put("same_as", EVERY, 2), "query", f"band_rows.npy: damaged: {OTHER}"),
    "names beyond the end": (put("name_offsets", slice(1, None), 1 << 40), "info", f"name_offsets.npy: {FALLS}"),
    "names that overlap": (put("name_offsets", slice(1, None, 2), 0), "dedupe", f"name_offsets.npy: {FALLS}"),
    "negative sizes": (set_fact("size", 1, -(1 << 63)), "info", f"documents.npy: damaged: size {RANGE}"),
    "endless lines": (set_fact("extent", 0, 1 << 62), "query", f"documents.npy: damaged: extent {RANGE}"),
    "a name with a NUL": (put("names", 3, 0), "against", "names.npy: damaged: holds a NUL"),
    "tokens beyond the end": (put("offsets", slice(1, None), 1 << 40), "sign", f"offsets.npy: {FALLS}"),
    "tokens that overlap": (put("offsets", slice(1, None, 2), 0), "verify", f"offsets.npy: {FALLS}"),
    "tokens that fall": (
        lambda arrays: arrays["tokens"].__setitem__(EVERY, arrays["tokens"][::-1].copy()),
        "shingles",
        "tokens.npy: damaged: the tokens of a document do not ascend ",
    ),
}
"""What is forged, who asks for it, and what is said of it."""


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """docs with its artifacts. Rows: 0 a, 1 like a, 2 copy of a, 3 empty, 4 another, 5 like a."""
    root = tmp_path_factory.mktemp("honest")
    files = {"0": A, "1": A1, "2": A.upper(), "3": b"", "4": B, "5": A2}
    lay(root, {f"docs/{name}": data for name, data in files.items()} | {"new/a": A2 + b"!", "new/b": B})
    for kind, command in KINDS.items():
        assert simdocs(command, "docs", "-o", f"whole.{kind}", cwd=root) == (0, b"", "")
    return root


@pytest.mark.reliability("forged arrays with right checksums")
@pytest.mark.parametrize("what", FORGED)
def test_a_forged_array_is_named_and_takes_no_memory(honest, tmp_path, what):
    change, ask, said = FORGED[what]
    shutil.copytree(honest, tmp_path, dirs_exist_ok=True)
    kind = "shingles" if "x.shingles" in ASKS[ask] else "index"
    shutil.copytree(tmp_path / f"whole.{kind}", tmp_path / f"x.{kind}")
    signed_anew(tmp_path / f"x.{kind}", change)
    jobs = [] if ask == "info" else ["-j1"]
    done = simdocs(*ASKS[ask], *jobs, cwd=tmp_path, limits=LIMITS)
    assert (done.status, done.out, done.err.count("\n")) == (4, b"", 1)
    assert done.err.startswith(f"simdocs: error: x.{kind}/{said}")
    assert done.err.endswith(": build the artifact again\n")
    assert damages(tmp_path / f"x.{kind}")


def put_in(array: str, field: str, row: int, value: int) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        assert arrays[array][field][row] != value
        arrays[array][field][row] = value

    return change


LINES = b"".join(b'{"id": "%d", "text": "%s"}\n' % (at, text) for at, text in enumerate((A, A1, B)))

NOT_LONGER = "documents.npy: damaged: the name of a line is not longer than that of its file"
NO_LINE = "documents.npy: damaged: a document that is not a line has a position in a file"
SHORTER = "documents.npy: damaged: a line is shorter than its text, or has no number"
UNITS = "documents.npy: damaged: the length of a document contradicts its size or its flags"
TOKENS = "documents.npy: damaged: the numbers of units and tokens of a document contradict each other"
NO_FIT = "files.npy: damaged: its files do not fit the lines in documents.npy"
FILES = "files.npy: damaged: its files and their rows do not fit together"

LENGTHS = {
    "a name of a file as long as that of its line": (put_in("documents", "container", -1, 15), NOT_LONGER),
    "a huge name of a file": (put_in("documents", "container", -1, (1 << 32) - 1), NOT_LONGER),
    "another name of a file": (put_in("documents", "container", -1, 4), NO_FIT),
    "a line without a file": (put_in("documents", "container", -1, 0), NO_LINE),
    "a text that is a line": (put_in("documents", "container", 1, 2), SHORTER),
    "a text with a position": (put_in("documents", "start", 1, 1), NO_LINE),
    "a line without a number": (put_in("documents", "line", -1, 0), SHORTER),
    "a line before the others": (put_in("documents", "line", -1, 1), NO_FIT),
    "two lines of one number": (put_in("documents", "line", -1, 2), NO_FIT),
    "a line that is too short": (put_in("documents", "extent", -1, 20), SHORTER),
    "lines that overlap": (put_in("documents", "start", -1, 1), NO_FIT),
    "more units than bytes": (put_in("documents", "length", 1, 1 << 40), UNITS),
    "a text without units": (put_in("documents", "length", 1, 0), UNITS),
    "more tokens than units": (put_in("documents", "count", 1, 1 << 40), TOKENS),
    "more tokens left out than there are": (put_in("documents", "ignored", 1, 1 << 40), TOKENS),
    "a file that begins later": (put_in("files", "row", 0, 1), FILES),
    "a file of no document": (put_in("files", "row", -1, 9), FILES),
}
"""What is forged of the records of documents 0 to 5 and of the lines 6 to 8, and what is said of it."""

OPENERS = {
    "shingles": ["index", "x.shingles", "-o", "new.index"],
    "signatures": ["dedupe", "x.signatures"],
    "index": ["index", "x.index", "-o", "new.index"],
}


@pytest.fixture(scope="module")
def with_lines(honest: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same documents, and a file of three lines after them."""
    root = Path(shutil.copytree(honest, tmp_path_factory.mktemp("lines"), dirs_exist_ok=True))
    lay(root, {"docs/9.jsonl": LINES})
    for kind, command in KINDS.items():
        assert simdocs(command, "docs", "-o", f"x.{kind}", cwd=root) == (0, b"", "")
    return root


def forged(with_lines: Path, place: Path, kind: str, what: str) -> str:
    """Copy the documents and an artifact in which this is forged: what is said of it."""
    change, said = LENGTHS[what]
    shutil.copytree(with_lines, place, dirs_exist_ok=True)
    signed_anew(place / f"x.{kind}", change)
    return f"x.{kind}/{said}"


@pytest.mark.reliability("a forged length, position or number in a record")
@pytest.mark.parametrize(
    ("what", "kind"),
    list(zip(LENGTHS, cycle(KINDS), strict=False)) + slow(*product(LENGTHS, KINDS)),
)
def test_a_forged_length_is_compared_with_what_it_measures(with_lines, tmp_path, what, kind):
    damage = forged(with_lines, tmp_path, kind, what)
    assert f"{tmp_path}/{damage}: build the artifact again" in damages(tmp_path / f"x.{kind}")
    done = simdocs(*OPENERS[kind], "-j1", cwd=tmp_path, limits=LIMITS)
    assert done == (4, b"", f"simdocs: error: {damage}: build the artifact again\n")


@pytest.mark.reliability("a forged length, position or number in a record")
@pytest.mark.parametrize("kind", KINDS)
def test_an_artifact_with_a_forged_length_is_not_taken_over(with_lines, tmp_path, kind):
    damage = forged(with_lines, tmp_path, kind, "another name of a file")
    warned = f"simdocs: warning: {damage}; it is rebuilt from scratch now\n"
    assert simdocs(KINDS[kind], "docs", "-o", f"x.{kind}", "-j1", cwd=tmp_path, limits=LIMITS) == (0, b"", warned)
    assert simdocs(KINDS[kind], "docs", "-o", f"new.{kind}", cwd=tmp_path) == (0, b"", "")
    assert content(tmp_path / f"x.{kind}") == content(tmp_path / f"new.{kind}")
