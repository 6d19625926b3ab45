"""The artifact that a build replaces: with what it was built, from what, and whether too much would be lost."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import pytest

import simdocs
from simdocs.commands.standing import built_with, other_arguments, recorded_arguments, refuse_shrinking
from tests.cli.corpus import lay

BUILT: list[tuple[dict[str, tuple[Any, Any]], str, str]] = [
    ({"nfkc": (False, True)}, "without --nfkc", "without --nfkc"),
    ({"nfkc": (True, False), "k": (9, 5)}, "with --nfkc, -k 9", "with --nfkc; -k 9, not 5"),
    ({"k": (9, 5), "nfkc": (False, True)}, "with -k 9 and without --nfkc", "with -k 9, not 5 and without --nfkc"),
    ({"ignore_common": (1.0, 0.5)}, "without --ignore-common", "without --ignore-common"),
    ({"ignore_common": (0.5, 1.0)}, "with --ignore-common 0.5", "with --ignore-common 0.5"),
    (
        {"template_digest": ("x", "y"), "ignored_digest": ("x", "y")},
        "with another --template",
        "with another --template",
    ),
    ({"template_digest": ("x", "")}, "with --template", "with --template"),
    ({"stop_word_list": ("", "y")}, "without --stop-words", "without --stop-words"),
    ({"unicode": ("14.0.0", "15.0.0")}, "with the tables of Unicode 14.0.0", "with the tables of Unicode 14.0.0"),
    ({"items": (("a",), ("b",)), "item_tokens": ((1,), (2,))}, "with other shingles", "with other shingles"),
]
OWN = {"scheme": ("functions", "fss"), "num_perm": (1, 128), "functions": (("x mod 5",), ()), "items": (("1",), ())}


@pytest.mark.parametrize(("found", "said", "both"), [*BUILT, (OWN, *["with --functions x mod 5"] * 2)])
def test_an_artifact_was_built_with_what_it_has_and_without_what_it_lacks(found, said, both):
    assert (built_with(found), built_with(found, both=True)) == (said, both)


def test_half_of_an_argument_may_be_lost_and_a_single_file_if_it_is_there(tmp_path, monkeypatch):
    monkeypatch.chdir(lay(tmp_path, {"file": b""}))
    docs = {"given": [["docs", 9], ["docs", 1]]}
    for run, given in (
        (docs, [["docs", 5]]),
        (docs, [["docs", 3], ["docs", 2]]),
        (docs, [["other", 0]]),
        ({}, [["docs", 3], ["more", 2]]),
        ({"given": [["file", 1]]}, [["file", 0]]),
    ):
        refuse_shrinking("x", run, given, 10)
    mounted = r"check that \w+ is complete \(is it mounted\?\), or"
    for run, given, said in (
        (docs, [["docs", 4]], "docs had 10 documents at the last build and has 4 now, .* is complete, or"),
        (docs, [["docs", 0]], mounted),
        ({}, [["docs", 2], ["more", 2]], "it has 10 documents, and would have 4 now"),
        ({"given": [["file", 2]]}, [["file", 0]], "file had 2 .* is complete, or"),
        ({"given": [["gone", 1]]}, [["gone", 0]], mounted),
    ):
        with pytest.raises(simdocs.ShrunkError, match=f"^x: .*{said}"):
            refuse_shrinking("x", run, given, 10)


def test_of_the_directories_that_are_new_or_gone_the_first_three_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "c", "d", "docs"):
        os.mkdir(name)
    names = ["gone/x", "docs/y", "docs/z", "file"]
    recorded = [["gone", 1], ["docs", 2], ["file", 1]]
    run = {"given": [*recorded, ["odd"], [3, 1], ["x", "1"], "docs", ["y", 1, 2]]}
    assert recorded_arguments(run) == recorded
    assert recorded_arguments({"given": 3}) == recorded_arguments({}) == []
    artifact: Any = SimpleNamespace(name="x", run=run, n_documents=4, documents=SimpleNamespace(name=names.__getitem__))
    for now, said in (
        (["gone", "docs", "other file"], ""),
        (["docs"], "gone is not given any more"),
        (["gone", "docs", "c", "b", "a"], "a, b, c are new"),
        (["docs", "d", "c", "b", "a"], "gone is not given any more; a, b, c and 1 more are new"),
        (["a", "docs.index"], ""),
    ):
        told = other_arguments(artifact, [[word, 1] for word in now])
        assert told == (f"x was built from other directories: {said}" if said else "")
