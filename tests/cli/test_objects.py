"""What is found where texts are looked for: the same happens to it in every command that reads documents."""

from __future__ import annotations

import gzip
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import ASKED, reading
from tests.cli.corpus import A1, A2, A, lay
from tests.cli.program import PATIENCE, bound_by_modes, in_shell, simdocs
from tests.cli.traps import READS_AGAIN, prelude, trap
from tests.commands.building import built

every = pytest.mark.parametrize("command", ASKED)
some = pytest.mark.parametrize("command", ["dedupe", "index", "query"])


@pytest.fixture
def zoo(here: Path) -> Iterator[Path]:
    """Whatever a directory can hold besides the three texts."""
    docs = here / "docs"
    lay(docs, {"large": A * 9, "binary": b"\0" + A, "empty": b"", ".hidden": A, "closed/x": A, "unreadable": A})
    lay(docs, {".simdocs-tmp-0123456789abcdef.1.0": A, "sub/d": A[::-1], "old.index/x": A})
    os.link(docs / "a.txt", docs / "hard link")
    for name, target in (
        ("link", "a.txt"),
        ("dangling", "gone"),
        ("itself", "itself"),
        ("sub/up", ".."),
        ("dev", "/dev/zero"),
    ):
        os.symlink(target, docs / name)
    for name in ("fifo", "fifo.jsonl", "fifo.gz", "sub/manifest.json"):
        os.mkfifo(docs / name)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(docs / "socket"))
    os.chmod(docs / "closed", 0)
    os.chmod(docs / "unreadable", 0)
    yield here
    os.chmod(docs / "closed", 0o700)


NAMED = [
    "simdocs: docs/closed: skipped: cannot be read (Permission denied)",
    "simdocs: docs/unreadable: skipped: cannot be read (Permission denied)",
    "simdocs: docs/large: skipped: larger than --max-size (2448 bytes)",
]
FOLLOWED = [
    NAMED[0],
    "simdocs: docs/dangling: skipped: cannot be read (dangling link)",
    "simdocs: docs/itself: skipped: cannot be read (Too many levels of symbolic links)",
    *NAMED[1:],
]
JUDGED = {"binary": 1, "hidden": 1, "again": 1, "artifact": 2, "special": 5, "oversized": 1, "unreadable": 2, "link": 5}


@pytest.mark.reliability("a FIFO, socket or device in a directory")
@pytest.mark.reliability("hard links")
@pytest.mark.reliability("a file without read permission")
@pytest.mark.reliability("a directory without read permission")
@pytest.mark.reliability("artifacts and temporary files in a directory")
@every
def test_every_command_passes_by_what_is_not_a_document(zoo, command):
    done = reading(command, zoo, "docs", "--max-size", "2000", before=bound_by_modes)
    assert (done.status, done.err.splitlines(), done.documents) == (3, NAMED, 5)
    assert done.skipped == JUDGED


@pytest.mark.reliability("a FIFO, socket or device in a directory")
@pytest.mark.reliability("links with --follow, or as arguments")
@pytest.mark.reliability("cyclic links")
@every
def test_every_command_follows_links_if_asked_and_visits_all_once(zoo, command):
    """link and the loop lead to what was met before, dev to a device. The directory stands in a list this time."""
    lay(zoo, {"list": b"docs\n"})
    done = reading(command, zoo, "--files-from", "list", "--max-size", "2000", "--follow", before=bound_by_modes)
    assert (done.status, done.err.splitlines(), done.documents) == (3, FOLLOWED, 5)
    expected = JUDGED | {"again": 3, "special": 6, "unreadable": 4}
    del expected["link"]
    assert done.skipped == expected


@pytest.mark.reliability("a device or socket as an argument")
@pytest.mark.reliability("an entry that is not a file, directory or FIFO")
@some
def test_a_device_that_is_named_is_an_error_in_every_command(here, command):
    lay(here, {"list": b"docs\n/dev/zero\n"})
    done = reading(command, here, "--files-from", "list")
    why = "/dev/zero: this is a device or socket: name a file, directory or FIFO: correct the entry or remove it"
    assert (done.status, done.err) == (2, f"simdocs: error: list: entry 2: {why}\n")


@pytest.mark.reliability("a device or socket as an argument")
def test_a_socket_that_is_named_is_an_error(here):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(here / "socket"))
    done = reading("query", here, "docs", "socket")
    assert (done.status, done.err) == (
        2,
        "simdocs: error: socket: this is a device or socket: name a file, directory or FIFO\n",
    )


@pytest.mark.reliability("/dev/zero")
@pytest.mark.parametrize("option", ["--files-from", "--files0-from"])
def test_a_list_without_end_is_an_error_at_once(here, option):
    why = "this is a device, not a list of names: use a file, a FIFO or -"
    assert simdocs("dedupe", option, "/dev/zero", cwd=here) == (2, b"", f"simdocs: error: /dev/zero: {why}\n")
    done = in_shell(f"simdocs index -o x.index {option} - < /dev/zero", cwd=here)
    assert done == (2, b"", f"simdocs: error: -: {why}\n")


@pytest.mark.reliability("a device given to show")
@pytest.mark.parametrize("name", ["/dev/zero", "socket", "docs"])
def test_a_device_or_directory_has_no_shingles_to_show(here, name):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(here / "socket"))
    done = simdocs("show", name, cwd=here)
    assert (done.status, done.out, done.err.count("\n")) == (2, b"", 1)
    assert done.err.endswith(": name one text\n")


LIES = Path("/proc/sys/kernel/pid_max")
"""It says that it has no bytes, and has some only for who asks for all of them at once."""


@pytest.mark.reliability("a FIFO as an argument")
@pytest.mark.reliability("a wrong file size")
@pytest.mark.skipif(not LIES.exists(), reason="no /proc")
@some
def test_a_named_fifo_and_a_file_of_a_wrong_size_are_read_to_their_end(here, command):
    whole = LIES.read_bytes()
    assert LIES.stat().st_size == 0 < len(whole)
    os.mkfifo(here / "fifo")
    feeder = threading.Thread(target=(here / "fifo").write_bytes, args=[whole], daemon=True)
    feeder.start()
    assert reading(command, here, LIES, "fifo", "docs/c.txt") == (0, "", 3, {})
    feeder.join(PATIENCE)
    if command == "dedupe":
        assert (here / "answer").read_text() == f"{LIES}\tfifo\t1.000000\t1.000000\n"


TERABYTE = 1 << 40


@pytest.fixture
def huge(here: Path) -> Path:
    """Files of a terabyte, most of it a hole."""
    lay(here, {"docs/folded.gz": gzip.compress(A), "docs/hole": b"", "docs/text": A * 99})
    for name in ("folded.gz", "hole", "text"):
        os.truncate(here / "docs" / name, TERABYTE)
    return here


@pytest.mark.reliability("a sparse file larger than --max-size")
def test_sparse_files_of_a_terabyte_are_not_read(huge):
    done = reading("dedupe", huge, "docs")
    assert done.err.splitlines() == [
        f"simdocs: docs/{name}: skipped: larger than --max-size ({TERABYTE} bytes)"
        for name in ("folded.gz", "hole", "text")
    ]
    assert (done.status, done.documents) == (3, 3)


@pytest.mark.reliability("a sparse file of a terabyte below --max-size")
@some
def test_sparse_files_of_a_terabyte_are_not_read_whatever_max_size(huge, command):
    done = reading(command, huge, "docs", "--max-size", "2048G")
    assert (done.status, done.documents) == (3, 3)
    assert done.err.count(": more than memory can hold)\n") == done.err.count("\n") == 2
    assert done.skipped == {"binary": 1, "unreadable": 2}


@pytest.mark.reliability("a file or directory that vanishes after the walk")
@some
def test_every_command_passes_by_a_file_that_vanishes_after_the_walk(here, command):
    env = trap(here, "os.unlink('docs/b.txt')", "open", "docs/a.txt")
    assert reading(command, here, "docs", "-j1", env=env) == (0, "", 2, {"vanished": 1})


WRITES = """
import gzip, os
inode, reads = os.stat({path!r}).st_ino, []

def and_write(read, descriptor, *how):
    data = read(descriptor, *how)
    if os.fstat(descriptor).st_ino == inode:
        reads.append(data)
        if {after} < len(reads) <= {after} + {times}:
            {action}
            os.utime({path!r}, ns=(0, len(reads)))
    return data

from functools import partial
os.read, os.pread = partial(and_write, os.read), partial(and_write, os.pread)
"""
"""Of all reads of a file so many are followed by something that happens to it, after so many that are not."""

ACTIONS = {
    "grows": "os.write(os.open({path!r}, os.O_WRONLY | os.O_APPEND), b'!')",
    "shrinks": "os.truncate({path!r}, os.stat({path!r}).st_size - 1)",
    "is rewritten": "open({path!r}, 'r+b').write(b'Another')",
}


def writing(here: Path, path: str, action: str, *, after: int = 0, times: int = 99) -> dict[str, str]:
    """An environment in which this happens to the file, which Python reads: it does not see what is read in C."""
    source = WRITES.format(path=path, after=after, times=times, action=action.format(path=path))
    return prelude(here, READS_AGAIN + source) | {"SIMDOCS_KERNELS": "numpy"}


@pytest.mark.reliability("a change while it is read again")
@pytest.mark.parametrize(
    ("command", "what"), [("--against", "grows"), ("query", "grows"), ("index", "shrinks"), ("dedupe", "is rewritten")]
)
def test_every_command_names_a_file_that_keeps_changing(here, command, what):
    env = writing(here, "docs/b.txt", ACTIONS[what])
    done = reading(command, here, "docs", "-j1", env=env)
    assert done == (3, "simdocs: docs/b.txt: skipped: changed while it was read\n", 2, {"changed": 1})


@pytest.mark.reliability("a change while a document is verified")
@pytest.mark.parametrize(
    ("command", "what"),
    [("--against", "grows"), ("query", "shrinks"), ("dedupe", "is rewritten")],
)
def test_a_file_that_keeps_changing_while_it_is_verified_is_no_duplicate(here, command, what):
    built(here / "other.index", [here / "docs/a.txt"])
    names = ["docs/a.txt", "docs/b.txt"] if command == "dedupe" else ["docs/b.txt"]
    env = writing(here, "docs/b.txt", ACTIONS[what], after=1)
    done = reading(command, here, *names, "-j1", env=env)
    why = "its text has changed since it was read"
    assert (done.status, done.err) == (3, f"simdocs: docs/b.txt: skipped: {why}\n")
    assert (here / "answer").read_bytes() == b""


@pytest.mark.reliability("a change while a file is read")
@pytest.mark.parametrize("suffix", ["txt", "gz", "jsonl"])
def test_a_file_that_is_rewritten_once_is_read_again(here, suffix):
    """What is compared is all that it is now."""
    old, new = (b'{"text": "%s"}\n' % text if "jsonl" in suffix else text for text in (A1, A2))
    if "gz" in suffix:
        old, new = gzip.compress(old), gzip.compress(new)
    lay(here, {"new": new, "copy": A2, f"x.{suffix}": old})
    env = writing(here, f"x.{suffix}", "open({path!r}, 'wb').write(open('new', 'rb').read())", times=1)
    done = simdocs("dedupe", "copy", f"x.{suffix}", "-j1", cwd=here, env=env)
    assert (done.status, done.err) == (0, "")
    name = f"x.{suffix}#1" if "jsonl" in suffix else f"x.{suffix}"
    assert done.out.decode() == f"copy\t{name}\t1.000000\t1.000000\n"
