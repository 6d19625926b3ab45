"""Who takes part in a race: simdocs, other libraries in environments of their own, and sha256sum as a yardstick."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.contests import BANDS, ROWS, THRESHOLD, Contest
from benchmarks.dedupe import SIMDOCS

ROOT = Path(__file__).resolve().parents[1]

OWN, DOCUMENTED, EXPERT, ARRAYS, BYTES = "simdocs", "documented", "expert", "expert, compares arrays", "reads"
"""Kinds of contestants. DOCUMENTED: the fastest path that the library documents. EXPERT: NumPy hashes the shingles.
ARRAYS: NumPy compares the candidates, too. BYTES: it only reads the files."""

UNITS = ("char", "word")

ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("RAYON", "OMP", "OPENBLAS", "MKL")}

Command = Callable[[Contest, Path], list[str]]
"""Returns the command for a contest that writes its answer to this file."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """One row of the race."""

    name: str
    kind: str
    version: str
    command: Command
    units: tuple[str, ...] = UNITS
    answers: bool = True
    """Whether it writes pairs."""
    variables: dict[str, str] = field(default_factory=dict)
    why_not: str = ""
    """Why it cannot take part."""

    @property
    def environment(self) -> dict[str, str]:
        """The environment of its process: one thread, and compiled Python is kept between runs."""
        given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        return given | ONE_THREAD | {"PYTHONHASHSEED": "0"} | self.variables


@dataclass(frozen=True, slots=True)
class Rival:
    """A library: what to install, its driver in benchmarks/rivals, and its ways there, with what they are."""

    name: str
    driver: str
    packages: tuple[str, ...]
    ways: tuple[tuple[str, str, str], ...]
    """For each way: what it is called on the page, its kind, and what the driver calls it."""
    units: tuple[str, ...] = UNITS


RIVALS = (
    Rival("datasketch", "datasketch", ("datasketch", "mmh3"), (("datasketch, with mmh3", DOCUMENTED, "lists"),)),
    Rival("gaoya", "gaoya", ("gaoya",), (("gaoya", DOCUMENTED, "texts"),)),
    Rival(
        "rensa",
        "rensa",
        ("rensa", "numpy"),
        (
            ("rensa, full-set R-MinHash", DOCUMENTED, "lists"),
            ("rensa, fed with NumPy hashes", EXPERT, "hashes"),
            ("rensa, fed with and compared by NumPy hashes", ARRAYS, "hashes, compared"),
        ),
    ),
    Rival(
        "FastSketchLSH",
        "fastsketch",
        ("FastSketchLSH", "numpy"),
        (
            ("FastSketchLSH, fed with lists", DOCUMENTED, "lists"),
            ("FastSketchLSH, fed with NumPy hashes", EXPERT, "hashes"),
            ("FastSketchLSH, fed with and compared by NumPy hashes", ARRAYS, "hashes, compared"),
        ),
    ),
    Rival("near-dupes", "near_dupes", ("near-dupes",), (("near-dupes", DOCUMENTED, "all"),), ("char",)),
    Rival("text-dedup", "text_dedup", ("text-dedup",), (("text-dedup", DOCUMENTED, "program"),), ("word",)),
)


def simdocs(name: str = "simdocs", **variables: str) -> Contestant:
    """Return simdocs, with these environment variables."""

    def command(contest: Contest, answer: Path) -> list[str]:
        options = f"--all-copies --unit {contest.unit} -k {contest.k} --threshold {THRESHOLD}"
        options += f" --bands {BANDS} --rows {ROWS} -j1 -q -o"
        return [SIMDOCS, "pairs", str(contest.directory), *options.split(), str(answer)]

    told = subprocess.run(
        [SIMDOCS, "--version"], stdout=subprocess.PIPE, text=True, check=True, env=os.environ | variables
    )
    return Contestant(name, OWN, told.stdout.strip().removeprefix("simdocs "), command, variables=variables)


def sha256sum() -> Contestant:
    """Return the program that reads every file and computes its SHA-256."""
    version, why_not = "", "" if shutil.which("sha256sum") else "there is no sha256sum"
    if not why_not:
        told = subprocess.run(["sha256sum", "--version"], stdout=subprocess.PIPE, text=True, check=False)
        version = told.stdout.partition("\n")[0].rpartition(" ")[2]

    def command(contest: Contest, answer: Path) -> list[str]:  # noqa: ARG001
        return ["find", str(contest.directory), "-type", "f", "-exec", "sha256sum", "{}", "+"]

    return Contestant("sha256sum", BYTES, version, command, answers=False, why_not=why_not)


def contestants(home: Path, wanted: list[str] | None) -> Iterator[Contestant]:
    """Yield all contestants but simdocs itself: first those that need nothing, then the ways of the libraries.

    wanted: names of libraries, or None for all.
    """
    yield simdocs("simdocs, without kernels in C", SIMDOCS_KERNELS="numpy")
    yield sha256sum()
    for rival in RIVALS:
        if wanted is None or rival.name in wanted:
            yield from in_its_environment(rival, home / "environments" / rival.name)


def in_its_environment(rival: Rival, place: Path) -> Iterator[Contestant]:
    """Yield the ways of a library. It is installed into an environment at `place`, unless it is there."""
    python = place / "bin" / "python"
    version = why_not = ""
    try:
        version = installed(rival, place)
    except subprocess.CalledProcessError as error:
        lines = [line.strip() for line in (error.stderr or "").splitlines() if line.strip()]
        why_not = f"cannot be installed: {lines[-1] if lines else error}"
        print(f"{rival.name} {why_not}", flush=True)
    for name, kind, how in rival.ways:

        def command(contest: Contest, answer: Path, how: str = how) -> list[str]:
            task = (contest.directory, contest.unit, contest.k, THRESHOLD, BANDS, ROWS, answer, how)
            return [str(python), "-m", f"benchmarks.rivals.{rival.driver}", *map(str, task)]

        variables = {"PYTHONPATH": str(ROOT)}
        yield Contestant(name, kind, version, command, rival.units, variables=variables, why_not=why_not)


def installed(rival: Rival, place: Path) -> str:
    """Return the version of a library in its environment, which is made first if it is not complete.

    CalledProcessError: it cannot be installed.
    """
    note = place / "installed.json"
    if note.exists() and (known := json.loads(note.read_text()))["packages"] == list(rival.packages):
        return str(known["version"])
    print(f"installing {' and '.join(rival.packages)} into {place}", flush=True)
    shutil.rmtree(place, ignore_errors=True)
    python = str(place / "bin" / "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *rival.packages]
    which = [python, "-c", f"from importlib.metadata import version; print(version({rival.packages[0]!r}), end='')"]
    for command in ([sys.executable, "-m", "venv", str(place)], pip, which):
        told = subprocess.run(command, capture_output=True, text=True, check=True)
    note.write_text(json.dumps({"packages": list(rival.packages), "version": told.stdout}))
    return told.stdout
