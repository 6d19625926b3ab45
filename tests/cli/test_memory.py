"""Memory grows with the largest document, by 16 bytes a character, and not with the corpus."""

from __future__ import annotations

import gzip
import json
import random
import re
import shutil
from itertools import product
from pathlib import Path

import pytest

from benchmarks.memory import COMMANDS, FORMS, measurements, promised
from simdocs.options.families import UNITS
from tests.amounts import slow
from tests.cli.program import Argument, anew
from tests.cli.traps import prelude

MIB = 1 << 20
CHARACTERS = 8 * MIB
BATCHES = 48 * MIB
"""What a few batches take."""


PATIENCE_FOR_PAIRS = 600
"""Seconds that a run may take. An audit of 8 million pairs takes 21 seconds of CPU, and more than a minute where other
tests run beside it."""

RECORD = """
import atexit
atexit.register(lambda: open({!r}, "w").write(open("/proc/self/status").read()))
"""


def peak(
    place: Path,
    *arguments: Argument,
    command: str = "dedupe",
    status: int = 0,
    jobs: bool = True,
) -> int:
    """Bytes that a run of one process held at most."""
    record = place / "status"
    env = prelude(place, RECORD.format(str(record)))
    done = anew(command, *(["-j1"] if jobs else []), *arguments, env=env, patience=PATIENCE_FOR_PAIRS)
    assert (done.status, bool(done.err)) == (status, status != 0)
    return _most(record)


def _most(record: Path) -> int:
    """Bytes that the process held at most whose status this is."""
    found = re.search(r"VmHWM:\s+(\d+) kB", record.read_text())
    assert found
    return int(found[1]) * 1024


def words(vocabulary: str) -> str:
    dice = random.Random(1)
    some = ["".join(dice.choices(vocabulary, k=dice.randint(2, 9))) for _ in range(3000)]
    line = " ".join(dice.choices(some, k=200_000))
    return (line * (CHARACTERS // len(line) + 1))[:CHARACTERS]


TEXTS = {
    "ASCII": lambda: words("abcdefghijklmnop"),
    "accents": lambda: words("abcdeéüabcdefghi"),
    "Cyrillic": lambda: words("абвгдежзийклмноп"),
    "Chinese without spaces": lambda: words("一丁七万丈三上下不与丑专且世丘丙业").replace(" ", "的"),
    "Chinese and a face": lambda: words("一丁七万丈三上下不与丑专且世丘丙业")[:-1] + "😀",
    "Hindi": lambda: words("कखगघङचछिीुू्"),
    "Greek, capitals and lines": lambda: words("αβγδεζηθικλμνξοσ").title().replace(" ", "\n"),
    "a few words again and again": lambda: ("the same again and again\n" * CHARACTERS)[:CHARACTERS],
    "one letter": lambda: "a" * CHARACTERS,
}


@pytest.fixture(scope="module")
def little(tmp_path_factory) -> int:
    place = tmp_path_factory.mktemp("little")
    (place / "text").write_text("hardly any text")
    return peak(place, place / "text")


@pytest.mark.reliability("one line of 50 MB")
@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("kind", TEXTS)
def test_memory_grows_by_16_bytes_a_character_of_the_largest_document(tmp_path, little, kind, unit):
    (tmp_path / "text").write_text(TEXTS[kind]())
    assert peak(tmp_path, tmp_path / "text", "--unit", unit) - little <= 16 * CHARACTERS + BATCHES


ODD = {
    "marks on one letter": ("a" + "\u0301\u0323" * (CHARACTERS // 2)).encode(),
    "letters with a mark each": ("б\u0301" * (CHARACTERS // 2)).encode(),
    "bytes that are no UTF-8": b"\xed\xa0\x80\xff" * (CHARACTERS // 4),
}
"""What no text is, but a file may be."""


@pytest.mark.reliability("one line of 50 MB")
@pytest.mark.parametrize(
    ("kind", "unit"),
    [
        *[("letters with a mark each", "word"), ("bytes that are no UTF-8", "char")],
        *slow(("marks on one letter", "word")),
    ],
)
def test_memory_for_odd_bytes_grows_by_16_bytes_a_character(tmp_path, little, kind, unit):
    (tmp_path / "text").write_bytes(ODD[kind])
    assert peak(tmp_path, tmp_path / "text", "--unit", unit) - little <= 16 * CHARACTERS + BATCHES


@pytest.mark.reliability("İ and ΐ")
@pytest.mark.slow
@pytest.mark.parametrize(("letter", "becomes"), [("İ", 2), ("ΐ", 3)])
def test_memory_for_letters_that_grow_is_12_bytes_a_character_of_the_result(tmp_path, little, letter, becomes):
    (tmp_path / "text").write_text(letter * CHARACTERS)
    assert peak(tmp_path, tmp_path / "text") - little <= 12 * becomes * CHARACTERS + BATCHES


@pytest.mark.reliability("U+FDFA with --nfkc")
@pytest.mark.slow
def test_memory_for_characters_that_become_many_grows_by_20_bytes_a_character_of_the_result(tmp_path, little):
    (tmp_path / "text").write_text("\ufdfa" * (CHARACTERS // 16))
    assert peak(tmp_path, tmp_path / "text", "--nfkc") - little <= 20 * 18 * CHARACTERS // 16 + BATCHES // 2


@pytest.mark.reliability("a line of JSON of 40,000,000 characters")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "escaped", "most"),
    [("ASCII", False, 16), ("Cyrillic", True, 20), ("Chinese and a face", False, 16), ("Chinese and a face", True, 20)],
)
def test_memory_for_one_line_of_json_grows_by_16_bytes_a_character_or_20_escaped(tmp_path, little, kind, escaped, most):
    text = TEXTS[kind]() * 5
    line = json.dumps({"id": "one", "text": text}, ensure_ascii=escaped)
    (tmp_path / "x.jsonl").write_text(f"{line}\n")
    assert peak(tmp_path, tmp_path / "x.jsonl") - little <= most * len(text) + BATCHES


JUNK = {
    "nested arrays": "[" * 400 + "]" * 400,
    "nested objects": '{"":' * 400 + "0" + "}" * 400,
    "empty objects": "{}",
}
"""Values that take much more memory than they are long."""


@pytest.mark.reliability("a line of JSON made to take memory")
@pytest.mark.slow
@pytest.mark.parametrize("kind", JUNK)
def test_other_fields_of_a_line_take_55_bytes_a_byte(tmp_path, little, kind):
    size = 4 * MIB
    junk = ",".join([JUNK[kind]] * (size // (len(JUNK[kind]) + 1)))
    (tmp_path / "x.jsonl").write_text(f'{{"id": "one 😀", "text": "brown bread", "other": [{junk}]}}')
    assert peak(tmp_path, tmp_path / "x.jsonl") - little <= 55 * size + BATCHES // 8


@pytest.mark.reliability("an artifact of a large document")
@pytest.mark.slow
@pytest.mark.parametrize("kind", TEXTS)
def test_building_an_artifact_takes_no_more_memory(tmp_path, little, kind):
    (tmp_path / "text").write_text(TEXTS[kind]())
    target = tmp_path / "x.shingles"
    assert peak(tmp_path, tmp_path / "text", "-o", target, command="shingle") - little <= 16 * CHARACTERS + BATCHES


@pytest.mark.reliability("two large documents compared exactly")
@pytest.mark.slow
@pytest.mark.parametrize("kind", TEXTS)
def test_verifying_two_large_documents_takes_20_bytes_a_character(tmp_path, little, kind):
    """The token set of the one, 4 bytes a character, is held beside the other."""
    text = TEXTS[kind]()
    (tmp_path / "text").write_text(text)
    (tmp_path / "other").write_text(f"{text} and a little more")
    assert peak(tmp_path, tmp_path / "text", tmp_path / "other") - little <= 20 * CHARACTERS + BATCHES


def near_copies(place: Path, number: int) -> Path:
    """Write so many short texts, each of which is similar to all others."""
    words = [f"word{at}" for at in range(30)]
    texts = (" ".join((*words[: at % 30], f"other{at}", *words[at % 30 + 1 :])) for at in range(number))
    (place / "x.jsonl").write_text(
        "".join(json.dumps({"id": at, "text": text}) + "\n" for at, text in enumerate(texts))
    )
    return place / "x.jsonl"


@pytest.mark.reliability("an exact join of 6 million tokens")
@pytest.mark.parametrize(
    "question",
    [
        ("dedupe", "--exact"),
        *slow((("pairs", "--measure", "containment"),), (("audit",),)),
    ],
)
def test_an_exact_join_takes_what_it_says_and_150_mb(tmp_path, question):
    text, size = TEXTS["ASCII"](), 4000
    lines = ({"id": at, "text": text[at * size : (at + 1) * size]} for at in range(1500))
    (tmp_path / "x.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    env = prelude(tmp_path, RECORD.format(str(tmp_path / "status")))
    done = anew(*question, "-j1", tmp_path / "x.jsonl", "-v", env=env)
    said = re.search(r"needs about ([\d,]+) MB of memory", done.err)
    assert said
    allowed = int(said[1].replace(",", "")) * 1_000_000 + 150_000_000
    assert _most(tmp_path / "status") <= allowed


@pytest.mark.reliability("compare of two texts of 8,388,608 characters")
@pytest.mark.parametrize(
    ("kind", "switches"),
    [
        ("ASCII", ("--diff", "unified")),
        *slow(*product(("lines of one letter", "many changes"), ((), ("--diff", "words"), ("--diff", "unified")))),
    ],
)
def test_comparing_two_texts_takes_16_bytes_a_character_of_both_and_200_mb(tmp_path, kind, switches):
    kinds = {"lines of one letter": lambda: "".join(random.Random(4).choices(("a\n", "b\n", "c\n"), k=CHARACTERS // 2))}
    text = (kinds | {"many changes": TEXTS["ASCII"]} | TEXTS)[kind]()
    step = CHARACTERS // (100_000 if kind == "many changes" else 100)
    (tmp_path / "a").write_text(text)
    (tmp_path / "b").write_text("".join(f"{text[at : at + step - 1]}~" for at in range(0, len(text), step)))
    names = tmp_path / "a", tmp_path / "b"
    most = 200_000_000 + 16 * 2 * CHARACTERS
    assert peak(tmp_path, *names, *switches, "-q", command="compare", jobs=False) <= most


@pytest.mark.reliability("an audit of 8 million similar pairs")
@pytest.mark.parametrize("number", [1000, *slow(4000)])
def test_an_audit_takes_no_more_than_it_may_and_100_mb(tmp_path, number):
    docs = near_copies(tmp_path, number)
    limit = "--max-memory", "2000000", "-q"
    assert peak(tmp_path, docs, "--unit", "word", "-k", "1", *limit, command="audit") <= 102_000_000


@pytest.mark.reliability("100,000 to 1,000,000 documents")
@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("documents", "commands"),
    [(100_000, list(COMMANDS)), (300_000, list(COMMANDS)), (1_000_000, ["dedupe", "index"])],
)
def test_all_processes_together_hold_1_kb_a_document_and_200_mb(tmp_path, form, documents, commands):
    """Memory is sampled, so a short peak may be missed, but never invented."""
    if form == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow, which writes the file, is missing")
    docs = FORMS[form](tmp_path, documents)
    for name, jobs, peak, *_ in measurements(tmp_path, docs, [1, 2], commands):
        assert peak <= promised(documents, name, form, jobs), (name, jobs)


ARRAYS_MOVE = """
import mmap, sys
import simdocs.model.ragged as of
of._IN_MEMORY = mmap.PAGESIZE
sys.addaudithook(lambda event, given: event == "mmap.__new__" and given[0] >= 0 and open({!r}, "a").write("x"))
"""


@pytest.mark.reliability("100,000 to 1,000,000 documents")
def test_arrays_that_moved_to_a_file_give_the_same_answer_and_leave_nothing(tmp_path):
    (docs,), command = FORMS["lines"](tmp_path, 3000), ("index", "-o", "x.index")
    usual = anew(*command, docs, cwd=tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.glob("x.index/*.npy")}
    shutil.rmtree(tmp_path / "x.index", ignore_errors=True)
    (tmp_path / "temporary").mkdir()
    moved = tmp_path / "moved"
    env = {**prelude(tmp_path, ARRAYS_MOVE.format(str(moved))), "TMPDIR": str(tmp_path / "temporary")}
    done = anew(*command, docs, cwd=tmp_path, env=env)
    assert moved.stat().st_size >= 4, "names, facts and signatures"
    assert (done.status, done.out) == (usual.status, usual.out)
    assert before == {path.name: path.read_bytes() for path in tmp_path.glob("x.index/*.npy")}
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.reliability("100,000 to 1,000,000 documents")
@pytest.mark.slow
def test_memory_does_not_grow_with_the_texts_of_the_corpus(tmp_path):
    """Twice as many documents, most of them near-duplicates, take what is noted of each and fill a cache.

    The cache of token sets is part of the 200 MB, and 6,000 documents do not fill it. So this allows more than 1 KB.
    """
    size, text, peaks = 1 << 14, TEXTS["ASCII"](), []
    for number in (6000, 12000):
        place = tmp_path / str(number)
        (place / "docs").mkdir(parents=True)
        for at in range(number):
            begin = at % 64 * size
            (place / "docs" / str(at)).write_text(text[begin : begin + size] + str(at))
        peaks.append(peak(place, place / "docs"))
    assert peaks[1] - peaks[0] <= 6000 * 4096


@pytest.mark.reliability("malformed JSON")
def test_malformed_lines_take_no_memory_however_many_they_are(tmp_path, little):
    file = tmp_path / "x.jsonl.gz"
    file.write_bytes(gzip.compress(b"x\n" * (1 << 18)))
    assert peak(tmp_path, file, status=3) - little <= BATCHES * 3 // 4
