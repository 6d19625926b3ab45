"""check, and tokens that are left out of all documents, which somebody has forged."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.cli.corpus import lay
from tests.cli.forged import Arrays, exchange, put, signed_anew
from tests.cli.program import Done, simdocs

TEMPLATE = b"This page is part of the manual of the ferry company, and tells passengers what they must know: "


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Signatures of six different pages of one template, a copy of one, and the template alone."""
    root = lay(tmp_path_factory.mktemp("pages"), {f"docs/{at}": TEMPLATE + b"%d" % at**9 * 6 for at in range(1, 7)})
    lay(root, {"docs/copy": (root / "docs/3").read_bytes(), "docs/form": TEMPLATE})
    assert run(root, "signature docs --ignore-common 0.5 -o x.signatures").status == 0
    return root


def run(where: Path, line: str) -> Done:
    return simdocs(*line.split(), cwd=where)


def fact(field: str, value: int) -> Callable[[Arrays], None]:
    return lambda arrays: arrays["documents"][field].__setitem__(0, value)


def fewer(arrays: Arrays) -> None:
    arrays["ignored"] = arrays["ignored"][1:]


BROKEN = {
    "unsorted": (lambda arrays: exchange(arrays["ignored"], 3, 4), "ignored.npy: damaged: does not ascend without"),
    "another token": (put("ignored", 0, 1), "ignored.npy: damaged: does not have the digest in manifest.json"),
    "a token less": (fewer, "ignored.npy: damaged: does not have the digest in manifest.json"),
    "too many left out": (fact("ignored", 1 << 20), "documents.npy: damaged: the numbers of units and tokens"),
    "wrongly left out": (fact("flags", 64), "documents.npy: damaged: the number of tokens that are left out of a doc"),
    "signed": (put("signatures", 7, np.arange(128)), "signatures.npy: damaged: a document without tokens has a sign"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_check_finds_forged_tokens_that_are_left_out(pages, tmp_path, how):
    change, said = BROKEN[how]
    shutil.copytree(pages / "x.signatures", tmp_path / "x.signatures")
    signed_anew(tmp_path / "x.signatures", change)
    done = run(tmp_path, "check x.signatures")
    assert (done.status, said in done.err) == (4, True), done.err
    if how == "a token less":  # other tokens are never left out than those of the manifest
        assert run(tmp_path, "dedupe x.signatures").status == 4
