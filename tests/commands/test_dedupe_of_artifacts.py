"""dedupe of an artifact gives the same answer as dedupe of its documents."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.errors import ArtifactError
from tests import strategies as some
from tests.amounts import examples, slow
from tests.commands.building import built
from tests.commands.deduping import CATCH_ALL, Work, as_tsv, sketched, write_texts
from tests.reading.changing import CHANGES, STANDING, change
from tests.similar_texts import corpora, family
from tests.twins.text_answers import Choices, Text, Twin

KINDS = ("shingles", "signatures", "index")
OPTIONS = {"unit": "word", "k": 2, "threshold": 0.5}
ASKED = [
    ("groups", {}),
    ("groups", {"keep": "newest"}),
    ("groups", {"keep": "shortest", "max_candidates": 1}),
    ("groups", {"verify": "estimate"}),
    ("groups", {"cluster": "components", "keep": "longest"}),
    ("pairs", {}),
    ("all_pairs", {}),
    ("all_pairs", {"verify": "estimate"}),
]


@contextmanager
def on(path: Path, jobs: int = 1, shingles: Path | None = None, **options: object) -> Iterator[Work]:
    """Open an artifact whose documents can be compared."""
    with sketched([path], jobs, shingles=shingles, **options) as work:
        yield work


def drawn(work: Work, what: str) -> bytes:
    """Return the answer as the program would print it, and the names of the kept documents and the duplicates."""
    listed = [as_tsv(work.listed(listing)) for listing in ("kept", "duplicates") if what == "groups"]
    return b"\f".join([as_tsv(work.answer(what)), *listed])


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    """A directory with docs, which hold a family of texts as files and lines, and with artifacts of docs."""
    place = tmp_path_factory.mktemp("original")
    (place / "docs").mkdir()
    texts = family(21, 70)
    write_texts(place / "docs", texts)
    lines = [b'{"text": "%s"}\n' % b" ".join(text.data.split()) for text in texts[:20] if text.data.isascii()]
    (place / "docs/lines.jsonl").write_bytes(b"".join(lines))
    with chdir(place):
        for kind in KINDS:
            built(Path(f"x.{kind}"), ["docs"], **OPTIONS, **CATCH_ALL)
    return place


@pytest.fixture
def there(original, tmp_path, monkeypatch) -> Path:
    """A copy of that directory, which a test may change. Its artifacts name the documents of that directory."""
    place = Path(shutil.copytree(original, tmp_path / "there"))
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def unchanged(original, monkeypatch) -> Path:
    """That directory itself, which no test may change."""
    monkeypatch.chdir(original)
    return original


@pytest.mark.parametrize(
    ("what", "options", "jobs"),
    [
        *((*one, 1) for one in ASKED[1::2]),
        *((*one, 2) for one in ASKED[2::4]),
        *slow(*((*one, 1) for one in ASKED[::2]), *((*one, 2) for at, one in enumerate(ASKED) if at % 4 != 2)),
    ],
)
def test_all_artifacts_answer_as_their_documents_do(unchanged, what, options, jobs):
    parameters = OPTIONS | CATCH_ALL | options
    with sketched(["docs"], **parameters) as work:
        expected, facts, skipped = drawn(work, what), work.facts(), work.skipped
    assert len(expected.splitlines()) > 20
    assert bool(skipped.counts) == ("max_candidates" in options)
    for kind in KINDS:
        for shingles in (None, Path("x.shingles")):
            with on(Path(f"x.{kind}"), jobs, shingles, **parameters) as work:
                assert drawn(work, what) == expected
                assert work.skipped == skipped
                found = work.facts()
            for one in (found, facts):
                one["parameters"] = {name: one["parameters"][name] for name in ("shingling", "sketching", "banding")}
            assert found == facts


@contextmanager
def gone(name: str) -> Iterator[None]:
    """Take a directory away for a while."""
    os.rename(name, f"{name}.away")
    try:
        yield
    finally:
        os.rename(f"{name}.away", name)


@pytest.mark.parametrize(
    ("change", "which"),
    [
        ("text", r"documents of x.{kind}"),
        ("k", r"parameters of x.{kind}: k is 3, not 2"),
        ("case", r"parameters of x.{kind}: keep_case is True, not False"),
    ],
)
def test_shingles_of_other_documents_are_refused(there, change, which):
    options = dict(OPTIONS)
    if change == "text":
        Path("docs/0003").write_bytes(b"another text altogether, of some words")
    elif change == "k":
        options["k"] = 3
    else:
        options["keep_case"] = True
    built(Path("other.shingles"), ["docs"], **options)
    for kind in KINDS[1:]:
        with (
            pytest.raises(ArtifactError, match=f"^other.shingles: does not have the {which.format(kind=kind)}: build"),
            on(Path(f"x.{kind}"), 1, Path("other.shingles"), **OPTIONS),
        ):
            pass


@pytest.mark.reliability("documents changed or gone since the build")
@pytest.mark.parametrize("kind", KINDS[1:])
@pytest.mark.parametrize("what", ["greedy", "components", "pairs", "all_pairs"])
@examples(4)
@given(texts=corpora(20), dice=st.randoms(use_true_random=False), keep=some.one_of("keep"))
def test_answers_leave_out_documents_that_have_changed_since_the_build(kind, what, texts, dice, keep):
    """The answer is the same as about the unchanged documents alone."""
    choices, standing = Choices("word", 2, False, 0.5, keep), list[Text]()
    names = list[bytes]()
    with tempfile.TemporaryDirectory() as place:
        path, docs = Path(place, f"x.{kind}"), Path(place, "docs")
        docs.mkdir()
        paths = [docs / os.fsdecode(name) for name in write_texts(docs, texts)]
        built(path, [docs], **OPTIONS, **CATCH_ALL)
        for one, text in zip(paths, texts, strict=True):
            done, other = dice.choice(CHANGES), dice.choice(texts)
            change(one, done, other.data)
            before, after = Twin([text, other], choices).normalised
            if done in STANDING or (done != "removed" and before == after):
                standing.append(text)
                names.append(bytes(one))
        with on(path, threshold=0.5, keep=keep, cluster="components" if what == "components" else "greedy") as work:
            found = [row[:3] for row in work.answer("groups" if what == "greedy" else what)]
            kept = work.names("kept") if what == "greedy" else []
    rows = getattr(Twin(standing, choices), what)()
    assert [(one, other) for one, other, _ in found] == [(names[left], names[right]) for left, right, _ in rows]
    if what == "greedy":
        assert kept == [name for name in names if name not in {names[right] for _, right, _ in rows}]
