"""For any command line, the program ends with a documented status, and changes nothing but its outputs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.fuzz import options
from tests.fuzz.laws import World, world
from tests.fuzz.running import forked, fresh
from tests.fuzz.trees import Tree, trees, waits

OUTPUTS = [
    b"../out/x",
    b"../out/x.jsonl",
    b"../out/gone/x",
    b"../out",
    b"../out/old",
    b"../out/x.index",
    b"../out/old.index",
]

WRITTEN = {"-o", "--output", "--summary-json"}


class Case(NamedTuple):
    """A tree, and a command line."""

    tree: Tree
    command: str
    options: list[options.Spelling]
    arguments: list[bytes]
    stdin: bytes


@st.composite
def cases(draw: st.DrawFn) -> Case:
    tree = draw(trees(1, 6))
    command = draw(st.sampled_from(list(options.COMMANDS)))
    valid = draw(st.integers(0, 3)) > 0
    names = [*tree, b".", *OUTPUTS] if valid else [*tree, b"gone", b"-", *OUTPUTS]
    some = draw(options.drawn(command, names, valid=valid, most=4))
    if command in ("shingle", "signature", "index") and valid:
        target = draw(st.sampled_from([b"../out/x.", b"../out/x.", b"../out/old."])) + command.encode()
        some.append((b"-o", target + (b"s" if command != "index" else b"")))
    arguments = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3))
    if command in ("query", "info", "check"):
        arguments = [b"../out/old.index", *arguments[1 if command == "info" else 0 :]]
    stdin = draw(st.sampled_from([node.data for node in tree.values()]))
    return Case(tree, command, some, arguments, stdin)


def run(here: World, case: Case) -> None:
    here.run("index", b".", b"-q", b"-o", b"../out/old.index", outputs=[b"../out/old.index"])
    Path(os.fsdecode(here.root), "out", "old").write_bytes(b"old")
    some = [one for one in case.options if not any(waits(os.path.join(here.cwd, value)) for value in one[1:])]
    arguments = [name for name in case.arguments if not waits(os.path.join(here.cwd, name))]
    outputs = [one[1] for one in some if one[0].decode() in WRITTEN]
    flat = [part for one in some for part in one]
    done = here.run(case.command, *flat, *([b"--", *arguments] if arguments else []), stdin=case.stdin, outputs=outputs)
    event(f"{case.command}: {done.status}")


@settings(max_examples=settings.default.max_examples // 3)
@given(case=cases())
def test_random_command_lines_keep_the_laws(case):
    with world(case.tree, forked) as here:
        run(here, case)


@settings(max_examples=settings.default.max_examples // 20)
@given(case=cases())
def test_random_command_lines_keep_the_laws_in_new_processes(case):
    with world(case.tree, fresh) as here:
        run(here, case)
