"""Names of lines that are paths, too, are found, and hardly any name has to be looked up for that."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.reading import row_names as of_documents
from tests.cli.program import unprivileged

IDS = [b"", b"1", b"one", b"One", b"\xc3\xa9", b"e\xcc\x81", b"\xff", b" ", b"\n", b"/", b"/x", b"//x", b"/x/", b"/."]
IDS += [b"/..", b"/../a", b"/../../a", b"/../b#1", b"/../none", b"/../one#/..", b"#", b"##/", b"-", b"x" * 5000]
FILES = [b"s.jsonl", b"b#1", b"d/s.jsonl", b"d#/s.jsonl", b"d/b#1", b"-"]
THERE = [b"s.jsonl#one", b"s.jsonl#\xc3\xa9", b"s.jsonl# ", b"s.jsonl##", b"b#1#1", b"a", b"b#1", b"d/s.jsonl#/x"]


@pytest.fixture
def lookups(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often directories were listed, and paths looked up."""
    counts = {"scandir": 0, "lexists": 0}

    def count(name: str, home: object) -> None:
        call = getattr(home, name)

        def counting(path: bytes) -> object:
            counts[name] += 1
            return call(path)

        monkeypatch.setattr(home, name, counting)

    count("scandir", os)
    count("lexists", os.path)
    return counts


def lay(directory: Path, names: list[bytes]) -> bytes:
    """Make empty files with these paths, and return the path of the directory."""
    for name in names:
        path = directory / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return os.fsencode(directory)


@pytest.mark.parametrize("there", [THERE, [name for name in THERE if name.isascii()], [b"a"], []])
@pytest.mark.parametrize("before", [b"", b"./", b"x/../"])
def test_a_line_has_a_path_if_something_exists_there(tmp_path, monkeypatch, there, before):
    lay(tmp_path, [*there, b"x/y", b"d/a"])
    monkeypatch.chdir(tmp_path)
    names = of_documents.LineNames()
    for path in FILES:
        for one in IDS:
            name = before + path + b"#" + one
            assert names.is_path(name, len(before + path)) == os.path.lexists(name), name


def test_the_paths_of_files_without_number_signs_are_never_looked_up(tmp_path, lookups):
    here = lay(tmp_path, [b"a/s.jsonl", b"b/s.jsonl"])
    names = of_documents.LineNames()
    for number in range(1000):
        path = here + (b"/a/s.jsonl", b"/b/s.jsonl")[number % 2]
        assert not names.is_path(b"%b#%d" % (path, number), len(path))
    assert lookups == {"scandir": 2, "lexists": 0}


def test_only_names_that_are_in_the_directory_are_looked_up(tmp_path, lookups):
    path = lay(tmp_path, [b"s.jsonl#7", b"s.jsonl#x/y", b"other#8"]) + b"/s.jsonl"
    names = of_documents.LineNames()
    found = [number for number in range(1000) if names.is_path(b"%b#%d" % (path, number), len(path))]
    assert (found, names.is_path(path + b"#x/y", len(path)), names.is_path(path + b"#x/z", len(path))) == (
        [7],
        True,
        False,
    )
    assert lookups == {"scandir": 1, "lexists": 3}


def test_every_name_is_looked_up_where_too_much_would_be_remembered(tmp_path, monkeypatch, lookups):
    here = lay(tmp_path, [b"a/s.jsonl#1", b"a/s.jsonl#2", b"b/s.jsonl#1"])
    monkeypatch.setattr(of_documents, "_MOST_NAMES", 1)
    monkeypatch.setattr(of_documents, "_MOST_DIRECTORIES", 1)
    names = of_documents.LineNames()
    for path in (here + b"/a/s.jsonl", here + b"/b/s.jsonl"):
        assert [names.is_path(path + one, len(path)) for one in (b"#1", b"#3")] == [True, False]
    assert lookups == {"scandir": 1, "lexists": 4}


def test_a_directory_that_may_not_be_listed_hides_no_path(tmp_path):
    path = lay(tmp_path, [b"a/s.jsonl#1"]) + b"/a/s.jsonl"
    (tmp_path / "a").chmod(0o311)
    with unprivileged():
        assert of_documents.LineNames().is_path(path + b"#1", len(path))
    (tmp_path / "a").chmod(0o755)


@pytest.mark.parametrize(
    ("there", "one"),
    [("S.JSONL#SIX", "six"), ("s.jsonl#six", "SIX"), ("\u017f.jsonl#six", "six"), ("s.jsonl#six", "\u017fix")],
)
def test_a_file_system_that_ignores_case_hides_no_path(tmp_path, monkeypatch, there, one):
    """The long s is an s without regard to case."""
    path = lay(tmp_path, [there.encode()]) + b"/s.jsonl"
    monkeypatch.setattr(os.path, "lexists", lambda path: os.fsdecode(path).casefold().endswith("/s.jsonl#six"))
    assert of_documents.LineNames().is_path(path + b"#" + one.encode(), len(path))


# A name is repeated if it was added before, or occurs earlier among the names asked about; hashes may be equal.


@pytest.mark.parametrize("hashes", [1, 2, 1 << 62])
@given(blocks=st.lists(st.lists(st.sampled_from([b"a", b"b", b"c", b"", b"a\0", b"ab"]), max_size=5), max_size=8))
def test_names_are_repeated_if_they_were_seen_before(hashes: int, blocks: list[list[bytes]]) -> None:
    rows: list[bytes] = []
    names = of_documents.SeenNames(rows.__getitem__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(of_documents, "hash", lambda name: hash(name) % hashes, raising=False)
        for block in blocks:
            seen = set(rows)
            expected = {at for at, name in enumerate(block) if name in seen or name in block[:at]}
            assert names.repeated(block) == expected
            new = [name for at, name in enumerate(block) if at not in expected]
            names.add(new, np.arange(len(rows), len(rows) + len(new)))
            rows += new


def test_forgotten_names_are_not_repeated() -> None:
    names = of_documents.SeenNames([b"a", b"b", b"a"].__getitem__)
    names.add([b"a", b"b"], np.arange(2))
    names.forget()
    assert names.repeated([b"a", b"b"]) == set()
    assert not names._marks.any()
    names.add([b"a"], np.array([2]))
    assert names.repeated([b"b", b"a"]) == {1}


def test_many_names_take_16_bytes_each_in_few_runs() -> None:
    names, count = of_documents.SeenNames(lambda row: b"%d" % row), 1 << 14
    for begin in range(0, count, 100):
        rows = np.arange(begin, begin + 100)
        names.add([b"%d" % row for row in rows.tolist()], rows)
    assert len(names._runs) <= 14
    assert names.repeated([b"-1", b"5", b"-2", b"16383"]) == {1, 3}
