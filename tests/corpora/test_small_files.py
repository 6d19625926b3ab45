"""Files that are looked at together, in C: the same as one by one. Those that are not small, or not still, are left."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simdocs.corpora import read_file, stamp
from simdocs.corpora.containers.recognise import flag_of
from simdocs.corpora.decode import NOT_PLAIN, as_utf8, refuse_binary
from simdocs.corpora.read_file import read, read_small
from simdocs.corpora.stamp import Stamp
from simdocs.corpora.walk import id_of, walk
from simdocs.corpora.walked_files import IN_DIRECTORY, Directories, Met
from simdocs.kernels import native as kernels
from simdocs.model.byte_strings import joined
from simdocs.model.documents import MET, NAMED
from simdocs.model.ragged import offsets_of
from simdocs.model.skipped import Skipped
from simdocs.options.texts import Walking

HOUR = 3600 * 10**9
LIMIT = 1 << 30


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """What reads files in C, which is in use. All files lie still."""
    if not kernels.is_installed():
        pytest.skip("the kernels in C are not installed")
    monkeypatch.setattr(stamp, "now", lambda: time.time_ns() + HOUR)
    with kernels.using("native"):
        yield import_module("simdocs.kernels.native.compiled")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, native: ModuleType) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(root: bytes = b"docs", **how: Any) -> tuple[list[bytes], np.ndarray]:
    """The files below a directory, and how they were found."""
    names, mets = list[bytes](), list[tuple[int, int, int, int]]()
    for files in walk(root, Walking(**how), Skipped()):
        names += files.names
        mets += [(files.walked, 1, *id_of(facts)) for _, facts in files.files()]
    return names, np.array(mets, MET)


def small(names: list[bytes], met: np.ndarray, limit: int = LIMIT) -> list[bytes | None]:
    """The texts that are read at once. Their stamps are those of the files."""
    with Directories() as directories:
        texts, stamps, _ = read_small(names, limit, met, directories)
    for name, text, its_stamp in zip(names, texts, stamps.tolist(), strict=True):
        assert text is None or its_stamp == Stamp.at(name)
    return texts


def lay(texts: dict[str, bytes]) -> None:
    for name, text in texts.items():
        path = Path("docs", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def test_files_of_several_directories_are_read_as_one_by_one(here):
    rng = np.random.default_rng(1)
    names = ["a", "b/c", "b/c.d", "b.e", "b/f/g/h", "b/f/g/i", "b/f/j", "k/l", "m\udce9\n"]
    lay({name: rng.bytes(size) for name, size in zip(names, [1, 2, 4000, 65536, 3, 70, 5, 1, 9], strict=True)})
    names, met = found()
    texts = small(names, met)
    assert None not in texts
    with Directories() as directories:
        for name, text, its_met in zip(names, texts, met, strict=True):
            assert read(name, LIMIT, 0, Met.of(its_met), directories)[0] == text


def test_more_files_are_read_than_have_room_at_once(here, monkeypatch):
    monkeypatch.setattr(read_file, "_BYTES_AT_ONCE", 70_000)
    texts = {f"{number:03}": bytes([number]) * (997 * number) for number in range(1, 66)}
    lay(texts)
    assert small(*found()) == list(texts.values())


def test_a_file_is_left_if_nothing_can_be_read_before_the_room_ends(here, native):
    names, facts = joined([b"a\0"]), np.zeros(1, read_file.STAMPS)
    directory = os.open(".", os.O_RDONLY)
    data = np.empty(10, np.uint8)
    ids = np.zeros(2, np.uint64)
    args = (directory, names.values, names.offsets, ids, IN_DIRECTORY, 1 << 62, 10, data, facts)
    assert native.read_still(*args) == 0
    os.close(directory)


def test_what_is_not_small_is_left(here):
    lay({"a": b"", "b": bytes(65537), "c": b"12345678901", "d.gz": b"text", "e.txt.ZST": b"text", "f": b"1234567890"})
    assert small(*found()) == [None, None, b"12345678901", None, None, b"1234567890"]
    assert small(*found(), 10) == [None, None, None, None, None, b"1234567890"]


@pytest.mark.parametrize("changed", ["modified", "linked"])
def test_what_was_changed_in_the_last_seconds_is_left(here, monkeypatch, changed):
    lay({"a": b"text"})
    if changed == "linked":
        os.utime("docs/a", ns=(0, 0))
    last = max(os.stat("docs/a").st_mtime_ns, os.stat("docs/a").st_ctime_ns)
    for age, texts in ((stamp.RECENT_NS, [None]), (stamp.RECENT_NS + 1, [b"text"]), (-HOUR, [None])):
        monkeypatch.setattr(stamp, "now", lambda age=age: last + age)
        assert small(*found()) == texts


@pytest.mark.parametrize("year", [1, 2**33, -(2**33)])
def test_times_that_no_clock_shows_are_read_with_more_care(here, year):
    lay({"a": b"text"})
    try:
        os.utime("docs/a", ns=(0, year * 10**9))
    except OverflowError:
        pytest.skip("the file system has no such times")
    names, met = found()
    with Directories() as directories:
        text, its_stamp = read(names[0], LIMIT, 0, Met.of(met[0]), directories)
    assert small(names, met) in ([text], [None])
    assert its_stamp == Stamp.at(names[0])


@pytest.mark.reliability("a file or directory is replaced after the walk")
def test_what_was_replaced_after_the_walk_is_left(here):
    lay({name: b"text of " + name.encode() for name in ("a", "d/b", "e/c", "f", "g", "h", "i")})
    names, met = found()
    Path("secret").mkdir()
    Path("secret/b").write_bytes(b"a secret")
    shutil.move("docs/d", "was_d")
    os.symlink("../secret", "docs/d")
    shutil.move("docs/e", "was_e")
    Path("docs/e").write_bytes(b"no directory")
    os.remove("docs/f")
    os.symlink("../secret/b", "docs/f")
    os.remove("docs/g")
    os.mkfifo("docs/g")
    Path("aside").write_bytes(b"another file")
    os.replace("aside", "docs/h")
    os.remove("docs/i")
    assert small(names, met) == [b"text of a", *[None] * 6]


def test_a_root_that_is_gone_is_left(here):
    lay({"a": b"text"})
    names, met = found()
    shutil.rmtree("docs")
    assert small(names, met) == [None]


def test_files_that_were_named_or_reached_by_links_are_left(here):
    lay({"a": b"text"})
    os.symlink("docs", "link")
    names, met = found(b"link/", follow=True)
    assert (met["walked"] <= 0).all() and small(names, met) == [None]
    met["walked"] = NAMED
    assert small([b"docs/a"], met) == [None]


def test_several_roots_and_unknown_inodes(here):
    lay({"a": b"1", "b/c": b"2"})
    first, second = found(), found(b"docs/b")
    met = np.concatenate([first[1], second[1], first[1]])
    met["device"][-2:] = met["inode"][-2:] = 0
    assert small([*first[0], *second[0], *first[0]], met) == [b"1", b"2", b"2", b"1", b"2"]


def test_nothing_is_read_at_once_without_kernels_in_c(here):
    lay({"a": b"text"})
    with kernels.using("numpy"):
        assert small(*found()) == [None]


def test_statuses_are_those_of_the_system(here):
    lay({"a": b"1", "b/c": b"22", "m\udce9\n": b""})
    os.symlink("a", "docs/link")
    os.link("docs/a", "docs/z")
    os.mkfifo("docs/fifo")
    os.utime("docs/a", ns=(0, -5))
    names = [*map(os.fsencode, os.listdir("docs")), b"none", b"a/b", b"", b"x" * 300]
    directory = os.open("docs", os.O_RDONLY)
    for place, (name, known) in enumerate(zip(names, stamp.statuses(names, directory).tolist(), strict=True)):
        if place >= len(names) - 4:
            assert known == (0,) * 7
            continue
        status = os.lstat(b"docs/" + name)
        times = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        assert known == (status.st_mode, status.st_nlink, *times, status.st_dev, status.st_ino)
    paths = [b"docs/" + name for name in names[:-4]]
    assert stamp.statuses(paths).tobytes() == stamp.statuses(names[:-4], directory).tobytes()
    os.close(directory)
    assert stamp.statuses([]).tobytes() == b""
    for which in ([b"docs/a\0b"], [b"docs/a", b"\0"]):
        assert not any(stamp.statuses(which).tobytes())


@pytest.mark.parametrize("how", [{}, {"hidden": True}, {"follow": True}, {"include": ("*.txt", "b/")}])
def test_walks_find_the_same_with_and_without_kernels_in_c(here, how):
    lay({name: name.encode() for name in ("a", "b/c.txt", "b/.d", "b.txt", ".e/f", "x.index/g", "_SUCCESS.txt")})
    lay({"_SUCCESS": b"", "b/_SUCCESS": b"text"})
    os.symlink("a", "docs/link")
    os.symlink("b", "docs/links")
    os.symlink("none", "docs/dangling")
    os.mkfifo("docs/fifo")
    answers = []
    for chosen in ("native", "numpy"):
        skipped = Skipped()
        with kernels.using(chosen):
            files = list(walk(b"docs", Walking(**how), skipped))
        answers.append((files, skipped.by_reason))
    assert answers[0] == answers[1]


def test_no_descriptor_is_left_open(here):
    lay({"a": b"1", "b/c/d": b"2", "e/" + "f" * 255 + "/g": b"3"})
    names, met = found()
    before = os.listdir("/dev/fd")
    assert small([*names, b"docs/none/x"], np.concatenate([met, met[:1]])) == [b"1", b"2", b"3", None]
    assert os.listdir("/dev/fd") == before


BYTES = st.lists(
    st.sampled_from([*b'ab,,;\t""{[ \r\n\n\n\0', *NOT_PLAIN, b"id,text\n", b"x,y,z\n", "é\n".encode()]),
    max_size=12,
).map(lambda parts: b"".join(part if isinstance(part, bytes) else bytes([part]) for part in parts))


def are_plain(texts: list[bytes], looked_at: int = 1 << 17) -> list[bool]:
    rows, marks, out = joined(texts), joined(NOT_PLAIN), np.empty(len(texts), bool)
    module = import_module("simdocs.kernels.native.compiled")
    module.plain(rows.values, rows.offsets, marks.values, marks.offsets, 8 << 10, looked_at, out)
    return list(map(bool, out))


@settings(max_examples=400)
@given(st.lists(BYTES, max_size=8))
def test_plain_texts_are_those_with_which_nothing_is_to_be_done(texts):
    if not kernels.is_installed():
        pytest.skip("the kernels in C are not installed")
    for text, is_plain in zip(texts, are_plain(texts), strict=True):
        assert is_plain == is_plain_twin(text), text
        if is_plain:
            refuse_binary(text, b"name")
            assert (as_utf8(text), flag_of(text)) == ((text, False), 0)


def is_plain_twin(text: bytes) -> bool:
    """Whether a text begins with no mark, has no NUL, and two first lines that are no rows and no JSON."""
    if text.startswith(NOT_PLAIN) or b"\0" in text[: 8 << 10]:
        return False
    lines = text.split(b"\n")[:-1]
    if len(lines) < 2 or not lines[0] or lines[0][0] in b"{[ \t\r\f\v" or b'"' in lines[0] + lines[1]:
        return False
    if b"\r" in lines[0][:-1]:
        return False
    return not any(lines[0].count(mark) == lines[1].count(mark) > 0 for mark in (b"\t", b";", b","))


def test_what_is_not_looked_at_decides_nothing(native):
    text = b"one line\nand another\n" + bytes(range(32, 127)) * 100
    assert are_plain([text, text + b"\0", b"\0" + text, text[:20]]) == [True, True, False, False]
    assert are_plain([text], 21) == [True] and are_plain([text], 20) == [False]


def test_no_text_with_a_mark_is_plain(native):
    assert not any(are_plain([mark + b"a\nb\n" for mark in NOT_PLAIN]))
    assert all(are_plain([mark[:-1] + b"a\nb\n" for mark in NOT_PLAIN if mark[:-1].isalnum()]))


def test_arguments_that_do_not_fit_are_refused(native, here):
    names, data, facts = joined([b"a\0", b"b\0"]), np.empty(100, np.uint8), np.zeros(2, read_file.STAMPS)
    ids, out = np.zeros(4, np.uint64), np.empty(2, bool)

    def call(names: Any = names, ids: Any = ids, most: int = 10, facts: Any = facts) -> int:
        return native.read_still(0, names.values, names.offsets, ids, 0, 0, most, data, facts)

    for wrong in (
        {"names": joined([b"a\0", b"b"])},
        {"names": joined([b"a\0b\0", b"\0"])},
        {"names": joined([b"a\0", b""])},
        {"names": joined([b"a\0"])},
        {"ids": ids[:3]},
        {"most": -1},
        {"facts": facts[:1]},
    ):
        with pytest.raises(ValueError, match=r"fit|NUL"):
            call(**wrong)
    with pytest.raises(TypeError):
        call(most="1")
    texts, unsorted = joined([b"a", b"b"]), np.array([0, 2, 1])
    for arguments in (
        (unsorted, texts, 10, 10, out),
        (texts.offsets, texts, -1, 10, out),
        (texts.offsets, texts, 10, -1, out),
        (texts.offsets, texts, 10, 10, out[:1]),
        (offsets_of(np.array([1, 2])), texts, 10, 10, out),
    ):
        offsets, marks, *rest = arguments
        with pytest.raises(ValueError, match="fit"):
            native.plain(texts.values, offsets, marks.values, marks.offsets, *rest)


def test_statuses_of_names_without_an_end_are_refused(native):
    for names, size in ((b"a", 48), (b"a\0b", 48), (b"a\0", 0), (b"a\0", 96), (b"", 48)):
        with pytest.raises(ValueError, match="fit"):
            native.statuses(-1, names, bytearray(size), 1)
    for threads in (-1, 0, 17):
        with pytest.raises(ValueError, match="fit"):
            native.statuses(-1, b"a\0", bytearray(48), threads)


def status_by_python(name: str) -> tuple[int, ...]:
    try:
        status = os.lstat(name)
    except OSError:
        return (0,) * 7
    times = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return (status.st_mode, status.st_nlink, *times, status.st_dev, status.st_ino)


@pytest.mark.parametrize("count", [0, 1, 15, 16, 50])
def test_any_number_of_threads_sees_the_status_of_each_name(here, native, count):
    names = [f"{number}{'x' * (4 * number)}" for number in range(count)]
    for number, name in enumerate(names):
        if number % 5 == 1:
            os.symlink("none", name)
        elif number % 5 == 2:
            os.link(names[number - 2], name)
        elif number % 5 != 3:
            Path(name).write_bytes(bytes(number))
    joined_names = b"".join(os.fsencode(name) + b"\0" for name in names)
    for threads in range(1, 17):
        out = bytearray(b"x" * 48 * count)
        native.statuses(-1, joined_names, out, threads)
        assert np.frombuffer(out, stamp.STATUS).tolist() == list(map(status_by_python, names))


def test_threads_ask_for_many_statuses(here, monkeypatch, native):
    used, ask = list[int](), native.statuses
    monkeypatch.setattr(native, "statuses", lambda *args: used.append(args[-1]) or ask(*args))
    lay({f"{number:04}": b"text" for number in range(1300)})
    names = sorted(os.listdir(b"docs"))
    with Directories() as directories:
        directory = directories.enter(b"docs/", 5)
        alone = stamp.statuses(names, directory)
        assert stamp.statuses(names, directory, threads=3).tolist() == alone.tolist()
    assert used == [1, 1, 3, 2]  # 1,024 names, and the others


def test_threads_that_cannot_be_started_are_done_without(here, native):
    """The address space has no room for the stack of a thread."""
    pytest.importorskip("resource")
    lay({f"{number:04}": b"text" for number in range(600)})
    program = """
        import os, resource
        from simdocs.kernels.native import compiled
        names = b"".join(b"docs/%04d\\0" % number for number in range(600))
        alone, together = bytearray(48 * 600), bytearray(48 * 600)
        compiled.statuses(-1, names, alone, 1)
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used, used))
        compiled.statuses(-1, names, together, 4)
        assert together == alone
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
