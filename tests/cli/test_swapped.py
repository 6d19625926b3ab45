"""Files that are replaced by links or by special files after a walk met them."""

from __future__ import annotations

import pytest

from tests.cli.corpus import A1, A2, A, lay
from tests.cli.program import simdocs
from tests.cli.traps import TOKENS_ARE_HELD, trap, trap_of_held

SWAPS = {
    "the file by a link": "os.unlink('docs/d/e/b.txt'); os.symlink('../../../secret/e/b.txt', 'docs/d/e/b.txt')",
    "the file by a link to itself": "os.rename('docs/d/e/b.txt', 'b'); os.symlink('../../../b', 'docs/d/e/b.txt')",
    "the file by a FIFO": "os.unlink('docs/d/e/b.txt'); os.mkfifo('docs/d/e/b.txt')",
}
CHANGED = "simdocs: {}: skipped: changed while it was read (replaced after it was found)\n"
UNVERIFIED = "simdocs: {}: skipped: its text has changed since it was read\n"


@pytest.fixture
def tree(tmp_path):
    """Three similar texts in a tree, and one outside it that must not be read."""
    return lay(tmp_path, {"docs/a.txt": A, "docs/c.txt": A2, "docs/d/e/b.txt": A1, "secret/e/b.txt": A1 + b"!"})


@pytest.mark.reliability("a file is replaced by a link after the walk")
@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
@pytest.mark.parametrize("swap", SWAPS.values(), ids=SWAPS)
def test_only_the_files_that_the_walk_met_are_read(tree, swap, jobs):
    env = trap(tree, swap, "open", "docs/a.txt", in_worker=jobs == "-j2")
    done = simdocs("dedupe", "docs", jobs, cwd=tree, env=env)
    assert (done.status, done.names) == (3, [("docs/a.txt", "docs/c.txt")])
    assert done.err == CHANGED.format("docs/d/e/b.txt")


@pytest.mark.reliability("a file is replaced by a link after the walk")
@pytest.mark.parametrize(("jobs", "again"), [("-j1", False), ("-j2", True)], ids=["held", "read again"])
@pytest.mark.parametrize("swap", SWAPS.values(), ids=SWAPS)
def test_only_the_files_that_the_walk_met_are_read_a_second_time(tree, swap, jobs, again):
    if again:
        env = trap(tree, swap, "open", "docs/a.txt", at=2, in_worker=jobs == "-j2", again=True)
    else:
        env = trap_of_held(tree, swap, "docs/a.txt")
    done = simdocs("dedupe", "docs", jobs, *([] if again else TOKENS_ARE_HELD), cwd=tree, env=env)
    assert (done.status, done.names) == (3, [("docs/a.txt", "docs/c.txt")])
    assert done.err == UNVERIFIED.format("docs/d/e/b.txt")


@pytest.mark.reliability("a file is replaced by a link after the walk")
@pytest.mark.parametrize("again", [False, True], ids=["first reading", "second reading"])
def test_lines_of_a_link_that_replaces_a_file_are_not_read(tmp_path, again):
    lines = b'{"text": "%b"}\n{"text": "a text that is in no other line of these files, and so on"}\n' % A1
    lay(tmp_path, {"docs/a.txt": A, "docs/s.jsonl": lines, "secret.jsonl": lines})
    swap = "os.unlink('docs/s.jsonl'); os.symlink('../secret.jsonl', 'docs/s.jsonl')"
    env = trap(tmp_path, swap, "open", "docs/a.txt", at=1 + again, again=again)
    done = simdocs("dedupe", "docs", "-j1", cwd=tmp_path, env=env)
    assert (done.status, done.out) == (3, b"")
    assert done.err == (UNVERIFIED.format("docs/s.jsonl#1") if again else CHANGED.format("docs/s.jsonl"))


def test_links_in_arguments_are_followed(tree):
    (tree / "link").symlink_to("docs")
    (tree / "docs/f").symlink_to("../secret/e/b.txt")
    done = simdocs("dedupe", "link", "link/f", "link/d/..", cwd=tree)
    assert (done.status, done.err) == (0, "")
    assert done.names == [("link/a.txt", name) for name in ("link/c.txt", "link/d/e/b.txt", "link/f")]
