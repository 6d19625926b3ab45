"""Each format of rows with each kind of unusual or damaged file: the exit status, the message, the number of documents.

The same rows give the same answer in every format.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import simdocs as library
from tests.cli.program import simdocs
from tests.packing import packed
from tests.reading.arrow_files import needs_pyarrow
from tests.reading.format_cases import ARROW, FORMATS, JSON, ROWS, Row, file_of

ID_D: Row = {"id": "d"}
GIANT: Row = ID_D | {"text": "word " * 20_000}


class Case(NamedTuple):
    """A kind of file: a function that makes it in a format, with the options, and what comes of it.

    outcomes: for some formats each, the exit status, the number of documents and what the message says.
    """

    make: Callable[[str], bytes]
    outcomes: dict[tuple[str, ...], tuple[int, int | None, str]]
    options: tuple[str, ...] = ()
    suffix: str = ""


def rows(*more: Row) -> Callable[[str], bytes]:
    """A function that makes a file of the three rows and these."""
    return lambda name: file_of(name, [*ROWS, *more])


def changed(change: Callable[[bytes], bytes]) -> Callable[[str], bytes]:
    """A function that makes a file of the three rows, and changes its bytes."""
    return lambda name: change(file_of(name, ROWS))


def columns(**arrays: Any) -> Callable[[str], bytes]:
    """A function that makes a file of these columns, whose names have no underscore at the end."""

    def make(name: str) -> bytes:
        arrow = import_module("pyarrow")
        table = arrow.table({column: arrow.array(values) for column, values in arrays.items()})
        return FORMATS[name].of_table(table.rename_columns([column.rstrip("_") for column in arrays]))

    return make


TEXT = (*JSON, "csv")

NO_ROWS = "warning: {}: no documents were found in this file"
NAMED = "give the file a name that ends in"

CASES = {
    "an empty file": Case(
        lambda _: b"",
        {
            TEXT: (0, 0, NO_ROWS),
            ("parquet",): (3, 0, "{}: skipped: a Parquet file cut short: it is empty"),
            ("arrow", "stream"): (3, 0, "an Arrow file cut short: it is empty"),
        },
    ),
    "no rows": Case(lambda name: file_of(name, []), {(*TEXT, *ARROW): (0, 0, NO_ROWS)}),
    "one giant row": Case(
        rows(GIANT),
        {
            ("jsonl",): (3, 3, "{}, line 4: skipped: larger than --max-size (100023 bytes)"),
            ("json",): (3, 0, "{}: skipped: larger than --max-size"),
            ("csv",): (3, 3, "{}, row 4: skipped: larger than --max-size (100006 bytes)"),
            ARROW: (3, 3, "{}, row 4: skipped: larger than --max-size (100000 bytes)"),
        },
        ("--max-size", "64K"),
    ),
    "no text": Case(
        columns(id=["a"], body=["x"]),
        {ARROW: (2, None, "{}: no row has the field 'text'; the first has 'id', 'body': name one of them with")},
    ),
    "a text of bytes": Case(
        columns(text=[b"x"]),
        {ARROW: (2, None, "{}: the column 'text' has the type binary, not strings: name another with --text-field")},
    ),
    "a name twice": Case(
        columns(text=["x"], text_=["y"]), {ARROW: (2, None, "{}: 2 columns have the name 'text': rename all but one")}
    ),
    "a truncated file": Case(
        changed(lambda data: data[:-20]),
        {
            ("jsonl",): (3, 2, "{}, line 3: skipped: not JSON: Unterminated string"),
            ("json",): (3, 2, "{}: skipped: the file ends before the array does, from object 3 on"),
            ("csv",): (3, 2, "{}: skipped: the row on line 4 has a quote that never ends, from row 3 on"),
            ("parquet",): (3, 0, "{}: skipped: a Parquet file that is damaged, or cannot be read: Parquet magic bytes"),
            ("arrow",): (3, 0, "{}: skipped: an Arrow file that is damaged, or cannot be read: Not an Arrow file"),
            ("stream",): (3, 0, "{}: skipped: an Arrow file that is damaged, or cannot be read: Expected"),
        },
    ),
    "truncated gzip": Case(
        changed(lambda data: packed("gzip", data)[:-12]),
        {
            ("jsonl",): (3, 2, "{}: skipped: a gzip file cut short, from line 3 on"),
            ("json",): (3, 0, "{}: skipped: a gzip file cut short"),
            ("csv",): (3, 2, "{}: skipped: a gzip file cut short, from row 3 on"),
        },
        suffix=".gz",
    ),
    "another suffix": Case(
        rows(),
        {
            ("jsonl",): (0, 1, "{}: this looks like JSON Lines, but is read as one text: to read its rows"),
            ("json",): (0, 1, "{}: this looks like a JSON array, but is read as one text: to read its rows"),
            ("csv",): (0, 1, "{}: this looks like CSV, but is read as one text: to read its rows as documents, give"),
            ("tsv",): (0, 1, "{}: this looks like TSV, but is read as one text: to read its rows as documents, give"),
            ("parquet",): (3, 0, f"a Parquet file: {NAMED} .parquet"),
            ("arrow",): (3, 0, f"an Arrow file: {NAMED} .arrow"),
            ("stream",): (3, 0, f"an Arrow stream: {NAMED} .arrow"),
        },
        suffix=".txt",
    ),
    "the suffix of JSON": Case(
        rows(),
        {
            ("jsonl",): (2, None, "{}: this is not a JSON array, but looks like JSON Lines: give --input-format jsonl"),
            ("csv",): (2, None, "{}: this is not JSON in UTF-8: give --input-format text to read it as one text"),
            ("parquet",): (3, 0, f"a Parquet file: {NAMED} .parquet"),
        },
        suffix="=.json",
    ),
    "the suffix of JSON Lines": Case(
        rows(),
        {
            ("json",): (
                3,
                0,
                "{}, line 1: skipped: the beginning of an array: JSON Lines have one object on each line",
            ),
            ("csv",): (2, None, "{}: no line is a JSON object; this looks like "),
            ("parquet",): (3, 0, f"a Parquet file: {NAMED} .parquet"),
        },
        suffix="=.jsonl",
    ),
    "the suffix of Parquet": Case(
        rows(),
        {
            TEXT: (3, 0, "{}: skipped: not a Parquet file"),
            ("arrow",): (3, 0, f"{{}}: skipped: not a Parquet file, but an Arrow file: {NAMED} .arrow"),
        },
        suffix="=.parquet",
    ),
}


def each_cell() -> list[Any]:
    """Each kind of file in each format that can have it."""
    return [
        pytest.param(case, name, expected, id=f"{case}-{name}", marks=[needs_pyarrow] if name in ARROW else [])
        for case, kind in CASES.items()
        for names, expected in kind.outcomes.items()
        for name in names
    ]


@pytest.mark.reliability("a table that is empty, cut short, damaged, misnamed or unusual")
@pytest.mark.parametrize(("case", "name", "expected"), each_cell())
def test_a_file_gives_its_documents_and_the_message_that_a_person_needs(
    tmp_path: Path, case: str, name: str, expected: tuple[int, int | None, str]
) -> None:
    kind = CASES[case]
    status, count, said = expected
    suffix = kind.suffix[1:] if kind.suffix.startswith("=") else FORMATS[name].suffix + kind.suffix
    file = f"x{suffix}" if kind.suffix != ".txt" else "x.txt"
    (tmp_path / file).write_bytes(kind.make(name))
    done = simdocs("dedupe", file, *kind.options, "--summary-json", "summary", cwd=tmp_path)
    assert done.status == status, done.err
    found = json.loads((tmp_path / "summary").read_bytes())["documents"] if count is not None else None
    assert found == count, done.err
    assert said.replace("{}", file) in done.err
    assert done.err.count("\n") == bool(said) or case == "the suffix of JSON Lines"
    if count is not None and count >= 2 and status == 0:
        assert len(done.rows) == 1


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[needs_pyarrow] if name in ARROW else []) for name in FORMATS]
)
@pytest.mark.parametrize("packing", ["", "gzip", "zstd"])
def test_the_same_rows_give_the_same_answer_in_every_format(tmp_path: Path, name: str, packing: str) -> None:
    """As rows, and as files: pairs, similarities and groups are the same but for the names."""
    made = FORMATS[name]
    if packing and name in ARROW:
        pytest.skip("this format is not compressed as a whole")
    many = [
        {"id": f"n{at}{turn}", "text": f"{row['text']}, it says on page {at}" + " indeed" * turn}
        for at in range(20)
        for turn in range(2)
        for row in ROWS[at % 3 : at % 3 + 1]
    ]
    many.append({"id": "last", "text": 'with "quotes", commas;\tand tabs\nand lines: äöü \U0001f984'})
    data = file_of(name, many)
    suffix = {"": "", "gzip": ".gz", "zstd": ".zst"}[packing]
    (tmp_path / f"x{made.suffix}{suffix}").write_bytes(packed(packing, data) if packing else data)
    (tmp_path / "texts").mkdir()
    for place, row in enumerate(many):
        (tmp_path / "texts" / f"{place:03}-{row['id']}").write_text(row["text"])

    def answers(path: Path, cut: Callable[[str], str]) -> list[Any]:
        found = list[Any]()
        ways = ((library.pairs, {}), (library.pairs, {"exact": True}), (library.dedupe, {}))
        for ask, options in (*ways, (library.dedupe, {"cluster": "components"})):
            result = ask(path, k=5, threshold=0.5, **options)
            found.append([[cut(cell) if isinstance(cell, str) else cell for cell in row] for row in result.rows()])
            found.append(None if ask is library.pairs else result.labels.tolist())
        return found

    rows_of = answers(tmp_path / f"x{made.suffix}{suffix}", lambda cell: cell.partition("#")[2])
    assert rows_of == answers(tmp_path / "texts", lambda cell: cell.rpartition("/")[2][4:])
    assert len(rows_of[0]) > 20
