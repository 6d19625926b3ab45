"""A merge has, byte for byte, what one run over the same arguments has."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Sequence
from contextlib import chdir
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.commands import merged as command
from simdocs.kernels import fracminhash
from simdocs.pipeline import merging
from tests.amounts import examples
from tests.asked import ASKED
from tests.commands.building import built, content, damages, opened
from tests.commands.histories import NAMES, content_for, lines, texts, write
from tests.reading.small_chunks import cut_small
from tests.runs import answered, without_sync

OPTIONS: dict[str, Any] = {"unit": "word", "k": 2, "num_perm": 16, "threshold": 0.5, "follow": True}

KINDS = ("shingles", "signatures", "index")

ARGUMENTS = ("docs/a", "docs/b", "docs/c", "docs/d", "docs/e")


def merge(target: str, *artifacts: str, **options: Any) -> Any:
    """Merge artifacts on disk."""
    return answered(ASKED["merge"](artifacts=artifacts, output=target, **options))


def hold_equal(target: str, wanted: str) -> None:
    """Hold that two artifacts have the same bytes, and that run.json records the same about documents."""
    was, whole = content(Path(target)), content(Path(wanted))
    assert was.keys() == whole.keys()
    assert [name for name in was if was[name] != whole[name]] == []
    assert damages(target) == []
    merged, once = (json.loads(Path(name, "run.json").read_text()) for name in (target, wanted))
    for key in ("root", "max_size", "given", "skipped"):
        assert merged[key] == once[key], key
    assert merged["read_ns"] <= once["read_ns"]


def in_small_pieces(patch: pytest.MonkeyPatch, size: int, most: int) -> None:
    """Copy and merge a few values at a time, and keep at most so many artifacts open."""
    for name in ("_ROWS_AT_ONCE", "_TOKENS_AT_ONCE", "_ENTRIES_AT_ONCE", "_NAMES_AT_ONCE"):
        patch.setattr(merging, name, size)
    patch.setattr(command, "most_open", lambda _kind: most)


@st.composite
def shards(draw: st.DrawFn) -> tuple[list[str], list[int]]:
    """Some arguments in any order, and where they are cut into shards. A shard may be empty."""
    arguments = draw(st.permutations(ARGUMENTS))[: draw(st.integers(1, len(ARGUMENTS)))]
    cuts = draw(st.lists(st.integers(0, len(arguments)), max_size=3))
    return arguments, [0, *sorted(cuts), len(arguments)]


files = st.tuples(st.sampled_from(ARGUMENTS), st.sampled_from(NAMES)).map("/".join)


@given(
    st.lists(st.tuples(files, texts, lines), max_size=12),
    st.lists(st.tuples(files, st.sampled_from(ARGUMENTS), st.sampled_from([os.link, os.symlink])), max_size=3),
    shards(),
    st.integers(0, 4),
    st.sampled_from(KINDS),
    st.sampled_from([1, 3, 1 << 20]),
    st.integers(0, 3),
    st.sampled_from([{}, {"template": ("template",)}, {"containment": True}, {"multiset": True}]),
    st.tuples(files, texts, lines),
)
@examples(12)
def test_a_merge_has_the_bytes_of_one_run(
    tmp_path_factory: pytest.TempPathFactory,
    tree: Any,
    links: Any,
    parts: tuple[Sequence[str], Sequence[int]],
    split: int,
    kind: str,
    size: int,
    most: int,
    how: dict[str, Any],
    change: Any,
) -> None:
    place = tmp_path_factory.mktemp("merge", numbered=True)
    options = OPTIONS | how
    with pytest.MonkeyPatch.context() as patch, chdir(place):
        cut_small(patch, 64)
        without_sync(patch)
        in_small_pieces(patch, size, most)
        patch.setattr(fracminhash, "CUT_OFF", np.uint32(1 << 31))  # half of the tokens: these texts have few
        write("./template", b"The fox jumps over the lazy dog")
        for argument in ARGUMENTS:
            os.makedirs(argument)
        os.mkdir("nothing")
        for name, text, rows in tree:
            write(name, content_for(name, text, rows))
        for name, folder, link in links:
            with contextlib.suppress(OSError):
                link(os.path.abspath(name), f"{folder}/link.{os.path.basename(name)}")
        arguments, cuts = parts
        names = list[str]()
        for number, (begin, end) in enumerate(pairwise(cuts)):
            names.append(f"{number}.{kind}")
            built(Path(names[-1]), [*arguments[begin:end]] or ["nothing"], **options)
        everything = [word for begin, end in pairwise(cuts) for word in arguments[begin:end] or ["nothing"]]
        built(Path(f"all.{kind}"), everything, **options)
        merge(f"merged.{kind}", *names)
        hold_equal(f"merged.{kind}", f"all.{kind}")
        in_memory = simdocs.merge(*map(opened, names))
        for name, column in opened(f"all.{kind}").columns.items():
            assert np.array_equal(in_memory[name].all(), column.all()), name
        split = min(split, len(names))
        halves = [(f"{at}half.{kind}", some) for at, some in enumerate((names[:split], names[split:])) if some]
        for name, some in halves:
            merge(name, *some)
        merge(f"merged.{kind}", *(name for name, _ in halves))
        hold_equal(f"merged.{kind}", f"all.{kind}")
        if kind != "index":
            later = {name: options[name] for name in ("num_perm", "threshold", "template") if name in options}
            fixed = {} if kind == "shingles" else {"threshold": 0.5}
            for given_kind in ("merged", "all"):
                built(Path(f"{given_kind}.index"), Path(f"{given_kind}.{kind}"), **(fixed or later))
            assert content(Path("merged.index")) == content(Path("all.index"))
        name, text, rows = change
        write(name, content_for(name, text, rows))
        built(Path(f"merged.{kind}"), everything, allow_shrink=True, **options)
        built(Path(f"all.{kind}"), everything, rebuild=True, allow_shrink=True, **options)
        assert content(Path(f"merged.{kind}")) == content(Path(f"all.{kind}"))
    shutil.rmtree(place)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory to work in."""
    monkeypatch.chdir(tmp_path)
    without_sync(monkeypatch)
    return tmp_path


def lay(**files: str) -> None:
    """Write texts to files: `docs_x` is the file x in the directory docs."""
    for name, text in files.items():
        write(f"./{name.replace('_', '/', 1)}", text.encode())


FOX, OWL, DOG = "the fox jumps over the dog", "an owl sees the lazy dog", "a dog barks at the fox and the owl"


@pytest.mark.parametrize("most", [0, 1, 9])
def test_an_artifact_that_is_replaced_while_it_is_merged_is_not_mixed_with_the_new_one(here, monkeypatch, most):
    lay(a_x=FOX, b_x=OWL)
    for name in "ab":
        built(Path(f"{name}.index"), [name])
    built(Path("all.index"), ["a", "b"])
    arrays = command.merge_arrays

    def replace_first(*given: Any) -> Any:
        lay(a_x=DOG, b_x=DOG)
        for name in "ab":
            built(Path(f"{name}.index"), [name])
        return arrays(*given)

    monkeypatch.setattr(command, "merge_arrays", replace_first)
    in_small_pieces(monkeypatch, 1, most)
    if most < 2:
        replaced = "b" if most else "a"
        message = rf"{replaced}\.index: it was replaced while it was merged: merge again"
        with pytest.raises(simdocs.ArtifactError, match=message):
            merge("merged.index", "a.index", "b.index")
        assert not Path("merged.index").exists()
    else:  # all of them are still open, as they were
        merge("merged.index", "a.index", "b.index")
        hold_equal("merged.index", "all.index")


def test_a_merge_counts_the_tokens_of_its_sketch(here, monkeypatch):
    monkeypatch.setattr(fracminhash, "CUT_OFF", np.uint32(1 << 31))
    lay(a_x=FOX, b_x=OWL)
    for name in "ab":
        built(Path(f"{name}.index"), [name], containment=True, **OPTIONS)
    facts = merge("c.index", "a.index", "b.index").summary()
    assert facts["sketch_tokens"] == len(opened("c.index")["sketch_tokens"]) > 0


def test_a_merge_that_loses_documents_warns_or_replaces_nothing(here):
    lay(a_x=FOX, b_y=OWL, b_z=DOG, **{f"c.txt_{at}": f"{FOX} {at}" for at in range(3)})
    for name in ("a", "b", "c.txt"):
        built(Path(f"{name}.index"), [name])
    write("./d.txt", DOG.encode())
    built(Path("d.index"), ["d.txt"])
    merge("all.index", "a.index", "b.index", "c.txt.index", "d.index")
    before = content(Path("all.index"))
    with pytest.raises(simdocs.ShrunkError, match=r"it has 7 documents, and would have 3 now"):
        merge("all.index", "c.txt.index")
    for name in ("y", "z"):
        os.unlink(f"b/{name}")
    built(Path("b.index"), ["b"], allow_shrink=True)
    with pytest.raises(simdocs.ShrunkError, match=r"b had 2 documents at the last build and has 0 now"):
        merge("all.index", "a.index", "b.index", "c.txt.index", "d.index")
    assert content(Path("all.index")) == before
    result = merge("all.index", "a.index", "b.index", "c.txt.index", allow_shrink=True)
    assert result.summary()["update"]["note"] == "it was built from other arguments"
    assert len(result.documents) == 4


def recorded(target: str, *names: str) -> list[Any]:
    """What run.json of an artifact records under these names; None: nothing."""
    run = json.loads(Path(target, "run.json").read_text())
    return [run.get(name) for name in names]


def test_absolute_names_need_no_root_and_what_is_not_known_of_an_artifact_is_left_out(here):
    lay(a_x=FOX, b_y=OWL)
    for name, file in ("a", "x"), ("b", "y"):
        with chdir(name):
            built(Path(f"../{name}.index"), [f"{here}/{name}"])
            built(Path(f"../in_{name}.index"), [file])
    merge("all.index", "b.index", "a.index")
    both = [[f"{here}/{name}", 1] for name in "ba"]
    read_ns = min(recorded(f"{name}.index", "read_ns")[0] for name in "ab")
    assert recorded("all.index", "root", "given", "read_ns") == [
        f"{here}/b",
        both,
        read_ns,
    ]
    assert recorded("all.index", "max_size") == recorded("a.index", "max_size") != [None]
    os.unlink("b.index/run.json")
    merge("all.index", "b.index", "a.index", allow_shrink=True)
    known = [str(here), [["b.index", 1], both[1]], None, None]
    assert recorded("all.index", "root", "given", "read_ns", "max_size") == known
    os.symlink("a", "link")
    with chdir("a"):
        built(Path("../more.index"), ["./x"])
    with pytest.raises(
        simdocs.UsageError, match=rf"^in_a\.index was built in {here}/a, and in_b\.index in {here}/b, so"
    ):
        merge("new.index", "in_a.index", "more.index", "in_b.index")
    merge("new.index", "in_a.index", "in_b.index", root="link")
    assert recorded("new.index", "root") == [f"{here}/a"]
    os.unlink("in_a.index/run.json")
    with pytest.raises(simdocs.ArtifactError, match=r"^in_a\.index/run\.json: missing or damaged, so it is not known"):
        merge("new.index", "in_a.index")
    given = simdocs.open("a.index")
    with pytest.raises(simdocs.UsageError, match=r"^a\.index: this artifact is given twice: name each artifact once$"):
        simdocs.merge(given, given)


def test_run_json_has_the_time_of_the_run_in_utc(here, monkeypatch):
    began_ns = 17 * 10**17 + 5
    lay(a_x=FOX)
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        patch.setattr("simdocs.reading.files.now", lambda: began_ns)
        built(Path("a.index"), ["a"])
    time.tzset()
    assert recorded("a.index", "start", "read_ns") == ["2023-11-14T22:13:20Z", began_ns]


def test_an_artifact_of_an_artifact_records_the_run_that_read_the_documents(here):
    lay(a_x=FOX, a_0="\0")
    read = answered(ASKED["shingle"](documents=("a",), output="a.shingles", max_size=1000))
    with chdir("a"):
        made = answered(ASKED["index"](documents=("../a.shingles",), output="../a.index"))
        lay(form_x=FOX)
        without = answered(
            ASKED["signature"](documents=("../a.shingles",), output="x.signatures", template=("form/x",))
        )
    assert [each.shown_name for each in without.skipped.kept("ignored")] == [os.fsencode(here / "a/x")]
    facts = ("root", "read_ns", "max_size", "skipped")
    assert recorded("a.index", *facts) == recorded("a.shingles", *facts)
    assert recorded("a.shingles", "root", "max_size", "skipped", "given") == [
        str(here),
        1000,
        {"binary": 1},
        [["a", 1]],
    ]
    assert recorded("a.index", "given") == [[["../a.shingles", 1]]]
    assert (len(read.advice), made.advice) == (1, ())  # about k
