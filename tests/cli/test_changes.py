"""Documents that change or go while the program runs."""

from __future__ import annotations

import json
import os

import pytest

from tests.cli.corpus import A2, A, lay
from tests.cli.program import simdocs
from tests.cli.traps import trap


def test_gone_since_the_walk(here):
    env = trap(here, "os.unlink('docs/b.txt')", "open", "docs/a.txt")
    done = simdocs("dedupe", "docs", "-j1", "--summary-json", "note", cwd=here, env=env)
    assert done == (0, b"", "")
    assert json.loads((here / "note").read_bytes())["skipped"] == {"vanished": 1}


def test_gone_since_the_walk_is_named_with_v(here):
    env = trap(here, "os.unlink('docs/b.txt')", "open", "docs/a.txt")
    done = simdocs("dedupe", "docs", "-j1", "-v", "--strict", cwd=here, env=env)
    assert (done.status, done.out) == (0, b"")
    assert "simdocs: docs/b.txt: skipped: gone since the walk" in done.err


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
@pytest.mark.parametrize(
    "action",
    ["os.unlink('docs/b.txt')", "os.unlink('docs/b.txt'); os.mkfifo('docs/b.txt')", "os.replace('new', 'docs/b.txt')"],
    ids=["gone", "a FIFO", "another file"],
)
def test_the_other_name_of_a_file_whose_first_is(here, action, jobs):
    """It was passed over, and now nobody has read it: that is said."""
    lay(here, {"new": A2})
    os.link(here / "docs/b.txt", here / "docs/z.txt")
    env = trap(here, action, "open", "docs/a.txt", in_worker=jobs == "-j2")
    done = simdocs("dedupe", "docs", jobs, cwd=here, env=env)
    assert (done.status, done.out != b"") == (3, "replace" in action)
    why = "was to be read as docs/b.txt, which is gone or replaced"
    assert done.err == f"simdocs: docs/z.txt: skipped: cannot be read ({why})\n"


def test_a_sequence_replaced_since_the_walk(here):
    lay(here, {"docs/s.jsonl": b'{"text": "one"}', "new": b'{"text": "two"}'})
    os.link(here / "docs/s.jsonl", here / "docs/t.jsonl")
    env = trap(here, "os.replace('new', 'docs/s.jsonl')", "open", "docs/a.txt")
    done = simdocs("dedupe", "docs", "-j1", cwd=here, env=env)
    assert (done.status, done.err.startswith("simdocs: docs/t.jsonl: skipped: cannot be read (")) == (3, True)


def test_a_directory_gone_since_it_was_seen(here):
    lay(here, {"docs/z/x": A})
    env = trap(here, "os.unlink('docs/z/x'); os.rmdir('docs/z')", "open", "'z'")
    done = simdocs("dedupe", "docs", "-j1", cwd=here, env=env)
    assert (done.status, done.err, len(done.rows)) == (0, "", 1)


CHANGES = {
    "changed": ("open('docs/b.txt', 'a').write('x')", "changed"),
    "gone": ("os.unlink('docs/b.txt')", "gone"),
}


@pytest.mark.parametrize(("action", "why"), CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_before_it_had_to_be_verified(here, action, why, jobs):
    """At the second opening of a document, in whatever process, something happens to the other."""
    lay(here, {"docs/d.txt": A2})
    env = trap(here, action, "open", "docs/a.txt", at=2, in_worker=jobs == "-j2")
    done = simdocs("dedupe", "docs", jobs, cwd=here, env=env)
    assert (done.status, done.names) == (3, [("docs/a.txt", "docs/d.txt")])
    assert done.err == (f"simdocs: docs/b.txt: skipped: missing or changed when it had to be verified ({why})\n")


def test_strict_publishes_nothing_then(here):
    env = trap(here, "os.unlink('docs/b.txt')", "open", "docs/a.txt", at=2)
    done = simdocs("dedupe", "docs", "-j1", "--strict", "--pairs", cwd=here, env=env)
    assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 2)


def test_the_answer_may_be_published_under_a_name_in_the_tree(here):
    for _ in range(2):
        done = simdocs("dedupe", "docs", "-o", "docs/answer", "--exclude", "answer", cwd=here)
        assert done == (0, b"", "")
    assert (here / "docs/answer").read_bytes() == simdocs("dedupe", "docs", "--exclude", "answer", cwd=here).out
