"""What makes no sense is refused, with the option named and what it must be; nothing is done."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import simdocs
from simdocs.options.families import UNITS
from tests.asked import ASKED, OPTIONS
from tests.cli.corpus import A1, A

STAGES = (simdocs.shingle, simdocs.dedupe)

WRONG = [
    *[("unit", value, f"one of {', '.join(UNITS)}") for value in ("chars", [])],
    *[("k", value, "a whole number from 1 to 1000") for value in (0, 2.0, "9", True, math.inf)],
    *[("seed", value, "a whole number below 2^32, or random") for value in (-1, "chance")],
    *[("multiset", value, "True or False") for value in (1, "no")],
    *[("include", value, "a tuple of patterns") for value in ("*.txt", (b"x",))],
    ("text_field", b"text", "a text"),
    *[("max_size", value, "a size in bytes") for value in (-1, "1M")],
    ("scheme", "minhash", "one of fss, permutation"),
    *[("threshold", value, "above 0 and up to 1") for value in (1.1, math.nan, "0.8", True)],
    ("verify", True, "one of exact, estimate"),
]


@pytest.mark.parametrize(("name", "value", "wanted"), WRONG)
def test_wrong_values_are_refused(name, value, wanted):
    with pytest.raises(simdocs.UsageError) as caught:
        simdocs.dedupe("docs", **{name: value})
    said = str(caught.value).partition(": did you mean")[0]
    assert said.startswith(f"{OPTIONS[name].flag} must be ") and said.endswith(f", not {value!r}") and wanted in said


def test_unknown_options_and_those_of_later_stages_are_refused(here):
    with pytest.raises(TypeError, match=r"has no option kk, treshold$"):
        simdocs.dedupe("docs", treshold=0.5, kk=3)
    with pytest.raises(TypeError, match="has no option num_perm"):
        simdocs.shingle("docs", num_perm=64)
    with pytest.raises(TypeError, match=r"^dedupe\(\) has no option quiet, exit_code: it is for the command line$"):
        simdocs.dedupe("docs", quiet=True, exit_code=True)
    with pytest.raises(TypeError, match=r"^similarity has no option threshold$"):
        simdocs.similarity("a", "b", threshold=None)
    with pytest.raises(TypeError, match=r"^similarity\(\) takes 2 arguments, not 3$"):
        simdocs.similarity("a", "b", "c")


def test_a_comparison_has_two_texts_to_two_thousand():
    ASKED["compare"](texts=["a"] * 2000)
    for texts, said in (
        (2001, "a matrix has at most 2,000 texts, not 2,001"),
        (1, "there is nothing to compare this text"),
    ):
        with pytest.raises(simdocs.UsageError, match=f"^{said}"):
            ASKED["compare"](texts=["a"] * texts)


def test_what_is_no_path_of_an_artifact_or_answer_is_refused(here):
    for call in (simdocs.open, simdocs.read_answer, lambda path: simdocs.write_answer(simdocs.dedupe("docs"), path)):
        with pytest.raises(simdocs.UsageError, match=r"^int is not a path$"):
            call(3)
        with pytest.raises(simdocs.InputError, match=r"^a\\x00b.answer: a path cannot contain NUL$"):
            call("a\0b.answer")
    with pytest.raises(simdocs.UsageError, match=r"^x.answers: the name of a saved answer ends in .answer$"):
        simdocs.write_answer(simdocs.dedupe("docs"), "x.answers")


def test_numpy_numbers_and_whole_fractions_are_accepted(tmp_path):
    how = {"k": np.int64(4), "threshold": 1, "recall": np.float32(0.5), "bands": None, "seed": np.uint32(7)}
    made = simdocs.index(texts=[A, A1], output=tmp_path / "x.index", **how)
    assert simdocs.open(tmp_path / "x.index").recipe == made.recipe == simdocs.index(texts=[A, A1], **how).recipe
    assert (made.recipe.shingling.k, made.recipe.banding.threshold) == (4, 1.0)
    assert type(made.recipe.shingling.k) is int
    assert type(made.recipe.banding.threshold) is type(made.recipe.banding.recall) is float


@pytest.mark.parametrize("stage", STAGES)
def test_what_is_not_a_document_is_refused(here, stage):
    for call, message in (
        (stage, "nothing to read: give files or directories"),
        (lambda: stage("docs", texts=[A]), "name documents in one way, not by DOCS and texts"),
        (lambda: stage("docs", names=["a"]), "names need texts"),
        (
            lambda: stage(texts=[A], names=["a", "b"]),
            "there must be as many names as texts, 1, not 2",
        ),
        (
            lambda: stage(texts=[A, A1], names="ab"),
            "names must be an iterable of names, such as a list, not (str|bytes)",
        ),
        (lambda: stage(texts=[A], names=["\ud800"]), r"names holds '\\ud800'"),
        (lambda: stage("docs", simdocs.open("docs.index")), "an artifact cannot be mixed with other arguments"),
        (lambda: stage(texts=[A], hidden=True), "--hidden needs paths, not texts"),
    ):
        with pytest.raises(simdocs.UsageError, match=message):
            call()
    for name in ("nowhere", "docs/a\0b", "docs/a.txt/x"):
        with pytest.raises(simdocs.InputError):
            stage(name)
    with pytest.raises(simdocs.UsageError, match="int is not a path: pass each path as a separate argument"):
        stage(3)


def test_an_artifact_is_the_only_input(here):
    with pytest.raises(simdocs.UsageError, match="--max-size needs documents, not an artifact"):
        simdocs.dedupe("docs.index", max_size=3)
    with pytest.raises(simdocs.UsageError, match="--root needs an artifact, not documents"):
        simdocs.dedupe("docs", root=".")
    for given in ("docs.index", simdocs.open("docs.index")):
        with pytest.raises(simdocs.ArtifactError, match=r": this is an index, not documents or a shingles artifact$"):
            simdocs.signature(given)
    problem = "this is a shingles artifact, not an index: build one with simdocs index"
    for given in ("docs.shingles", simdocs.open("docs.shingles")):
        with pytest.raises(simdocs.ArtifactError) as refused:
            simdocs.query(given, texts=[A])
        assert str(refused.value) == f"docs.shingles: {problem} docs.shingles -o docs.index"
    with pytest.raises(simdocs.ArtifactError, match=r"^the shingles given: this is a shingles artifact"):
        simdocs.query(simdocs.shingle("docs"), texts=[A])


NO_PATH = "is not a path: pass each path as a separate argument"
WITHOUT_A_WORD = [
    ("dedupe", {"documents": ("x",), "output": "a\0b"}, r"-o must be a path, without NUL, not 'a\x00b'"),
    ("dedupe", {"documents": ("x",), "output": 3}, "-o must be a path, not 3"),
    ("dedupe", {"documents": ("x",), "template": (3,)}, "--template must be a path, or a tuple of paths, not (3,)"),
    ("dedupe", {"documents": ("x",), "against": 3}, "--against must be an artifact of kind index, or its path, not 3"),
    ("dedupe", {"texts": ["a"], "kept_rows": "k", "follow": True}, "--follow and --kept-rows needs paths, not texts"),
    (
        "compare",
        {"texts": ["a", "b"], "max_size": 3, "id_field": "x"},
        "--max-size and --id-field needs paths, not texts",
    ),
    ("show", {"text": 3}, "text must be str or bytes, not int"),
    ("show", {"file": "a.txt", "text": "a"}, "file and text cannot be combined: name one text"),
    ("show", {"text": "a", "max_size": 3}, "--max-size needs a file, not a text in memory"),
    ("show", {"file": "x", "documents": (3,)}, "each name of a document must be a path"),
    ("check", {"artifacts": (["a.index"], 3)}, f"list {NO_PATH}; int {NO_PATH}"),
    ("dedupe", {"documents": (["a"], 3)}, f"list {NO_PATH}, or texts as texts=[...]; int {NO_PATH}"),
    (
        "report",
        {"answer": 3},
        "answer must be what dedupe has found, an answer that was read, or the path of one, not 3",
    ),
]
"""What only Python can ask."""


@pytest.mark.parametrize(("command", "given", "said"), WITHOUT_A_WORD)
def test_what_only_python_can_ask_is_refused_in_these_words(command, given, said):
    with pytest.raises(simdocs.UsageError) as refused:
        ASKED[command](**given)
    assert str(refused.value) == said


def test_a_switch_of_an_artifact_cannot_be_turned_off_and_a_text_is_no_path():
    said = r"^the index given was built with --nfkc: rebuild it without, or give the option here$"
    with pytest.raises(simdocs.UsageError, match=said):
        simdocs.dedupe(simdocs.index(texts=["a"], nfkc=True), nfkc=False)
    with pytest.raises(simdocs.UsageError) as refused:
        simdocs.similarity(Path("x"), 3)  # type: ignore[arg-type]
    path = f"a text must be str or bytes, not {type(Path()).__name__}: read the file with read_bytes()"
    assert str(refused.value) == f"{path}; a text must be str or bytes, not int"
