"""simdocs spark on the command line: parts, what is said, and what is wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest

from tests.cli.corpus import lay
from tests.cli.missing_library import environment_without
from tests.cli.program import PROGRAM, anew, environment, simdocs
from tests.cli.test_usage import is_one_line
from tests.cluster.documents import texts
from tests.spark import QUICK, with_spark

on_cluster = partial(anew, patience=400)

LOCAL = ("--spark-master", "local[2]", "--partitions", "2", *(f"--spark-conf={name}={QUICK[name]}" for name in QUICK))


@pytest.fixture
def here(tmp_path: Path) -> Path:
    files = {f"docs/{number % 3}/{number:03}": text.encode() for number, text in enumerate(texts(5, 60))}
    return lay(tmp_path, files | {"docs/binary": b"\0", "docs/a\tb\\": texts(5, 1)[0].encode()})


@with_spark
def test_parts_have_the_lines_of_one_machine(here: Path):
    lay(here, {"docs/bad.jsonl": b"{\n" * 12, "named": b"\0"})
    found = ("dedupe", "docs", "named", "-v", "--summary-json")
    done = on_cluster("spark", *found, "cluster.json", "-o", "out", "--format", "tsv", *LOCAL, cwd=here)
    assert (done.status, done.out) == (3, b"")
    assert (here / "out/_SUCCESS").exists()
    parts = b"".join(part.read_bytes() for part in sorted((here / "out").glob("part-*")))
    local = simdocs(*found, "here.json", cwd=here)
    assert parts == local.out
    *skips, summary = done.err.splitlines()
    assert summary == "61 documents, 0 empty; 26 duplicates, 35 kept"
    assert sorted(skips) == sorted(line for line in local.err.splitlines() if line.startswith("simdocs: "))
    assert len(skips) == 14
    facts, alone = (json.loads((here / name).read_text()) for name in ("cluster.json", "here.json"))
    del facts["seconds"]
    assert facts == {"documents": 61, "empty": 0, "rows": parts.count(b"\n"), "skipped": alone["skipped"]}
    again = on_cluster("spark", "pairs", "docs", "-o", "out", *LOCAL, cwd=here)
    assert is_one_line(again)
    assert "out: exists" in again.err


@with_spark
def test_parts_of_signatures_are_merged_to_those_of_one_run(here: Path):
    lay(here, {"docs/bad.jsonl": b"{\n" * 12, "named": b"\0"})
    asked = ("signature", "docs", "named", "--unit", "word", "-v")
    done = on_cluster("spark", *asked, "-o", "out", *LOCAL, cwd=here)
    local = simdocs(*asked, "-o", "once.signatures", cwd=here)
    assert (done.status, done.out) == (3, b"") == (local.status, local.out)
    *skips, summary = done.err.splitlines()
    assert summary == "61 documents signed"
    assert sorted(skips) == sorted(line for line in local.err.splitlines() if line.startswith("simdocs: "))
    assert len(skips) == 14
    assert (here / "out/_SUCCESS").exists()
    parts = sorted(str(part.relative_to(here)) for part in (here / "out").glob("*.signatures"))
    assert simdocs("merge", *parts, "-q", "-o", "merged.signatures", cwd=here).status == 0
    for name in ("signatures.npy", "documents.npy", "names.npy", "manifest.json"):
        assert (here / "merged.signatures" / name).read_bytes() == (here / "once.signatures" / name).read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-o", "-"), "name the directory of the answer with -o OUT/"),
        (("-o", "out", "--spark-conf", "secret=1"), "--spark-conf takes spark.KEY=VALUE, and no spark.master: secret"),
    ],
)
def test_what_was_asked_wrongly_is_one_line(here: Path, words, said):
    done = on_cluster("spark", "dedupe", "docs", *words, cwd=here)
    assert is_one_line(done)
    assert said in done.err


@with_spark
@pytest.mark.parametrize(
    ("master", "java", "said"),
    [
        ("local[2]", "/nowhere", "Spark cannot be started"),
        pytest.param("spark://127.0.0.1:1", "", "Spark cannot", marks=pytest.mark.slow),
        ("nonsense", "", "Spark cannot be started"),
    ],
)
def test_what_is_missing_is_one_line(here: Path, master, java, said):
    env = environment(**({"JAVA_HOME": java} if java else {}))
    done = on_cluster("spark", "dedupe", "docs", "-o", "out", "--spark-master", master, cwd=here, env=env)
    assert is_one_line(done)
    assert said in done.err
    assert not (here / "out").exists()


def test_a_missing_library_is_one_line(here: Path):
    env = environment_without(here, "pyspark")
    done = on_cluster("spark", "dedupe", "docs", "-o", "out", cwd=here, env=env)
    assert is_one_line(done)
    assert "pip install 'simdocs[spark]'" in done.err


@with_spark
@pytest.mark.slow
def test_ctrl_c_leaves_nothing_that_looks_finished(here: Path):
    command = [PROGRAM, "spark", "dedupe", "docs", "-o", "out", *LOCAL]
    with subprocess.Popen(command, cwd=here, env=os.environ, start_new_session=True) as process:
        time.sleep(12)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT
    assert not (here / "out/_SUCCESS").exists()
