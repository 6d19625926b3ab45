"""The public names, what importing them costs, and what a type checker makes of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import simdocs

ROOT = Path(__file__).resolve().parent.parent.parent

TYPED = """
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import simdocs

sets: simdocs.Shingles = simdocs.shingle("docs", Path("more"), unit="word", k=3, jobs=2)
signed: simdocs.Signatures = simdocs.signature(sets, num_perm=64)
built: simdocs.BandIndex = simdocs.index(texts=["a", b"b"], names=["one", b"two"], threshold=0.5, bands=None)
keys: NDArray[np.uint64] = built.tables.keys
others = simdocs.dedupe(texts=(text for text in "ab"), names=[1, ("b", 2)])
labels: NDArray[np.int64] = others.labels
found = simdocs.query(built, os.fsencode("x"), top=3)
assert isinstance(found, simdocs.SimilarPairs)
name: str = built.documents.name(found.pairs.right.tolist()[0])
asked, match, jaccard, estimate = next(found.rows())
similarity: float = jaccard
compared: simdocs.Comparison = simdocs.compare("a.txt", Path("b.txt"), unit=["char", "word"], k=3, diff="words")
several = simdocs.compare("a.txt", "b.txt", "c.txt")
assert isinstance(several, simdocs.SimilarityMatrix)
decision = simdocs.dedupe("docs.index", threshold=0.9, verify="estimate")
skipped: dict[str, int] = decision.skipped.counts
for row in decision:
    first: str = row[0]
pairs: simdocs.SimilarPairs = simdocs.pairs("docs", measure="containment", all_copies=True)
passages: simdocs.Result = simdocs.passages("docs", min_passage=70)
decision.write(Path("x.tsv"), "groups", header=True)
page: bytes = simdocs.report(decision, figure="sizes", summary_json="x.json").figure("sizes")
measured: float = simdocs.similarity("a", b"b", measure="edit", k=2)
shown = (*simdocs.show(text="a"), *simdocs.show(built, "docs/a.txt"))
problems: list[tuple[str, str]] = list(simdocs.check(built, "docs.index"))
opened = simdocs.open("docs.index")
assert isinstance(opened, simdocs.BandIndex)
"""

UNTYPED = {
    "simdocs.dedup('docs')": "attr-defined",
    "simdocs.shingle('docs', units='word')": "call-overload",
    "simdocs.shingle('docs', unit='words')": "call-overload",
    "simdocs.shingle('docs', threshold=0.5)": "call-overload",
    "simdocs.index('docs', k='9')": "call-overload",
    "simdocs.dedupe('docs', pairs=True)": "call-overload",
    "simdocs.show('a', text='b')": "call-overload",
}


def test_every_public_name_can_be_imported_and_is_documented():
    assert sorted(set(simdocs.__all__)) == simdocs.__all__ == dir(simdocs)
    for name in simdocs.__all__:
        assert getattr(simdocs, name) is not None
    assert {name for name in simdocs.__all__ if name.endswith("Error")} == {
        *("SimdocsError", "UsageError", "InputError", "OutputError", "ArtifactError", "ParametersError"),
        *("LockedError", "ShrunkError", "WorkerError", "UnjudgedError", "UnreachableRecallError", "MemoryNeededError"),
        "MissingExtraError",
    }
    assert all(issubclass(getattr(simdocs, name), simdocs.SimdocsError) for name in dir(simdocs) if "Error" in name)
    with pytest.raises(AttributeError, match="module 'simdocs' has no attribute 'dedup'"):
        getattr(simdocs, "dedup")  # noqa: B009  (mypy would find it)


def in_python(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def test_importing_is_cheap():
    heavy = "[name for name in ('numpy', 'click', 'mmh3', 'rich', 'tqdm', 'multiprocessing') if name in sys.modules]"
    assert in_python(f"import sys, simdocs; dir(simdocs), simdocs.__version__; print({heavy})") == "[]\n"
    assert in_python(f"import sys; from simdocs import UsageError; print({heavy})") == "[]\n"
    used = in_python(f"import sys, simdocs; simdocs.dedupe(texts=['a']); print({heavy})")
    assert "numpy" in used
    assert not any(name in used for name in ("click", "rich", "tqdm"))


@pytest.mark.slow
def test_a_type_checker_accepts_right_calls_and_rejects_wrong_ones(tmp_path: Path):
    (tmp_path / "typed.py").write_text(TYPED)
    lines = [f"{call}  # {code}" for call, code in UNTYPED.items()]
    (tmp_path / "untyped.py").write_text("import simdocs\n" + "\n".join(lines) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary"]
    command += ["--config-file=", f"--cache-dir={tmp_path / 'cache'}", "typed.py", "untyped.py"]
    # An editable install is not where mypy looks for packages.
    env = os.environ | {"MYPYPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=300)
    found = done.stdout.splitlines()
    assert [line for line in found if not line.startswith("untyped.py") and " error: " in line] == []
    errors = {int(line.split(":")[1]): line for line in found if " error: " in line}
    for number, code in enumerate(UNTYPED.values(), 2):
        assert errors[number].endswith(f"[{code}]")
    assert len(errors) == len(UNTYPED)
