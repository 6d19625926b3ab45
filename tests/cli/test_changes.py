"""Documents that change or go while the program runs."""

from __future__ import annotations

import json
import os

import pytest

from tests.cli.corpus import A2, A, lay
from tests.cli.program import simdocs
from tests.cli.traps import TOKENS_ARE_HELD, trap, trap_of_held

REPLACED = "simdocs: {}: skipped: changed while it was read (replaced after it was found)\n"


@pytest.mark.reliability("a file or directory that vanishes after the walk")
def test_verbose_names_a_file_that_vanished_after_the_walk(here):
    env = trap(here, "os.unlink('docs/b.txt')", "open", "docs/a.txt")
    done = simdocs("dedupe", "docs", "-j1", "-v", "--strict", "--summary-json", "note", cwd=here, env=env)
    assert (done.status, done.out) == (0, b"")
    assert json.loads((here / "note").read_bytes())["skipped"] == {"vanished": 1}
    assert "simdocs: docs/b.txt: skipped: gone since the walk" in done.err


@pytest.mark.reliability("the first of two names vanishes")
@pytest.mark.parametrize(
    ("action", "replaced", "jobs"),
    [
        ("os.unlink('docs/b.txt')", False, "-j1"),
        ("os.unlink('docs/b.txt'); os.mkfifo('docs/b.txt')", True, "-j2"),
        ("open('new', 'w').write('x'); os.replace('new', 'docs/b.txt')", False, "-j1"),
    ],
    ids=["gone", "a FIFO", "another file"],
)
def test_the_other_name_of_a_vanished_file_is_named_as_unread(here, action, replaced, jobs):
    """It was passed over, and now nobody has read it: that is said."""
    os.link(here / "docs/b.txt", here / "docs/z.txt")
    env = trap(here, action, "open", "docs/a.txt", in_worker=jobs == "-j2")
    done = simdocs("dedupe", "docs", jobs, cwd=here, env=env)
    assert (done.status, done.out) == (3, b"")
    why = "was to be read as docs/b.txt, which is gone or replaced"
    first = REPLACED.format("docs/b.txt") if replaced else ""
    assert sorted(done.err.splitlines(True)) == sorted(
        [*first.splitlines(True), f"simdocs: docs/z.txt: skipped: cannot be read ({why})\n"]
    )


@pytest.mark.reliability("the first of two names vanishes")
def test_a_json_lines_file_replaced_after_the_walk_is_named(here):
    lay(here, {"docs/s.jsonl": b'{"text": "one"}', "new": b'{"text": "two"}'})
    os.link(here / "docs/s.jsonl", here / "docs/t.jsonl")
    env = trap(here, "os.unlink('docs/s.jsonl'); os.symlink('../new', 'docs/s.jsonl')", "open", "docs/a.txt")
    done = simdocs("dedupe", "docs", "-j1", cwd=here, env=env)
    assert (done.status, REPLACED.format("docs/s.jsonl") in done.err) == (3, True)
    assert "simdocs: docs/t.jsonl: skipped: cannot be read (" in done.err


@pytest.mark.reliability("a file or directory that vanishes after the walk")
def test_a_directory_that_vanishes_is_passed_by(here):
    lay(here, {"docs/z/x": A})
    env = trap(here, "os.unlink('docs/z/x'); os.rmdir('docs/z')", "os.scandir", "docs/z")
    done = simdocs("dedupe", "docs", "-j1", cwd=here, env=env)
    assert (done.status, done.err, len(done.rows)) == (0, "", 1)


CHANGES = {
    "changed": ("open('docs/b.txt', 'a').write('x')", "its text has changed since it was read"),
    "gone": ("os.unlink('docs/b.txt')", "its file is gone"),
}


@pytest.mark.reliability("a change before it is verified")
@pytest.mark.parametrize(
    ("what", "jobs", "again"),
    [("changed", "-j2", False), ("gone", "-j1", False), ("changed", "-j1", True), ("gone", "-j2", True)],
)
def test_a_document_that_changes_before_it_is_verified_is_no_duplicate(here, what, jobs, again):
    """When the program comes back to a document, in whatever process, something happens to the other."""
    action, why = CHANGES[what]
    lay(here, {"docs/d.txt": A2})
    if again:
        env = trap(here, action, "open", "docs/a.txt", at=2, in_worker=jobs == "-j2", again=True)
    else:
        env = trap_of_held(here, action, "docs/a.txt", in_worker=jobs == "-j2")
    done = simdocs("dedupe", "docs", jobs, *([] if again else TOKENS_ARE_HELD), cwd=here, env=env)
    assert (done.status, done.names) == (3, [("docs/a.txt", "docs/d.txt")])
    assert done.err == (f"simdocs: docs/b.txt: skipped: {why}\n")


def test_strict_publishes_nothing_if_a_document_changes(here):
    env = trap(here, "os.unlink('docs/b.txt')", "open", "docs/a.txt", at=2, again=True)
    done = simdocs("pairs", "docs", "-j1", "--strict", cwd=here, env=env)
    assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 2)


@pytest.mark.reliability("an answer written into the tree")
def test_an_answer_written_into_the_tree_is_not_one_of_its_own_documents(here):
    for _ in range(2):
        done = simdocs("dedupe", "docs", "-o", "docs/answer", "--exclude", "answer", cwd=here)
        assert done == (0, b"", "")
    assert (here / "docs/answer").read_bytes() == simdocs("dedupe", "docs", "--exclude", "answer", cwd=here).out
