"""--stop-words: how long a list may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from simdocs.options.recipes import MOST_STOP_WORDS
from tests.cli.corpus import lay
from tests.cli.program import Done, simdocs

COW = b"The cow jumped over the moon and the stars of the night"


def run(where: Path, line: str, stdin: bytes = b"") -> Done:
    return simdocs(*line.split(), cwd=where, stdin=stdin)


def words_of(letter: str, size: int) -> bytes:
    """Different words that begin with this letter, one on each line: as many bytes as wanted."""
    lines = "".join(f"{letter}{number}\n" for number in range(size // 4))
    return lines.encode()[:size].decode(errors="ignore").encode().ljust(size, b" ")


@pytest.mark.parametrize("letter", ["ж", "\1"])
def test_the_longest_list_that_is_allowed_can_be_used_updated_and_queried(tmp_path, letter):
    """A manifest spells letters with escapes, of which the longest take six bytes for each byte."""
    lay(tmp_path, {"docs/a": COW, "docs/b": b"to be or not to be", "list": words_of(letter, MOST_STOP_WORDS)})
    build = "index docs --unit word -k 2 --stop-words list -o x.index"
    assert run(tmp_path, build) == (0, b"", "")
    assert "2 unchanged" in run(tmp_path, f"{build} --summary").err
    assert run(tmp_path, "check x.index").status == 0
    assert run(tmp_path, "query x.index - --list matches", COW).out == b"docs/a\n"


@pytest.mark.reliability("--stop-words of more than 256 KiB")
def test_a_longer_list_is_refused_before_the_documents_are_read(tmp_path):
    lay(tmp_path, {"list": words_of("x", MOST_STOP_WORDS + 1)})
    done = run(tmp_path, "index docs -o x.index --unit word --stop-words list")
    size = f"{MOST_STOP_WORDS + 1:,} bytes, and {MOST_STOP_WORDS:,} are allowed"
    remedy = "leave out comments and rare words"
    assert done == (2, b"", f"simdocs: error: list: this list of stop words has {size}: {remedy}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["list"]
