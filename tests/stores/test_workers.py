"""Workers that start after a store was opened are no forks, so that they neither hang nor abort at the end."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest

import simdocs
from tests.cli.program import PROGRAM, environment, started
from tests.cli.program import simdocs as program
from tests.cli.traps import with_workers
from tests.stores.conftest import KEYS, environment_of
from tests.stores.laid import as_on_disk, lay_both, sentences
from tests.stores.server import ObjectStore, Refused

SOURCE = str(Path(simdocs.__file__).parent.parent)


@pytest.mark.reliability("workers that start after a store was opened")
def test_the_program_answers_the_same_and_ends_well(store: ObjectStore, tmp_path: Path) -> None:
    lay_both(store, tmp_path, sentences(10, copies=3))
    env = with_workers(tmp_path) | environment_of(store)
    asked = ("dedupe", "--unit", "word", "--jobs")
    on_disk = program(*asked, "1", "docs", cwd=tmp_path)
    stored = program(*asked, "2", "s3://bucket/docs", cwd=tmp_path, env=env)
    assert on_disk.status == stored.status == 0
    assert as_on_disk(stored.out) == on_disk.out
    assert stored.err.replace("s3://bucket/", "") == on_disk.err


@pytest.mark.reliability("credentials")
def test_no_secret_is_in_an_artifact_or_a_message(store: ObjectStore, tmp_path: Path) -> None:
    lay_both(store, tmp_path, sentences(3) | {"docs/bad.txt.gz": b"no gzip"})
    env = environment(PYTHONPATH=SOURCE, **environment_of(store))
    done = program("index", "s3://bucket/docs", "-o", "x.index", cwd=tmp_path, env=env)
    written = b"".join(path.read_bytes() for path in (tmp_path / "x.index").iterdir())
    assert b"s3://bucket/docs" in written
    for secret in (*KEYS.values(), store.endpoint):
        assert secret.encode() not in written + done.out
        assert secret not in done.err


SCRIPT = """
import simdocs
found = simdocs.dedupe("s3://bucket/docs", unit="word", jobs=2)
print(len(found.documents), len(found.pairs.left))
"""


def test_a_script_that_does_not_ask_whether_it_is_the_main_one_runs_once(store: ObjectStore, tmp_path: Path) -> None:
    lay_both(store, tmp_path, sentences(10, copies=3))
    (tmp_path / "script.py").write_text(SCRIPT)
    env = with_workers(tmp_path) | environment_of(store)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "30 20\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT of this kind")
def test_a_signal_ends_the_program_while_a_store_is_silent(store: ObjectStore, tmp_path: Path) -> None:
    store.put("bucket", "docs/x", b"a text")
    asked = Event()

    def before(*_: str) -> None:
        asked.set()
        raise Refused(500, "InternalError", 15.0)

    store.before = before
    env = environment(PYTHONPATH=SOURCE, **environment_of(store))
    with started([PROGRAM, "dedupe", "s3://bucket/docs/"], cwd=tmp_path, env=env) as process:
        assert asked.wait(30)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == -signal.SIGINT
