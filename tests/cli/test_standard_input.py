"""Documents that come but once: standard input and FIFOs."""

from __future__ import annotations

import json
import os
import threading

import pytest

from tests.cli.corpus import A2, A, B, lay
from tests.cli.program import in_shell, simdocs
from tests.cli.traps import with_workers


@pytest.mark.reliability("an empty or binary standard input")
@pytest.mark.parametrize(
    ("data", "status", "said"),
    [
        (b"", 0, "warning: -: this document is empty, so it matches nothing"),
        (b" \n", 0, "warning: -: this document is empty, so it matches nothing"),
        (b"\0\1\2", 3, "-: skipped: a binary file (a NUL byte in the first 8 KiB)"),
    ],
)
def test_empty_or_binary_standard_input_changes_no_answer(here, data, status, said, answer):
    assert simdocs("dedupe", "docs", "-", stdin=data, cwd=here) == (status, answer, f"simdocs: {said}\n")


@pytest.mark.reliability("a file named -")
def test_dot_slash_dash_is_a_file(here):
    lay(here, {"-": A})
    assert simdocs("dedupe", "./-", "docs/a.txt", stdin=B, cwd=here).names == [("./-", "docs/a.txt")]


@pytest.mark.reliability("a closed standard input")
@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_closed_standard_input_cannot_be_read(here, jobs):
    done = in_shell(f"simdocs dedupe docs - {jobs} <&-", cwd=here, env=with_workers(here))
    assert (done.status, len(done.rows)) == (3, 1)
    assert done.err == "simdocs: -: skipped: cannot be read (Bad file descriptor)\n"


@pytest.mark.reliability("a FIFO as an argument")
def test_named_fifos_are_read_once(here):
    def feed(name: str, data: bytes) -> threading.Thread:
        os.mkfifo(here / name)
        thread = threading.Thread(target=(here / name).write_bytes, args=[data], daemon=True)
        thread.start()
        return thread

    feeders = [feed("one", A2), feed("two", B)]
    done = simdocs("dedupe", "docs", "one", "two", "one", "-j2", "--summary-json", "note", cwd=here)
    for feeder in feeders:
        feeder.join(10)
    assert (done.status, done.err) == (0, "")
    assert done.names == [("docs/a.txt", "docs/b.txt"), ("docs/a.txt", "one"), ("docs/c.txt", "two")]
    # Nobody writes to it a second time, and it is not waited for.
    assert json.loads((here / "note").read_bytes())["skipped"] == {"again": 1}


@pytest.mark.reliability("a FIFO as an argument")
def test_process_substitution_is_a_document(here):
    """What a shell names /dev/fd/N."""
    script = 'exec "$0" dedupe docs/a.txt <(cat docs/b.txt) --list duplicates'
    lay(here, {"run.sh": script.replace('"$0"', "simdocs").encode()})
    done = in_shell('PATH="$(dirname simdocs):$PATH" bash run.sh', cwd=here)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(b"/dev/fd/")
