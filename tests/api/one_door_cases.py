"""For each parameter of each question a value that is not its default, documents, and whether the answer changes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import simdocs
from tests.api.one_door import REQUESTS
from tests.cli.corpus import A1, A2, A, B, lay

REPEATS = b"Row, row, row, row, row, row your boat, row, row, gently down the stream, the stream, the stream."

DOCS = {
    "docs/a.txt": A,
    "docs/b.txt": A1,
    "docs/c.txt": B,
    "docs/capitals.txt": A.upper(),
    "docs/d.txt": A2.replace(b"half", b"three quarters"),
    "docs/marks.txt": A.replace(b"e", "é".encode()),
    "docs/digits.txt": A.replace(b"a", b"1"),
    "docs/more-digits.txt": A.replace(b"a", b"2"),
    "docs/points.txt": A.replace(b" ", b" ... "),
    "docs/repeats.txt": REPEATS,
    "docs/repeated.txt": REPEATS.replace(b"row, row, row", b"row"),
    "docs/wide.txt": A.decode().translate({code: code + 0xFEE0 for code in range(0x61, 0x7B)}).encode(),
    "docs/.hidden.txt": B[:-20],
    "elsewhere/x.txt": A2,
}

LINES = [
    {"id": "one", "text": A.decode(), "body": B.decode(), "name": "first"},
    {"id": "two", "text": A1.decode(), "body": A.decode(), "name": "second"},
    {"id": "three", "text": B.decode(), "body": B.decode() + "!", "name": "third"},
]

JSONL = b"".join(json.dumps(line).encode() + b"\n" for line in LINES)

TEXT = "The THE café, ﬁve of 7 wider ¡wider! wider wider wider\nThe DAS und der Hund".encode()


def lay_out(root: Path) -> Path:
    """All documents, lists and artifacts that the cases name, below root."""
    docs = {"docs/lines.jsonl": JSONL, "docs/lines.ndjson": JSONL.replace(b"ferry", b"boat")}
    lists = {
        "list with NUL": b"docs/a.txt\nx\0y\n",
        "list": b"docs/a.txt\ndocs/b.txt\ndocs/c.txt\n",
        "list0": b"docs/a.txt\0docs/b.txt\0",
        "stop words": b"wider\n",
        "order": b"3 1 2\n1 2 3\n",
        "sets/one": b"1\n2\n",
        "sets/two": b"2\n3\n",
    }
    lay(root, DOCS | docs | lists | {"text": TEXT, "stdin": JSONL, "gone/a.txt": A, "gone/b.txt": A1})
    lay(root, {"moved/old/a.txt": A, "moved/old/b.txt": A1})
    rows = b"".join(b'r%d;"%b"\n' % (row, text) for row, text in enumerate((A, A1, B)))
    lay(root, {"semicolons.csv": b"id;text\n" + rows, "rows.csv": rows.replace(b';"', b',"')})
    (root / "docs" / "link.txt").symlink_to("../elsewhere/x.txt")
    for row, path in enumerate(sorted((root / "docs").iterdir())):
        if not path.is_symlink():
            os.utime(path, (row % 5, row % 5))
    before = Path.cwd()
    os.chdir(root)
    try:
        simdocs.dedupe("docs").write("docs.answer")
        simdocs.shingle("docs", output="docs.shingles")
        simdocs.signature("docs", output="docs.signatures")
        simdocs.index("docs", output="docs.index")
        simdocs.index("docs/a.txt", "docs/c.txt", output="old.index")
        simdocs.index("docs/b.txt", "docs/d.txt", output="more.index")
        simdocs.index("docs/c.txt", unit="word", output="words.index")
        simdocs.index("docs/c.txt", unit="stopword", language="de", output="stop.index")
        (root / "damaged.index").mkdir()
        for name, changed in (("updated.index", {"changed": "1-2"}), ("silent.index", {})):
            shutil.copytree("docs.index", name)
            run = json.loads(Path(name, "run.json").read_bytes())
            del run["changed"]
            Path(name, "run.json").write_text(json.dumps(run | changed))
        simdocs.shingle("gone", output="gone.shingles")
        simdocs.index("gone", output="gone.index")
        shutil.rmtree("gone")
        os.chdir("moved")
        simdocs.index("old", output="../moved.index")
        shutil.move("old", "..")
    finally:
        os.chdir(before)
    return root


@dataclass(frozen=True)
class Case:
    """A parameter with a value that is not its default.

    beside: other parameters of the question. arguments: its arguments (None: those of every case of the question).
    changes: whether the answer differs from that to the question without the parameter. without: the arguments of that
    question, where they differ.
    """

    value: Any
    beside: Mapping[str, Any] = field(default_factory=dict)
    arguments: tuple[str, ...] | None = None
    changes: bool = True
    without: tuple[str, ...] | None = None


ARGUMENTS = {"query": ("docs.index", "docs"), "show": ("text",), "merge": ("old.index", "more.index")}
ARGUMENTS |= {"report": ("docs.answer",)}
"""The arguments of a question; those of the others are docs alone."""

_TOKENS = {
    "unit": Case("word"),
    "k": Case(4),
    "language": Case("de", {"unit": "stopword"}),
    "ignore_stop_words": Case(True, {"unit": "word"}),
    "stop_words": Case("stop words", {"unit": "stopword"}),
    "multiset": Case(True),
    "seed": Case(7),
    "nfkc": Case(True),
    "keep_case": Case(True),
    "strip_accents": Case(True),
    "strip_punctuation": Case(True),
    "mask_digits": Case(True),
}

_DOCUMENTS = {
    "jobs": Case(2, changes=False),
    # Each of these is refused, in the same words from both doors. What Spark answers is in tests/cli/test_spark.py.
    "engine": Case("spark", {"spark_master": "sc://host"}),
    "spark_master": Case("yarn"),
    "spark_conf": Case(("spark.a=1", "spark.b=2")),
    "strict": Case(True, {"max_size": 250}),
    "summary_json": Case("summary.json", changes=False),
    "files_from": Case("list", arguments=(), without=("docs",)),
    "files0_from": Case("list0", arguments=(), without=("docs",)),
    "include": Case(("[ab].txt", "c.txt")),
    "exclude": Case(("a.txt", "c*")),
    "hidden": Case(True),
    "follow": Case(True),
    "one_file_system": Case(True, changes=False),
    "max_size": Case(250),
    "text_field": Case(("body", "name")),
    "id_field": Case("name"),
    "input_format": Case("jsonl"),
    "delimiter": Case(";", arguments=("semicolons.csv", "docs")),
    "no_header": Case(True, {"text_field": ("2",)}, ("rows.csv", "docs")),
    "plain": Case(True),
    "jsonl": Case(True, arguments=("-",)),
}

_SIGNATURES = {
    "scheme": Case("permutation"),
    "num_perm": Case(64),
    "ignore_common": Case(0.5),
    "template": Case(("docs/b.txt", "docs/c.txt")),
}

_BANDS = {
    "threshold": Case(0.5),
    "recall": Case(0.05),
    "rule": Case("nearest"),
    "bands": Case(2),
    "rows": Case(60),
}

_BUILD = (
    {"output": Case("other.{kind}", changes=False), "lock_wait": Case(0.01, changes=False)}
    | dict.fromkeys(("rebuild", "checksum", "allow_shrink"), Case(True, changes=False))
    | {"dry_run": Case(True)}
)

_DEDUPE = {
    "rule": Case("nearest", {"threshold": 0.3}),
    "exact": Case(True, {"threshold": 0.9, "seed": 13, "num_perm": 32}),
    "max_memory": Case(1 << 40, {"exact": True}, changes=False),
    "verify": Case("estimate"),
    "cluster": Case("components", {"threshold": 0.85}),
    "keep": Case("longest"),
    "max_candidates": Case(1, {"threshold": 0.5}),
    "against": Case("old.index"),
    "changed": Case(True, arguments=("updated.index",)),
    "list": Case("duplicates"),
    **dict.fromkeys(
        ("kept_rows", "removed_rows", "flagged_rows"),
        Case("rows", {"list": "kept"}, ("docs/lines.jsonl", "docs/lines.ndjson"), changes=False),
    ),
    "shingles": Case("gone.shingles", arguments=("gone.index",)),
    "root": Case(".", arguments=("moved.index",)),
}

_PAIRS = {name: _DEDUPE[name] for name in ("rule", "exact", "max_memory", "verify", "changed")}
_PAIRS |= {"shingles": _DEDUPE["shingles"], "root": _DEDUPE["root"]}
_PAIRS |= {"measure": Case("containment"), "all_copies": Case(True)}

_QUERY_ONLY = {
    "passages": Case(True),
    "min_passage": Case(300, {"passages": True}),
    "threshold": Case(0.95),
    "measure": Case("containment"),
    "exact": Case(True, {"threshold": 0.05}),
    "max_memory": Case(1 << 40, {"exact": True}, changes=False),
    "verify": Case("estimate"),
    "top": Case(1),
    "nearest": Case(2),
    "all_copies": Case(True, {"nearest": 2}),
    "changed": Case(True, arguments=("updated.index",), without=("updated.index", "docs")),
    "itself": Case(True),
    "list": Case("matches"),
    "shingles": Case("gone.shingles", arguments=("gone.index", "docs")),
    "root": Case(".", arguments=("moved.index", "docs")),
    "files_from": Case("list", arguments=("docs.index",), without=("docs.index", "docs")),
    "files0_from": Case("list0", arguments=("docs.index",), without=("docs.index", "docs")),
    "jsonl": Case(True, arguments=("docs.index", "-")),
    "delimiter": Case(";", arguments=("docs.index", "semicolons.csv", "docs")),
    "no_header": Case(True, {"text_field": ("2",)}, ("docs.index", "rows.csv", "docs")),
}

_TUNE = {
    "scheme": Case("permutation", changes=False),
    "id_field": Case("name", changes=False),
    "exclude": Case(("lines.*",)),
    "nfkc": Case(True, changes=False),
    "keep_case": Case(True, changes=False),
    "seed": Case(7, changes=False),
    "shingles": _DEDUPE["shingles"],
    "root": _DEDUPE["root"],
}
"""So few documents are all compared, whatever the signatures. A text that is like no other makes no difference."""

_SHOW_ARTIFACTS = {
    "matrix": Case(True, arguments=("docs.shingles",)),
    "buckets": Case(True, arguments=("docs.index",), without=("docs.shingles",)),
    "candidates": Case(True, arguments=("docs.index",), without=("docs.shingles",)),
    "shingles": Case("gone.shingles", {"candidates": True}, ("gone.index",)),
    "root": Case(".", {"candidates": True}, ("moved.index",)),
}

_AUDIT = {
    "id_field": Case("name", changes=False),
    "max_memory": Case(1 << 40, changes=False),
    "sample": Case(4),
    "shingles": _DEDUPE["shingles"],
    "root": _DEDUPE["root"],
}

_REPORT = {"figure": Case("similarities"), "group": Case(1, {"figure": "matrix"}), "report_size": Case(1000)}

_USUAL = _TOKENS | _DOCUMENTS | _SIGNATURES | _BANDS

_STATED = {
    "functions": Case("(x+1) mod 5, x", {"unit": "line"}, ("sets",)),
    "permutation_file": Case("order", {"unit": "line"}, ("sets",)),
}

_OWN: Mapping[str, Mapping[str, Case]] = {
    "shingle": _BUILD,
    "signature": _BUILD | _STATED,
    "index": _BUILD | _STATED | {"containment": Case(True)},
    "merge": {name: _BUILD[name] for name in ("output", "lock_wait", "allow_shrink")}
    | {"root": Case("docs", changes=False), "summary_json": _DOCUMENTS["summary_json"]},
    "dedupe": _DEDUPE,
    "pairs": _PAIRS,
    "passages": {"min_passage": Case(300), "k": Case(70), "id_field": Case("name")},
    "report": _REPORT,
    "tune": _TUNE,
    "audit": _AUDIT,
    "query": _QUERY_ONLY,
    "show": {"max_size": Case(5)} | _SHOW_ARTIFACTS,
}
"""Cases that are not the usual ones."""

CASES: Mapping[str, Mapping[str, Case]] = {
    question: {name: _USUAL[name] for name in request.accepts if name in _USUAL} | dict(_OWN.get(question, {}))
    for question, request in REQUESTS.items()
}
"""By question and parameter."""
