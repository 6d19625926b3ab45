"""A list of names is read in pieces, takes little memory, and ends with an error if it does not end itself."""

from __future__ import annotations

import os
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.errors import InputError
from simdocs.model.skipped import Skipped
from simdocs.reading import name_lists

MIB = 1 << 20


def listed(data: bytes, place: Path, *, nul_ended: bool = False) -> tuple[list[tuple[int, bytes]], dict[str, int]]:
    """Return the entries of a list with these bytes, and the counts of what was skipped."""
    skipped, inputs = Skipped(), set[tuple[int, int]]()
    (place / "list").write_bytes(data)
    entries = list(name_lists.list_of(os.fsencode(place / "list"), nul_ended, skipped, inputs))
    assert len(inputs) == 1
    return entries, skipped.counts


@contextmanager
def endless(place: Path, data: bytes) -> Iterator[bytes]:
    """A FIFO into which these bytes are written again and again until nobody reads them."""
    fifo = os.fsencode(place / "fifo")
    os.mkfifo(fifo)

    def write() -> None:
        with Path(os.fsdecode(fifo)).open("wb", buffering=0) as stream:
            try:
                while True:
                    stream.write(data)
            except BrokenPipeError:
                pass

    writer = threading.Thread(target=write)
    writer.start()
    yield fifo
    writer.join(60)
    assert not writer.is_alive()


@pytest.mark.parametrize("at_once", [1, 2, 3, 1 << 16])
@given(data=st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\0", b"-", b"\r"]), max_size=12).map(b"".join))
def test_entries_do_not_depend_on_the_pieces_in_which_a_list_is_read(at_once, data, tmp_path_factory):
    whole = data.removesuffix(b"\0").split(b"\0") if data else []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(name_lists, "_AT_ONCE", at_once)
        entries, counts = listed(data, tmp_path_factory.getbasetemp(), nul_ended=True)
    assert entries == [(number, name) for number, name in enumerate(whole, 1) if name]
    assert counts == ({"malformed": whole.count(b"")} if b"" in whole else {})


@pytest.mark.reliability("an entry of more than 1,048,576 bytes, or 100,000,000 entries")
@pytest.mark.parametrize(
    ("data", "why"), [(b"x" * 4096, "longer than 1,048,576 bytes"), (b"x\n" * 2048, "has line feeds")]
)
def test_an_entry_without_end_is_an_error_and_takes_little_memory(tmp_path, data, why):
    tracemalloc.start()
    try:
        with endless(tmp_path, data) as fifo, pytest.raises(InputError) as raised:
            list(name_lists.list_of(fifo, nul_ended=True, skipped=Skipped(), inputs=set()))
        assert tracemalloc.get_traced_memory()[1] < 6 * MIB
    finally:
        tracemalloc.stop()
    assert str(raised.value).startswith(f"{tmp_path}/fifo: entry 1")
    assert why in str(raised.value)


@pytest.mark.reliability("an entry of more than 1,048,576 bytes, or 100,000,000 entries")
@pytest.mark.parametrize("data", [b"\n", b"-\n" * 9, b"a\nb\n"])
def test_entries_without_end_are_an_error(tmp_path, monkeypatch, data):
    monkeypatch.setattr(name_lists, "MOST_OF_A_LIST", 5000)
    with endless(tmp_path, data) as fifo, pytest.raises(InputError, match="more than 5,000 entries: use several lists"):
        list(name_lists.list_of(fifo, nul_ended=False, skipped=Skipped(most=10), inputs=set()))


def test_as_many_and_as_long_entries_are_read_as_the_limits_say(tmp_path, monkeypatch):
    for name, limit in {"_AT_ONCE": 4, "LONGEST": 4, "MOST_OF_A_LIST": 3}.items():
        monkeypatch.setattr(name_lists, name, limit)
    assert list(name_lists.list_of(b"/dev/null", False, Skipped(), set())) == []
    assert listed(b"abcd\n\nc\n", tmp_path) == ([(1, b"abcd"), (3, b"c")], {"malformed": 1})
    for data in (b"a\n" * 4, b"abcdefgh\n"):
        with pytest.raises(InputError, match=r"more than 3 entries|entry 1: longer than 4 bytes"):
            listed(data, tmp_path)


def test_a_text_is_a_list_of_names_if_each_of_its_first_lines_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").touch()
    for text in (b"a", b"a\na\n", b"a\n" * 5 + b"b"):
        assert name_lists.is_list_of_names(text), text
    for text in (b"", b"\n", b"b\na", b"a\n" * 4 + b"b\n", b"a\n\n", b"a\0\na"):
        assert not name_lists.is_list_of_names(text), text


@pytest.mark.reliability("an empty entry")
def test_many_empty_entries_are_counted_and_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(name_lists, "_AT_ONCE", 1 << 10)
    (tmp_path / "list").write_bytes(b"\n" * 5_000)
    skipped = Skipped(most=10)
    tracemalloc.start()
    try:
        entries = name_lists.list_of(os.fsencode(tmp_path / "list"), nul_ended=False, skipped=skipped, inputs=set())
        assert list(entries) == []
        assert tracemalloc.get_traced_memory()[1] < 50_000
    finally:
        tracemalloc.stop()
    assert skipped.counts == {"malformed": 5_000}
