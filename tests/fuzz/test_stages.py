"""The stages one by one give the same as all at once, and query and --against give the same answers as the twin."""

from __future__ import annotations

import os
from functools import partial
from typing import NamedTuple

from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.fuzz import options
from tests.fuzz.asking import Naming, namings
from tests.fuzz.laws import World, refused, world
from tests.fuzz.running import forked
from tests.fuzz.trees import Tree, lay, trees
from tests.twins import program

COMMANDS = {"shingles": "shingle", "signatures": "signature", "index": "index"}
"""Kinds of artifacts, and the commands that make them, in order."""

GIVEN = [
    [b"../out/a.shingles"],
    [b"../out/a.signatures"],
    [b"../out/a.index"],
    [b"../out/a.signatures", b"--shingles", b"../out/a.shingles"],
    [b"../out/a.index", b"--shingles", b"../out/a.shingles", b"--root", b"/"],
]
"""Artifacts that are given instead of documents."""

WALKING = ("include", "exclude", "hidden", "follow", "one_file_system", "max_size")
"""Options that cannot be combined with an artifact."""


OF_DRY_RUN = ("dry_run", "format", "header", "color")
"""Options of a build that writes nothing."""


class Case(NamedTuple):
    """A tree, the documents that are indexed and the options for that; a second copy of a part of the tree; the
    documents that are queries; the options of query; and the options of dedupe."""

    tree: Tree
    naming: Naming
    options: list[options.Spelling]
    part: Tree
    others: Naming
    asking: list[options.Spelling]
    deduping: list[options.Spelling]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    table = draw(st.sampled_from([{}, {}, *options.TABLES]))
    tree = draw(trees(tables=bool(table)))
    base = table | {name: one for name, one in draw(st.sampled_from(options.SIMILAR)).items() if name != "exact"}
    of_index = [one.name for one in options.options_of("index", OF_DRY_RUN)]
    some = draw(options.foretold("index", {*base, *OF_DRY_RUN}, most=3))
    asking = draw(options.foretold("query", of_index, most=3))
    answer = draw(st.sampled_from(options.KINDS_OF_ANSWER).filter(lambda one: "strict" not in one))
    deduping = [*answer.values(), *draw(options.foretold("dedupe", {*of_index, *answer}, most=2))]
    part = {path: tree[path] for path in draw(st.lists(st.sampled_from(list(tree)), min_size=1, unique=True))}
    others = draw(namings(part, b"../new/") | namings(tree))
    return Case(tree, draw(namings(tree, stdin=False)), [*base.values(), *some], part, others, asking, deduping)


@settings(max_examples=settings.default.max_examples // 8)
@given(case=cases())
def test_random_trees_in_stages_answer_as_at_once(case):
    with world(case.tree, forked) as here:
        lay(os.path.join(here.root, b"new"), case.part)
        documents, stdin = case.naming.arguments(here.cwd, here.root + b"/list")
        at_once = [*options.flat(case.options, "index"), b"-o", b"../out/b.index", *documents]
        built = here.run("index", *at_once, stdin=stdin, outputs=[b"../out/b.index"])
        if refused(built):
            return
        values = options.parsed("dedupe", [*options.flat(case.options, "dedupe"), *documents])
        expected = here.ask(program.dedupe, values, stdin)
        assert built.status == expected.status
        if built.status != 2:
            in_stages(here, case, documents, stdin)
            deduplicated(here, case, documents, stdin)
            queried(here, case, program.Index(values, stdin))
            held_against(here, case, program.Index(values, stdin))


def in_stages(here: World, case: Case, documents: list[bytes], stdin: bytes) -> None:
    """Check that an index built through shingles and signatures equals the index built at once."""
    given_, some = documents, case.options
    for kind, command in COMMANDS.items():
        target = b"../out/a." + kind.encode()
        arguments = [*options.flat(some, command), b"-o", target, *given_]
        assert here.run(command, *arguments, stdin=stdin, outputs=[target]).status in (0, 3)
        assert here.run("check", target) == (0, b"", "")
        assert here.run("info", target).status == 0
        given_, some, stdin = [target], of_artifacts(case.options), b""
    in_one, in_three = here.below(b"../out/b.index"), here.below(b"../out/a.index")
    assert in_one.pop(b"run.json") != in_three.pop(b"run.json")
    assert in_one == in_three


def of_artifacts(some: list[options.Spelling]) -> list[options.Spelling]:
    """Return the options that go with an artifact."""
    return [one for one in some if options.name_of(one, "index") not in WALKING]


def deduplicated(here: World, case: Case, documents: list[bytes], stdin: bytes) -> None:
    """Check that dedupe of each artifact gives the same answer as dedupe of the documents."""
    values = options.parsed("dedupe", [*options.flat([*case.options, *case.deduping], "dedupe"), *documents])
    expected = here.ask(partial(program.dedupe, given=True), values, stdin)
    if expected.status == 2 or program.may_be_capped(values, expected):
        return
    arguments = options.flat(of_artifacts([*case.options, *case.deduping]), "dedupe")
    for artifact in GIVEN:
        if values["changed"] and not artifact[0].endswith(b".index"):
            continue  # only an index knows which documents are new: here all
        done = here.run("dedupe", *arguments, *artifact)
        if refused(done):
            return
        # What was skipped was so when they were built.
        rooted = values | {"root": b"/"}
        answer = here.ask(partial(program.dedupe, given=True), rooted, stdin) if b"--root" in artifact else expected
        status = 2 if answer.status == 2 else int(bool(values["exit_code"] and answer.found))
        assert (done.status, done.out) == (status, answer.out)


def queried(here: World, case: Case, index: program.Index) -> None:
    """Check that query gives the same answer as the twin about other documents."""
    documents, stdin = case.others.arguments(here.cwd, here.root + b"/others")
    chosen = options.flat([*walking(case.options), *case.asking], "query")
    done = here.run("query", *chosen, b"../out/a.index", *documents, stdin=stdin)
    if not refused(done):
        values = options.parsed("query", [*chosen, b"../out/a.index", *documents])
        expected = here.ask(program.query, values, index, stdin)
        assert (done.status, done.out) == (expected.status, expected.out)
        event(f"matches: {min(expected.found, 2)}")
        if b"--" in documents:
            sets = (b"--shingles", b"../out/a.shingles", b"--root", b"/")
            again = here.run("query", *chosen, *sets, b"../out/a.index", *documents, stdin=stdin)
            expected = here.ask(program.query, values | {"root": b"/"}, index, stdin)
            assert (again.status, again.out) == (expected.status, expected.out)


def held_against(here: World, case: Case, index: program.Index) -> None:
    """The same, deduplicated against the index."""
    documents, stdin = case.others.arguments(here.cwd, here.root + b"/others")
    chosen = options.flat([*walking(case.options), *case.deduping], "dedupe")
    arguments = [*chosen, b"--against", b"../out/a.index", *documents]
    done = here.run("dedupe", *arguments, stdin=stdin)
    if not refused(done):
        values = options.parsed("dedupe", arguments)
        expected = here.ask(program.dedupe, values, stdin, index)
        if not program.may_be_capped(values, expected):
            assert (done.status, done.out) == (expected.status, expected.out)
            event(f"duplicates: {min(expected.found, 2)}")


def walking(some: list[options.Spelling]) -> list[options.Spelling]:
    """Options that go with documents alone."""
    return [one for one in some if options.name_of(one, "index") in WALKING]
