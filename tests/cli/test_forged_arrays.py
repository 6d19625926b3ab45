"""Forged arrays with right checksums: what loops and allocations rely on is checked before it is used."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.amounts import slow
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.forged import Arrays, put, signed_anew
from tests.cli.program import simdocs

KINDS = {"shingles": "shingle", "signatures": "signature", "index": "index"}

EVERY = slice(None)


def set_fact(field: str, row: int, value: int) -> Callable[[Arrays], None]:
    return lambda arrays: arrays["documents"][field].__setitem__(row, value)


NOBODY = "holds the row of a document that does not exist"
OTHER = "holds a document that is not the first one with its text"
TWICE = "does not hold every distinct text once in each band"

ASKS = {
    "dedupe": ["dedupe", "x.index"],
    "against": ["dedupe", "docs", "new", "--against", "x.index"],
    "query": ["query", "x.index", "new"],
    "shingles": ["dedupe", "x.shingles"],
    "sign": ["signature", "x.shingles", "-o", "new.signatures"],
    "verify": ["query", "whole.index", "new", "--shingles", "x.shingles"],
    "info": ["info", "x.index"],
}

FORGED = {
    "an empty document in a band": (put("band_rows", 1, 3), {"dedupe": f"band_rows.npy: damaged: {TWICE}"}),
    "a text twice in a band": (put("band_rows", (2, 0), 5), {"dedupe": f"band_rows.npy: damaged: {TWICE}"}),
    "nobody in the bands": (
        put("band_rows", EVERY, (1 << 32) - 1),
        dict.fromkeys(("against", "query", "dedupe"), f"band_rows.npy: damaged: {NOBODY}"),
    ),
    "a copy of nobody": (
        put("same_as", EVERY, (1 << 32) - 1),
        dict.fromkeys(("against", "query"), f"same_as.npy: damaged: {NOBODY}"),
    ),
    "a copy of a copy": (put("same_as", EVERY, 2), {"query": f"band_rows.npy: damaged: {OTHER}"}),
    "names beyond the end": (
        put("name_offsets", slice(1, None), 1 << 40),
        dict.fromkeys(("dedupe", "against", "query", "info"), "name_offsets.npy: damaged: does not ascend from 0 to "),
    ),
    "names that overlap": (
        put("name_offsets", slice(1, None, 2), 0),
        dict.fromkeys(("query", "dedupe", "against", "info"), "name_offsets.npy: damaged: does not ascend from 0 to "),
    ),
    "negative sizes": (
        set_fact("size", 1, -(1 << 63)),
        dict.fromkeys(("info", "dedupe", "query"), "documents.npy: damaged: size of a document is out of range"),
    ),
    "endless lines": (
        set_fact("extent", 0, 1 << 62),
        dict.fromkeys(("query", "dedupe", "info"), "documents.npy: damaged: extent of a document is out of range"),
    ),
    "tokens beyond the end": (
        put("offsets", slice(1, None), 1 << 40),
        dict.fromkeys(("shingles", "sign", "verify"), "offsets.npy: damaged: does not ascend from 0 to "),
    ),
    "tokens that fall": (
        lambda arrays: arrays["tokens"].__setitem__(EVERY, arrays["tokens"][::-1].copy()),
        dict.fromkeys(("shingles", "verify"), "tokens.npy: damaged: the tokens of a document do not ascend "),
    ),
    "a name with a NUL": (
        put("names", 3, 0),
        dict.fromkeys(("dedupe", "against", "query", "info"), "names.npy: damaged: holds a NUL"),
    ),
    "tokens that overlap": (
        put("offsets", slice(1, None, 2), 0),
        dict.fromkeys(("verify", "shingles", "sign"), "offsets.npy: damaged: does not ascend from 0 to "),
    ),
}
"""What is forged, and what is said of it by those who ask for it."""

CASES = [[(what, ask) for ask in said] for what, (_, said) in FORGED.items()]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """docs with its artifacts. Rows: 0 a, 1 like a, 2 copy of a, 3 empty, 4 another, 5 like a."""
    root = tmp_path_factory.mktemp("honest")
    files = {"0": A, "1": A1, "2": A.upper(), "3": b"", "4": B, "5": A2}
    lay(root, {f"docs/{name}": data for name, data in files.items()} | {"new/a": A2 + b"!", "new/b": B})
    for kind, command in KINDS.items():
        assert simdocs(command, "docs", "-o", f"whole.{kind}", cwd=root) == (0, b"", "")
    return root


@pytest.mark.reliability(
    "forged arrays",
    "a forged array with right checksums: rows that do not exist, offsets that fall, absurd sizes",
    "Ends soon and in little memory: with status 4 and the name of the file, or with an answer.",
)
@pytest.mark.parametrize(
    ("what", "ask"), [asks[0] for asks in CASES] + slow(*(case for asks in CASES for case in asks[1:]))
)
def test_a_forged_array_is_named_and_takes_no_memory(honest, tmp_path, what, ask):
    change, said = FORGED[what]
    shutil.copytree(honest, tmp_path, dirs_exist_ok=True)
    kind = "shingles" if "x.shingles" in ASKS[ask] else "index"
    shutil.copytree(tmp_path / f"whole.{kind}", tmp_path / f"x.{kind}")
    signed_anew(tmp_path / f"x.{kind}", change)
    jobs = [] if ask == "info" else ["-j1"]
    done = simdocs(*ASKS[ask], *jobs, cwd=tmp_path, limits={resource.RLIMIT_AS: (1 << 30, 1 << 30)})
    assert (done.status, done.out, done.err.count("\n")) == (4, b"", 1)
    assert done.err.startswith(f"simdocs: error: x.{kind}/{said[ask]}")
    assert done.err.endswith(": build the artifact again\n")
    assert simdocs("check", f"x.{kind}", cwd=tmp_path).status == 4
