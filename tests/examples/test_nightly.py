"""examples/nightly.sh prints what is new in a delivery when cron runs it."""

from __future__ import annotations

import fcntl
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from simdocs.storage.targets import draft_name
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import PROGRAM, Argument, Done, bound_by_modes, finished, started
from tests.cli.stand_in import stand_in

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/nightly.sh"
CRON = {"PATH": "/usr/bin:/bin", "SIMDOCS": PROGRAM}

C = b"Of the two clocks in the hall the taller one is late, by a quarter of an hour in winter and by more in summer."


def nightly(*arguments: Argument, before: Callable[[], object] | None = None, **variables: str) -> Done:
    """Run the script as cron does, with a stand-in for the program unless variables are given."""

    def as_cron() -> None:
        os.umask(0o077)
        if before:
            before()

    program = {"SIMDOCS": stand_in(bound=before is not None), "LC_ALL": "C.UTF-8"}
    env = CRON | (variables or program)
    with started([EXAMPLE, *arguments], cwd="/", env=env, before=as_cron) as process:
        return finished(process)


@pytest.fixture
def three(tmp_path: Path) -> list[Path]:
    """The paths of an archive, of a delivery, and of an index that does not exist yet."""
    lay(tmp_path / "archive", {"a.txt": A, "deep/b.txt": C})
    lay(tmp_path / "the delivery", {"1.txt": A1, "2 3.txt": B, "4.txt": B + b" It does.", "5.txt": C})
    (tmp_path / "lib").mkdir()
    return [tmp_path / "archive", tmp_path / "the delivery", tmp_path / "lib/archive.index"]


def test_the_nightly_script_lists_what_is_new(three):
    archive, delivery, index = three
    new = f"{delivery}/2 3.txt\n".encode()
    assert nightly(*three, SIMDOCS=PROGRAM) == (0, new, "")
    assert os.listdir(index.parent) == [index.name]
    assert {path.stat().st_mode & 0o077 for path in [index, *index.iterdir()]} == {0}

    (archive / "a.txt").unlink()  # the next night's archive is what is indexed
    assert nightly(*three) == (0, f"{delivery}/1.txt\n".encode() + new, "")
    lay(archive, {"a2.txt": A2, "c.txt": B})
    assert nightly(*three) == (0, b"", "")
    assert os.listdir(index.parent) == [index.name]


def test_an_empty_delivery_has_nothing_new(three, tmp_path):
    (tmp_path / "nothing").mkdir()
    said = f"simdocs: warning: {tmp_path}/nothing: no documents were found in this directory\n"
    assert nightly(three[0], tmp_path / "nothing", three[2]) == (0, b"", said)


def test_a_delivery_may_hold_any_names(three):
    _, delivery, _ = three
    shutil.rmtree(delivery)
    names = [b"a\nb\tc\\", b"\xff\xfe", "é ü".encode()]
    delivery.mkdir()
    for name, text in zip(names, (B, A[::-1], B[::-1]), strict=True):
        Path(os.fsdecode(bytes(delivery) + b"/" + name)).write_bytes(text)
    ordered = sorted(bytes(delivery) + b"/" + name for name in names)
    assert nightly("-0", *three) == (0, b"".join(name + b"\0" for name in ordered), "")
    escaped = [name.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"\t", b"\\t") for name in ordered]
    assert nightly(*three) == (0, b"".join(name + b"\n" for name in escaped), "")


@pytest.mark.parametrize("where", [0, 1], ids=["archive", "delivery"])
def test_unreadable_documents_are_reported_and_the_others_compared(three, where):
    closed = three[where] / "closed.txt"
    closed.write_bytes(B[::-1])
    closed.chmod(0)
    done = nightly(*three, before=bound_by_modes)
    assert (done.status, done.out) == (3, f"{three[1]}/2 3.txt\n".encode())
    assert str(closed) in done.err
    assert len(done.err.splitlines()) == 1


@contextmanager
def held(index: Path) -> Iterator[int]:
    """Hold the lock of this index, as another run that is writing it would."""
    draft = index.with_name(draft_name(index.name))
    draft.mkdir()
    descriptor = os.open(draft, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def test_another_run_that_writes_the_index_is_reported(three):
    with held(three[2]):
        done = nightly(*three, LOCK_WAIT="0.1")
    assert (done.status, done.out) == (75, b"")
    assert len(done.err.splitlines()) == 1
    assert "is being written" in done.err


def test_the_nightly_script_can_wait_for_another_run(three):
    with held(three[2]) as lock:
        timer = threading.Timer(0.5, fcntl.flock, (lock, fcntl.LOCK_UN))
        timer.start()
        done = nightly(*three)
        timer.join()
    assert done == (0, f"{three[1]}/2 3.txt\n".encode(), "")


def test_the_nightly_script_finds_the_program_by_path_or_on_path(three, tmp_path):
    nowhere = nightly(*three, SIMDOCS=f"{tmp_path}/no such")
    assert (nowhere.status, nowhere.out) == (2, b"")
    assert "there is no program" in nowhere.err
    (tmp_path / "a bin").mkdir()
    (tmp_path / "a bin/simdocs").symlink_to(PROGRAM)
    done = nightly(*three, SIMDOCS="", PATH=f"{tmp_path}/a bin:/usr/bin:/bin")
    assert done == (0, f"{three[1]}/2 3.txt\n".encode(), "")


@pytest.mark.parametrize("arguments", [[], ["/"], ["/", "/", "/", "/"], ["-x", "/", "/", "/"], ["--wrong"]])
def test_wrong_arguments_of_the_nightly_script_are_refused(arguments):
    done = nightly(*arguments)
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith("nightly.sh: ")
    assert done.err.endswith("usage: nightly.sh [-0] ARCHIVE DELIVERY NAME.index\n")


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_nightly_script_prints_its_usage(option):
    assert nightly(option) == (0, b"usage: nightly.sh [-0] ARCHIVE DELIVERY NAME.index\n", "")


def test_an_archive_without_files_is_refused(three, tmp_path):
    """If the archive is not mounted, every text would seem to be new."""
    (tmp_path / "mount/point").mkdir(parents=True)
    done = nightly(tmp_path / "mount", *three[1:])
    assert (done.status, done.out) == (2, b"")
    assert "is it mounted?" in done.err


def test_a_delivery_within_the_archive_is_refused(three):
    for inside in ("deep", "."):
        done = nightly(three[0], three[0] / inside, three[2])
        assert (done.status, done.out) == (2, b"")
        assert "is within" in done.err
    assert os.listdir(three[2].parent) == []


@pytest.mark.parametrize("missing", [0, 1], ids=["archive", "delivery"])
def test_a_missing_directory_is_refused(three, missing):
    three[missing] = three[missing] / "no such"
    done = nightly(*three)
    assert (done.status, done.out) == (2, b"")
    assert done.err == f"simdocs: error: {three[missing]}: No such file or directory\n"


def test_a_file_that_is_not_an_index_is_not_replaced(three):
    three[2].write_bytes(A)
    done = nightly(*three)
    assert (done.status, done.out) == (2, b"")
    assert three[2].read_bytes() == A
