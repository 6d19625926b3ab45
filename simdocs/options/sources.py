"""What commands are asked about documents: where they come from, and how they become tokens, signatures and bands.

Texts in memory and their names come as Python callers have them: lists, generators, Series, arrays of any library.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from simdocs.errors import InputError
from simdocs.extras import needs
from simdocs.names import display_name, text_to_name
from simdocs.options.answers import Running, Talking
from simdocs.options.declaration import READING, Options, Rule, flags, option
from simdocs.options.families import UNITS
from simdocs.options.recipes import (
    STOP_WORDS,
    TEMPLATE,
    ChoosingBands,
    Ignoring,
    Normalisation,
    OwnFunctions,
    Sequences,
    Shingling,
    Sketching,
    Walking,
)
from simdocs.options.values import path_name

ONCE = "- names standard input, which can be read only once"

OF_WALKS = tuple(name for name in Walking.options if name != "max_size")
"""The options about which files of a directory are documents."""

OF_FILES = ("max_size", *Sequences.options)
"""The options about how files are read."""


DOCS: Mapping[str, tuple[str, int, bool]] = MappingProxyType({"documents": ("[DOCS]...", -1, False)})
"""The argument of most commands: see `Options.takes`."""


class OfSources(Options):
    """A question about documents: paths, an artifact, or texts in memory with their names.

    wanted: what the documents can be, in words.
    of_paths: options that texts in memory do not need.
    """

    wanted: ClassVar[str] = "files or directories"
    of_paths: ClassVar[tuple[str, ...]] = ()

    documents: tuple[Any, ...] = ()
    texts: Sequence[str | bytes] | None = None
    names: Sequence[Hashable] | None = None

    def _check(self) -> Iterator[str]:
        """Yield problems unless documents are named in one way, and at least one is."""
        self.__dict__["documents"], wrong = paths(self.documents)
        yield from wrong
        ways = self.ways()
        if len(ways) > 1:
            yield f"name documents in one way, not by {' and '.join(ways)}"
        if not ways and not wrong:
            yield f"nothing to read: give {self.wanted}, or - for standard input"
        if self.documents.count(b"-") > 1:
            yield ONCE
        yield from self._check_texts()

    def ways(self) -> Sequence[str]:
        """The ways in which documents are named. No texts at all are a way, too."""
        named = [each.flag for each in self.differ(("files_from", "files0_from"))]
        return [*(["DOCS"] if self.documents else []), *named, *([] if self.texts is None else ["texts"])]

    def _check_texts(self) -> Iterator[str]:
        """Put texts and names into lists. Yield what is wrong with them."""
        if self.texts is None and self.names is None:
            return
        known = set[str]()
        for name in ("texts", "names"):
            if (values := getattr(self, name)) is not None:
                try:
                    self.__dict__[name] = listed(name, values)
                    known.add(name)
                except ValueError as wrong:
                    self.__dict__[name] = []
                    yield str(wrong)
        if "texts" in known:
            for row, text in enumerate(self.texts or ()):
                if not isinstance(text, str | bytes):
                    yield f"texts[{row}] is of type {type(text).__name__}: a text must be str or bytes"
                    break
        if self.texts is None:
            yield "names need texts"
            return
        if "names" in known:
            yield from problems_of_names(self.names or (), len(self.texts) if "texts" in known else None)
        if useless := self.differ(self.of_paths):
            yield f"{flags(useless)} needs paths, not texts"


def paths(documents: Sequence[Any], *, or_texts: bool = True) -> tuple[tuple[Any, ...], list[str]]:
    """The documents, with paths as bytes, and what is wrong with those that are no paths.

    or_texts: texts can be given instead. InputError: a path contains NUL.
    """
    found, wrong = list[Any](), list[str]()
    for document in documents:
        if hasattr(document, "recipe"):
            found.append(document)
            continue
        try:
            found.append(os.fsencode(document))
            if b"\0" in found[-1]:
                raise InputError(f"{display_name(found[-1])}: a path cannot contain NUL")
        except TypeError:
            texts = ", or texts as texts=[...]" if or_texts and hasattr(document, "__iter__") else ""
            wrong.append(f"{type(document).__name__} is not a path: pass each path as a separate argument{texts}")
    return tuple(found), wrong


_LIST = "copy the list there first"


class OfDocuments(OfSources, Walking, Sequences, Running, Talking):
    """A question about many documents, which may also be found in directories or named in a list.

    upstream: the kinds of artifact that can stand in the place of documents.
    """

    upstream: ClassVar[tuple[str, ...]] = ()
    of_paths = (*OF_WALKS, "files_from", "files0_from", *OF_FILES)

    files_from: bytes | None = option(
        path_name(here=_LIST),
        help="Read the names of documents from FILE, one per line. A FILE of - is standard input.",
        metavar="FILE",
        shared=READING,
    )
    files0_from: bytes | None = option(
        path_name(here=_LIST),
        help="Read the names of documents from FILE, each ended by NUL. A FILE of - is standard input.",
        metavar="FILE",
        shared=READING,
    )

    def problems_beside_artifact(self) -> Iterator[str]:
        """Yield what an artifact in the place of documents does not allow."""
        if len(self.documents) > 1:
            yield (
                "an artifact cannot be mixed with other arguments: name one artifact, or only documents; simdocs merge"
                " puts artifacts together, and simdocs dedupe DOCS --against X.index compares documents with an index"
            )
        if useless := self.differ([name for name in self.of_paths if name not in Sequences.options]):
            yield f"{flags(useless)} needs documents, not an artifact"

    def problems_beside_documents(self) -> Iterator[str]:
        """Yield what documents that are read now do not allow."""
        if getattr(self, "against", None) is None and (useless := self.differ(("shingles", "root"))):
            yield f"{flags(useless)} needs an artifact, not documents"
        if getattr(self, "changed", False):
            news = f"simdocs {self.command} X.index --changed"
            yield f"--changed needs an index, not documents: build one, and use {news}"


def one_list_of_stop_words(options: Any) -> str:
    """The stop words are stated once."""
    if options.language is not None and options.stop_words is not None:
        return "--language and --stop-words cannot be combined: each says what the stop words are"
    return ""


def useless_stop_words(options: Any) -> Iterator[str]:
    """Yield a problem for each option about stop words that the unit ignores."""
    unit = UNITS[options.unit or Shingling.defaults["unit"]]
    ignored, begun = unit.may_ignore_stop_words, unit.begins_at_stop_words
    if options.language is not None and not (begun or (ignored and options.ignore_stop_words)):
        yield "--language needs --unit stopword, or --ignore-stop-words"
    if options.stop_words is not None and not (ignored or begun):
        yield "--stop-words needs --unit word or stopword"
    if options.ignore_stop_words and not ignored:
        yield "--ignore-stop-words needs --unit word"


def problems_of_passages(options: Any, others: Sequence[str]) -> Iterator[str]:
    """Yield a problem for what cannot be combined with --passages, or needs it. others: options about other answers."""
    if options.passages and (useless := options.differ(others)):
        yield f"--passages and {flags(useless)} cannot be combined: all passages are listed, the longest first"
    if options.min_passage is not None and not options.passages:
        yield "--min-passage needs --passages"


def files_beside(options: Any) -> list[Any]:
    """The files that are read beside documents: templates, stop words and permutations."""
    one = (getattr(options, name, None) for name in ("stop_words", "permutation_file"))
    return [*getattr(options, "template", ()), *filter(None, one)]


def standard_input_once(options: Any) -> str:
    """Standard input is read once."""
    beside = files_beside(options)
    read = [*options.documents, *beside, *(getattr(options, name, None) for name in ("files_from", "files0_from"))]
    return ONCE if b"-" in beside and read.count(b"-") > max(1, options.documents.count(b"-")) else ""


class OfTokens(OfDocuments, Normalisation, Shingling):
    """A question about documents that become tokens."""

    rules: ClassVar[tuple[Rule, ...]] = (one_list_of_stop_words, standard_input_once)

    stop_words: bytes | None = STOP_WORDS

    def problems_beside_documents(self) -> Iterator[str]:
        """Yield what documents that are read now do not allow."""
        yield from super().problems_beside_documents()
        if getattr(self, "against", None) is None:  # or else the index decides the unit
            yield from useless_stop_words(self)


class OfSignatures(OfTokens, Sketching, Ignoring):
    """A question about documents that become signatures."""

    template: tuple[bytes, ...] = TEMPLATE


def one_scheme(options: Any) -> str:
    """Hash functions that are stated are the scheme, and are about all shingles, each once."""
    stated = options.differ(tuple(OwnFunctions.options))
    if len(stated) > 1:
        return f"{flags(stated)} cannot be combined: choose one"
    others = options.differ(("scheme", "num_perm", "multiset", "ignore_common", "template"))
    if stated and others:
        why = "the functions are the scheme, their number is that of places, and they are about all shingles, each once"
        return f"{flags([*stated, *others])} cannot be combined: {why}"
    return ""


def by_hand_or_rule(options: Any) -> str:
    """Bands are chosen by a rule, or by hand."""
    by_hand, by_rule = options.differ(("bands", "rows")), options.differ(("recall", "rule"))
    if by_hand and by_rule:
        chosen = f"{flags(by_rule)} {'chooses' if len(by_rule) == 1 else 'choose'} the bands and rows"
        return f"{flags([*by_hand, *by_rule])} cannot be combined: {chosen}"
    return ""


class Banded(OfSignatures, ChoosingBands):
    """A question about documents that become signatures, which are cut into bands."""

    rules: ClassVar[tuple[Rule, ...]] = (by_hand_or_rule,)


def every_pair(options: Any) -> str:
    """An exact join needs no bands, and leaves nothing to estimate."""
    contained = options.measure == "containment"
    useless = options.differ(("recall", "rule", "bands", "rows", "max_candidates", "verify", "against"))
    if options.exact and useless and not contained:
        return f"--exact and {flags(useless)} cannot be combined: --exact finds and compares every pair"
    if options.max_memory is not None and not (options.exact or contained):
        return "--max-memory needs --exact"
    return ""


def listed(name: str, values: Any) -> list[Any]:
    """The values of an iterable, an array or a Series as a list of Python objects, with None where there is none.

    name: the argument, for messages. ValueError: they are nothing of that, with the message. MissingExtraError: only
    pyarrow can read them.
    """
    kind = type(values).__name__
    if isinstance(values, str | bytes | bytearray | memoryview):
        raise ValueError(f"{name} must be an iterable of {name}, such as a list, not {kind}")
    if isinstance(values, Mapping):
        raise ValueError(f"{name} must be an iterable of {name}, not {kind}: use texts=list(d.values()), names=list(d)")
    if hasattr(values, "columns") or hasattr(values, "column_names"):
        raise ValueError(f"{name} is a table ({kind}), not a column: use one of its columns")
    for method in ("to_pylist", "to_list", "tolist"):  # of pyarrow; of Polars and pandas; of NumPy
        if callable(take := getattr(values, method, None)):
            taken = take()
            if isinstance(taken, list):
                return taken
    if isinstance(values, Iterable) and getattr(values, "ndim", 1) != 0:  # NumPy has arrays of no dimension
        return list(values)
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        return _from_arrow(name, values)
    raise ValueError(f"{name} must be an iterable of {name}, such as a list, not {kind}")


def _from_arrow(name: str, values: Any) -> list[Any]:
    """The values of an object that only hands over Arrow data. ValueError: they are no column."""
    arrow = needs("pyarrow", f"reading {name} of type {type(values).__name__}")
    is_stream = hasattr(values, "__arrow_c_stream__")
    column = arrow.chunked_array(values) if is_stream else arrow.array(values)
    if arrow.types.is_struct(column.type):
        raise ValueError(f"{name} is a table ({type(values).__name__}), not a column: use one of its columns")
    found: list[Any] = column.to_pylist()
    return found


_NULLS = ("None", "nan", "<NA>", "NaT")
"""How values are shown that say that there is none."""


def problems_of_names(names: Sequence[Any], texts: int | None) -> Iterator[str]:
    """Yield what is wrong with the names of texts. texts: how many there are; None: that is not known."""
    if texts is not None and len(names) != texts:
        yield f"there must be as many names as texts, {texts}, not {len(names)}"
    met = dict[bytes, int]()
    for row, name in enumerate(names):
        if not isinstance(name, str | bytes) and str(name) in _NULLS:
            yield f"names[{row}] is null: give each text a name"
            return
        try:
            encoded = name_in_bytes(name)
        except UnicodeEncodeError as error:
            yield f"names holds {error.object!r}, which has no bytes: give bytes"
            return
        if (first := met.setdefault(encoded, row)) != row:
            yield f"names[{first}] and names[{row}] read the same, {name!r}: each text needs a name of its own"
            return


def name_in_bytes(name: Hashable) -> bytes:
    """How the name of a text is recorded: bytes as they are, and anything else as str. UnicodeEncodeError."""
    return name if isinstance(name, bytes) else text_to_name(str(name))


def names_of(names: Sequence[Any] | None, texts: int) -> tuple[list[bytes], dict[bytes, Any]]:
    """The names of texts in bytes, by default 0, 1, 2, ...; and by these bytes those that are neither str nor bytes."""
    if names is None:
        return [str(row).encode() for row in range(texts)], {}
    called = list(map(name_in_bytes, names))
    return called, {
        encoded: name for encoded, name in zip(called, names, strict=True) if not isinstance(name, str | bytes)
    }
