"""An artifact that is built onto an old one has, byte for byte, what a build from scratch has."""

from __future__ import annotations

import json
import os
import shutil
import time
from contextlib import chdir
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.kernels import fracminhash
from simdocs.reading import files
from tests.amounts import examples, slow
from tests.commands.building import built, content
from tests.commands.histories import content_for, lines, names, steps, texts, write
from tests.reading.small_chunks import cut_small
from tests.runs import without_sync

ALLOWED = {"allow_shrink": True}

OF_LATER_STAGES: dict[str, Any] = {"num_perm": 16, "threshold": 0.5} | ALLOWED

HOUR = 3600 * 10**9

OPTIONS: dict[str, Any] = {
    "unit": "word",
    "k": 2,
    "num_perm": 16,
    "threshold": 0.5,
    "follow": True,
}


class Clock:
    """The clock of the program, which can be set. So files can be old at once."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.ahead = 0
        patch.setattr(files, "now", lambda: time.time_ns() + self.ahead)


def the_same(target: Path, **options: Any) -> None:
    """Hold that an update of the artifact is what a build from scratch is."""
    built(target, ["docs"], **options)
    compare(target, **options)


def chain_is_the_same(**options: Any) -> None:
    """Hold that of each stage when it is run onto its old artifact, from that of the stage before."""
    given: Any = ["docs"]
    for kind in ("shingles", "index") if options.get("containment") else ("shingles", "signatures", "index"):
        target = Path(f"x.{kind}")
        ignoring = {name: options[name] for name in ("ignore_common", "template", "containment") if name in options}
        built(target, given, **(options if kind == "shingles" else OF_LATER_STAGES | ignoring))
        compare(target, **options)
        given = target


def compare(target: Path, **options: Any) -> None:
    """Hold that the artifact is what a build from scratch is."""
    fresh = Path("fresh") / target.name
    shutil.rmtree("fresh", ignore_errors=True)
    os.mkdir("fresh")
    built(fresh, ["docs"], **options)
    was, wanted = content(target), content(fresh)
    assert was.keys() == wanted.keys()
    assert [name for name in was if was[name] != wanted[name]] == []


@pytest.mark.parametrize("kind", ["shingles", *slow("signatures", "index")])
def test_known_lines_whose_names_a_new_line_has_taken_are_dropped(tmp_path, monkeypatch, kind):
    """They are in the middle of chunks that are taken over, so that the rows of all that follow move."""
    cut_small(monkeypatch, 256)
    without_sync(monkeypatch)
    monkeypatch.chdir(tmp_path)
    os.mkdir("docs")
    docs = Path("docs/x.jsonl")
    known = [json.dumps({"id": f"n{at}", "text": f"the fox jumps over {at} lazy dogs"}) for at in range(60)]
    taken = [json.dumps({"id": f"n{at}", "text": f"{at} has another text by now"}) for at in (25, 26, 40)]
    news = [json.dumps({"id": f"new{at}", "text": f"a quick brown fox and {at} owls"}) for at in range(3)]
    for some in (known, taken + known, taken + known + news, news + known, known[:10] + taken + known[10:]):
        docs.write_text("\n".join(some) + "\n")
        the_same(Path(f"x.{kind}"), **OPTIONS, **ALLOWED)


@pytest.mark.parametrize("how", [{}, {"ignore_common": 0.9}])
def test_a_copy_takes_the_place_of_the_removed_first_document_in_the_sketch(tmp_path, monkeypatch, how):
    without_sync(monkeypatch)
    monkeypatch.setattr(fracminhash, "CUT_OFF", np.uint32(1 << 31))
    monkeypatch.chdir(tmp_path)
    os.mkdir("docs")
    lot = {
        "a": "the fox jumps over it",
        "b": "a lazy dog sleeps on",
        "c": "the fox jumps over it",
        "d": "an owl sees it",
    }
    for name, text in lot.items():
        Path("docs", name).write_text(text)
    the_same(Path("x.index"), containment=True, **OPTIONS, **ALLOWED, **how)
    assert len(np.unique(np.load("x.index/sketch_rows.npy"))) == 3
    os.unlink("docs/a")
    the_same(Path("x.index"), containment=True, **OPTIONS, **ALLOWED, **how)
    assert len(np.unique(np.load("x.index/sketch_rows.npy"))) == 3
    Path("docs/0").write_text(lot["b"])
    the_same(Path("x.index"), containment=True, **OPTIONS, **ALLOWED, **how)


moves = st.one_of(st.just(HOUR), st.just(0), st.just(-HOUR))


@given(
    st.lists(st.tuples(names, texts, lines), min_size=1, max_size=5),
    st.lists(st.tuples(st.lists(steps(), max_size=4), moves), min_size=1, max_size=4),
    st.sampled_from(["shingles", "signatures", "index", "chain"]),
    st.sampled_from([16, 64, 1 << 19]),
    st.sampled_from(
        [
            {},
            {"checksum": True},
            {"ignore_common": 0.3},
            {"ignore_common": 0.6, "template": ("template",)},
            {"containment": True},
            {"containment": True, "ignore_common": 0.3},
        ]
    ),
)
@examples(12)
def test_an_update_has_the_bytes_of_a_build_from_scratch(
    tmp_path_factory: pytest.TempPathFactory, begun: Any, history: Any, kind: str, size: int, how: dict[str, Any]
) -> None:
    place = tmp_path_factory.mktemp("history", numbered=True)
    with pytest.MonkeyPatch.context() as patch, chdir(place):
        cut_small(patch, size)
        without_sync(patch)
        patch.setattr(fracminhash, "CUT_OFF", np.uint32(1 << 31))  # half of the tokens: these texts have few
        set_clock = Clock(patch)
        os.mkdir("docs")
        write("./template", b"The fox jumps over the lazy dog")
        for name, text, rows in begun:
            write(name, content_for(name, text, rows))
        set_clock.ahead = HOUR
        hold = chain_is_the_same if kind == "chain" else partial(the_same, Path(f"x.{kind}"))
        hold(**OPTIONS, **ALLOWED, **how)
        for changes, ahead in history:
            for change in changes:
                change()
            set_clock.ahead += ahead
            hold(**OPTIONS, **ALLOWED, **how)
    shutil.rmtree(place)
