"""The program on clusters whose workers have nothing but an archive of an environment, as docs/scale.md sends it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.corpus import lay
from tests.cli.spark_answers import texts
from tests.spark import CLUSTER, spark_home, with_spark

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


class Place(NamedTuple):
    """A directory with an archive of an environment and documents.

    python: the interpreter of the driver, in whose environment simdocs is installed, as a copy.
    home: the directory of Spark.
    """

    directory: Path
    python: Path
    home: Path

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables of the program and of Spark. No module is found but those that are installed."""
        usual = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SPARK_"))}
        return usual | {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(self.home)}

    def run(self, *command: str | Path, **variables: str) -> None:
        """Run a command, which must succeed, in this directory."""
        where = self.environment | variables
        done = subprocess.run(command, cwd=self.directory, env=where, capture_output=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr.decode()

    def expect(self, answer: str) -> None:
        """Make sure that an answer is that of one process, and that all other Pythons were the archive's."""
        self.run(self.python, "-m", "simdocs", "dedupe", "docs", "-j1", "-o", "alone.tsv")
        expected = (self.directory / "alone.tsv").read_bytes()
        assert (self.directory / answer).read_bytes() == expected != b""
        prefixes = {path.read_text() for path in (self.directory / "began").iterdir()}
        assert prefixes
        assert all(prefix.endswith("/environment") for prefix in prefixes)


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A directory with the archive. Each Python that begins in it leaves the name of its environment in began/."""
    pytest.importorskip("venv_pack", reason="no venv-pack: pip install venv-pack")
    directory = tmp_path_factory.mktemp("packed")
    home = spark_home(tmp_path_factory.mktemp("spark"))
    lay(directory, {f"docs/{number % 9}/{number}": text.encode() for number, text in enumerate(texts(7, 300))})
    driver, sent = directory / "driver", directory / "sent"
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if "simdocs" not in entry.name:
            (_new_environment(driver) / entry.name).symlink_to(entry)
    modules = _new_environment(sent)
    for name in ("numpy", "mmh3"):
        for file in distribution(name).files or ():
            if ".." not in file.parts and "tests" not in file.parts:
                (modules / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(str(file.locate()), modules / file)
    (directory / "began").mkdir()
    mark = f"import os, sys; open('{directory}/began/' + str(os.getpid()), 'w').write(sys.prefix)\n"
    (modules / "mark.pth").write_text(mark)
    place = Place(directory, driver / "bin/python", home)
    place.run(sys.executable, "-m", "venv_pack", "-q", "-p", sent, "-o", "environment.tar.gz")
    return place


def _new_environment(directory: Path) -> Path:
    """The directory of the modules of an environment, which has simdocs, and is made by the first call."""
    if not directory.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", directory], check=True)
        (modules,) = directory.glob("lib/python*/site-packages")
        shutil.copytree(ROOT / "simdocs", modules / "simdocs", ignore=shutil.ignore_patterns("__pycache__"))
    (modules,) = directory.glob("lib/python*/site-packages")
    return modules


@with_spark
def test_spark_submit_sends_an_archive_to_workers(packed: Place):
    packed.run(
        *(packed.home / "bin/spark-submit", "--master", CLUSTER, "--archives", "environment.tar.gz#environment"),
        *(ROOT / "examples/spark_submit.py", "dedupe", "docs", "--engine", "spark", "-o", "submitted.tsv"),
        PYSPARK_PYTHON="./environment/bin/python",
        PYSPARK_DRIVER_PYTHON=str(packed.python),
    )
    packed.expect("submitted.tsv")


@with_spark
def test_a_cluster_gets_an_archive_from_the_program(packed: Place):
    with standalone_cluster(packed) as master:
        packed.run(
            *(packed.python, "-m", "simdocs", "dedupe", "docs", "--engine", "spark", "--spark-master", master),
            *("--spark-conf", "spark.archives=environment.tar.gz#environment", "-o", "sent.tsv"),
            PYSPARK_PYTHON="./environment/bin/python",
        )
    packed.expect("sent.tsv")


@contextmanager
def standalone_cluster(place: Place) -> Iterator[str]:
    """Yield the address of a master of Spark with one worker that has two cores, processes of this machine."""
    started = list[subprocess.Popen[bytes]]()

    def start(name: str, *arguments: str | Path) -> Path:
        log = place.directory / f"{name}.log"
        program = place.home / "bin/spark-class", f"org.apache.spark.deploy.{name.lower()}.{name}"
        common = ("--host", "127.0.0.1", "--webui-port", "0")
        with log.open("wb") as stream:
            process = subprocess.Popen([*program, *common, *arguments], env=place.environment, stderr=stream)
        started.append(process)
        return log

    try:
        address = _found(start("Master", "--port", "0"), r"Starting Spark master at (spark://\S+)")
        worker = start("Worker", "-c", "2", "-m", "1G", "-d", place.directory / "work", address)
        _found(worker, "(Successfully registered) with master")
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(60)


def _found(log: Path, pattern: str) -> str:
    """What a process writes into its log sooner or later."""
    for _ in range(600):
        if found := re.search(pattern, log.read_text()):
            return found[1]
        time.sleep(0.2)
    raise AssertionError(log.read_text())
