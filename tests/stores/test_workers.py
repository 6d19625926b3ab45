"""Workers that start after a store was opened are no forks, so that they neither hang nor abort at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

import simdocs
from tests.cli.program import environment
from tests.cli.program import simdocs as program
from tests.stores.conftest import KEYS, environment_of
from tests.stores.laid import as_on_disk, lay_both, sentences
from tests.stores.server import ObjectStore

SOURCE = str(Path(simdocs.__file__).parent.parent)


@pytest.mark.reliability("workers that start after a store was opened")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_program_answers_the_same_and_ends_well(store: ObjectStore, tmp_path: Path, jobs: str) -> None:
    lay_both(store, tmp_path, sentences(40, copies=40))
    env = environment(PYTHONPATH=SOURCE, **environment_of(store))
    asked = ("dedupe", "--unit", "word", "--jobs")
    on_disk = program(*asked, "1", "docs", cwd=tmp_path)
    stored = program(*asked, jobs, "s3://bucket/docs", cwd=tmp_path, env=env)
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
