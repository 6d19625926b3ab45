"""Questions that look for near-duplicates: among documents, and in an index."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from simdocs.errors import Problem, mention, suggested
from simdocs.parameters.answers import (
    Comparing,
    DedupeAnswer,
    Grouping,
    QueryAnswer,
    Reporting,
    RowOutputs,
    Summarising,
)
from simdocs.parameters.families import CLUSTERS, FIGURES
from simdocs.parameters.recipes import BandingRequest, Sketching
from simdocs.parameters.texts import Known, OnlyChanged, PassageAnswer, Rereading, Sequences
from simdocs.parameters.values import ArtifactName
from simdocs.requests.request import Exclusion, Need, RequestRules, needs, not_together, only
from simdocs.requests.sources import OF_WALKS, BandsRequest, ReadRequest

_EVERY_PAIR = f"{mention('exact')} finds and compares every pair"

_NOT_FOR_CONTAINMENT: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("recall", "rule", "bands", "rows"), "containment is computed for every pair in any case"),
        "verify": "signatures do not tell the containment",
        **dict.fromkeys(RowOutputs.parameters, "documents that contain others are not grouped"),
    }
)

_NOT_FOR_PAIRS: Mapping[str, str] = MappingProxyType(
    {
        "against": f"{mention('pairs')} finds pairs only within the documents",
        "keep": f"{mention('pairs')} does not choose documents to keep",
        "max_candidates": f"{mention('pairs')} has no such limit",
    }
)

_NOT_FOR_COMPONENTS: Mapping[str, str] = MappingProxyType(
    {
        "pairs": f"{mention('pairs')} lists pairs, not groups",
        "against": f"{mention('against')} keeps every document of the index, and a component keeps one",
        "max_candidates": "components have no such limit",
    }
)

_NOT_FOR_NEAREST: Mapping[str, str] = MappingProxyType(
    {
        "threshold": f"{mention('nearest')} ignores the threshold",
        "top": f"{mention('nearest')} limits the number of matches already",
        "max_memory": "only a few token sets are in memory at once",
    }
)

_NOT_FOR_PASSAGES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("threshold", "verify", "measure"), "passages do not depend on it"),
        **dict.fromkeys(("top", "nearest", "list"), "all passages are listed, the longest first"),
        "diff": "choose one",
        "changed": "name the documents whose passages are looked for",
        "shingles": "passages are found in texts, not in token sets",
    }
)

_NOT_FOR_REPEATS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(
            (
                *BandingRequest.parameters,
                *Sketching.parameters,
                *(name for name in Grouping.parameters if name != "keep"),
                *Comparing.parameters,
                *("multiset", "seed"),
            ),
            "passages do not depend on it",
        ),
        **dict.fromkeys(("pairs", "all_copies", "explain", "list", "keep"), "passages are listed, and no documents"),
        **dict.fromkeys(RowOutputs.parameters, "passages are listed, and no documents"),
        "diff": "choose one",
        "changed": "name the documents whose passages are looked for",
        "against": f"{suggested('query', 'X.index', 'DOCS', passages=True)} looks for passages of an index",
        "ignore_common": "what is common is what passages show",
        **dict.fromkeys(("shingles", "root"), "passages are found in texts, not in artifacts"),
    }
)

_CONTAINMENT = "measure containment"

_OF_MEMORY = Need("max_memory", "exact", unless=(_CONTAINMENT, "passages"))
_OF_CHANGES = Need("renamed", "changed")
_OF_PAIRS = Exclusion("diff", "list", f"{mention('diff')} shows pairs of documents")


class GroupsRequest(BandsRequest):
    """A question about groups of near-duplicates."""

    upstream = ("shingles", "signatures", "index")

    comparing: Comparing = only("max_memory")
    grouping: Grouping
    known: Known
    rereading: Rereading

    def _without_chains(self) -> Iterator[Problem]:
        """Groups of documents that chains of pairs link are no groups around a kept document."""
        chains = [name for name, cluster in CLUSTERS.items() if cluster.by_chains]
        for name, why in _NOT_FOR_COMPONENTS.items():
            for cluster in chains:
                yield from Exclusion(name, f"cluster {cluster}", why)(self)

    rules: ClassVar[RequestRules] = (
        *BandsRequest.rules,
        _without_chains,
        _OF_MEMORY,
        *(
            Exclusion(name, "exact", _EVERY_PAIR, unless=_CONTAINMENT)
            for name in ("recall", "rule", "bands", "rows", "max_candidates", "verify", "against")
        ),
    )


class DedupeRequest(GroupsRequest):
    """Find near-duplicates: groups, all similar pairs, or lists of names or lines."""

    question = "dedupe"
    of_paths = (*BandsRequest.of_paths, *RowOutputs.parameters)

    comparing: Comparing
    only_changed: OnlyChanged
    answer: DedupeAnswer
    in_common: PassageAnswer
    row_outputs: RowOutputs

    def _without_containers(self) -> Iterator[Problem]:
        """Documents of an index that contain others are found by a query."""
        find = suggested("query", "Y.index", "DOCS", measure="containment")
        yield from Exclusion("measure", "against", f"{find} finds what contains them", when=(_CONTAINMENT,))(self)

    def _rows_to_files(self) -> Iterator[Problem]:
        """Rows are not written between the lines of an answer."""
        for name in RowOutputs.parameters:
            if self.given.get(name) == b"-":
                yield Problem(f"{mention(name)} must be a file, not -: use /dev/stdout for standard output", name)

    rules: ClassVar[RequestRules] = (
        *GroupsRequest.rules,
        _rows_to_files,
        Exclusion("pairs", "list", f"{mention('list')} lists documents, not pairs"),
        *(Exclusion("pairs", name, why) for name, why in _NOT_FOR_PAIRS.items()),
        Need("all_copies", "pairs"),
        _OF_CHANGES,
        Exclusion("pairs", "explain", f"{mention('explain')} explains groups"),
        Exclusion("list", "explain", f"{mention('explain')} lists all documents"),
        _OF_PAIRS,
        Exclusion("diff", "explain", "ask for one of them at a time"),
        _without_containers,
        Need(_CONTAINMENT, "pairs", unless=("against",)),
        *(
            Exclusion("measure", name, why, when=(_CONTAINMENT,), unless="verify exact" if name == "verify" else "")
            for name, why in _NOT_FOR_CONTAINMENT.items()
        ),
        Exclusion("changed", "against", f"{mention('changed')} is about one index"),
        *(Exclusion("passages", name, why) for name, why in _NOT_FOR_REPEATS.items()),
        Need("min_passage", "passages"),
    )

    def problems_beside_artifact(self) -> Iterator[Problem]:
        """Yield a problem for each parameter that an artifact in the place of documents does not allow."""
        yield from super().problems_beside_artifact()
        yield from needs(("passages",) * self.in_common.passages, "documents, not an artifact")

    def problems_beside_documents(self) -> Iterator[Problem]:
        """Yield a problem for each parameter that documents that are read now do not allow."""
        yield from super().problems_beside_documents()
        if self.only_changed.changed:
            news = suggested("dedupe", "X.index", changed=True)
            text = f"{mention('changed')} needs an index, not documents: build one, and use {news}"
            yield Problem(text, "changed")


class ReportRequest(GroupsRequest):
    """Look at groups of near-duplicates, or at an answer that was saved.

    found: what dedupe has found, or an answer that was read, in place of documents.
    """

    question = "report"
    wanted = "a saved answer, files or directories"

    found: Any = None
    reporting: Reporting

    def ways(self) -> Sequence[str]:
        """The ways in which documents are named."""
        ways = super().ways()
        return ways if self.found is None or "documents" in ways else ["documents", *ways]

    @property
    def saved_answer(self) -> bytes | None:
        """The path of the saved answer, if one was named."""
        saved = [name for name in self.documents if isinstance(name, bytes) and name.endswith(b".answer")]
        return saved[0] if saved else None

    @property
    def of_groups(self) -> dict[str, Any]:
        """The keywords of a request for the groups."""
        arguments = {name: getattr(self, name) for name in self.arguments if name != "found"}
        return arguments | {name: value for name, value in self.given.items() if name not in Reporting.parameters}

    def problems_beside_answer(self) -> Iterator[Problem]:
        """Yield a problem for everything that a saved answer has decided already."""
        if len(self.documents) + (self.found is not None) > 1:
            yield Problem("a saved answer cannot be mixed with other arguments: name one answer, or only documents")
        of_report = (*Reporting.parameters, *Summarising.parameters)
        yield from needs((name for name in self.given if name not in of_report), "documents, not an answer")

    def _group_of_a_figure(self) -> Iterator[Problem]:
        """Only some figures show one group."""
        figure = self.reporting.figure
        if self.has("group") and (figure is None or not FIGURES[figure].of_group):
            wanted = " or ".join(name for name, each in FIGURES.items() if each.of_group)
            yield Problem(f"{mention('group')} needs {mention('figure')} {wanted}", "group", "figure")

    rules: ClassVar[RequestRules] = (*GroupsRequest.rules, _group_of_a_figure)


class QueryRequest(ReadRequest):
    """Find the documents of an index that are nearly the same as these."""

    question = "query"
    upstream = ("shingles", "signatures")
    first_arguments = ("X.index",)

    index: Any = None
    banding: BandingRequest = only("threshold")
    comparing: Comparing
    grouping: Grouping = only("exact", "verify")
    only_changed: OnlyChanged
    answer: QueryAnswer
    in_common: PassageAnswer
    rereading: Rereading

    def _check(self) -> Iterator[Problem]:
        yield from self._checked_argument("index", ArtifactName(("index",)))
        yield from super()._check()

    def ways(self) -> Sequence[str]:
        """The ways in which documents are named."""
        return [*super().ways(), "changed"] if self.only_changed.changed else super().ways()

    def _not_contained(self) -> Iterator[Problem]:
        """The nearest documents are the most similar ones."""
        if self.answer.nearest is not None and self.has(_CONTAINMENT):
            yield not_together("nearest", "measure", why=containment_instead(self.answer.nearest))

    def _without_reading(self) -> Iterator[Problem]:
        """Changed documents are not read."""
        for name in self.given if self.only_changed.changed else ():
            if name in (*OF_WALKS, "max_size", *Sequences.parameters):
                text = f"{mention(name)} needs documents, and cannot be combined with {mention('changed')}"
                yield Problem(text, name, "changed")

    rules: ClassVar[RequestRules] = (
        *ReadRequest.rules,
        *(Exclusion("nearest", name, why) for name, why in _NOT_FOR_NEAREST.items()),
        Need("all_copies", "nearest"),
        _OF_PAIRS,
        Exclusion("verify", "exact", _EVERY_PAIR),
        _OF_MEMORY,
        _not_contained,
        Exclusion("measure", "verify", _NOT_FOR_CONTAINMENT["verify"], when=(_CONTAINMENT, "verify estimate")),
        Exclusion("measure", "max_memory", _NOT_FOR_NEAREST["max_memory"], when=(_CONTAINMENT,)),
        _OF_CHANGES,
        Exclusion("changed", "itself", "a document of the index would always match itself"),
        _without_reading,
        *(Exclusion("passages", name, why) for name, why in _NOT_FOR_PASSAGES.items()),
        Exclusion("passages", "max_memory", _NOT_FOR_NEAREST["max_memory"]),
        Need("min_passage", "passages"),
    )

    def problems_beside_documents(self) -> Iterator[Problem]:
        """Yield nothing: token sets and a root belong to the index."""
        yield from ()


def containment_instead(nearest: int) -> str:
    """The advice to use containment instead of `nearest`, with the same number of documents."""
    containment = f"{mention('measure')} containment {mention('top')} {nearest}"
    return f"use {containment} instead of {mention('nearest')} {nearest}"
