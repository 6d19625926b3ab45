"""Requests: frozen, of known parameters, and of parameters that go together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import FrozenInstanceError, fields
from itertools import combinations
from typing import Any

import pytest

from simdocs.parameters import PARAMETERS
from simdocs.requests.audit_request import AuditDrawRequest, AuditRequest, TuneRequest
from simdocs.requests.build_requests import IndexRequest, ShingleRequest, SignatureRequest
from simdocs.requests.checked_request import CheckedRequest
from simdocs.requests.compare_request import CompareRequest
from simdocs.requests.read_request import ReadRequest
from simdocs.requests.report_requests import (
    BuildReportRequest,
    CompareDrawRequest,
    DebugRequest,
    DrawRequest,
    ReportRequest,
    ShowDrawRequest,
    TableRequest,
    TuneDrawRequest,
)
from simdocs.requests.search_requests import DedupeRequest, QueryRequest
from simdocs.requests.text_requests import CheckRequest, InfoRequest, ShowRequest, SimilarityRequest
from tests.asked import asked, names_of, needed, problems_of, value_of

OF_SOURCES = {("files_from", "files0_from"), ("files_from", "jsonl"), ("files0_from", "jsonl"), ("plain", "jsonl")}
BY_HAND = {(by_hand, by_rule) for by_hand in ("bands", "rows") for by_rule in ("recall", "rule")}
BESIDE_PAIRS = ("against", "cluster", "keep", "max_candidates")
OF_PAIRS = {(mode, other) for mode in ("pairs", "all_copies") for other in ("list", *BESIDE_PAIRS)}
OF_PAIRS |= {("cluster", "max_candidates")}
BESIDE_EXPLAIN = {("explain", name) for name in ("pairs", "all_copies", "list", "measure")}
CHANCES = ("recall", "rule", "bands", "rows", "max_candidates", "verify", "against")
OF_CHANCE = {(name, mode) for name in CHANCES for mode in ("exact", "max_memory")}
OF_READING = (
    "include",
    "exclude",
    "hidden",
    "follow",
    "one_file_system",
    "max_size",
    "plain",
    "text_field",
    "id_field",
)
BESIDE_CHANGED = {
    (mode, name)
    for mode in ("changed", "renamed")
    for name in (*OF_READING, "files_from", "files0_from", "jsonl", "itself")
}
OF_UPDATES = {("keep_unreadable", "rebuild"), ("lock_wait", "dry_run")}
OF_COUNTS = {("keep_unreadable", "ignore_common")}
OF_CONTAINMENT = {("measure", "verify")}
OF_CONTAINED_PAIRS = {(name, "measure") for name in ("verify", "recall", "rule", "bands", "rows", "list")}
OF_CONTAINED_PAIRS |= {(name, "measure") for name in BESIDE_PAIRS}
OF_EXACT_QUERIES = {("verify", "exact"), ("verify", "max_memory"), ("measure", "max_memory")}
OF_NEAREST = {
    (mode, name) for mode in ("nearest", "all_copies") for name in ("top", "threshold", "max_memory", "measure")
}
BESIDE_DIFF = {("diff", name) for name in ("format", "listing", "nul")}
OF_TOKENS = {("language", "stop_words")}
VIEWS = set(combinations(("matrix", "buckets", "candidates", "sketch"), 2))
VIEWS |= {(view, name) for view in ("matrix", "buckets", "sketch") for name in ("shingles", "root")}
LOUD = {("quiet", "verbose"), ("quiet", "summary")}

EXCLUDE_EACH_OTHER: Mapping[type[CheckedRequest], set[tuple[str, str]]] = {
    ShingleRequest: OF_SOURCES | OF_TOKENS | OF_UPDATES,
    SignatureRequest: OF_SOURCES | OF_TOKENS | OF_UPDATES | OF_COUNTS,
    IndexRequest: OF_SOURCES | OF_TOKENS | OF_UPDATES | OF_COUNTS | BY_HAND,
    DedupeRequest: OF_SOURCES
    | OF_TOKENS
    | BY_HAND
    | OF_PAIRS
    | OF_CHANCE
    | OF_CONTAINED_PAIRS
    | BESIDE_EXPLAIN
    | {("against", "cluster"), ("against", "changed"), ("against", "renamed")},
    QueryRequest: OF_SOURCES | BESIDE_CHANGED | OF_CONTAINMENT | OF_EXACT_QUERIES | OF_NEAREST,
    TuneRequest: OF_SOURCES | OF_TOKENS | BY_HAND,
    AuditRequest: OF_SOURCES | OF_TOKENS | BY_HAND | {("sample", "max_memory")},
    CompareRequest: BY_HAND | OF_TOKENS | {("diff", "trace"), ("measure", "trace")},
    ShowRequest: OF_TOKENS | VIEWS,
    SimilarityRequest: OF_TOKENS,
    InfoRequest: set(),
    CheckRequest: set(),
    DebugRequest: set(),
    CompareDrawRequest: {("diff", "format"), ("quiet", "verbose")},
    TableRequest: set(),
    ReportRequest: LOUD,
    BuildReportRequest: LOUD,
    DrawRequest: LOUD
    | {
        ("nul", "format"),
        ("output", "summary_json"),
        ("diff", "format"),
        ("diff", "listing"),
        ("diff", "nul"),
        ("diff", "explained"),
    },
    TuneDrawRequest: LOUD | {("output", "summary_json")},
    AuditDrawRequest: LOUD | {("output", "summary_json")},
    ShowDrawRequest: set(),
}
"""The pairs of parameters that cannot be combined, with the values above: all others do."""


@pytest.mark.parametrize("request_type", EXCLUDE_EACH_OTHER)
def test_exactly_these_pairs_of_parameters_exclude_each_other(request_type):
    found = set()
    for pair in combinations(names_of(request_type), 2):
        given: dict[str, Any] = {}
        for name in pair:
            given |= needed(request_type, name)
        if problems_of(
            request_type, **given, **{name: value_of(request_type, name) for name in pair if name not in given}
        ):
            found.add(frozenset(pair))
    assert found == set(map(frozenset, EXCLUDE_EACH_OTHER[request_type]))


@pytest.mark.parametrize("request_type", EXCLUDE_EACH_OTHER)
def test_each_parameter_alone_is_accepted_with_what_it_needs(request_type):
    for name in names_of(request_type):
        given = {name: value_of(request_type, name)}
        assert problems_of(request_type, **given | needed(request_type, name)) == ()
        # Whether it is needed shows here or, where an artifact may stand in the place of documents, later.
        later = name in ("language", "ignore_stop_words", "stop_words") and issubclass(
            request_type, ReadRequest | CompareRequest
        )
        assert bool(problems_of(request_type, **given)) == (bool(needed(request_type, name)) and not later)


def test_every_request_has_its_pairs_listed():
    def subclasses(request_type: type[CheckedRequest]) -> set[type[CheckedRequest]]:
        below = request_type.__subclasses__()
        return {request_type}.union(*map(subclasses, below))

    asked = {each for each in subclasses(CheckedRequest) if hasattr(each, "question") and "question" in vars(each)}
    assert asked | {
        TableRequest,
        ReportRequest,
        BuildReportRequest,
        DrawRequest,
        ShowDrawRequest,
        AuditDrawRequest,
        TuneDrawRequest,
        CompareDrawRequest,
        ShowDrawRequest,
    } == set(EXCLUDE_EACH_OTHER)


@pytest.mark.parametrize("request_type", EXCLUDE_EACH_OTHER)
def test_a_request_is_frozen(request_type):
    request = asked(request_type)
    for name in (*(field.name for field in fields(request_type)), "anything"):
        with pytest.raises(FrozenInstanceError):
            setattr(request, name, None)
        if hasattr(request, name):
            with pytest.raises(FrozenInstanceError):
                delattr(request, name)


@pytest.mark.parametrize("request_type", EXCLUDE_EACH_OTHER)
def test_an_unknown_parameter_is_a_type_error_that_names_all_of_them(request_type):
    known = {field.name for field in fields(request_type)}
    others = {parameter.name for parameter in PARAMETERS.values()} - known
    unknown = sorted({*others, "nun_perm"})
    meant = r": did you mean num_perm\?" if "num_perm" in known else ""
    with pytest.raises(TypeError, match=f"^{request_type.question} has no parameter {', '.join(unknown)}{meant}$"):
        asked(request_type, **dict.fromkeys(unknown))


@pytest.mark.parametrize("request_type", EXCLUDE_EACH_OTHER)
def test_given_lists_what_was_given_in_its_normal_type(request_type):
    names = [name for name in names_of(request_type) if name in request_type.parameters()]
    for name in names:
        value = value_of(request_type, name)
        request = asked(request_type, **{name: value} | needed(request_type, name))
        checked = request_type.parameter(name).values.check(value)
        assert request.given()[name] == checked
        assert f"{name}={checked!r}" in repr(request)
    empty = asked(request_type, **dict.fromkeys(names))
    assert empty.given() == {}
    assert repr(empty) == f"<{request_type.__name__}>"
