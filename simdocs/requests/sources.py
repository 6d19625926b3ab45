"""Questions about documents: where they come from, and how they become tokens, signatures and bands."""

from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import Any, ClassVar

from simdocs.errors import Problem, mention, suggested
from simdocs.parameters.answers import Running, Summarising
from simdocs.parameters.families import UNITS
from simdocs.parameters.recipes import BandingRequest, Ignoring, Shingling, Sketching, StopWords, Templates
from simdocs.parameters.texts import Naming, Normalisation, Sequences, Walking
from simdocs.requests.request import Exclusion, Need, Request, RequestRules, needs, not_together, paths

ONCE = Problem("- names standard input, which can be read only once")
"""The problem that something is to be read from standard input twice."""


OF_FORMATS = ("input_format", "delimiter", "no_header")
"""Parameters about the formats of files."""


class SourceRequest(Request):
    """A question about documents: paths, an artifact, or texts in memory with their names.

    wanted: what the documents can be, in words.
    lists: parameters that name a list of documents.
    of_paths: parameters that texts in memory do not need.
    """

    wanted: ClassVar[str] = "files or directories"
    lists: ClassVar[tuple[str, ...]] = ()
    of_paths: ClassVar[tuple[str, ...]] = ()

    documents: tuple[Any, ...] = ()
    texts: Sequence[str | bytes] | None = None
    names: Sequence[Hashable] | None = None

    def _check(self) -> Iterator[Problem]:
        """Yield problems unless documents are named in one way, and at least one is."""
        self.__dict__["documents"], wrong = paths(self.documents)
        yield from wrong
        ways = self.ways()
        if len(ways) > 1:
            yield not_together(*ways, why="name documents in one way")
        if not ways and not wrong:
            yield Problem(f"nothing to read: give {self.wanted}, or {mention('texts')}")
        if self.documents.count(b"-") > 1:
            yield ONCE
        yield from self._check_texts()

    def ways(self) -> Sequence[str]:
        """The ways in which documents are named. No texts at all are a way, too."""
        ways = [*(["documents"] if self.documents else []), *filter(self.has, self.lists)]
        return ways if self.texts is None else [*ways, "texts"]

    def _check_texts(self) -> Iterator[Problem]:
        """Put texts and names into lists. Yield what is wrong with them."""
        if self.texts is None and self.names is None:
            return
        from simdocs.requests import in_memory  # the command line never needs it

        known = set[str]()
        for name in ("texts", "names"):
            if (values := getattr(self, name)) is not None:
                try:
                    self.__dict__[name] = in_memory.listed(name, values)
                    known.add(name)
                except ValueError as wrong:
                    self.__dict__[name] = []
                    yield Problem(str(wrong))
        if "texts" in known:
            yield from in_memory.problems_of_texts(self.texts or ())
        if self.texts is None:
            if self.names is not None:
                yield Problem("names need texts")
            return
        if "names" in known:
            yield from in_memory.problems_of_names(self.names or (), len(self.texts) if "texts" in known else None)
        yield from needs((name for name in self.given if name in (*self.of_paths, *OF_FORMATS)), "paths, not texts")


OF_WALKS = tuple(name for name in Walking.parameters if name != "max_size")
"""Parameters about which files of a directory are documents."""


AS_ONE_TEXT = Exclusion("plain", "input_format")
"""The rule that a file is read as one text, or in a format with many documents."""


class ReadRequest(SourceRequest):
    """A question about many documents, which may also be found in directories or named in a list.

    upstream: the kinds of artifact that can stand in the place of documents.
    first_arguments: what stands before the documents in a call that a message suggests.
    """

    lists = ("files_from", "files0_from")
    of_paths = (*OF_WALKS, "files_from", "files0_from", "jsonl", "max_size")
    upstream: ClassVar[tuple[str, ...]] = ()
    first_arguments: ClassVar[tuple[str, ...]] = ()

    naming: Naming
    walking: Walking
    sequences: Sequences
    running: Running
    summarising: Summarising

    def _piped(self) -> Iterator[Problem]:
        """`jsonl` needs standard input."""
        if self.naming.jsonl and self.ways() and b"-" not in self.documents:
            piped = suggested(self.question, *self.first_arguments, "-", jsonl=True)
            told = f"{mention('jsonl')} applies to standard input: name a file *.jsonl, or pipe it into {piped}"
            yield Problem(told, "jsonl")

    def _master_once(self) -> Iterator[Problem]:
        """The master has its own parameter."""
        if any(setting.startswith("spark.master=") for setting in self.running.spark_conf):
            yield Problem(
                f"{mention('spark_conf')} cannot set spark.master: use {mention('spark_master')}", "spark_conf"
            )

    rules: ClassVar[RequestRules] = (
        Need("spark_master", "engine spark"),
        Need("spark_conf", "engine spark"),
        _master_once,
        Exclusion("plain", "jsonl"),
        Exclusion("input_format", "jsonl", f"{mention('input_format')} is for standard input, too"),
        AS_ONE_TEXT,
        _piped,
    )

    def problems_beside_artifact(self) -> Iterator[Problem]:
        """Yield a problem for each parameter that an artifact in the place of documents does not allow."""
        if len(self.documents) > 1:
            yield Problem("an artifact cannot be mixed with other arguments: name one artifact, or only documents")
        yield from needs((name for name in self.given if name in self.of_paths), "documents, not an artifact")

    def problems_beside_documents(self) -> Iterator[Problem]:
        """Yield a problem for each parameter that documents that are read now do not allow."""
        if "against" not in self.given:
            of_artifact = (name for name in ("shingles", "root") if name in self.given)
            yield from needs(of_artifact, "an artifact, not documents")


class TokensRequest(Request):
    """A question about texts that become tokens."""

    normalisation: Normalisation
    shingling: Shingling
    stop_words: StopWords

    rules: ClassVar[RequestRules] = (Exclusion("language", "stop_words", "each says what the stop words are"),)

    def useless_stop_words(self) -> Iterator[Problem]:
        """Yield a problem for each stop-word parameter that the unit ignores."""
        yield from useless_stop_words(self, {self.shingling.unit})


def useless_stop_words(request: Request, units: Collection[str]) -> Iterator[Problem]:
    """Yield a problem for each stop-word parameter that these units ignore."""
    ignoring = [name for name, unit in UNITS.items() if unit.may_ignore_stop_words]
    beginning = [name for name, unit in UNITS.items() if unit.begins_at_stop_words]
    ignored = not set(units).isdisjoint(ignoring)
    begun = not set(units).isdisjoint(beginning)
    unit, left_out = mention("unit"), "ignore_stop_words"
    if request.has("language") and not (begun or (ignored and request.has(left_out))):
        needed = f"{unit} {' or '.join(beginning)}, or {mention(left_out)}"
        yield Problem(f"{mention('language')} needs {needed}", "language", "unit", left_out)
    if request.has("stop_words") and not (ignored or begun):
        needed = f"{unit} {' or '.join((*ignoring, *beginning))}"
        yield Problem(f"{mention('stop_words')} needs {needed}", "stop_words", "unit")
    if request.has(left_out) and not ignored:
        yield Problem(f"{mention(left_out)} needs {unit} {' or '.join(ignoring)}", left_out, "unit")


class DocumentTokensRequest(TokensRequest, ReadRequest):
    """A question about documents that become tokens."""

    def _read_once(self) -> Iterator[Problem]:
        """Standard input is read once."""
        beside = [*self.given.get("template", ()), self.stop_words.stop_words, self.given.get("permutation_file")]
        read = [*self.documents, self.naming.files_from, self.naming.files0_from, *beside]
        if b"-" in beside and read.count(b"-") > 1:
            yield ONCE

    rules: ClassVar[RequestRules] = (*ReadRequest.rules, *TokensRequest.rules, _read_once)

    def problems_beside_documents(self) -> Iterator[Problem]:
        """Yield a problem for each parameter that documents that are read now do not allow."""
        yield from super().problems_beside_documents()
        if "against" not in self.given:  # or else the index decides the unit
            yield from self.useless_stop_words()


class SignaturesRequest(DocumentTokensRequest):
    """A question about documents that become signatures."""

    sketching: Sketching
    ignoring: Ignoring
    templates: Templates


def states_functions(request: Request) -> bool:
    """Whether a request states its hash functions."""
    return request.has("functions") or request.has("permutation_file")


_STATED = "the functions are the scheme, and their number is that of places"
_OF_SETS = "hash functions that are stated are about all shingles, each once"

OWN_FUNCTIONS: RequestRules = (
    Exclusion("functions", "permutation_file", "choose one"),
    *(
        Exclusion(stated, other, why)
        for stated in ("functions", "permutation_file")
        for other, why in (
            ("scheme", _STATED),
            ("num_perm", _STATED),
            ("multiset", _OF_SETS),
            ("ignore_common", _OF_SETS),
            ("template", _OF_SETS),
        )
    ),
)
"""The rules of questions in which hash functions can be stated."""


def by_hand_or_rule(request: Request) -> Iterator[Problem]:
    """Bands are chosen by a rule, or by hand."""
    by_hand, by_rule = (list(filter(request.has, names)) for names in (("bands", "rows"), ("recall", "rule")))
    if by_hand and by_rule:
        chosen = f"{' and '.join(map(mention, by_rule))} {'chooses' if len(by_rule) == 1 else 'choose'}"
        yield not_together(*by_hand, *by_rule, why=f"{chosen} the bands and rows")


class BandsRequest(SignaturesRequest):
    """A question about documents that become signatures, which are cut into bands."""

    banding: BandingRequest

    rules: ClassVar[RequestRules] = (*SignaturesRequest.rules, by_hand_or_rule)
