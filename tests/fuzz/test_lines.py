"""Hostile JSON Lines: dedupe answers as the twin, and every command ends soon and in little memory."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from tests.amounts import examples
from tests.fuzz import options, test_answers
from tests.fuzz.asking import Naming
from tests.fuzz.contents import families, mostly
from tests.fuzz.hostile_lines import files_of
from tests.fuzz.laws import world
from tests.fuzz.running import within_limits
from tests.fuzz.trees import Node, Tree
from tests.packing import has_zstd

PACKED = {"gzip": b"d/y.ndjson.gz", "zstd": b"d/y.ndjson.zst"}
"""The compressed file, by its compression."""

DOCUMENTS = [[b"."], [b"x.jsonl", b"d"], [b"--jsonl", b"-"], [b"--plain", b"x.jsonl"]]

COMMANDS = [
    [b"shingle", b"-o", b"../out/new.shingles"],
    [b"signature", b"-o", b"../out/new.signatures"],
    [b"index", b"-o", b"../out/new.index"],
    [b"query", b"../out/old.index"],
    [b"query", b"../out/old.index", b"--nearest", b"2"],
    [b"dedupe", b"--against", b"../out/old.index", b"--list", b"kept"],
    [b"dedupe", b"--list", b"duplicates", b"-0"],
    [b"dedupe", b"--list", b"kept-lines"],
    [b"dedupe", b"--exact", b"--format", b"table"],
    [b"dedupe", b"-v", b"--id-field", b"more"],
]

_WITHOUT = ("no line has an id in the field 'more' (--id-field)", "x.jsonl: no line has the field 'text'")
"""Why a field of ids, or a file that is named, is refused, if none of the drawn lines has the field."""


class Case(NamedTuple):
    """A tree of lines, the lines on standard input, options of dedupe; and another command, with its documents."""

    tree: Tree
    stdin: bytes
    options: list[options.Spelling]
    command: list[bytes]
    documents: list[bytes]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    texts = draw(families())
    compression = draw(st.sampled_from(["gzip", "zstd"][: 1 + has_zstd()]))
    plain, packed = files_of(texts), files_of(texts, compression=compression)
    tree = {b"x.jsonl": Node("file", draw(plain)), PACKED[compression]: Node("file", draw(packed))}
    tree[b"z.txt"] = Node("file", draw(st.sampled_from(texts)))
    base = draw(st.sampled_from(options.SIMILAR)) | draw(st.sampled_from(options.KINDS_OF_ANSWER))
    sizes = st.sampled_from([[], [(b"--max-size", b"100")], [(b"--max-size", b"1M")]])
    some = [*base.values(), *draw(mostly(st.just([]), sizes))]
    return Case(tree, draw(plain), some, draw(st.sampled_from(COMMANDS)), draw(st.sampled_from(DOCUMENTS)))


@pytest.mark.reliability("hostile JSON Lines")
@examples(3)
@given(case=cases())
def test_dedupe_of_hostile_lines_answers_as_the_twin(case):
    naming = Naming((b".", b"-"), stdin=case.stdin)
    jsonl: list[options.Spelling] = [(b"--jsonl",), *case.options]
    test_answers.asked(test_answers.Case(case.tree, naming, jsonl, b""), within_limits)


@pytest.mark.reliability("hostile JSON Lines")
@examples(3)
@given(case=cases())
def test_commands_read_hostile_lines_in_little_memory_and_time(case):
    command, *words = case.command
    outputs = [words[1]] if words[0] == b"-o" else []
    with world(case.tree, within_limits) as here:
        built = here.run("index", b"-o", b"../out/old.index", b".", outputs=[b"../out/old.index"])
        assert built.status in (0, 3)
        done = here.run(command.decode(), *words, *case.documents, stdin=case.stdin, outputs=outputs)
        event(f"{command.decode()}: {done.status}")
        assert done.status != 4
        assert done.status != 2 or b"kept-lines" in words or any(why in done.err for why in _WITHOUT), done
        for path in outputs if done.status != 2 else []:
            assert here.run("check", path) == (0, b"", "")
