"""Answers are written compressed if the name of the output says so: the same bytes each time, and all or nothing."""

from __future__ import annotations

import json

from tests.cli.program import simdocs
from tests.packing import SUFFIXES, each, unpacked


@each
def test_an_output_that_has_only_the_suffix_of_a_compression_is_tsv_unless_a_format_is_given(here, name):
    file = f"x{SUFFIXES[name]}"
    for options in ((), ("--format", "csv"), ("--list", "kept", "-0")):
        plain = simdocs("dedupe", "docs", *options, cwd=here)
        assert simdocs("dedupe", "docs", *options, "-o", file, cwd=here) == (0, b"", "")
        assert unpacked(name, (here / file).read_bytes()) == plain.out != b""
    lines = simdocs("dedupe", "docs", "--format", "jsonl", cwd=here)
    note = f"note.json{SUFFIXES[name]}"
    ask = ("dedupe", "docs", "-o", f"x.jsonl{SUFFIXES[name]}", "--summary-json", note)
    assert simdocs(*ask, cwd=here) == (0, b"", "")
    assert unpacked(name, (here / f"x.jsonl{SUFFIXES[name]}").read_bytes()) == lines.out
    assert json.loads(unpacked(name, (here / note).read_bytes()))["documents"] == 3


@each
def test_an_empty_answer_is_a_compressed_file_too(here, name):
    file = f"x.tsv{SUFFIXES[name]}"
    assert simdocs("dedupe", "docs", "--exclude", "a.txt", "-o", file, cwd=here) == (0, b"", "")
    assert unpacked(name, (here / file).read_bytes()) == b""
    assert (here / file).stat().st_size > 0


@each
def test_equal_answers_have_equal_bytes(here, name):
    """The header of gzip has neither a time nor a name."""
    suffix = SUFFIXES[name]
    found = set()
    for number, jobs in enumerate(("-j1", "-j2")):
        file = here / f"{number}.tsv{suffix}"
        assert simdocs("dedupe", "docs", jobs, "-o", file.name, cwd=here).status == 0
        found.add(file.read_bytes())
    assert len(found) == 1
    if name == "gzip":
        (data,) = found
        assert data[3:8] == bytes(5)


@each
def test_a_binary_format_is_not_compressed_again(here, name):
    file = f"x.parquet{SUFFIXES[name]}"
    done = simdocs("dedupe", "docs", "-o", file, cwd=here)
    assert (done.status, done.out, f"leave {SUFFIXES[name]} out" in done.err) == (2, b"", True)
