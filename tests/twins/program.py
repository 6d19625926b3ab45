"""The twin of the whole program: from options and files to the bytes of an answer and an exit status.

Options are those of a command by name, with _ for -. An option that the twin does not know is an error: its effect must
be written here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from simdocs.parameters.families import default_k
from tests import strategies as some
from tests.twins import bands
from tests.twins.answers import Answers, Criteria, Row, Signing
from tests.twins.corpus import Corpus, Document, EndedError, Options
from tests.twins.formats import Cells, drawn

UNJUDGED = ("unreadable", "oversized", "malformed", "named")
"""Reasons that leave a document unjudged."""

WITHOUT_EFFECT = {
    "jobs", "quiet", "verbose", "debug", "summary", "summary_json", "lock_wait", "one_file_system", "color",
    "max_memory", "engine", "spark_master", "spark_conf", "report_size",
}  # fmt: skip
"""Options that do not change an answer about files of one file system that goes into a pipe or a file."""

NEVER_GIVEN = {"kept_rows", "removed_rows", "flagged_rows", "report", "passages", "min_passage", "functions"}
"""Options that other tests give."""

KNOWN = WITHOUT_EFFECT | NEVER_GIVEN | {
    "documents", "files_from", "files0_from", "include", "exclude", "hidden", "follow", "max_size",
    "text_field", "id_field", "input_format", "delimiter", "no_header", "plain", "jsonl",
    "unit", "k", "language", "ignore_stop_words", "stop_words", "multiset", "seed", *some.SWITCHES,
    "num_perm", "scheme", "ignore_common", "template", "threshold", "recall", "rule", "bands", "rows",
    "changed", "renamed", "keep", "cluster", "verify", "exact", "max_candidates", "against",
    "pairs", "all_copies", "explain", "list", "nul", "top", "nearest", "itself", "measure", "diff",
    "output", "format", "header", "exit_code", "strict", "index", "shingles", "root",
}  # fmt: skip


class Ended(NamedTuple):
    """The end of a run: its exit status, its answer, and the numbers of its summary."""

    status: int
    out: bytes
    facts: dict[str, Any]

    @property
    def found(self) -> int:
        """The number of duplicates, pairs or matches."""
        return sum(self.facts.get(what, 0) for what in ("duplicates", "pairs", "matches"))


class Index(NamedTuple):
    """An index: the options with which it was built, and the standard input of that run."""

    options: Options
    stdin: bytes = b""


def recipe(options: Options) -> tuple[some.Shingling, Signing, float]:
    """Return how documents are shingled and signed, and the threshold for which the bands are chosen."""
    unit, size, threshold = options["unit"], options["num_perm"], options["threshold"]
    switches = some.normalisation(**{name: options[name] for name in some.SWITCHES})
    k = options["k"] or default_k(unit)
    shingling = some.shingling(
        unit=unit,
        k=k,
        language=options["language"],
        multiset=options["multiset"],
        seed=options["seed"],
        normalisation=switches,
        ignore_stop_words=unit == "word" and (options["ignore_stop_words"] or options["stop_words"] is not None),
        stop_word_list=_stop_words(options["stop_words"]),
    )
    if options.get("exact") or options.get("measure") == "containment":
        cut: tuple[int, int] | None = (1, 1)
    elif options["bands"] or options["rows"]:
        cut = bands.by_hand(options["bands"], options["rows"], size)
    elif options["rule"] == "nearest":
        cut = bands.by_nearest(threshold, size)
    else:
        cut = bands.by_recall(threshold, options["recall"], size)
    if cut is None:
        raise EndedError(2)
    templates = tuple(Path(os.fsdecode(name)).read_bytes() for name in options["template"])
    return shingling, Signing(options["scheme"], size, *cut, options["ignore_common"], templates), threshold


def _stop_words(name: bytes | None) -> str:
    """Return the words of a list, which has no comments here."""
    return "" if name is None else " ".join(sorted(set(Path(os.fsdecode(name)).read_text().split())))


def dedupe(options: Options, stdin: bytes = b"", index: Index | None = None, *, given: bool = False) -> Ended:
    """Return what `dedupe` does. index: the index that --against names. given: whether it is given an artifact of them.

    An artifact has no lines but those of its documents. Of files, lines that are no documents are kept, too.
    """
    try:
        fixed = recipe(index.options if index else options)
        corpus, kept = _read(options, stdin, index), Corpus(*index).documents if index else []
    except EndedError as error:
        return Ended(error.status, b"", {})
    texts = {(document.file, document.start, document.data) for document in kept}
    known = [document for document in corpus.documents if (document.file, document.start, document.data) in texts]
    new = [document for document in corpus.documents if document not in known]
    corpus.skipped["known"] = len(known)
    answers = Answers([*kept, *new], _criteria(options, *fixed), len(kept))
    corpus.skipped["ignored"] = sum(map(answers.is_ignored, corpus.documents))
    if options["pairs"]:
        rows = answers.all_pairs() if options["all_copies"] else answers.pairs()
        nested = options["measure"] == "containment"
        cells = _cells(corpus, answers, rows, options, more=answers.larger_containment if nested else None)
        more = ("containment", "contained") if nested else ()
        return _ended(options, corpus, ("document", "other"), cells, {"pairs": len(rows)}, more)
    rows = answers.components() if options["cluster"] == "components" else answers.greedy()
    duplicates = {row[1] for row in rows}
    facts: dict[str, Any] = {
        "duplicates": len(rows),
        "groups": len({row[0] for row in rows}),
        "kept": len(new) - len(rows),
    }
    if not options["list"]:
        return _ended(options, corpus, ("kept", "duplicate"), _cells(corpus, answers, rows, options), facts)
    if options["list"] == "groups":
        columns = ("document", "group", "kept", "jaccard")
        return _ended(options, corpus, columns, _groups(corpus, answers, rows, options), facts)
    what = options["list"].removesuffix("-lines").removesuffix("s")
    listed = [
        document
        for row, document in enumerate(answers.documents)
        if row >= len(kept) and (row in duplicates) == (what == "duplicate")
    ]
    if options["list"].endswith("-lines"):
        if not all(document.line is not None for document in corpus.documents):
            return Ended(2, b"", {})
        if listed and options.get("root"):
            return Ended(2, b"", {})  # lines are read again, and are not found there
        lines = [(document.line,) for document in listed]
        if what == "kept" and not given:  # those that are no documents, too
            left_out = {(document.file, document.start) for document in corpus.documents if document not in listed}
            lines = [(line,) for file, start, line in corpus.lines if (file, start) not in left_out]
        return _ended(options, corpus, ("line",), lines, facts)
    rows_listed = [row for row, document in enumerate(answers.documents) if document in listed]
    return _ended(options, corpus, ("name",), _listed(corpus, answers, rows_listed, options), facts)


def query(options: Options, index: Index, stdin: bytes = b"") -> Ended:
    """Return what `query` does."""
    shingling, signing, threshold = recipe(index.options)
    kept = Corpus(*index).documents
    try:
        corpus = _read(options, stdin, index)
    except EndedError as error:
        return Ended(error.status, b"", {})
    answers = Answers([*kept, *corpus.documents], _criteria(options, shingling, signing, threshold), len(kept))
    corpus.skipped["ignored"] = sum(map(answers.is_ignored, corpus.documents))
    contained = options["measure"] == "containment"
    if contained:
        rows = answers.containing(options["itself"], options["top"])
    elif options["nearest"]:
        rows = answers.nearest(options["nearest"], options["itself"], options["all_copies"])
    else:
        rows = answers.matches(options["itself"], options["top"])
    facts = {"indexed": len(kept), "matches": len(rows), "matched": len({row[0] for row in rows})}
    if options["list"]:
        matches = sorted({row[1] for row in rows})
        return _ended(options, corpus, ("name",), _listed(corpus, answers, matches, options), facts)
    more = (lambda left, right: (answers.containment(left, right),)) if contained else None
    cells = _cells(corpus, answers, rows, options, more=more)
    return _ended(options, corpus, ("query", "match"), cells, facts, ("containment",) if contained else ())


def _read(options: Options, stdin: bytes, index: Index | None = None) -> Corpus:
    """Read the documents. Options about JSON lines that are not given are those of the index."""
    if index is not None:
        of_index = {name: index.options[name] for name in some.Sequences.defaults if options[name] in (None, ())}
        options = {**options, **of_index}
    assert set(options) <= KNOWN, f"the twin does not know {set(options) - KNOWN}"
    assert not any(options.get(name) for name in NEVER_GIVEN)
    return Corpus(options, stdin)


def _criteria(options: Options, shingling: some.Shingling, signing: Signing, threshold: float) -> Criteria:
    estimate = options["verify"] == "estimate"
    asked = options["threshold"] or threshold
    exact, nested = bool(options.get("exact")), options.get("measure") == "containment"
    return Criteria(shingling, asked, options.get("keep", "first"), signing, exact, estimate, nested)


def _printed(answers: Answers, options: Options) -> list[bytes]:
    """Return the names of all documents. Those of an artifact are joined to --root, which is another directory.

    No name of a file can be taken for an option. Standard input and its lines are no files.
    """
    of_artifact = answers.given or len(answers.documents)
    root = options.get("root") or b""
    names = [
        os.path.join(root, document.name) if row < of_artifact else document.name
        for row, document in enumerate(answers.documents)
    ]
    return [
        b"./" + name if name.startswith(b"-") and (document.path, name) != (b"-", document.name) else name
        for name, document in zip(names, answers.documents, strict=True)
    ]


def _listed(corpus: Corpus, answers: Answers, rows: Sequence[int], options: Options) -> list[Cells]:
    """Return the names of these documents, without those that lead to something else, which are skipped."""
    names = _printed(answers, options)
    led = {names[row] for row in rows if _leads_elsewhere(answers.documents[row], names[row])}
    corpus.skipped["malformed"] += len(led)
    return [(names[row],) for row in rows if names[row] not in led]


def _groups(corpus: Corpus, answers: Answers, rows: Sequence[Row], options: Options) -> list[Cells]:
    """Return the cells of each document: its name, the number of its group, the kept document, and their similarity.

    The groups of kept documents have the first numbers, and then come those of documents of the index.
    """
    under = {duplicate: (kept, score) for kept, duplicate, score in rows}
    new = range(answers.given, len(answers.documents))
    firsts = [row for row in new if row not in under]
    firsts += sorted({under[row][0] for row in new if row in under} - set(firsts))
    names, exact, found = _printed(answers, options), not answers.criteria.by_estimate, list[Cells]()
    led = set[bytes]()
    for row in new:
        kept, score = under.get(row, (row, None))
        of_both = {names[kept]} if _leads_elsewhere(answers.documents[kept], names[kept], kept=True) else set()
        of_both |= {names[row]} if _leads_elsewhere(answers.documents[row], names[row]) else set()
        led |= of_both
        if not of_both:
            found.append((names[row], firsts.index(kept), names[kept], score if exact else None))
    corpus.skipped["malformed"] += len(led)
    return found


def _leads_elsewhere(document: Document, name: bytes, *, kept: bool = False) -> bool:
    """Return whether something else has the name of a line, or of standard input, unless it is kept, as its path."""
    return (document.container > 0 or (name == b"-" and not kept)) and os.path.lexists(name)


def _cells(
    corpus: Corpus,
    answers: Answers,
    rows: Sequence[Row],
    options: Options,
    *,
    more: Callable[[int, int], Cells] | None = None,
) -> list[Cells]:
    """Return the cells of each row: two names, the exact similarity, the estimate, and what `more` gives for the two.

    Rows with a name that leads to something else are left out, and each such name is skipped.
    """
    names, exact = _printed(answers, options), not answers.criteria.by_estimate
    led = {names[a] for a, _, _ in rows if _leads_elsewhere(answers.documents[a], names[a], kept=True)}
    of_right = {names[b] for _, b, _ in rows if _leads_elsewhere(answers.documents[b], names[b])}
    corpus.skipped["malformed"] += len(led | of_right)
    return [
        (
            *(names[a], names[b], score if exact else None, answers.estimate(a, b)),
            *(more(a, b) if more else ()),
        )
        for a, b, score in rows
        if names[a] not in led and names[b] not in of_right
    ]


def _ended(
    options: Options,
    corpus: Corpus,
    columns: tuple[str, ...],
    rows: Sequence[Cells],
    facts: dict[str, Any],
    more: tuple[str, ...] = (),
) -> Ended:
    facts |= {
        "documents": len(corpus.documents),
        "bytes": sum(document.size for document in corpus.documents),
        "skipped": {reason: count for reason, count in corpus.skipped.items() if count},
    }
    unjudged = any(corpus.skipped[reason] for reason in UNJUDGED)
    if unjudged and options["strict"]:
        return Ended(2, b"", facts)
    columns = (*columns, "jaccard", "estimate", *more) if len(columns) == 2 else columns
    ended = Ended(3 if unjudged else 0, drawn(options, columns, rows), facts)
    return ended._replace(status=1) if ended.found and options["exit_code"] and not unjudged else ended


def may_be_capped(options: Options, ended: Ended) -> bool:
    """Return whether --max-candidates might prevent comparisons, which the twin ignores."""
    in_groups = not options["pairs"] and options["cluster"] == "greedy"
    return in_groups and bool(options["max_candidates"] < ended.facts.get("documents", 0))
