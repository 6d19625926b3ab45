"""Sets from the slides of lectures, and what the program shows of their signatures."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.corpus import lay
from tests.cli.program import Argument, simdocs

EMPTY = 2**32 - 1
LETTERS = {"D1": "ad", "D2": "c", "D3": "bde", "D4": "acd"}
MATRIX = {"S1": "36", "S2": "146", "S3": "127", "S4": "245"}
SLOTS = {"C1": "134", "C2": "235"}
QUIZ = {"S1": "03", "S2": "2", "S3": "13"}
OF_LETTERS = "(x+1) mod 5, (3*x+1) mod 5"


def laid(where: Path) -> Path:
    """The sets of slides, one element on each line, and two permutations of seven rows."""
    sets = {"letters": LETTERS, "matrix": MATRIX, "slots": SLOTS, "quiz": QUIZ}
    files = {f"{folder}/{name}": "\n".join(lines) for folder, each in sets.items() for name, lines in each.items()}
    lay(where, {name: text.encode() for name, text in files.items()})
    (where / "orders").write_text("1 2 3 4 5 6 7\n7 6 5 4 3 2 1\n")
    return where


def shown(where: Path, *arguments: Argument) -> list[list[int]]:
    """The signature matrix that show prints, without the column that says of two whether they agree."""
    done = simdocs("show", *arguments, cwd=where)
    assert (done.status, done.err) == (0, "")
    return [[int(cell) for cell in row[1:] if cell.isdigit()] for row in done.rows]


def signed(where: Path, folder: str, *options: Argument, name: str = "x.signatures") -> list[list[int]]:
    """The signature matrix of a folder."""
    done = simdocs("signature", folder, "--unit", "line", *options, "-o", name, cwd=where)
    assert done == (0, b"", "")
    return shown(where, name)


def traced(where: Path, *arguments: Argument) -> tuple[list[str], list[list[tuple[float, ...]]]]:
    """The shingle of each row of a trace, and the slots of all documents after it."""
    done = simdocs("compare", *arguments, "--trace", "--format", "jsonl", "-q", cwd=where)
    assert (done.status, done.err) == (0, "")
    shingles, after = list[str](), list[list[tuple[float, ...]]]()
    for line in map(json.loads, done.out.splitlines()):
        if "row" not in line:
            continue
        if line["document"] is None:
            shingles.append(line["shingle"])
            after.append([])
        else:
            values = [value for name, value in line.items() if name[0] == "h" and name != "has"]
            after[-1].append(tuple(float("inf") if value is None else value for value in values))
    return shingles, after
