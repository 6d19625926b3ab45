"""Artifacts have the same bytes through whichever stages they are built, and hold the facts of their documents."""

from __future__ import annotations

import gzip
import json
import random
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests import strategies as some
from tests.amounts import slow
from tests.commands.building import built, content, opened
from tests.similar_texts import family

UMLAUTS = "Über den Wäldern, der Fluß und the cow of Łódź.\nThe second line, é́!\r\n\r\n日本語 of the ก่ำ 😀"

PLACES = {"num_perm": 24, "bands": 6, "rows": 4}


def lay(root: Path) -> None:
    """Write documents of every kind, among them a family of similar texts."""
    files = {
        "a/empty": b"",
        "a/blank": b" \n\r\n\t",
        "a/binary": b"\0\1the cow",
        "a/latin": UMLAUTS[:44].encode("latin-1", "replace"),
        "a/late zero": b"the cow of the ox " * 500 + b"\0",
        "a/marked": b"\xef\xbb\xbf" + UMLAUTS.encode(),
        "a/short": b"ab",
        "a/signs": b"!!! ... ???",
        "b/utf-16": UMLAUTS.encode("utf-16"),
        "b/utf-16-be": b"\xfe\xff" + UMLAUTS.encode("utf-16-be"),
        "b/utf-32": UMLAUTS.encode("utf-32"),
        "b/upper": UMLAUTS.replace("ß", "x").upper().encode(),
        "b/lower": UMLAUTS.replace("ß", "x").lower().encode(),
        "b/folded.gz": gzip.compress(UMLAUTS.encode()),
        "c/more.jsonl.gz": gzip.compress(b'{"text": "The cow of the ox", "id": "x"}\n{"text": "", "id": "y"}\n'),
        "d": b"the cow\nthe ox\nthe cow\n",
    }
    lines = [{"text": UMLAUTS}, {"text": "the cow of the ox " * 9, "id": 7}, {"id": "\u00fc", "text": "\ud800 x"}]
    lines += [{"text": f"{at} of the ox", "id": at % 5} for at in range(12)]  # repeated ids are left out
    files["c/data.jsonl"] = b"\xef\xbb\xbf" + b"\r\n\n".join(json.dumps(line).encode() for line in lines)
    files |= {f"e/{row:02}": text.data for row, text in enumerate(family(11, 25))}
    # They are created in another order than that of their names, so that inodes and times do not give it away.
    for name in random.Random(3).sample(sorted(files), len(files)):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(files[name])


def tree(where: Path) -> Path:
    lay(where / "docs")
    return where / "docs"


@pytest.fixture
def there(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tree(tmp_path)
    return tmp_path


def built_through_every_stage(options: dict, jobs: int = 1) -> dict[str, list[dict[str, bytes]]]:
    """Build each kind of artifact through all possible stages, and return the contents of the artifacts by kind."""
    build = partial(built, jobs=jobs, **options)
    docs = ["docs"]
    build(Path("1.shingles"), docs)
    build(Path("1.signatures"), docs)
    build(Path("2.signatures"), Path("1.shingles"))
    build(Path("1.index"), docs)
    build(Path("2.index"), Path("1.signatures"))
    build(Path("3.index"), Path("2.signatures"))
    build(Path("4.index"), Path("1.shingles"))
    kinds = {"shingles": 1, "signatures": 2, "index": 4}
    return {kind: [content(Path(f"{n}.{kind}")) for n in range(1, count + 1)] for kind, count in kinds.items()}


def the_only(found: dict[str, list[dict[str, bytes]]]) -> dict[str, dict[str, bytes]]:
    """Return the content of each kind of artifact, which must be the same in all of them."""
    for kind, contents in found.items():
        for other in contents[1:]:
            assert differing(contents[0], other) == [], kind
    return {kind: contents[0] for kind, contents in found.items()}


def paired(ones: list[Any], others: list[Any]) -> list[Any]:
    """Return each of ones with one of others, and in the long form with each."""
    assert len(ones) == len(others)
    pairs = list(zip(ones, others, strict=True))
    return [*pairs, *slow(*(pair for pair in product(ones, others) if pair not in pairs))]


def differing(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    return [name for name in sorted(one | other) if one.get(name) != other.get(name)]


@pytest.mark.parametrize(("multiset", "scheme"), paired([False, True], list(some.members("scheme"))))
@some.each("unit")
def test_artifacts_built_through_any_stages_are_the_same_bytes(there, unit, multiset, scheme):
    options = {"unit": unit, "k": max(some.small_k(unit), 2), "multiset": multiset, "scheme": scheme} | PLACES
    made = the_only(built_through_every_stage(options))
    for common in ("documents.npy", "files.npy", "names.npy", "name_offsets.npy"):
        assert made["shingles"][common] == made["signatures"][common] == made["index"][common]
    assert made["signatures"]["signatures.npy"] == made["index"]["signatures.npy"]
    for name, given in (("5.index", ["docs"]), ("6.index", Path("1.shingles"))):
        built(Path(name), given, containment=True, **options)
    assert differing(content(Path("5.index")), content(Path("6.index"))) == []


@pytest.mark.parametrize(("jobs", "size"), [(1, 1), (2, 700), *slow((1, 700), (2, 1 << 19))])
def test_artifacts_are_the_same_bytes_for_any_batches_and_workers(there, monkeypatch, jobs, size):
    options = {"unit": "word", "k": 2, "ignore_common": 0.5} | PLACES
    expected = the_only(built_through_every_stage(options))
    monkeypatch.setattr("simdocs.model.ragged.batches.__defaults__", (size,))
    monkeypatch.setattr("simdocs.pipeline.signing._STORED_AT_ONCE", size)
    made = the_only(built_through_every_stage(options, jobs))
    for kind, files in made.items():
        assert differing(expected[kind], files) == []


@pytest.mark.parametrize("files", [{}, {"empty": b""}, {"binary": b"\0"}, {"one": b"the cow of the ox"}])
def test_artifacts_without_documents_or_with_empty_ones_can_be_built(tmp_path, monkeypatch, files):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for name, data in files.items():
        (tmp_path / "docs" / name).write_bytes(data)
    the_only(built_through_every_stage({}))
    assert opened(Path("1.index"))["band_keys"].shape == (18, int("one" in files))
