"""Questions that study texts, bands and artifacts: show, compare, similarity, tune, audit, info and check."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from simdocs.errors import Problem, mention
from simdocs.parameters.answers import CompareAnswer, Comparing, Running, Sampling, ShowAnswer, Summarising
from simdocs.parameters.recipes import (
    BandingRequest,
    Measuring,
    OwnFunctions,
    SeveralShinglings,
    Shingling,
    Sketching,
    StopWords,
    Templates,
)
from simdocs.parameters.texts import Normalisation, PassageAnswer, Rereading, Sequences, Walking
from simdocs.parameters.values import Path, PathName
from simdocs.requests.request import Exclusion, Need, Request, RequestRules, needs, not_together, only
from simdocs.requests.sources import (
    AS_ONE_TEXT,
    ONCE,
    OWN_FUNCTIONS,
    BandsRequest,
    SourceRequest,
    TokensRequest,
    by_hand_or_rule,
    states_functions,
    useless_stop_words,
)


class SimilarityRequest(TokensRequest):
    """Compare two texts."""

    question = "similarity"

    measuring: Measuring

    rules: ClassVar[RequestRules] = (*TokensRequest.rules, TokensRequest.useless_stop_words)


_VIEWS = tuple(ShowAnswer.parameters)


class ShowRequest(TokensRequest):
    """Show what a text is compared by, or what an artifact holds.

    file: the path of a text, `-` for standard input, or an artifact.
    text: a text in memory instead; None: there is a file.
    documents: names of documents of the artifact.
    """

    question = "show"

    documents: tuple[Path, ...] = ()
    file: Any = b""
    text: str | bytes | None = None
    walking: Walking = only("max_size")
    view: ShowAnswer
    rereading: Rereading

    def _check(self) -> Iterator[Problem]:
        if not hasattr(self.file, "recipe"):
            yield from self._checked_argument("file", PathName())
        if self.text is not None and not isinstance(self.text, str | bytes):
            yield Problem(f"text must be str or bytes, not {type(self.text).__name__}")
        if self.text is not None and self.file != b"":
            yield not_together("file", "text", why="name one text")
        if self.text is None and self.file == b"":
            yield Problem("nothing to read: name a text, - for standard input, or an artifact")
        if self.text is not None:
            yield from needs(filter(self.has, ("max_size",)), "a file, not a text in memory")
        if b"-" == self.file == self.stop_words.stop_words:
            yield ONCE
        try:
            self.__dict__["documents"] = tuple(map(PathName().check, self.documents))
        except ValueError as wanted:
            yield Problem(f"each name of a document must be {wanted}")

    def _root_of_texts(self) -> Iterator[Problem]:
        """A directory is given if documents are read again."""
        if self.has("root") and not (self.has("matrix") or self.has("candidates")):
            either = f"{mention('matrix')} or {mention('candidates')}"
            yield Problem(f"{mention('root')} needs {either}", "root", "matrix", "candidates")

    def _one_view(self) -> Iterator[Problem]:
        views = list(filter(self.has, _VIEWS))
        if len(views) > 1:
            yield not_together(*views, why="choose one")

    rules: ClassVar[RequestRules] = (
        *TokensRequest.rules,
        _one_view,
        Need("shingles", "candidates"),
        _root_of_texts,
        TokensRequest.useless_stop_words,
    )

    def problems_beside_text(self) -> Iterator[Problem]:
        """Yield a problem for each parameter that needs an artifact."""
        if self.documents:
            yield Problem("names of documents need an artifact, not a text")
        for name in filter(self.has, _VIEWS):
            yield from needs((name,), f"{'shingles' if name == 'matrix' else 'an index'}, not a text")

    def problems_beside_artifact(self, kind: str) -> Iterator[Problem]:
        """Yield a problem for each parameter that an artifact of this kind does not allow."""
        for name in self.given:
            if name in (*TokensRequest.accepts, "max_size"):
                yield from needs((name,), "a text, not an artifact")
            elif name in ("buckets", "candidates") and kind != "index":
                yield from needs((name,), f"an index, not {kind}")
            elif name == "matrix" and kind != "shingles":
                yield from needs((name,), f"shingles, not {kind}")


_OF_DOCUMENTS = ("max_size", *Sequences.parameters)
"""Parameters about reading files, which neither an artifact nor texts in memory need."""

_NOT_FOR_PASSAGES = (
    *("measure", "multiset", "seed"),
    *Sketching.parameters,
    *OwnFunctions.parameters,
    *BandingRequest.parameters,
)
"""Parameters of a similarity, which nothing that is said about passages depends on."""


class CompareRequest(SourceRequest):
    """Compare texts.

    documents: at least two; or an artifact, and the names of at least two documents in it.
    shinglings: the units and numbers of them; several give a table.
    answer: whether the difference of two texts is shown and how, or a trace of how signatures are computed.
    in_common: whether the passages are listed that two texts have in common.
    """

    question = "compare"
    wanted = "two files"
    of_paths = (*_OF_DOCUMENTS, "root")

    walking: Walking = only("max_size")
    sequences: Sequences
    rereading: Rereading = only("root")
    normalisation: Normalisation
    shingling: Shingling = only("language", "ignore_stop_words", "multiset", "seed")
    shinglings: SeveralShinglings
    stop_words: StopWords
    sketching: Sketching
    own: OwnFunctions
    templates: Templates
    banding: BandingRequest
    comparing: Comparing = only("measure")
    answer: CompareAnswer
    in_common: PassageAnswer

    @property
    def artifact(self) -> Any:
        """The first document, which may be an artifact before names of its documents; None for texts in memory."""
        return self.documents[0] if self.documents else None

    @property
    def states_functions(self) -> bool:
        """Whether the hash functions are stated."""
        return states_functions(self)

    @property
    def several_shinglings(self) -> bool:
        """Whether the answer is a table over units and k."""
        return len(self.shinglings.unit) > 1 or len(self.shinglings.k or ()) > 1

    def _read_once(self) -> Iterator[Problem]:
        """Standard input is read once; and there are two texts."""
        beside = (self.stop_words.stop_words, self.own.permutation_file)
        read = [*self.documents, *self.templates.template, *beside]
        if read.count(b"-") > max(1, self.documents.count(b"-")):
            yield ONCE
        given: Sequence[object] = self.documents if self.texts is None else self.texts
        if len(given) == 1:
            yield Problem("there is nothing to compare this text with: give two texts, or more")

    def _one_shingling(self) -> Iterator[Problem]:
        for name in filter(self.has, ("trace", "passages") if self.several_shinglings else ()):
            text = f"{mention(name)} needs one {mention('unit')} and one {mention('k')}, not lists of them"
            yield Problem(text, name, "unit", "k")

    rules: ClassVar[RequestRules] = (
        *TokensRequest.rules,
        by_hand_or_rule,
        *OWN_FUNCTIONS,
        _read_once,
        AS_ONE_TEXT,
        Exclusion("diff", "trace", "choose one"),
        Exclusion("measure", "trace", "signatures are about the Jaccard similarity"),
        _one_shingling,
        *(Exclusion("passages", name, "choose one") for name in ("diff", "trace")),
        *(Exclusion("passages", name, "passages do not depend on it") for name in _NOT_FOR_PASSAGES),
        Need("min_passage", "passages"),
    )

    def problems_of_trace(self, sketching: Sketching) -> Iterator[Problem]:
        """Yield a problem if signatures that are computed like this have no trace."""
        scheme = sketching.scheme
        if self.answer.trace and not sketching.goes_by_rows:
            which = ", the default," if scheme == Sketching().scheme else ""
            own = f"{mention('functions')} or {mention('permutation_file')}"
            wanted = f"{mention('scheme')} permutation, {own}: {scheme}{which} does not go through shingles row by row"
            yield Problem(f"{mention('trace')} needs {wanted}", "trace", "scheme")

    def problems_beside_artifact(self) -> Iterator[Problem]:
        """Yield a problem for each parameter that an artifact does not allow."""
        yield from needs((name for name in self.given if name in _OF_DOCUMENTS), "documents, not an artifact")
        if self.several_shinglings:
            text = f"an artifact has one {mention('unit')} and one {mention('k')}: name the documents instead"
            yield Problem(text, "unit", "k")

    def problems_beside_documents(self) -> Iterator[Problem]:
        """Yield a problem for each parameter that documents that are read now do not allow."""
        if self.has("root"):
            yield from needs(("root",), "an artifact, not documents")
        yield from useless_stop_words(self, self.shinglings.unit)
        if not self.states_functions:
            yield from self.problems_of_trace(self.sketching)

    def problems_of_many(self) -> Iterator[Problem]:
        """Yield a problem for each parameter that more than two texts do not allow."""
        if self.has("diff"):
            yield Problem(f"{mention('diff')} shows the difference of two texts, not of more", "diff")
        if self.has("passages"):
            yield Problem(f"{mention('passages')} lists what two texts have in common, not more", "passages")
        if self.several_shinglings:
            alone = f"a matrix has one {mention('unit')} and one {mention('k')}"
            yield Problem(f"{alone}: give two texts for a table over several", "unit", "k")


class AuditRequest(BandsRequest):
    """Measure the fraction of similar pairs that bands find among documents."""

    question = "audit"
    upstream = ("shingles", "signatures", "index")

    sampling: Sampling
    comparing: Comparing = only("max_memory")
    rereading: Rereading

    rules: ClassVar[RequestRules] = (
        *BandsRequest.rules,
        Exclusion("sample", "max_memory", "a sample is compared in little memory"),
    )


_ABOUT_BANDS = ("num_perm", *BandingRequest.parameters, *Running.parameters, *Summarising.parameters)
"""Parameters that mean something without documents."""


class TuneRequest(BandsRequest):
    """Estimate what bands will find, in general or among documents."""

    question = "tune"
    upstream = ("shingles", "signatures", "index")

    rereading: Rereading

    @property
    def has_documents(self) -> bool:
        """Whether documents were named."""
        return bool(self.ways())

    def _check(self) -> Iterator[Problem]:
        if self.has_documents:
            yield from super()._check()
            return
        yield from self._check_texts()
        for name in self.given:
            if name not in _ABOUT_BANDS:
                yield Problem(f"{mention(name)} needs documents: name some, or leave it out", name)


class InfoRequest(Request):
    """Show what an artifact is. artifact: its path, or the artifact itself."""

    question = "info"

    artifact: Any = b""


class CheckRequest(Request):
    """Check that artifacts are undamaged. artifacts: their paths, or the artifacts themselves."""

    question = "check"

    artifacts: tuple[Any, ...] = ()
