"""dedupe writes the rows of CSV and TSV as they are, without blank lines, after their header."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs

FOX = b"the quick brown fox jumps over the lazy dog and then runs home"
HEADER = b'id,"a ""name""",text'
ROWS = [
    b"a,1.50," + FOX,
    b"",
    b'b,"two\r\nlines, quoted ""so""",' + FOX + b"  ",
    b"c,007,a ship at sea",
    b"too,few",
    b'd,\xff,"' + FOX + b'."',
    b"   ",
]
REMOVED = (2, 5)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def joined(rows: list[bytes], end: bytes) -> bytes:
    return b"".join(row + end for row in rows)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("is_ended", [True, False])
def test_every_row_is_written_with_its_quotes_and_line_end(here: Path, end: bytes, mark: bytes, is_ended: bool) -> None:
    content = mark + joined([HEADER, *ROWS], end)
    Path("in.csv").write_bytes(content if is_ended else content.removesuffix(end))
    found = simdocs.dedupe("in.csv", kept_rows="kept.csv", removed_rows="removed.csv", flagged_rows="all.csv")
    assert found.skipped.counts == {"malformed": 2}
    last = b"" if is_ended else end
    kept = mark + joined([HEADER, *(row for at, row in enumerate(ROWS) if row and at not in REMOVED)], end)
    assert Path("kept.csv").read_bytes() == (kept.removesuffix(last) if last else kept)
    assert Path("removed.csv").read_bytes() == mark + joined([HEADER, *(ROWS[at] for at in REMOVED)], end)
    nothing, first, copy = b",,,", b",,,0", b",in.csv#a,1.000000,0"
    near = b",in.csv#a,%.6f,0" % simdocs.similarity(FOX, FOX + b".")
    more = [first, b"", copy, b",,,1", nothing, near, nothing]
    flagged = mark + joined(
        [
            HEADER + b",duplicate_of,similarity,group",
            *(row + extra for row, extra in zip(ROWS, more, strict=True) if row),
        ],
        end,
    )
    assert Path("all.csv").read_bytes() == (flagged.removesuffix(last) if last else flagged)
    assert [one.rows for one in found.written] == [4, 2, 6]


cells = st.sampled_from(["fox", "a ship", "two\nlines", 'a "quote"', "comma, here", "", " ", "\u00e9", FOX.decode()])


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=15), st.sampled_from("\t;,|"))
def test_kept_and_removed_rows_merge_to_the_input(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], delimiter: str
) -> None:
    place = tmp_path_factory.mktemp("merge")
    with (place / "in.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([("text", "more"), *rows])
    outputs = {name: place / f"{name}.csv" for name in ("kept_rows", "removed_rows", "flagged_rows")}
    simdocs.dedupe(place / "in.csv", delimiter=delimiter, **outputs)

    def read(path: Path) -> list[list[str]]:
        with path.open(newline="") as file:
            return list(csv.reader(file, delimiter=delimiter))

    kept, removed, flagged = (read(path)[1:] for path in outputs.values())
    assert [row[:2] for row in flagged] == [list(row) for row in rows]
    assert kept == [row[:2] for row in flagged if not row[2]]
    assert removed == [row[:2] for row in flagged if row[2]]


def test_a_row_whose_quotes_never_end_is_kept(here: Path) -> None:
    Path("in.csv").write_bytes(b"id,text\na," + FOX + b"\nb," + FOX + b'\nc,"never\nends\n')
    found = simdocs.dedupe("in.csv", kept_rows="kept.csv", removed_rows="removed.csv", flagged_rows="all.csv")
    assert found.skipped.counts == {"malformed": 1}
    assert Path("all.csv").read_bytes().endswith(b'000,0\nc,"never\nends\n')
    assert Path("kept.csv").read_bytes() == b"id,text\na," + FOX + b'\nc,"never\nends\n'
    assert Path("removed.csv").read_bytes() == b"id,text\nb," + FOX + b"\n"


def test_rows_go_from_csv_to_other_formats(here: Path) -> None:
    Path("in.csv").write_bytes(b"id,x,text\na,007,a ship\n\nb,NA,the sea\n")
    rows = [{"id": "a", "x": "007", "text": "a ship"}, {"id": "b", "x": "NA", "text": "the sea"}]
    simdocs.dedupe("in.csv", kept_rows="k.jsonl")
    assert list(map(json.loads, Path("k.jsonl").read_bytes().splitlines())) == rows
    simdocs.dedupe("in.csv", kept_rows="k.tsv", flagged_rows="all.tsv")
    assert Path("k.tsv").read_bytes() == b"id\tx\ttext\r\na\t007\ta ship\r\nb\tNA\tthe sea\r\n"
    assert (
        Path("all.tsv")
        .read_bytes()
        .startswith(b"id\tx\ttext\tduplicate_of\tsimilarity\tgroup\r\na\t007\ta ship\t\t\t0\r\n")
    )
    Path("no.csv").write_bytes(b"a,a ship\nb,the sea")
    simdocs.dedupe("no.csv", no_header=True, text_field="2", kept_rows="k.tsv")
    assert Path("k.tsv").read_bytes() == b"a\ta ship\r\nb\tthe sea\r\n"
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs simdocs[datasets]")
    simdocs.dedupe("in.csv", kept_rows="k.parquet")
    assert parquet.read_table("k.parquet").to_pylist() == rows
    simdocs.dedupe("k.parquet", kept_rows="back.csv")
    assert Path("back.csv").read_bytes() == b"id,x,text\r\na,007,a ship\r\nb,NA,the sea\r\n"


def test_rows_go_from_json_to_csv(here: Path) -> None:
    rows = [{"text": 'a "ship",', "n": 1, "x": 1.5, "yes": True}, {"text": "the\nsea", "z": None}]
    Path("in.jsonl").write_text("\n".join(map(json.dumps, rows)))
    simdocs.dedupe("in.jsonl", kept_rows="k.csv")
    assert Path("k.csv").read_bytes() == b'text,n,x,yes,z\r\n"a ""ship"",",1,1.5,true,\r\n"the\nsea",,,,\r\n'
    Path("in.jsonl").write_text(json.dumps({"text": "a ship", "deep": {"a": [1]}}))
    with pytest.raises(simdocs.InputError, match=r"in\.jsonl, line 1 has no place in CSV: a value of the type dict"):
        simdocs.dedupe("in.jsonl", kept_rows="k.csv")
