"""What every container promises. A new one is an entry in its family and a sample here; a toy is among them."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.artifacts.npy import MOST_TEXT_IN_BYTE
from simdocs.corpora.containers.container import Container, ContainerFile, Locator, Part, PartDocuments, container
from simdocs.corpora.read_tasks import Cutting, sampled
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.file_formats import CONTAINERS
from simdocs.options.texts import Sequences
from tests.commands.building import built, content
from tests.corpora.arrow_files import HAS_PYARROW, as_arrow_file, as_arrow_stream, as_parquet, needs_pyarrow, table
from tests.corpora.finding import found_by
from tests.corpora.small_chunks import cut_small
from tests.packing import SUFFIXES, each, packed
from tests.toy_container import CHINESE
from tests.toys import registered

FIELDS = Sequences()

Document = tuple[str | None, str]
"""An id and a text."""


def json_lines(documents: Sequence[Document]) -> bytes:
    return b"".join(
        json.dumps({"text": text} | ({"id": name} if name else {})).encode() + b"\n" for name, text in documents
    )


def form_feeds(documents: Sequence[Document]) -> bytes:
    return b"\f".join(f"{name or ''}:{text}".encode() for name, text in documents)


def json_array(documents: Sequence[Document]) -> bytes:
    return b"[\n" + b",\n".join(json_lines(documents).splitlines()) + b"\n]\n"


def delimited(delimiter: str, documents: Sequence[Document]) -> bytes:
    page = io.StringIO(newline="")
    writer = csv.writer(page, delimiter=delimiter)
    writer.writerows([("id", "text", "other"), *((name or "", text, "x") for name, text in documents)])
    return page.getvalue().encode()


SAMPLES: dict[str, tuple[str, Callable[[Sequence[Document]], bytes], bytes]] = {
    "jsonl": (".jsonl", json_lines, b'{"other": 1}\n'),
    "json": (".json", json_array, b'[{"other": 1}]'),
    "csv": (".csv", partial(delimited, ","), b"other\n1\n"),
    "tsv": (".tsv", partial(delimited, "\t"), b"other\tid\n1\t2\n"),
    "parquet": (".parquet", lambda some: as_parquet(table(some)), b""),
    "arrow": (".arrow", lambda some: as_arrow_file(table(some)), b""),
    "arrow stream": (".arrow", lambda some: as_arrow_stream(table(some)), b""),
    "toycontainer": (".feed", form_feeds, b"a page without a colon"),
    "toybytes": (".chinese", lambda some: form_feeds(some).decode().encode(CHINESE), b"a page without a colon"),
}
"""For each container its suffix, a function that writes documents, and a file whose only document has no text (empty:
it cannot be written without a library). The first word is the name of the container."""

if HAS_PYARROW:
    without_text = table([("a", None)]).drop_columns("text")
    for sample, write_table in (("parquet", as_parquet), ("arrow", as_arrow_file), ("arrow stream", as_arrow_stream)):
        SAMPLES[sample] = (*SAMPLES[sample][:2], write_table(without_text))

READABLE = {name: sample for name, sample in SAMPLES.items() if HAS_PYARROW or sample[2]}


def of(sample: str) -> Container:
    """Return the container of a sample."""
    return container(sample.split(maxsplit=1)[0])


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    cut_small(monkeypatch, 64)
    with registered():
        yield


@pytest.fixture(params=[pytest.param(name, marks=() if name in READABLE else needs_pyarrow) for name in SAMPLES])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


texts = st.text(st.characters(codec="utf-8", exclude_characters="\f:"), max_size=30)
documents = st.lists(st.tuples(st.sampled_from([None, None, "a", "b7", "c d"]), texts), min_size=1, max_size=12)


def read(kind: Container, file: ContainerFile) -> tuple[list[Part], list[PartDocuments]]:
    parts = list(kind.parts(file, FIELDS))
    return parts, [kind.documents(pickle.loads(pickle.dumps(part)), FIELDS) for part in parts]


def locators_in(some: list[PartDocuments]) -> list[Locator]:
    return [where for found in some for where in found.locators]


def test_every_member_has_a_sample() -> None:
    assert {sample.split()[0] for sample in SAMPLES} == set(CONTAINERS)


@given(documents)
def test_all_documents_are_read_from_a_file_and_from_memory(
    tmp_path_factory: pytest.TempPathFactory, wanted: list[Document]
) -> None:
    for name, (suffix, write, _) in READABLE.items():
        path = tmp_path_factory.getbasetemp() / f"x{suffix}"
        path.write_bytes(write(wanted))
        kind = of(name)
        for held in (None, path.read_bytes()):
            parts, found = read(kind, ContainerFile(os.fsencode(path), 1 << 20, held=held))
            ids = [its_id and its_id.decode() for some in found for its_id in some.ids]
            assert list(zip(ids, [text.decode() for some in found for text in some.texts], strict=True)) == wanted
            assert all(part.container == name.split()[0] for part in parts)


@given(documents)
def test_locators_ascend_within_their_parts_which_follow_each_other(
    tmp_path_factory: pytest.TempPathFactory, wanted: list[Document]
) -> None:
    for name, (suffix, write, _) in READABLE.items():
        path = tmp_path_factory.getbasetemp() / f"y{suffix}"
        path.write_bytes(write(wanted))
        parts, found = read(of(name), ContainerFile(os.fsencode(path), 1 << 20))
        assert parts[0].first == 1
        for before, after in itertools.pairwise(parts):
            assert before.first + before.count == after.first
            assert before.start + before.extent <= after.start
        for part, some in zip(parts, found, strict=True):
            for where, text in zip(some.locators, some.texts, strict=True):
                assert where.extent == 1 or len(text) <= MOST_TEXT_IN_BYTE * where.extent
                assert part.start <= where.start
                assert where.start + where.extent <= part.start + part.extent
                assert part.first <= where.number < part.first + part.count
        for one, other in itertools.pairwise(locators_in(found)):
            assert one.start + one.extent <= other.start
            assert one.number < other.number


COMPRESSED = [name for name in READABLE if name in CONTAINERS and CONTAINERS[name].may_be_compressed]


@each
@given(wanted=documents)
def test_a_compressed_file_has_the_same_documents(
    tmp_path_factory: pytest.TempPathFactory, name: str, wanted: list[Document]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    paths = {each_name: folder / f"packed{SAMPLES[each_name][0]}{SUFFIXES[name]}" for each_name in COMPRESSED}
    for kind_name, path in paths.items():  # before any is read, which waits until the file is a moment old
        data = SAMPLES[kind_name][1](wanted)
        path.write_bytes(packed(name, data[: len(data) // 2]) + packed(name, data[len(data) // 2 :]))
    for kind_name, path in paths.items():
        kind = of(kind_name)
        _, found = read(kind, ContainerFile(os.fsencode(path), 1 << 20))
        texts = [text for some in found for text in some.texts]
        assert [text.decode() for text in texts] == [text for _, text in wanted]


@each
@pytest.mark.parametrize("kind_name", COMPRESSED)
def test_a_compressed_file_that_is_cut_short_is_malformed(tmp_path: Path, name: str, kind_name: str) -> None:
    """Never are its documents only fewer. The documents before the cut may be read."""
    suffix, write, _ = SAMPLES[kind_name]
    whole = packed(name, write([("a", "one text"), ("b7", "another text")]))
    paths = [tmp_path / f"{end}{suffix}{SUFFIXES[name]}" for end in range(len(whole))]
    for end, path in enumerate(paths):
        path.write_bytes(whole[:end])
    for end, path in enumerate(paths):
        with pytest.raises(DocumentSkipped) as caught:
            list(of(kind_name).parts(ContainerFile(os.fsencode(path), 1 << 20), FIELDS))
        assert caught.value.reason == "malformed", end


def test_only_wanted_documents_are_read(tmp_path: Path, name: str) -> None:
    suffix, write, _ = SAMPLES[name]
    path = tmp_path / f"x{suffix}"
    path.write_bytes(write([(None, f"text {number}") for number in range(9)]))
    few, every = sampled(found_by(path), 1 << 20, FIELDS, 3, seed=0)
    ((_, wanted),) = few.lines.items()
    parts = [task for task, _ in Cutting(few, 1 << 20, FIELDS, lambda *_: None).tasks()]
    assert all(isinstance(part, Part) for part in parts)
    found = [of(name).documents(part, FIELDS) for part in parts if isinstance(part, Part)]
    assert every == 9
    assert [where.number for where in locators_in(found)] == wanted.tolist()


LONG = "The ferry leaves the northern quay at seven every morning except on Sundays, when it leaves at nine"
DOCUMENTS: list[Document] = [(None, LONG), ("b", LONG + " or ten"), (None, LONG.upper()), ("d", "Something else")]


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> Path:
    monkeypatch.chdir(tmp_path)
    suffix, write, _ = SAMPLES[name]
    Path("docs").mkdir()
    path = Path(f"docs/x{suffix}")
    path.write_bytes(write(DOCUMENTS))
    Path("docs/plain").write_text(LONG + "!")
    return path


def test_documents_are_named_verified_and_compared(corpus: Path) -> None:
    found = simdocs.dedupe("docs")
    assert sorted(row[1] for row in found.rows()) == [f"{corpus}#1", f"{corpus}#3", f"{corpus}#b"]
    assert 0.9 < simdocs.compare(f"{corpus}#1", f"{corpus}#b").jaccard < 1


def test_an_index_reads_its_documents_again_to_verify_them(corpus: Path) -> None:
    simdocs.index("docs", output="docs.index")
    corpus.write_bytes(corpus.read_bytes())  # it has another time now
    rows = simdocs.query("docs.index", "docs/plain").rows()
    assert {row[1] for row in rows} >= {f"{corpus}#1", f"{corpus}#b"}


def test_an_update_has_the_bytes_of_a_build_from_scratch(corpus: Path, name: str) -> None:
    _, write, _ = SAMPLES[name]
    many = [(f"n{number}" if number % 3 else None, f"text {number} " * 5) for number in range(40)]
    histories = [many, [*many[:30], ("new", LONG), *many[30:]], many[7:], [*many[5:20], (None, LONG), *many[20:]]]
    for documents in histories:
        corpus.write_bytes(write(documents))
        built(Path("old.shingles"), ["docs"], allow_shrink=True)
        built(Path("new.shingles"), ["docs"], rebuild=True)
        assert content(Path("old.shingles")) == content(Path("new.shingles"))


def test_an_index_of_texts_that_are_longer_in_utf_8_is_not_damaged(tmp_path: Path) -> None:
    (tmp_path / "x.chinese").write_bytes("\f".join((":" + "漢字" * 40, ":" + "仮名と" * 30, ":一")).encode(CHINESE))
    simdocs.index(tmp_path / "x.chinese", output=tmp_path / "x.index")
    assert list(simdocs.check(tmp_path / "x.index")) == []
    assert len(list(simdocs.query(tmp_path / "x.index", texts=["漢字" * 40]).rows())) == 1


def test_a_document_without_a_text_is_skipped_by_its_number_and_its_noun(tmp_path: Path, name: str) -> None:
    suffix, _, textless = SAMPLES[name]
    path = tmp_path / f"x{suffix}"
    path.write_bytes(textless)
    try:
        _, found = read(of(name), ContainerFile(bytes(path), 1 << 20))
    except DocumentSkipped:
        return  # the file has no table with texts, which is found out before any part is read
    skips = [skip for some in found for skip in (*some.skips, *some.textless)]
    assert [(skip.name, skip.line, skip.noun) for skip in skips] == [(bytes(path), 1, of(name).noun)]


def test_a_file_without_the_text_field_is_named_once(corpus: Path, name: str) -> None:
    suffix, write, textless = SAMPLES[name]
    corpus.write_bytes(textless)
    Path(f"docs/y{suffix}").write_bytes(write(DOCUMENTS))
    found = simdocs.dedupe(corpus, "docs")
    ((skipped, why),) = found.skipped.by_reason["malformed"]
    assert skipped == str(corpus)
    assert why.startswith(f"no {of(name).noun} has the field 'text'")
