"""dedupe gives the same answer as the twin of the whole program, byte for byte."""

from __future__ import annotations

import gzip
from typing import NamedTuple

from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.amounts import examples
from tests.fuzz import options
from tests.fuzz.asking import Naming, namings
from tests.fuzz.laws import refused, world
from tests.fuzz.running import Run, forked, fresh
from tests.fuzz.trees import Node, Tree, trees
from tests.twins import program
from tests.twins.formats import form_of

OUTPUTS = [b"../out/answer", b"../out/answer.tsv", b"../out/answer.jsonl", b"../out/answer.csv"]

EVERY_PAIR = {"pairs": True, "all_copies": True, "exact": True, "format": "tsv", "list": None, "nul": False}


class Case(NamedTuple):
    """A tree, and a request about it."""

    tree: Tree
    naming: Naming
    options: list[options.Spelling]
    output: bytes


@st.composite
def cases(draw: st.DrawFn) -> Case:
    table = draw(st.sampled_from([{}, {}, *options.TABLES]))
    tree = draw(trees(tables=bool(table)))
    base = draw(st.sampled_from(options.SIMILAR)) | draw(st.sampled_from(options.KINDS_OF_ANSWER)) | table
    some = draw(options.foretold("dedupe", base, most=4))
    output = draw(st.sampled_from([b"", b"", *OUTPUTS]))
    return Case(tree, draw(namings(tree)), [*base.values(), *some], output)


def asked(case: Case, run: Run) -> None:
    """Check that the program and its twin give the same answer."""
    with world(case.tree, run) as here:
        documents, stdin = case.naming.arguments(here.cwd, here.root + b"/list")
        where = [b"-o", case.output] if case.output else []
        arguments = [*where, *options.flat(case.options), b"--summary-json", b"../out/note", *documents]
        done = here.run("dedupe", *arguments, stdin=stdin, outputs=[b"../out/note", *where[1:]])
        if refused(done):
            return
        values = options.parsed("dedupe", arguments)
        expected, answer = here.ask(program.dedupe, values, stdin), here.answer(done, case.output)
        if program.may_be_capped(values, expected):
            sound(answer, here.ask(program.dedupe, {**values, **EVERY_PAIR}, stdin).out, values)
            return
        assert (done.status, answer) == (expected.status, expected.out)
        form = values["input_format"] or "any format"
        event(f"{form}: status {done.status}, {'something' if answer else 'nothing'} found")
        if done.status != 2:
            facts = here.facts(b"../out/note")
            assert {name: facts[name] for name in expected.facts} == expected.facts


def sound(answer: bytes, pairs: bytes, values: program.Options) -> None:
    """Check that all pairs in an answer are similar."""
    if form_of(values) == "tsv" and not values["list"] and not values["header"]:
        event("a cap that may bite")
        similar = {tuple(line.split(b"\t")) for line in pairs.splitlines()}
        similar |= {(right, left, *figures) for left, right, *figures in similar}
        assert {tuple(line.split(b"\t")) for line in answer.splitlines()} <= similar


@examples(16)
@given(case=cases())
def test_dedupe_of_random_trees_answers_as_the_twin(case):
    asked(case, forked)


@settings(max_examples=settings.default.max_examples // 10)
@given(case=cases())
def test_dedupe_of_random_trees_answers_as_the_twin_in_new_processes(case):
    asked(case, fresh)


ROWS = (
    b"id,text\r1,the the the the\r2,one two three four\r",
    b"id,text\r\n1,the the the\r\n\r\n2,one two\r\n\r",
    b'id,text\n1,"the\r the"\r\r2,"a b"\n',
)
"""Tables with each kind of line end."""


@given(rows=st.sampled_from(ROWS))
def test_the_rows_before_damage_are_those_of_the_twin(rows):
    """The file is damaged after a whole member, which may end anywhere within a row."""
    as_rows: list[options.Spelling] = [(b"--input-format", b"csv"), (b"--list", b"kept")]
    for size in range(len(rows) + 1):
        damaged = gzip.compress(rows[:size], mtime=0) + b"\1\2"
        asked(Case({b"a.csv.gz": Node("file", damaged)}, Naming((b".",)), as_rows, b""), forked)
