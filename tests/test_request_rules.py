"""Every rule about what goes together in a request, with the words in which it is said."""

from __future__ import annotations

from typing import Any

import pytest

from simdocs.errors import spelled
from simdocs.parameters.families import UNITS
from simdocs.parameters.file_formats import FORMATS
from simdocs.requests import drawing
from tests.asked import REQUESTS, asked, names_of, needed, problems_of, value_of

TOGETHER = "cannot be combined"
IN_ONE_WAY = f"{TOGETHER}: name documents in one way"
NOTHING = "nothing to read: give files or directories, or texts"
PIPED = "jsonl applies to standard input: name a file *.jsonl, or pipe it into"
LISTS = "one of kept, duplicates, kept-lines, duplicate-lines, groups"
FRACTION = "a number above 0 and up to 1, such as 0.8"
*MOST, LAST = (f".{name}" for name in FORMATS)
NO_FORMAT = f"use {', '.join(MOST)} or {LAST}, or choose with format"
ONE_UNIT = f"one of {', '.join(UNITS)}"

RULES: list[tuple[str | type[Any], dict[str, Any], tuple[str, ...]]] = [
    # Where documents come from
    ("shingle", {"documents": ()}, (NOTHING,)),
    ("shingle", {"documents": (), "texts": []}, ()),
    ("shingle", {"files_from": "x"}, (f"documents and files_from {IN_ONE_WAY}",)),
    ("shingle", {"texts": []}, (f"documents and texts {IN_ONE_WAY}",)),
    (
        "shingle",
        {"files_from": "x", "files0_from": "y", "texts": ["a"]},
        (
            f"documents, files_from, files0_from and texts {IN_ONE_WAY}",
            "files_from needs paths, not texts",
            "files0_from needs paths, not texts",
        ),
    ),
    ("shingle", {"documents": ("-", "a", b"-")}, ("- names standard input, which can be read only once",)),
    (
        "shingle",
        {"documents": (3, ["a"])},
        (
            "int is not a path: pass each path as a separate argument",
            "list is not a path: pass each path as a separate argument, or texts as texts=[...]",
        ),
    ),
    ("shingle", {"documents": ("-",), "plain": True, "jsonl": True}, (f"plain and jsonl {TOGETHER}",)),
    ("shingle", {"jsonl": True}, (f"{PIPED} simdocs.shingle('-', jsonl=True)",)),
    ("query", {"jsonl": True}, (f"{PIPED} simdocs.query('X.index', '-', jsonl=True)",)),
    ("shingle", {"jsonl": True, "documents": ()}, (NOTHING,)),
    (
        "shingle",
        {"jsonl": True, "documents": (), "files_from": "x"},
        (f"{PIPED} simdocs.shingle('-', jsonl=True)",),
    ),
    # Texts in memory
    ("shingle", {"names": ["a"]}, ("names need texts",)),
    (
        "shingle",
        {"documents": (), "texts": "ab"},
        ("texts must be an iterable of texts, such as a list, not str",),
    ),
    (
        "shingle",
        {"documents": (), "texts": ["a", 3, None], "names": ["x", b"y"]},
        (
            "texts[1] is of type int (1 more are no texts either): a text must be str or bytes",
            "there must be as many names as texts, 3, not 2",
        ),
    ),
    ("shingle", {"documents": (), "texts": ["a"], "names": [None]}, ("names[0] is null: give each text a name",)),
    (
        "shingle",
        {"documents": (), "texts": ["a"], "hidden": True, "max_size": 3, "text_field": "body"},
        ("hidden needs paths, not texts", "max_size needs paths, not texts"),
    ),
    # Bands
    (
        "index",
        {"bands": 3, "rows": 2, "recall": 0.9, "rule": "nearest"},
        (f"bands, rows, recall and rule {TOGETHER}: recall and rule choose the bands and rows",),
    ),
    (
        "index",
        {"bands": 3, "rule": "recall"},
        (f"bands and rule {TOGETHER}: rule chooses the bands and rows",),
    ),
    ("index", {"bands": 3, "rows": 2, "threshold": 0.5}, ()),
    # Groups and pairs
    ("dedupe", {"all_copies": True}, ("all_copies needs pairs",)),
    ("dedupe", {"all_copies": True, "pairs": False}, ("all_copies needs pairs",)),
    ("query", {"all_copies": True}, ("all_copies needs nearest",)),
    ("query", {"all_copies": True, "nearest": 2, "exact": True, "itself": True}, ()),
    (
        "dedupe",
        {"pairs": True, "list": "kept"},
        (f"pairs and list {TOGETHER}: list lists documents, not pairs",),
    ),
    ("dedupe", {"pairs": False, "list": "kept", "against": "x.index", "cluster": "greedy"}, ()),
    (
        "dedupe",
        {"pairs": True, "against": "x.index", "cluster": "components"},
        (
            f"pairs and cluster components {TOGETHER}: pairs lists pairs, not groups",
            f"against and cluster components {TOGETHER}: against keeps every document of the index, and a component"
            " keeps one",
            f"pairs and against {TOGETHER}: pairs finds pairs only within the documents",
        ),
    ),
    (
        "dedupe",
        {"exact": True, "recall": 0.9, "max_candidates": 3, "verify": "exact", "against": "x.index"},
        tuple(
            f"{name} and exact {TOGETHER}: exact finds and compares every pair"
            for name in ("recall", "max_candidates", "verify", "against")
        ),
    ),
    ("dedupe", {"measure": "containment"}, ("measure containment needs pairs",)),
    (
        "dedupe",
        {"measure": "containment", "pairs": True, "exact": True, "verify": "exact", "max_memory": 10},
        (),
    ),
    (
        "dedupe",
        {"measure": "containment", "pairs": True, "recall": 0.9, "bands": None, "verify": "estimate"},
        (
            f"measure and recall {TOGETHER}: containment is computed for every pair in any case",
            f"measure and verify {TOGETHER}: signatures do not tell the containment",
        ),
    ),
    ("dedupe", {"exact": False, "recall": 0.9, "bands": None}, ()),
    (
        "dedupe",
        {"changed": True, "against": "x.index"},
        (f"changed and against {TOGETHER}: changed is about one index",),
    ),
    # Queries
    (
        "query",
        {"nearest": 1, "threshold": 0.5, "top": 2},
        (
            f"nearest and threshold {TOGETHER}: nearest ignores the threshold",
            f"nearest and top {TOGETHER}: nearest limits the number of matches already",
        ),
    ),
    ("query", {"changed": True}, (f"documents and changed {IN_ONE_WAY}",)),
    (
        "query",
        {"changed": True, "documents": (), "files_from": "x"},
        (f"files_from and changed {IN_ONE_WAY}",),
    ),
    ("query", {"changed": True, "documents": (), "texts": []}, (f"texts and changed {IN_ONE_WAY}",)),
    ("query", {"changed": False, "documents": ()}, (NOTHING,)),
    (
        "query",
        {"changed": True, "documents": (), "itself": True, "hidden": True, "text_field": "body"},
        (
            f"changed and itself {TOGETHER}: a document of the index would always match itself",
            "hidden needs documents, and cannot be combined with changed",
            "text_field needs documents, and cannot be combined with changed",
        ),
    ),
    ("query", {"index": None}, ("index must be an artifact of kind index, or its path, not None",)),
    (
        "query",
        {"index": 3, "documents": ()},
        ("index must be an artifact of kind index, or its path, not 3", NOTHING),
    ),
    (
        "dedupe",
        {"measure": "containment", "against": "x.index"},
        (
            "measure and against cannot be combined: simdocs.query('Y.index', 'DOCS', measure='containment') finds what"
            " contains them",
        ),
    ),
    # One text
    (
        "show",
        {"file": None, "language": "de"},
        ("file must be a path, not None", "language needs unit stopword, or ignore_stop_words"),
    ),
    ("show", {"file": ""}, ("nothing to read: name a text, - for standard input, or an artifact",)),
    ("show", {"language": "en", "unit": "word"}, ("language needs unit stopword, or ignore_stop_words",)),
    ("similarity", {"language": "en"}, ("language needs unit stopword, or ignore_stop_words",)),
    ("similarity", {"language": "en", "unit": "word", "ignore_stop_words": True}, ()),
    (
        "show",
        {"language": "en", "ignore_stop_words": True},
        ("language needs unit stopword, or ignore_stop_words", "ignore_stop_words needs unit word"),
    ),
    ("show", {"unit": "stopword", "ignore_stop_words": True}, ("ignore_stop_words needs unit word",)),
    ("show", {"unit": "stopword", "stop_words": "x"}, ()),
    ("show", {"unit": "line", "stop_words": "x"}, ("stop_words needs unit word or stopword",)),
    (
        "show",
        {"file": "-", "unit": "word", "stop_words": "-"},
        ("- names standard input, which can be read only once",),
    ),
    (
        "compare",
        {"documents": ("a", "-"), "unit": ("word",), "stop_words": "-"},
        ("- names standard input, which can be read only once",),
    ),
    ("compare", {"unit": ("char", "word"), "ignore_stop_words": True, "language": "de"}, ()),
    (
        "shingle",
        {"documents": ("-",), "unit": "word", "stop_words": "-"},
        ("- names standard input, which can be read only once",),
    ),
    (
        "signature",
        {"unit": "word", "stop_words": "-", "template": ("-",)},
        ("- names standard input, which can be read only once",),
    ),
    (
        "dedupe",
        {"language": "en", "stop_words": "x", "unit": "stopword"},
        ("language and stop_words cannot be combined: each says what the stop words are",),
    ),
    # A rule about a wrong value would be a guess
    ("show", {"language": "en", "unit": "wd"}, (f"unit must be {ONE_UNIT}, not 'wd'",)),
    (
        "show",
        {"unit": "words"},
        (f"unit must be {ONE_UNIT}, not 'words': did you mean word?",),
    ),
    (
        "dedupe",
        {"list": "kept,duplicates"},
        (f"list must be {LISTS}, not 'kept,duplicates': only one is allowed",),
    ),
    ("dedupe", {"threshold": 80}, (f"threshold must be {FRACTION}, not 80: did you mean 0.8?",)),
    ("dedupe", {"all_copies": True, "pairs": 1}, ("pairs must be True or False, not 1",)),
    (
        "dedupe",
        {"k": 0, "hidden": "no", "pairs": True, "list": "kept", "documents": ()},
        (
            "hidden must be True or False, not 'no'",
            "k must be a whole number from 1 to 1000, not 0",
            NOTHING,
            f"pairs and list {TOGETHER}: list lists documents, not pairs",
        ),
    ),
    # What becomes of an answer
    (
        drawing.TableRequest,
        {"output": b"x.bz2"},
        ("output x.bz2: simdocs cannot write .bz2: for a compressed output, use .gz or .zst, or write to a pipe",),
    ),
    (
        drawing.TableRequest,
        {"output": b"x.bz2", "format": "csv"},
        ("output x.bz2: simdocs cannot write .bz2: for a compressed output, use .gz or .zst, or write to a pipe",),
    ),
    *(
        (
            drawing.TableRequest,
            {"output": f"x.{suffix}"},
            (f"output x.{suffix}: simdocs cannot write .{suffix}: {NO_FORMAT}",),
        )
        for suffix in ("json", "feather", "xlsx")
    ),
    (drawing.TableRequest, {"output": "x.json", "format": "jsonl"}, ()),
    (
        drawing.DrawRequest,
        {"nul": True, "listing": "kept", "output": "x.JSON"},
        (f"nul and output x.JSON {TOGETHER}: nul writes plain names",),
    ),
    (drawing.DrawRequest, {"output": "x.ndjson", "listing": "kept-lines"}, ()),
    (
        drawing.DrawRequest,
        {"output": "x.json", "listing": "kept"},
        (f"output x.json: simdocs cannot write .json: {NO_FORMAT}",),
    ),
    (
        drawing.DrawRequest,
        {"quiet": True, "verbose": True, "summary": True},
        (f"quiet and verbose {TOGETHER}", f"quiet and summary {TOGETHER}"),
    ),
    (
        drawing.DrawRequest,
        {"summary_json": "-"},
        ("summary_json must be a file, not -, because the answer goes to standard output",),
    ),
    ("index", {"dry_run": True}, ("dry_run needs output: name the artifact to compare with",)),
    (
        "index",
        {"dry_run": True, "output": "x.index", "lock_wait": 1.0},
        (f"lock_wait and dry_run {TOGETHER}: dry_run takes no lock",),
    ),
    ("query", {"measure": "containment", "exact": True}, ()),
    (
        "query",
        {"measure": "containment", "exact": True, "max_memory": 10},
        (f"measure and max_memory {TOGETHER}: only a few token sets are in memory at once",),
    ),
    (
        "query",
        {"measure": "containment", "nearest": 1, "verify": "estimate"},
        (
            f"nearest and measure {TOGETHER}: use measure containment top 1 instead of nearest 1",
            f"measure and verify {TOGETHER}: signatures do not tell the containment",
        ),
    ),
    (
        drawing.BuildReportRequest,
        {"format": "csv", "header": True},
        (
            "format needs dry_run: without it, nothing is printed",
            "header needs dry_run: without it, nothing is printed",
        ),
    ),
    (drawing.DrawRequest, {"nul": True}, ("nul needs a list of names: add list",)),
    (drawing.DrawRequest, {"nul": True, "listing": "groups"}, ("nul needs a list of names, not list groups",)),
    (drawing.DrawRequest, {"nul": True, "listing": "kept-lines"}, ("nul needs a list of names, not list kept-lines",)),
    (
        drawing.DrawRequest,
        {"nul": True, "listing": "kept", "format": "csv"},
        (f"nul and format {TOGETHER}: nul writes plain names",),
    ),
    (
        drawing.DrawRequest,
        {"listing": "kept-lines", "format": "csv"},
        ("list kept-lines writes lines as they are, without format",),
    ),
    (
        drawing.DrawRequest,
        {"nul": True, "listing": "kept", "output": "x.csv"},
        (f"nul and output x.csv {TOGETHER}: nul writes plain names",),
    ),
    (drawing.DrawRequest, {"nul": True, "listing": "kept", "output": "x.tsv"}, ()),
    (drawing.DrawRequest, {"output": "./x", "summary_json": "x"}, ("output and summary_json name the same file",)),
    (
        drawing.DedupeDrawRequest,
        {"summary_json": "./x.html", "report": "x.html"},
        ("summary_json and report name the same file",),
    ),
    (
        drawing.DedupeDrawRequest,
        {"report": "x.html", "paired": True},
        ("report and pairs cannot be combined: a report shows groups",),
    ),
    (
        drawing.DedupeDrawRequest,
        {"report": "-"},
        ("report must be a file, not -, because the answer goes to standard output",),
    ),
    (drawing.DedupeDrawRequest, {"report_size": 10}, ("report_size needs report",)),
    (drawing.ReportDrawRequest, {"output": "x.htm"}, ()),
    (drawing.ReportDrawRequest, {"output": "x.html.gz"}, ()),
    (drawing.ReportDrawRequest, {"output": "x.svg", "figure": "sizes"}, ()),
    (
        drawing.ReportDrawRequest,
        {"output": "x.svg"},
        ("output x.svg: a report is a page of HTML: name a file *.html, or choose an image with figure",),
    ),
    (
        drawing.ReportDrawRequest,
        {"output": "x.html", "figure": "sizes"},
        ("output x.html: figure draws an image in SVG: name a file *.svg",),
    ),
    (drawing.DrawRequest, {"output": "-", "summary_json": "x"}, ()),
]
"""Requests, and all that is wrong with each, in words."""


@pytest.mark.parametrize(("request_type", "given", "problems"), RULES)
def test_a_request_reports_all_of_its_problems_in_words(request_type, given, problems):
    assert problems_of(request_type, **given) == problems


BESIDE_DOCUMENTS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("dedupe", {"language": "de"}, ("language needs unit stopword, or ignore_stop_words",)),
    ("dedupe", {"language": "de", "unit": "stopword"}, ()),
    ("dedupe", {"language": "de", "unit": "word", "ignore_stop_words": True}, ()),
    ("dedupe", {"ignore_stop_words": True}, ("ignore_stop_words needs unit word",)),
    ("dedupe", {"stop_words": "x"}, ("stop_words needs unit word or stopword",)),
    ("dedupe", {"stop_words": "x", "unit": "word", "ignore_stop_words": True}, ()),
    ("dedupe", {"language": "de", "against": "x.index"}, ()),  # the index decides the unit
    ("index", {"language": "de", "unit": "word"}, ("language needs unit stopword, or ignore_stop_words",)),
    (
        "dedupe",
        {"root": "x", "shingles": "x.shingles"},
        ("shingles needs an artifact, not documents", "root needs an artifact, not documents"),
    ),
    ("dedupe", {"root": "x", "shingles": "x.shingles", "against": "x.index"}, ()),
    ("query", {"root": "x", "shingles": "x.shingles"}, ()),
]


@pytest.mark.parametrize(("request_type", "given", "problems"), BESIDE_DOCUMENTS)
def test_problems_beside_documents_that_are_read_now(request_type, given, problems):
    request = asked(request_type, **given)
    assert tuple(spelled(each.text) for each in request.problems_beside_documents()) == problems


@pytest.mark.parametrize("question", ["signature", "index", "dedupe", "query"])
def test_parameters_about_finding_documents_cannot_be_combined_with_an_artifact(question):
    request_type = REQUESTS[question]
    finding = (
        "files_from",
        "files0_from",
        "include",
        "exclude",
        "hidden",
        "follow",
        "one_file_system",
        "max_size",
        "jsonl",
        "kept_rows",
        "removed_rows",
        "flagged_rows",
        *(("passages",) if request_type.question == "dedupe" else ()),
    )
    for name in names_of(request_type):
        beside = needed(request_type, name)
        request = asked(request_type, **{name: value_of(request_type, name)} | beside)
        expected = tuple(f"{each} needs documents, not an artifact" for each in (name, *beside) if each in finding)
        assert tuple(spelled(each.text) for each in request.problems_beside_artifact()) == expected
    request = asked(request_type, documents=("x.index", "y"), hidden=True, follow=True)
    assert tuple(spelled(each.text) for each in request.problems_beside_artifact()) == (
        "an artifact cannot be mixed with other arguments: name one artifact, or only documents",
        "hidden needs documents, not an artifact",
        "follow needs documents, not an artifact",
    )
