"""Drafts that a killed run left behind are removed; anything else with such a name is left alone and reported."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from simdocs.artifacts.formats import replaceable
from simdocs.errors import OutputError
from simdocs.storage import syscalls, targets
from simdocs.storage.atomic_file import Drafts
from tests.amounts import slow
from tests.artifacts.tiny import draft_of, files_of, found, publishing, save
from tests.cli.corpus import lay
from tests.storage.faults import FAULTS, calls_of, end_of

FILE, DIRECTORY = "answer", "a.signatures"
DRAFT_FILE, DRAFT_DIRECTORY = f"{draft_of(FILE)}.4711.0", draft_of(DIRECTORY)

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to other users")


@pytest.fixture(autouse=True)
def impatient() -> Iterator[None]:
    """Fail a test that waits for the writer of a FIFO."""

    def fail(*_: object) -> None:
        pytest.fail("it waits")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def write(path: Path, data: bytes = b"new") -> None:
    with publishing(path) as stream:
        stream.write(data)


def work(place: Path, draft: str) -> None:
    """Write the output that has this draft."""
    if draft == DRAFT_FILE:
        write(place / FILE)
    else:
        save(place / DIRECTORY, 2)


def put(kind: str, path: Path) -> None:
    """Put something at this path that is not a draft."""
    if kind == "FIFO":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(path))
    elif kind == "device":
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    elif kind == "link":
        path.with_name("elsewhere").mkdir()
        lay(path.with_name("elsewhere"), {"names.npy": b"mine"})
        path.symlink_to("elsewhere")
    elif kind == "link to a file":
        lay(path.parent, {"mine": b"mine"})
        path.symlink_to("mine")
    elif kind == "dangling link":
        path.symlink_to("nowhere")
    elif kind == "directory":
        path.mkdir(mode=0o700)
    elif kind == "file":
        path.write_bytes(b"mine")


def tree(root: Path) -> dict[str, tuple[int, int, int]]:
    """Return the inode, mode and time of everything below a directory."""
    found = {}
    for one in [root, *root.rglob("*")]:
        about = one.lstat()
        times = 0 if one == root else about.st_mtime_ns
        found[one.relative_to(root).as_posix()] = (about.st_ino, about.st_mode, times)
    return found


@pytest.mark.reliability("a FIFO, device or link with the name of a draft")
@pytest.mark.parametrize(("draft", "kind"), [
    *((DRAFT_FILE, kind) for kind in ("FIFO", "socket", "link", "dangling link", "directory")),
    *((DRAFT_DIRECTORY, kind) for kind in ("FIFO", "socket", "link", "dangling link", "file")),
    *(pytest.param(draft, "device", marks=as_root) for draft in (DRAFT_FILE, DRAFT_DIRECTORY)),
])  # fmt: skip
def test_what_is_not_a_draft_but_has_its_name_is_left_alone_and_reported(place, draft, kind):
    put(kind, place / draft)
    before = tree(place)
    article = "a link" if kind == "dangling link" else f"a {kind}"
    said = (
        rf"the name of its temporary file is taken: \S+/{draft} is {article}: "
        "remove it if no other run is using it, or choose another output$"
    )
    with pytest.raises(OutputError, match=said):
        work(place, draft)
    assert tree(place) == before


@pytest.mark.reliability("a FIFO, device or link with the name of a draft")
@pytest.mark.parametrize("kind", ["FIFO", "link to a file"])
def test_what_takes_the_place_of_a_draft_while_it_is_looked_at_is_left_alone(place, monkeypatch, kind):
    """It is opened without waiting for it, and while signals are heard."""
    (place / DRAFT_FILE).touch(mode=0o600)
    open_found, blocked = syscalls.open_found, []

    def swapped(name: str, dir_fd: int) -> int:
        os.unlink(name, dir_fd=dir_fd)
        put(kind, place / DRAFT_FILE)
        blocked.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        return open_found(name, dir_fd)

    monkeypatch.setattr(syscalls, "open_found", swapped)
    write(place / FILE)
    assert blocked == [set()]
    assert {DRAFT_FILE, FILE} <= {*os.listdir(place)}
    assert not stat.S_ISREG((place / DRAFT_FILE).lstat().st_mode)


@pytest.mark.reliability("a draft of another user")
@pytest.mark.parametrize("draft", [DRAFT_FILE, DRAFT_DIRECTORY])
@pytest.mark.parametrize("locked", [False, True], ids=["free", "locked"])
def test_a_draft_of_another_user_is_left_alone_and_reported(place, monkeypatch, draft, locked):
    put("file" if draft == DRAFT_FILE else "directory", place / draft)
    before = tree(place)
    with ExitStack() as stack:
        if locked:
            held = os.open(place / draft, os.O_RDONLY)
            stack.callback(os.close, held)
            assert syscalls.try_lock(held)
        own = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: own + 1)
        with pytest.raises(OutputError, match=rf"{draft} belongs to another user: remove it if no other run"):
            work(place, draft)
    assert tree(place) == before


@pytest.mark.parametrize("said", ["holds mine, which", pytest.param("belongs to another user", marks=as_root)])
def test_a_directory_that_takes_the_place_of_a_new_draft_is_left_alone(place, monkeypatch, said):
    try_lock = syscalls.try_lock

    def taken(descriptor: int) -> bool:
        if said.startswith("holds"):
            os.close(os.open("mine", os.O_CREAT, dir_fd=descriptor))
        else:
            os.fchown(descriptor, 12345, -1)
        return try_lock(descriptor)

    monkeypatch.setattr(syscalls, "try_lock", taken)
    with pytest.raises(OutputError, match=said):
        work(place, DRAFT_DIRECTORY)
    assert os.listdir(place / DRAFT_DIRECTORY) == ["mine"] * said.startswith("holds")


def test_a_draft_that_is_published_while_it_is_looked_at_is_not_emptied(place, monkeypatch):
    """Its writer has finished, so that it can be locked, but it is no longer a draft."""
    save(place / "draft.signatures", 1)
    (place / "draft.signatures").rename(place / DRAFT_DIRECTORY)
    try_lock = syscalls.try_lock

    def published(descriptor: int) -> bool:
        (place / DRAFT_DIRECTORY).rename(place / DIRECTORY)
        return try_lock(descriptor)

    monkeypatch.setattr(syscalls, "try_lock", published)
    parent = os.open(place, os.O_RDONLY)
    drafts = Drafts(DRAFT_DIRECTORY, parent, str(place), DIRECTORY)
    assert targets.sweep_directory(drafts, replaceable("signatures"), last_try=True)
    os.close(parent)
    assert found(place / DIRECTORY) == 1


FOREIGN: dict[str, tuple[int, dict[str, bytes], str]] = {
    "other file": (0o700, {"names.npy": b"", "README": b"mine"}, "holds README, which simdocs did not write"),
    "directory": (0o700, {"names.npy": b"", "more/README": b"mine"}, "holds more, which simdocs did not write"),
    "directory with our name": (0o700, {"names.npy/a": b"mine"}, "holds names.npy, which simdocs did not write"),
    "full probe": (0o700, {"names.npy": b"", "a/README": b"mine"}, "holds a, which simdocs did not write"),
    "file with the name of a probe": (0o700, {"a": b"mine"}, "holds a, which simdocs did not write"),
    "empty, open to the group": (0o770, {}, "can be written to by other users"),
    "incomplete, open to others": (0o702, {"names.npy": b""}, "can be written to by other users"),
    "incomplete, open to all": (0o777, {"holder": b"", "names.npy": b""}, "can be written to by other users"),
}


@pytest.mark.reliability("a draft with foreign files, or that others can write to")
@pytest.mark.parametrize(("mode", "files", "said"), FOREIGN.values(), ids=FOREIGN)
def test_a_directory_that_no_run_can_have_left_is_not_emptied(place, mode, files, said):
    (place / DRAFT_DIRECTORY).mkdir()
    lay(place / DRAFT_DIRECTORY, files)
    (place / DRAFT_DIRECTORY).chmod(mode)
    before = tree(place)
    with pytest.raises(OutputError, match=rf"{DRAFT_DIRECTORY} {said}: remove it if no other run"):
        save(place / DIRECTORY, 2)
    assert tree(place) == before


@pytest.mark.reliability("a draft with foreign files, or that others can write to")
def test_a_foreign_file_in_the_replaced_artifact_is_not_removed(place, monkeypatch):
    """It came after the artifact had been looked at. The new one is published, and the next run reports the file."""
    path = place / DIRECTORY
    save(path, 1)
    exchange = syscalls.exchange

    def later(first: str, second: str, dir_fd: int) -> None:
        if second == DIRECTORY:
            lay(path, {"README": b"mine"})
        exchange(first, second, dir_fd)

    with monkeypatch.context() as patch:
        patch.setattr(syscalls, "exchange", later)
        save(path, 2)
    assert found(path) == 2
    assert os.listdir(place / DRAFT_DIRECTORY) == ["README"]
    with pytest.raises(OutputError, match=rf"{DRAFT_DIRECTORY} holds README, which simdocs did not write"):
        save(path, 3)
    assert ((place / DRAFT_DIRECTORY / "README").read_bytes(), found(path)) == (b"mine", 2)


@pytest.mark.parametrize("files", [[], ["holder"], ["holder", "names.npy"], ["names.npy", "manifest.json", "run.json"]])
@pytest.mark.parametrize("probes", [[], ["a", "b"], ["b"]])
def test_a_draft_directory_of_a_killed_run_is_removed(place, files, probes):
    draft = place / DRAFT_DIRECTORY
    draft.mkdir(mode=0o700)
    lay(draft, dict.fromkeys(files, b"half"))
    for name in probes:
        (draft / name).mkdir()
    save(place / DIRECTORY, 2)
    assert (found(place / DIRECTORY), os.listdir(place)) == (2, [DIRECTORY])


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o666])
def test_a_draft_file_of_a_killed_run_is_removed(place, mode):
    aside = f"{draft_of(FILE)}.act.1"  # a document, while act moves it
    lay(place, {DRAFT_FILE: b"half", aside: b"precious"})
    (place / DRAFT_FILE).chmod(mode)
    write(place / FILE)
    assert sorted(os.listdir(place)) == [aside, FILE]


@pytest.mark.parametrize(("fault", "done"), [FAULTS["disk-full"], *slow(*list(FAULTS.values())[1:])])
def test_a_fault_while_a_draft_is_removed_leaves_the_old_or_the_new_artifact(place, fault, done):
    """The draft is an artifact that others can write to, which must not become an incomplete one."""
    kept = place / "kept.signatures"
    save(kept, 1)

    def reset() -> None:
        for path, mode in ((place / DIRECTORY, 0o755), (place / DRAFT_DIRECTORY, 0o775)):
            shutil.rmtree(path, ignore_errors=True)
            shutil.copytree(kept, path)
            path.chmod(mode)

    reset()
    calls = calls_of(lambda: save(place / DIRECTORY, 2))
    end = [at for at, name in enumerate(calls) if name == "mkdir"][1]
    assert calls[:end].count("unlink") >= len(files_of("signatures"))
    for at in range(end):
        reset()
        ended = end_of(lambda: save(place / DIRECTORY, 2), fault, at, done) is not None
        assert found(place / DIRECTORY) == (1 if ended else 2), (at, calls[at])
        save(place / DIRECTORY, 3)
        assert (found(place / DIRECTORY), sorted(os.listdir(place))) == (3, [DIRECTORY, kept.name]), (at, calls[at])
