"""What every format of files with many documents promises. A new one needs a sample; a toy is among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.model.ragged import Index
from simdocs.options.families import CONTAINERS, ContainerFormat
from simdocs.options.recipes import Sequences
from simdocs.reading.batches import FileRows, rows_of
from simdocs.reading.files import Source
from simdocs.reading.formats import lines
from tests.commands.building import built, content
from tests.packing import SUFFIXES, each, packed
from tests.reading.arrow_files import HAS_PYARROW, needs_pyarrow
from tests.reading.format_cases import ARROW, FORMATS, Row, file_of
from tests.reading.reading import read
from tests.reading.small_chunks import cut_small


def read_feeds(source: Source, form: str, fields: Sequences, wanted: Index | None = None) -> Iterator[FileRows]:
    """The toy: pages between form feeds, which begin with an id and a colon."""
    pages = (page.partition(":") for page in b"".join(source.pieces()).decode().split("\f"))
    rows: Iterator[tuple[Row, int]] = (
        ({"id": its_id or None, "text": text} if colon else {}, len(text)) for its_id, colon, text in pages
    )
    return rows_of(source, form, rows, wanted)


def feeds(rows: list[Row]) -> bytes:
    return "\f".join(f"{row['id'] or ''}:{row['text']}" if "text" in row else "no colon" for row in rows).encode()


SAMPLES: dict[str, tuple[str, str, Callable[[list[Row]], bytes]]] = {
    name: (form.container, form.suffix, lambda rows, name=name: file_of(name, rows)) for name, form in FORMATS.items()
} | {"feeds": ("feeds", ".feed", feeds)}
"""For each sample its format, the suffix of its files, and a function that writes rows."""

READABLE = [name for name in SAMPLES if HAS_PYARROW or name not in ARROW]
COMPRESSED = [name for name in READABLE if name not in ARROW]


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    cut_small(monkeypatch, 64)
    usual = lines.read_lines
    monkeypatch.setattr(
        lines, "read_lines", lambda source, form, *more: (read_feeds if form == "feeds" else usual)(source, form, *more)
    )
    monkeypatch.setitem(CONTAINERS, "feeds", ContainerFormat("pages between form feeds", (b".feed",)))
    yield


@pytest.fixture(params=[pytest.param(name, marks=needs_pyarrow if name in ARROW else ()) for name in SAMPLES])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


texts = st.text(st.characters(codec="utf-8", exclude_characters="\f:"), max_size=30)
ids = st.sampled_from([None, None, "a", "b7", "c d"])
documents = st.lists(st.builds(lambda its_id, text: {"id": its_id, "text": text}, ids, texts), min_size=1, max_size=12)


def numbered(rows: list[Row]) -> list[Any]:
    each = enumerate(rows, 1)
    return [(number, row["id"] and row["id"].encode(), row["text"].encode()) for number, row in each]


def test_every_member_has_a_sample() -> None:
    """Those of `lines` are in test_jsonl.py."""
    assert {form for form, _, _ in SAMPLES.values()} | {"lines"} == set(CONTAINERS)


@given(documents, st.sampled_from([1, 5, 64, 1 << 19]), st.data())
def test_each_document_is_in_one_batch_however_a_file_is_cut_and_may_be_read_alone(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], size: int, data: st.DataObject
) -> None:
    wanted = data.draw(st.lists(st.integers(1, len(rows)), min_size=1, unique=True).map(sorted))
    for form, suffix, write in (SAMPLES[name] for name in READABLE):
        path = tmp_path_factory.getbasetemp() / f"x{suffix}"
        path.write_bytes(write(rows))
        with pytest.MonkeyPatch.context() as patch:
            cut_small(patch, size)
            for where in (path, path.read_bytes()):
                found = read(where, form)
                assert (found.documents, found.skips, found.trouble) == (numbered(rows), [], None)
                assert found.count == len(rows)
                assert read(where, form, wanted=wanted).documents == [numbered(rows)[at - 1] for at in wanted]


@each
@given(rows=documents)
def test_a_compressed_file_has_the_same_documents(
    tmp_path_factory: pytest.TempPathFactory, name: str, rows: list[Row]
) -> None:
    for form, suffix, write in (SAMPLES[sample] for sample in COMPRESSED):
        path, data = tmp_path_factory.getbasetemp() / f"packed{suffix}{SUFFIXES[name]}", write(rows)
        path.write_bytes(packed(name, data[: len(data) // 2]) + packed(name, data[len(data) // 2 :]))
        assert read(path, form).documents == numbered(rows)


@each
@pytest.mark.parametrize("sample", COMPRESSED)
def test_a_compressed_file_that_is_cut_short_is_malformed(tmp_path: Path, name: str, sample: str) -> None:
    """Never are its documents only fewer. The documents before the cut may be read."""
    form, suffix, write = SAMPLES[sample]
    rows = [{"id": "a", "text": "one text"}, {"id": "b7", "text": "another text"}]
    whole, path = packed(name, write(rows)), tmp_path / f"x{suffix}{SUFFIXES[name]}"
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        found = read(path, form)
        assert found.trouble is not None, end
        assert found.trouble.reason == "malformed", end
        assert all(document in numbered(rows) for document in found.documents), end


def test_an_update_has_the_bytes_of_a_build_from_scratch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    _, suffix, write = SAMPLES[name]
    Path("docs").mkdir()
    many = [{"id": f"n{number}" if number % 3 else None, "text": f"text {number} " * 5} for number in range(40)]
    new: list[Row] = [{"id": "new", "text": "Something else"}]
    for rows in [many, [*many[:30], *new, *many[30:]], many[7:], [*many[5:20], *new, *many[20:]]]:
        Path(f"docs/x{suffix}").write_bytes(write(rows))
        built(Path("old.shingles"), ["docs"], allow_shrink=True)
        built(Path("new.shingles"), ["docs"], rebuild=True)
        assert content(Path("old.shingles")) == content(Path("new.shingles"))
