"""show, info and check of what is in memory: texts, and artifacts that are objects."""

from __future__ import annotations

import numpy as np
import pytest

import simdocs
from tests.api.asking import BUILD, KINDS
from tests.cli.corpus import A1, A, B, lay

TEXTS = [A, A1, B, b""]


def test_a_text_in_memory_is_shown_as_the_file_with_its_bytes(tmp_path):
    keywords = {"unit": "word", "k": 2}
    (tmp_path / "text").write_bytes(A)
    expected = list(simdocs.show(tmp_path / "text", **keywords))
    assert list(simdocs.show(text=A, **keywords)) == list(simdocs.show(text=A.decode(), **keywords)) == expected
    assert expected


@pytest.mark.parametrize("kind", KINDS)
def test_info_says_the_same_of_an_artifact_in_memory_and_on_disk(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    lay(tmp_path, {f"docs/{number}": text for number, text in enumerate(TEXTS)})
    made, path = BUILD[kind]("docs"), f"x.{kind}"
    opened = BUILD[kind]("docs", output=path)
    told = [[fact for fact in simdocs.info(one) if fact[0] != "start"] for one in (made, opened, path)]
    assert told[0] == told[1] == told[2]
    assert dict(told[0])["documents"] == len(TEXTS)


@pytest.mark.parametrize("kind", KINDS)
def test_artifacts_in_memory_are_undamaged_until_an_array_is_changed(tmp_path, kind):
    made = BUILD[kind](texts=TEXTS)
    opened = BUILD[kind](texts=TEXTS, output=tmp_path / f"x.{kind}")
    assert not simdocs.check(made, opened, tmp_path / f"x.{kind}")
    column = {"shingles": "tokens", "signatures": "ignored", "index": "band_keys"}[kind]
    array = made[column].all()
    if column == "ignored":
        made.columns[column].array = np.array([1], np.uint32)
    else:
        array.reshape(-1)[:] = array.reshape(-1)[::-1].copy()
    found = [line for _, line in simdocs.check(made)]
    assert found and all(f"the {kind} given/" in line and ": damaged: " in line for line in found)
