"""Answers are written compressed if the name of the output says so: the same bytes each time, and all or nothing."""

from __future__ import annotations

import gzip
import json
import os
import subprocess

import pytest

from simdocs.options.families import COMPRESSIONS
from tests.cli.corpus import A, lay
from tests.cli.missing_library import environment_without
from tests.cli.program import simdocs
from tests.packing import SUFFIXES, each, unpacked


@each
@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "table"])
def test_the_suffix_before_that_of_the_compression_chooses_the_format(here, name, form):
    file = f"x.{form}{SUFFIXES[name]}"
    assert simdocs("dedupe", "docs", "-o", f"x.{form}", cwd=here).status == 0
    assert simdocs("dedupe", "docs", "-o", file, cwd=here).status == 0
    assert unpacked(name, (here / file).read_bytes()) == (here / f"x.{form}").read_bytes() != b""


@each
def test_an_output_that_has_only_the_suffix_of_a_compression_is_tsv_unless_a_format_is_given(here, name):
    file = f"x{SUFFIXES[name]}"
    for options in ((), ("--format", "csv"), ("--format", "jsonl"), ("--list", "kept"), ("--list", "kept", "-0")):
        plain = simdocs("dedupe", "docs", *options, cwd=here)
        assert simdocs("dedupe", "docs", *options, "-o", file, cwd=here) == (0, b"", "")
        assert unpacked(name, (here / file).read_bytes()) == plain.out != b""


@each
def test_every_kind_of_answer_is_compressed(here, name):
    lay(here, {"data.jsonl": b'{"text": "%s"}\n' % A})
    suffix = SUFFIXES[name]
    for words in (
        ("pairs", "docs"),
        ("dedupe", "data.jsonl", "--list", "kept"),
        ("dedupe", "docs", "--list", "groups"),
        ("tune", "docs"),
        ("compare", "docs/a.txt", "docs/b.txt"),
        ("show", "docs/a.txt"),
    ):
        assert simdocs(*words, "-o", "x.jsonl", cwd=here).status == 0
        assert simdocs(*words, "-o", f"x.jsonl{suffix}", cwd=here).status == 0
        assert unpacked(name, (here / f"x.jsonl{suffix}").read_bytes()) == (here / "x.jsonl").read_bytes() != b""


@each
def test_an_empty_answer_is_a_compressed_file_too(here, name):
    file = f"x.tsv{SUFFIXES[name]}"
    assert simdocs("dedupe", "docs", "--exclude", "a.txt", "-o", file, cwd=here) == (0, b"", "")
    assert unpacked(name, (here / file).read_bytes()) == b""
    assert (here / file).stat().st_size > 0


@each
def test_the_summary_is_compressed_and_written_before_the_answer_is_published(here, name):
    note = f"note.json{SUFFIXES[name]}"
    assert simdocs("dedupe", "docs", "-o", "x.tsv", "--summary-json", note, cwd=here) == (0, b"", "")
    assert json.loads(unpacked(name, (here / note).read_bytes()))["documents"] == 3


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
def test_an_old_output_stays_if_the_run_fails(here, name):
    file = f"x.tsv{SUFFIXES[name]}"
    lay(here, {file: b"old"})
    assert simdocs("dedupe", "docs", "gone", "-o", file, cwd=here).status == 2
    assert (here / file).read_bytes() == b"old"
    assert sorted(os.listdir(here)) == ["docs", file]
    assert simdocs("dedupe", "docs", "-o", file, cwd=here).status == 0
    assert unpacked(name, (here / file).read_bytes())


def test_answers_that_other_programs_decompress(here):
    assert simdocs("dedupe", "docs", "-o", "x.tsv.gz", cwd=here).status == 0
    assert gzip.decompress((here / "x.tsv.gz").read_bytes()) == simdocs("dedupe", "docs", cwd=here).out
    try:
        unfolded = subprocess.run(["gunzip", "-c", "x.tsv.gz"], cwd=here, capture_output=True, check=True).stdout
    except OSError:
        pytest.skip("no gunzip here")
    assert unfolded == simdocs("dedupe", "docs", cwd=here).out


@each
def test_a_compressed_answer_can_be_a_list_of_documents_to_read(here, name):
    """What is written compressed is read so, too."""
    file = f"x.jsonl{SUFFIXES[name]}"
    lay(here, {"data.jsonl": b'{"text": "%s"}\n' % A * 3})
    assert simdocs("dedupe", "data.jsonl", "--removed-rows", file, cwd=here).status == 0
    assert simdocs("dedupe", file, "--list", "kept", cwd=here).names == [(f"{file}#1",)]


def test_a_missing_library_is_an_error_before_the_work(here, tmp_path_factory):
    module = COMPRESSIONS["zstd"].module
    absent = environment_without(tmp_path_factory.mktemp("absent"), module)
    done = simdocs("dedupe", "docs", "-o", "x.tsv.zst", cwd=here, env=absent)
    why = f"writing Zstandard needs {module}: pip install 'simdocs[datasets]'"
    assert done == (2, b"", f"simdocs: error: x.tsv.zst: {why}\n")
    assert os.listdir(here) == ["docs"]


@each
def test_a_binary_format_is_not_compressed_again(here, name):
    file = f"x.parquet{SUFFIXES[name]}"
    done = simdocs("dedupe", "docs", "-o", file, cwd=here)
    assert (done.status, done.out, f"leave {SUFFIXES[name]} out" in done.err) == (2, b"", True)


def test_an_index_is_not_compressed(here):
    done = simdocs("dedupe", "docs", "-o", "x.index.gz", cwd=here)
    assert (done.status, "simdocs index builds .index" in done.err) == (2, True)
