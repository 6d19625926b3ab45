"""A tree with names, ids and links that were made to break scripts that remove duplicates."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

from tests.cli.corpus import A1, A2, A, B, lay

SECRET = b"outside/secret.txt"
IDS = [
    "/../../outside/secret.txt",
    "/../../texts/a.txt",
    "/../kept.bin",
    "/",
    "/inside",
    "-rf",
    "\n/etc/passwd",
    " ",
    "",
    "/../-rf",
]
"""Ids of lines, some of which lead somewhere below or beside the directory `evil.jsonl#`."""

NAMES = [b"-rf", b"--help", b"-", b" lead", b"trail ", b"line\nfeed", b"\n"]
NAMES += [b"*", b"~", b"$(rm x)", b"caf\xe9", b'"', b"'"]


def lay_hostile_tree(tmp_path: Path) -> Path:
    """Make a directory with texts, and something outside them that must stay. Return the directory that holds both."""
    lines = b"".join(json.dumps({"id": one, "text": A.decode()}).encode() + b"\n" for one in IDS)
    lay(tmp_path, {os.fsdecode(SECRET): A, "outside/notes/b.txt": B, "texts/a.txt": A, "texts/b.txt": B})
    lay(tmp_path, {"texts/c.txt": A1, "texts/evil.jsonl": lines, "texts/evil.jsonl#/inside": b"\0binary"})
    lay(tmp_path, {"texts/kept.bin": b"\0kept", "texts/d/b.txt": B, "texts/d/-x": A2, "texts/.hidden": A})
    for name in NAMES:
        (tmp_path / "texts" / os.fsdecode(name)).write_bytes(A)
    texts = tmp_path / "texts"
    os.utime(texts / "c.txt", (0, 10**10))  # later than 64 bits of nanoseconds can say
    (texts / "link.txt").symlink_to("../outside/secret.txt")
    (texts / "linked").symlink_to("../outside")
    (texts / "z-hard.txt").hardlink_to(texts / "a.txt")
    (texts / "z-shared.txt").hardlink_to(tmp_path / "outside/notes/b.txt")
    return tmp_path


def state(top: Path) -> dict[bytes, bytes]:
    """Return the content of each file below a directory, or where it leads if it is a link."""
    found = {}
    for at, directories, names in os.walk(os.fsencode(top)):
        for name in (*directories, *names):
            path = os.path.join(at, name)
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                found[path] = b"-> " + os.readlink(path)
            elif stat.S_ISREG(mode):
                found[path] = Path(os.fsdecode(path)).read_bytes()
    return found


def removed(top: Path, before: dict[bytes, bytes]) -> set[bytes]:
    """Return the names that are gone, which are those of texts. Every other file is as it was, and so is each text."""
    after = state(top)
    assert after.items() <= before.items()
    gone = before.keys() - after.keys()
    assert {before[path] for path in gone} <= {A, A1, A2, B}
    assert {A, B} <= {after[path] for path in after if b"/texts/" in path}
    assert all(path.startswith(os.fsencode(top) + b"/texts/") for path in gone)
    names = {os.path.relpath(path, os.fsencode(top)) for path in gone}
    kept = (b".hidden", b"link.txt", b"linked", b"kept.bin", b"evil.jsonl", b"evil.jsonl#/inside")
    assert not names & {b"texts/" + name for name in kept}
    return names
