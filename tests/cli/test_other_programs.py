"""What other programs have, and simdocs has not, is an error that says what does the same here."""

from __future__ import annotations

import os

import pytest

from tests.cli.corpus import lay
from tests.cli.program import simdocs
from tests.cli.test_usage import is_one_line

DELETING = "save the answer with simdocs dedupe DOCS -o NAME.answer, and then use simdocs act NAME.answer --move DIR"

OF_OTHER_PROGRAMS = {
    "dedupe docs --min-size 3": "choose by size with find DOCS -type f -size +1k -print0, and --files0-from -",
    "dedupe docs --ignore-case": "upper and lower case are the same, unless you give --keep-case",
    "query x.index docs --limit 3": "use --top 3",
    "query x.index docs --limit=3": "use --top 3",
    "query x.index docs -n 3": "use --top 3",
    "query x.index docs -n3": "use --top 3",
    "dedupe docs -n 3": "use head -n 3",
    "dedupe docs --sort": "",
    "dedupe docs --count": "",
    "query --index x.index docs": "the index is the first argument, as in simdocs query X.index DOCS",
    "dedupe docs --index x.index": "use --against X.index",
    "tune docs --index x.index": "",
    "dedupe --version": "use simdocs --version",
    "dedupe docs -threshold 0.5": "did you mean --threshold?",
    "dedupe docs -output x": "did you mean --output?",
    "dedupe docs -name *.txt": "use --include '*.txt'",
    "dedupe docs -print0": "use -0 with --list",
    "dedupe docs -d": DELETING,
    "dedupe docs -dN": DELETING,
    "dedupe docs -l": "use --list duplicates",
    "dedupe docs -f": "use --list duplicates",
}


@pytest.mark.parametrize("line", OF_OTHER_PROGRAMS)
def test_an_option_of_other_programs_brings_what_does_the_same(here, line):
    before = sorted(os.listdir(here))
    done = simdocs(*line.split(), cwd=here)
    option = next(word for word in line.split() if word.startswith("-")).partition("=")[0].replace("-n3", "-n")
    advice = OF_OTHER_PROGRAMS[line]
    said = f"no option '{option}'" + (f": {advice}" if advice else "")
    assert done == (2, b"", f"simdocs: error: {said} (see: simdocs {line.split()[0]} --help)\n")
    assert sorted(os.listdir(here)) == before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("dedupe docs \u2014pairs", "'\u2014pairs' begins with a dash that is not '-': did you mean --pairs?"),
        ("dedupe docs \u2013t 0.5", "'\u2013t' begins with a dash that is not '-': did you mean -t?"),
        ("\u2014help", "'\u2014help' begins with a dash that is not '-': did you mean --help?"),
    ],
)
def test_an_option_with_a_typographic_dash_is_no_document(here, line, said):
    done = simdocs(*line.split(), cwd=here)
    assert is_one_line(done)
    assert done.err.startswith(f"simdocs: error: {said} (see: ")


def test_values_and_files_may_begin_with_any_dash(here):
    lay(here, {"\u2014pairs": b"a text", "-keep": b"a text"})
    assert simdocs("dedupe", "\u2014pairs", "docs", cwd=here).status == 0
    assert simdocs("dedupe", "docs", "--exclude", "-keep", cwd=here).status == 0
    assert simdocs("dedupe", "--", "docs", "-keep", cwd=here).status == 0


@pytest.mark.parametrize(
    ("word", "meant"),
    [("diff", "compare"), ("search", "query"), ("find", "dedupe"), ("update", "index"), ("version", "--version")],
)
def test_a_command_of_other_programs_brings_that_of_simdocs(here, word, meant):
    done = simdocs(word, "docs", cwd=here)
    assert done == (2, b"", f"simdocs: error: no command '{word}': did you mean {meant}? (see: simdocs --help)\n")


def test_files_without_a_command_bring_commands_with_all_of_them(here):
    lay(here, {"a b": b"a text"})
    files = ("docs/a.txt", "a b")
    said = "to find near-duplicates, use simdocs dedupe docs/a.txt 'a b'"
    both = f"{said}; to compare the two, use simdocs compare docs/a.txt 'a b'"
    assert f"no command 'docs/a.txt': {both} (see" in simdocs(*files, cwd=here).err
    assert f"no command 'docs/a.txt': {said} -t 0.5 (see" in simdocs(*files, "-t", "0.5", cwd=here).err


ANSWERING = {
    "dedupe": "docs",
    "query": "x.index docs",
    "compare": "docs/a.txt docs/b.txt",
    "tune": "docs",
    "audit": "docs",
    "show": "docs/a.txt",
    "info": "x.index",
}


@pytest.mark.parametrize("command", ANSWERING)
def test_an_answer_is_not_written_where_an_artifact_or_a_format_is_meant(built, command):
    words = [command, *ANSWERING[command].split()]
    before = sorted(os.listdir(built))
    for output, said in {
        "out.index": "this command writes an answer, not an index: to build one, use simdocs index DOCS -o out.index",
        "new.signatures": "this command writes an answer, not signatures: to build them,"
        " use simdocs signature DOCS -o new.signatures",
        "new.shingles": "this command writes an answer, not shingles: to build them,"
        " use simdocs shingle DOCS -o new.shingles",
        "json": "did you mean --format jsonl, or -o NAME.jsonl?",
        "jsonl": "did you mean --format jsonl, or -o NAME.jsonl?",
        "csv": "did you mean --format csv, or -o NAME.csv?",
        "tsv": "did you mean --format tsv, or -o NAME.tsv?",
        "table": "did you mean --format table?",
    }.items():
        done = simdocs(*words, f"--output={output}", cwd=built)
        assert is_one_line(done)
        assert f"-o {output}: {said}" in done.err
    assert sorted(os.listdir(built)) == before
    assert simdocs(*words, "-o", "./json", cwd=built).status == 0
    assert simdocs(*words, "-o", "csv", "--format", "csv", cwd=built).status == 0


ANSWERS = {
    "dedupe d --json": "no option '--json': use --format jsonl",
    "info x.index --json": "no option '--json': use --format jsonl",
    "query x.index d --csv": "no option '--csv': use --format csv",
    "dedupe d -r": "no option '-r': directories are read recursively in any case",
    "index d --recursive -o x.index": "no option '--recursive': directories are read recursively in any case",
    "dedupe d --delete": f"no option '--delete': {DELETING}",
    "d": "no command 'd': to find near-duplicates, use simdocs dedupe d",
    "./d/a": "no command './d/a': to find near-duplicates, use simdocs dedupe ./d/a",
    "dedupe https://example.org/a.txt": "https://example.org/a.txt: this is a URL, and simdocs reads files: download it"
    " first, for example with curl -sSf https://example.org/a.txt -o FILE",
    "index gopher://x -o x.index": "gopher://x: this is a URL, and simdocs reads files: download it first",
    "dedupe file:///etc/hosts": "file:///etc/hosts: this is a URL: give the path, /etc/hosts",
}


@pytest.mark.parametrize("line", ANSWERS)
def test_what_other_programs_have_is_answered_with_what_to_do(tmp_path, line):
    lay(tmp_path, {"d/a": b"text"})
    done = simdocs(*line.split(), cwd=tmp_path)
    assert is_one_line(done)
    assert done.err.removeprefix("simdocs: error: ").partition(" (see: ")[0].rstrip("\n") == ANSWERS[line]
