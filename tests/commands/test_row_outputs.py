"""dedupe writes the rows of its documents' files: those that are kept, the duplicates, or all with flags."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.commands import row_outputs

FOX = "the quick brown fox jumps over the lazy dog and then runs home"
OTHER = "a wholly different sentence about ships, harbours and the sea"
NEAR = f"{FOX}."

LINES = [
    json.dumps({"text": FOX, "id": "a", "n": 1.50}).encode(),
    b"",
    json.dumps({"id": "b", "text": FOX, "deep": {"x": [1, None]}}).encode() + b"  \r",
    b"no JSON at all",
    json.dumps({"id": "c", "text": OTHER}).encode(),
    json.dumps({"id": "a", "text": "an id that an earlier line has"}).encode(),
    json.dumps({"id": "d", "text": None}).encode(),
    json.dumps({"id": "z", "text": NEAR, "group\\u0020": "\u00e9"}).encode(),
]
REMOVED = (2, 7)
"""The duplicates among these lines."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def split(lines: list[bytes], removed: tuple[int, ...]) -> tuple[bytes, bytes]:
    """The lines that are kept and those that are removed, each with its end."""
    return (
        b"".join(line for at, line in enumerate(lines) if at not in removed),
        b"".join(line for at, line in enumerate(lines) if at in removed),
    )


@pytest.mark.parametrize("last", [b"\n", b""])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_every_line_is_written_byte_for_byte(here: Path, mark: bytes, last: bytes) -> None:
    lines = [line + b"\n" for line in LINES[:-1]] + [LINES[-1] + last]
    Path("in.jsonl").write_bytes(mark + b"".join(lines))
    found = simdocs.dedupe("in.jsonl", kept_rows="kept.jsonl", removed_rows="removed.jsonl", flagged_rows="all.jsonl")
    kept, removed = split(lines, REMOVED)
    assert Path("kept.jsonl").read_bytes() == mark + kept
    assert [each.unjudged for each in found.written] == [3, 0, 0]
    assert Path("removed.jsonl").read_bytes() == mark + removed
    flagged = Path("all.jsonl").read_bytes().removeprefix(mark).split(b"\n")
    assert [line.strip() for line in flagged if not line.startswith(b"{")] == [
        b"",
        b"no JSON at all",
        *([b""] if last else []),
    ]
    for at, similarity in ((2, 1.0), (7, round(simdocs.similarity(FOX, NEAR), 6))):
        flags = {"duplicate_of": "in.jsonl#a", "similarity": similarity, "group": 0}
        assert json.loads(flagged[at]) == json.loads(LINES[at]) | flags
    assert [(one.parameter, one.path, one.rows, one.files) for one in found.written] == [
        ("kept_rows", b"kept.jsonl", 5, None),
        ("removed_rows", b"removed.jsonl", 2, None),
        ("flagged_rows", b"all.jsonl", 7, None),
    ]
    assert found.skipped.counts == {"malformed": 3}


words = st.sampled_from(["fox and dog", "red ship", "green harbour", FOX, NEAR, OTHER])
rows = st.one_of(
    st.builds(lambda text: json.dumps({"text": text}).encode(), words),
    st.builds(lambda text, its_id: json.dumps({"id": its_id, "text": text}).encode(), words, st.sampled_from("abc")),
    st.sampled_from([b"", b"  \r", b"{}", b"[1]", b'{"text": 3}', b'{"text": "x"', b"\xff"]),
)


@given(st.lists(st.lists(rows, min_size=1, max_size=12), min_size=1, max_size=3), st.booleans(), st.booleans())
def test_kept_and_removed_lines_merge_to_the_input(
    tmp_path_factory: pytest.TempPathFactory, files: list[list[bytes]], ended: bool, chained: bool
) -> None:
    place = tmp_path_factory.mktemp("merge")
    (place / "in").mkdir()
    for number, lines in enumerate(files):
        # A text that no other file has, so that there is always a document with the field.
        own = json.dumps({"id": "own", "text": f"{number} is a number that only this file has"}).encode()
        (place / "in" / f"{number}.jsonl").write_bytes(b"\n".join([own, *lines]) + b"\n" * ended)
    outputs = {name: place / name for name in ("kept_rows", "removed_rows", "flagged_rows")}
    found = simdocs.dedupe(place / "in", **outputs, cluster="components" if chained else "greedy")
    groups = dict[str, int]()
    for number, _ in enumerate(files):
        every, kept, removed, flagged = (
            (path / f"{number}.jsonl").read_bytes().splitlines(keepends=True)
            for path in (place / "in", *outputs.values())
        )
        flags = list(map(json_object, flagged))
        is_removed = [flag is not None and flag["duplicate_of"] is not None for flag in flags]
        assert kept == [line for line, gone in zip(every, is_removed, strict=True) if not gone]
        assert removed == [line for line, gone in zip(every, is_removed, strict=True) if gone]
        for at, (line, flag) in enumerate(zip(every, flags, strict=True), 1):
            value = json_object(line)
            assert (value is None) == (flag is None)
            if value is None or flag is None:
                continue
            assert {name: flag[name] for name in value} == value
            if flag["group"] is not None:
                name = f"{place}/in/{number}.jsonl#{value.get('id', at)}"
                # Of two rows with one id and one text, the second has its number.
                groups[f"{place}/in/{number}.jsonl#{at}" if name in groups else name] = flag["group"]
    pairs = {right: (left, similarity) for left, right, similarity, _ in found.rows()}
    names = [found.documents.name(row) for row in range(len(found.documents))]
    assert list(groups) == names
    heads = [pairs.get(name, (name,))[0] for name in names]
    order = {name: number for number, name in enumerate(found.kept_names)}
    assert list(groups.values()) == [order[head] for head in heads]


def json_object(line: bytes) -> dict[str, Any] | None:
    """The object on a line, if there is one."""
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def test_a_directory_keeps_its_names_and_compression(here: Path) -> None:
    Path("in/sub").mkdir(parents=True)
    Path("in/x.jsonl").write_bytes(b"\n".join(LINES))
    with gzip.open("in/sub/y.jsonl.gz", "wb") as file:
        file.write(b"\n".join(LINES[:5]))
    found = simdocs.dedupe("in", kept_rows="out", removed_rows="gone")
    names = sorted(path.relative_to("out").as_posix() for path in Path("out").rglob("*") if path.is_file())
    assert names == [".simdocs-files.json", "sub/y.jsonl.gz", "x.jsonl"]
    assert gzip.decompress(Path("out/sub/y.jsonl.gz").read_bytes()) == b"\n".join(
        (LINES[0], LINES[1], LINES[3], LINES[4])
    )
    assert [one.files for one in found.written] == [2, 2]
    assert [one.rows for one in found.written] == [3 + 3, 1 + 4]
    first = Path("out/sub/y.jsonl.gz").read_bytes()
    simdocs.dedupe("in", kept_rows="out")
    assert Path("out/sub/y.jsonl.gz").read_bytes() == first
    assert os.stat("out/sub").st_mode & 0o777 == os.stat("in/sub").st_mode & 0o777


@pytest.mark.parametrize("name", ["duplicate_of", "similarity", "group"])
def test_a_field_with_the_name_of_a_flag_is_refused(here: Path, name: str) -> None:
    escaped = b"\\u%04x%b" % (ord(name[0]), name[1:].encode())
    for spelled in (name.encode(), escaped):
        Path("in.jsonl").write_bytes(LINES[0] + b'\n{"text": "x", "%b": 1}\n' % spelled)
        with pytest.raises(simdocs.InputError, match=f"in.jsonl, line 2: has a field '{name}' already"):
            simdocs.dedupe("in.jsonl", kept_rows="kept.jsonl", flagged_rows="all.jsonl")
        assert os.listdir() == ["in.jsonl"]


def refusal(*documents: str, **given: Any) -> str:
    before = sorted(Path().rglob("*"))
    with pytest.raises(simdocs.SimdocsError) as error:
        simdocs.dedupe(*documents, **given)
    assert sorted(Path().rglob("*")) == before
    return str(error.value)


def test_outputs_that_would_lose_something_are_refused(here: Path) -> None:
    for name in ("a/x.jsonl", "b/x.jsonl", "b/in/y.jsonl", "theirs/y", "theirs/z.jsonl"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(LINES[0])
    assert "would both be written to out/x.jsonl" in refusal("a/x.jsonl", "b/x.jsonl", kept_rows="out")
    assert "a/out: is in a, which is read" in refusal("a", kept_rows="a/out")
    assert "a: is in a, which is read" in refusal("a", kept_rows="a")
    assert "this file is read in this run" in refusal("a/x.jsonl", kept_rows="a/x.jsonl")
    assert "not a directory that simdocs wrote" in refusal("a", kept_rows="theirs")
    assert "not a directory that simdocs wrote" in refusal("a", kept_rows="theirs/y")
    assert "cannot write rows as .xlsx" in refusal("a/x.jsonl", kept_rows="x.xlsx")
    assert "create it first" in refusal("a/x.jsonl", kept_rows="no/x.jsonl")
    assert "name a file" in refusal("a/x.jsonl", kept_rows="theirs")
    Path("empty").mkdir()
    assert "no file with rows was found" in refusal("empty", kept_rows="out")


SURROGATE = "it has half of a surrogate pair, which is no character: correct it, or write the format of the input"
BYTES = "it has bytes that are not UTF-8: write .csv, which keeps them, or convert the file to UTF-8 first"


@pytest.mark.parametrize(
    ("name", "content", "output", "said"),
    [
        ("in.jsonl", b'{"text": "a"}\nno JSON', "k.csv", ", line 2 ... in another format: not JSON: Expecting"),
        ("in.jsonl", b'{"text": "a", "x": "\\ud800"}', "k.csv", f", line 1 ... in CSV: {SURROGATE}"),
        ("in.jsonl", b'{"text": "a", "x": NaN}', "k.json", ", line 1 ... in JSON: Out of range float values"),
        ("in.csv", b"id,x,text\na,1,b\nx,few", "k.jsonl", ", row 2 ... in another format: 2 fields, but the"),
        ("in.csv", b"x,x,text\n1,2,b\n", "k.jsonl", ": has the field 'x' twice, so it ... in another format"),
        ("in.csv", b"x,text\n\xff,b\n", "k.jsonl", f", row 1 ... in JSON: {BYTES}"),
    ],
)  # fmt: skip
def test_rows_without_a_place_in_another_format_are_named(
    here: Path, name: str, content: bytes, output: str, said: str
) -> None:
    Path(name).write_bytes(content)
    assert refusal(name, kept_rows=output).startswith(name + said.replace("...", "has no place"))


def test_lines_become_rows_without_their_ends_and_blank_ones_none(here: Path) -> None:
    Path("in.txt").write_bytes(b"one\r\n\nt\xc3\xb6o\n three")
    for output, rows in (("k.csv", "text\r\none\r\ntöo\r\n three\r\n"), ("k.json", '[\n{"text": "one"},')):
        simdocs.dedupe("in.txt", input_format="lines", kept_rows=output)
        assert Path(output).read_bytes().startswith(rows.encode())


def test_a_row_that_is_too_long_gets_no_flags(here: Path) -> None:
    Path("in.jsonl").write_bytes(b'{"text": "a"}\n{"text": "a longer one"}\n')
    simdocs.dedupe("in.jsonl", flagged_rows="all.jsonl", max_size=20)
    flags = b', "duplicate_of": null, "similarity": null, "group": 0'
    assert Path("all.jsonl").read_bytes() == b'{"text": "a"%b}\n{"text": "a longer one"}\n' % flags


def swapped(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """Change a file after its documents were read, and before its rows are written."""
    write = row_outputs.RowDrafts.write

    def late(self: row_outputs.RowDrafts, *arguments: Any) -> Any:
        change()
        return write(self, *arguments)

    monkeypatch.setattr(row_outputs.RowDrafts, "write", late)


@pytest.mark.parametrize(
    "change",
    [
        lambda: Path("in/x.jsonl").write_bytes(LINES[4] + b"\n" + LINES[2] + b"\n"),
        lambda: Path("in/x.jsonl").write_bytes(LINES[0] + b"\n"),
        lambda: Path("in/x.jsonl").write_bytes(LINES[0] + b"\n" + LINES[2] + b"\n" + LINES[7] + b"\n"),
        lambda: Path("in/x.jsonl").unlink(),
        lambda: os.replace("other.jsonl", "in/x.jsonl"),
    ],
)
def test_a_file_that_changed_before_its_rows_are_written_is_an_error(
    here: Path, monkeypatch: pytest.MonkeyPatch, change: Any
) -> None:
    Path("in").mkdir()
    Path("in/x.jsonl").write_bytes(LINES[0] + b"\n" + LINES[2] + b"\n")
    Path("other.jsonl").write_bytes(LINES[4] + b"\n" + LINES[2] + b"\n")
    Path("kept.jsonl").write_bytes(b"an earlier result")
    swapped(monkeypatch, change)
    with pytest.raises(simdocs.InputError, match=r"in/x.jsonl: changed before its rows were written.*run again"):
        simdocs.dedupe("in/x.jsonl", kept_rows="kept.jsonl")
    assert Path("kept.jsonl").read_bytes() == b"an earlier result"
    assert not [name for name in os.listdir() if name.startswith(".")]


def test_a_damaged_file_gives_the_rows_before_the_damage(here: Path) -> None:
    Path("in").mkdir()
    lines = [json.dumps({"text": f"{number} {os.urandom(600).hex()}"}).encode() for number in range(2000)]
    whole = gzip.compress(b"\n".join(lines))
    Path("in/x.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    Path("in/y.jsonl.gz").write_bytes(b"no gzip file")
    found = simdocs.dedupe("in", kept_rows="out")
    assert found.skipped.counts == {"malformed": 2}
    kept = gzip.decompress(Path("out/x.jsonl.gz").read_bytes())
    assert 0 < kept.count(b"\n") < 2000
    assert b"\n".join(lines).startswith(kept)
    last = kept.count(b"\n")
    assert [warning for warning in found.warnings if "be read" in warning] == [
        f"in/x.jsonl.gz: only {last:,} of its rows can be read, so the rest is in no output",
        "in/y.jsonl.gz: cannot be read, so none of its rows is in an output",
    ]
    assert not Path("out/y.jsonl.gz").exists()
    assert [one.files_lost for one in found.written] == [1]
    Path("z.csv.gz").write_bytes(gzip.compress(b"text\n" + b"\n".join(lines))[:-9])
    found = simdocs.dedupe("z.csv.gz", kept_rows="z.csv")
    last = Path("z.csv").read_bytes().count(b"\n") - 1
    assert found.warnings == (f"z.csv.gz: only {last:,} of its rows can be read, so the rest is in no output",)
    assert (b"text\n" + b"\n".join(lines)).startswith(Path("z.csv").read_bytes())
