"""Artifacts that were written when format version 6 was new give the same answers. Version 5 is refused."""

from __future__ import annotations

import json
import shutil
import unicodedata
from itertools import pairwise
from pathlib import Path

import mmh3
import numpy as np
import pytest

from simdocs.model.documents import FILE
from tests.artifacts.tiny import KINDS, arrays_of
from tests.cli.program import simdocs
from tests.commands.building import damages, opened

GOLDEN = Path(__file__).resolve().parent / "golden" / "v6"
ARTIFACTS = sorted(path.name for path in GOLDEN.iterdir() if path.suffix[1:] in KINDS)

same_unicode = pytest.mark.skipif(
    unicodedata.unidata_version != "14.0.0", reason="made with Unicode 14.0.0, and this Python has another"
)


def test_there_is_a_golden_artifact_of_each_kind() -> None:
    assert {name.rpartition(".")[2] for name in ARTIFACTS} == set(KINDS)


@pytest.mark.parametrize("name", ARTIFACTS)
def test_golden_artifacts_pass_check(name: str) -> None:
    assert damages(GOLDEN / name) == []


@pytest.mark.parametrize("name", ARTIFACTS)
def test_numpy_maps_every_golden_array(name: str) -> None:
    manifest = json.loads((GOLDEN / name / "manifest.json").read_bytes())
    assert manifest["version"] == 6
    artifact = opened(GOLDEN / name)
    for array, facts in manifest["arrays"].items():
        mapped = np.load(GOLDEN / name / facts["file"], mmap_mode="r")
        assert list(mapped.shape) == facts["shape"]
        assert (mapped == artifact[array].all()).all()


def test_golden_arrays_hold_known_values() -> None:
    artifact = opened(GOLDEN / "docs.shingles")
    tokens, offsets, facts = (artifact[name].all() for name in ("tokens", "offsets", "documents"))
    names = artifact["names"].all().tobytes()
    ends = artifact["name_offsets"].all().tolist()
    rows = {names[begin:end].decode(): row for row, (begin, end) in enumerate(pairwise(ends))}
    assert list(rows)[4:8] == ["docs/latin.txt", "docs/lines.jsonl#one", "docs/lines.jsonl#2", "docs/short.txt"]
    plane = rows["docs/lines.jsonl#2"]
    by_hand = {mmh3.hash("the plane was ready"[at : at + 9], 0, signed=False) for at in range(11)}
    assert tokens[offsets[plane] : offsets[plane + 1]].tolist() == sorted(by_hand)
    assert (facts["length"][plane], facts["count"][plane], facts["container"][plane]) == (19, 11, 16)
    assert facts["flags"][[rows[f"docs/{name}.txt"] for name in ("a", "empty", "short", "latin", "wide")]].tolist() == [
        *(0, 1, 2, 4, 8)
    ]


@same_unicode
def test_golden_artifacts_give_known_answers(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN, tmp_path / "v6")
    done = simdocs("dedupe", "docs.index", "--shingles", "docs.shingles", cwd=tmp_path / "v6")
    assert done == (
        0,
        b"docs/a.txt\tdocs/b.txt\t0.780952\t0.796875\n"
        b"docs/a.txt\tdocs/copy.txt\t1.000000\t1.000000\n"
        b"docs/a.txt\tdocs/lines.jsonl#one\t0.845455\t0.875000\n",
        "",
    )
    asked = simdocs("query", "docs.index", "docs/b.txt", "--root", ".", "--top", "1", "--self", cwd=tmp_path / "v6")
    assert asked == (0, b"docs/b.txt\tdocs/b.txt\t1.000000\t1.000000\n", "")


@same_unicode
@pytest.mark.parametrize("name", ARTIFACTS)
def test_the_same_texts_still_make_the_golden_artifacts(name: str, tmp_path: Path) -> None:
    """Everything is equal except times and inodes."""
    shutil.copytree(GOLDEN / "docs", tmp_path / "docs")
    shutil.copy(GOLDEN / "stop.txt", tmp_path)
    artifact = opened(GOLDEN / name)
    command = artifact.run["command"]
    earlier = {"signatures": "shingles", "index": "signatures"}.get(artifact.kind)
    if earlier:
        shutil.copytree(GOLDEN / name.replace(artifact.kind, earlier), tmp_path / name.replace(artifact.kind, earlier))
    assert simdocs(*command[1:], cwd=tmp_path).status == 0
    made = opened(tmp_path / name)
    assert made.made_from == artifact.made_from
    assert made.recipe == artifact.recipe
    for array in arrays_of(artifact.kind):
        if array.name != "files":
            assert (made[array.name].all() == artifact[array.name].all()).all(), array.name
    noted = [name for name in FILE.names or () if name not in ("mtime_ns", "ctime_ns", "inode")]
    assert (made["files"].all()[noted] == artifact["files"].all()[noted]).all()


@same_unicode
@pytest.mark.parametrize(
    ("name", "signatures"),
    [
        ("formulas.signatures", [[2, 3], [0, 3], [2, 1], [0, 1]]),
        ("formulas.index", [[2, 3], [0, 3], [2, 1], [0, 1]]),
        ("orders.signatures", [[3, 2], [1, 2], [1, 1], [2, 3]]),
    ],
)
def test_artifacts_with_own_hash_functions_are_read_and_made_as_they_were(
    name: str, signatures: list[list[int]], tmp_path: Path
) -> None:
    own = GOLDEN.parent / "own"
    artifact = opened(own / name)
    assert damages(own / name) == []
    assert artifact.signatures.tolist() == signatures
    shutil.copytree(own / "sets", tmp_path / "sets")
    shutil.copy(own / "orders", tmp_path)
    assert simdocs(*artifact.run["command"][1:], "-q", cwd=tmp_path).status == 0
    assert opened(tmp_path / name).signatures.tolist() == signatures
    then, now = ((place / name / "manifest.json").read_text() for place in (own, tmp_path))
    until = then.index(' "arrays": {')  # checksums are of times and inodes, too
    assert now[:until] == then[:until]


@pytest.mark.parametrize("name", ARTIFACTS)
def test_artifacts_of_version_5_are_refused_with_a_remedy(name: str) -> None:
    said = f"simdocs: error: {name}: has format version 5, but this simdocs reads version 6: build it again\n"
    assert simdocs("info", name, cwd=GOLDEN.parent / "v5") == (4, b"", said)


@pytest.mark.parametrize("name", ARTIFACTS)
def test_an_artifact_of_version_5_is_replaced_by_its_stage(name: str, tmp_path: Path) -> None:
    shutil.copytree(GOLDEN.parent / "v5", tmp_path / "v5")
    stage = {"shingles": "shingle", "signatures": "signature", "index": "index"}[name.rpartition(".")[2]]
    done = simdocs(stage, "docs", "-o", name, cwd=tmp_path / "v5")
    said = f"{name}: has format version 5, but this simdocs reads version 6; it is rebuilt from scratch now"
    assert (done.status, done.out) == (0, b"") and done.err.endswith(f"simdocs: warning: {said}\n")
    assert damages(tmp_path / "v5" / name) == []
