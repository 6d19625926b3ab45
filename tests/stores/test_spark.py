"""Spark reads objects with the credentials that its workers have in their environment, and gives the usual answers."""

from __future__ import annotations

from pathlib import Path

import pytest

import simdocs
from tests.cli.program import environment
from tests.cli.program import simdocs as program
from tests.spark import CLUSTER, RETRYING, with_spark
from tests.stores.conftest import KEYS, environment_of
from tests.stores.laid import lay_both, sentences
from tests.stores.server import ObjectStore, Refused
from tests.stores.test_reading import json_lines, parquet
from tests.stores.test_row_outputs import files_in

SOURCE = str(Path(simdocs.__file__).parent.parent)

MASTERS = [RETRYING, pytest.param(CLUSTER, marks=pytest.mark.slow)]


@pytest.mark.reliability("Spark and a store")
@pytest.mark.parametrize("master", MASTERS)
@with_spark
def test_spark_gives_the_answer_of_one_process_and_no_secret_is_anywhere(
    store: ObjectStore, tmp_path: Path, master: str
) -> None:
    files = sentences(20, copies=3) | {"rows/a.jsonl": json_lines(300), "rows/b.parquet": parquet(200)}
    lay_both(store, tmp_path, files | {"docs/broken.gz": b"no gzip"})
    store.buckets["out"] = {}
    (tmp_path / "events").mkdir()
    (tmp_path / "work").mkdir()
    env = environment(PYTHONPATH=SOURCE, SPARK_WORKER_DIR=str(tmp_path / "work"), **environment_of(store))
    logged = ("--spark-conf", "spark.eventLog.enabled=true", "--spark-conf", f"spark.eventLog.dir={tmp_path}/events")
    spark = ("--engine", "spark", "--spark-master", master, *logged)
    said = list[str]()
    for name, engine in (("alone", ("-j1",)), ("spark", spark)):
        options = ("--unit", "word", "-v", *engine)
        done = program("dedupe", "s3://bucket/", "-o", f"s3://out/{name}/", *options, cwd=tmp_path, env=env)
        rows = ("--kept-rows", f"s3://out/{name}-rows", "--list", "groups", "-o", f"{name}.tsv")
        other = program("dedupe", "s3://bucket/rows", *rows, *options, cwd=tmp_path, env=env)
        built = program("index", "s3://bucket/", "-o", f"{name}.index", *options, cwd=tmp_path, env=env)
        assert (done.status, other.status, built.status) == (3, 0, 3)
        said += [done.err, other.err, built.err]
    found = {key: stored.data for key, stored in store.buckets["out"].items()}
    for name in ("alone", "spark"):
        assert found[f"{name}/part-00000.tsv"].count(b"\n") > 20
    of_spark = {key: data for key, data in found.items() if key.startswith("spark")}
    assert of_spark == {key.replace("alone", "spark", 1): found[key] for key in found if key.startswith("alone")}
    assert len(of_spark) == 5
    assert (tmp_path / "spark.tsv").read_bytes() == (tmp_path / "alone.tsv").read_bytes()
    alone, indexed = files_in(tmp_path / "alone.index"), files_in(tmp_path / "spark.index")
    assert len(list(tmp_path.glob("events/*/events_*"))) == 3
    written = b"".join([*found.values(), *indexed.values(), *files_in(tmp_path / "events").values()])
    written += b"".join(files_in(tmp_path / "work").values())
    for secret in KEYS.values():
        assert secret.encode() not in written
        assert not [each for each in said if secret in each]
    del alone["run.json"], indexed["run.json"]
    assert indexed == alone


@with_spark
def test_workers_that_may_not_read_name_what_they_skip(store: ObjectStore, tmp_path: Path) -> None:
    """The driver lists the objects, and workers read them."""
    lay_both(store, tmp_path, sentences(3))

    def before(what: str, _: str, key: str) -> None:
        if what != "LIST" and key.endswith("t001-1.txt"):
            raise Refused(403, "AccessDenied")

    store.before = before
    env = environment(PYTHONPATH=SOURCE, **environment_of(store))
    found = [
        program("dedupe", "s3://bucket/docs/", *options, cwd=tmp_path, env=env)
        for options in (("-j1",), ("--engine", "spark", "--spark-master", "local[2]"))
    ]
    assert found[0].status == found[1].status == 3
    assert "s3://bucket/docs/below/t001-1.txt" in found[0].err
    assert "ACCESS_DENIED" in found[0].err
    assert (found[0].out, found[0].err) == (found[1].out, found[1].err)
