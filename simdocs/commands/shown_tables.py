"""What show and info print: the shingles of one text and their tokens, or what an artifact holds and says of itself."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from simdocs.artifacts.formats import FORMATS
from simdocs.artifacts.reader import checked
from simdocs.commands.ignoring import spellings
from simdocs.commands.info import Show
from simdocs.commands.resolve import in_words, is_artifact, opened, opened_shingles, outputs_of, shingling_of
from simdocs.engines.engine import Run
from simdocs.errors import ArtifactError, InputError, UsageError
from simdocs.kernels.banding import chosen_by
from simdocs.kernels.buckets import agreeing_bands, candidate_pairs, shared_runs
from simdocs.kernels.native import kernels_in_use
from simdocs.matching.corpus import Corpus, name_prefix
from simdocs.matching.groups import buckets_of_index
from simdocs.matching.verify import Verifier
from simdocs.model.artifact import Artifact, BandIndex, Shingles, Signatures
from simdocs.model.documents import EMPTY, IGNORED, INVALID, SHORT, WIDE
from simdocs.model.ragged import Rows, Tokens, distinct, ranges
from simdocs.model.result import (
    AT_ONCE,
    NAME,
    NUMBER,
    PLAIN,
    SIMILARITY,
    Blocks,
    Figure,
    Result,
    Row,
    TableHead,
    table_head,
)
from simdocs.model.skipped import OF_UNVERIFIED, and_more
from simdocs.names import display_name, name_to_text, path_from, shell_word, text_to_name
from simdocs.options.hash_functions import in_row_order
from simdocs.options.recipes import IndexRecipe, Sequences
from simdocs.options.sources import files_beside
from simdocs.pipeline.indexing import expected_of
from simdocs.pipeline.signing import spelled_shingles
from simdocs.reading.decode import as_bytes, as_utf8
from simdocs.reading.single_text import read_single_document, refuse_to_replace

SHINGLES = table_head(shingle=NAME, token=NUMBER)
_BUCKETS = table_head(band=NUMBER, bucket=NUMBER, document=NAME)
_CANDIDATES = table_head(document=NAME, other=NAME, bands=NUMBER, estimate=SIMILARITY, jaccard=SIMILARITY, similar=NAME)

_Table = tuple[TableHead, Iterable[Row]]
"""A table whose rows are made while they are taken, so that a large one needs little memory."""


def shown(options: Show, run: Run) -> Result:
    """Each shingle of a text with its token, in text order, or the view of an artifact that was asked for.

    Names are bytes; NaN is an unknown number. If the rows are drawn, the result does not hold them.

    UsageError: the file has many texts, or the artifact has no such view. InputError: the text cannot be read, or the
    artifact has no document of a name. ArtifactError: the artifact cannot be opened.
    """
    refuse_to_replace(outputs_of(options), (options.file, *files_beside(options)))
    of_artifact = options.text is None and is_artifact(options.file)
    if of_artifact:
        head, rows = _of_artifact(options, checked(opened(options.file, tuple(FORMATS))), run)
    else:
        head, rows = SHINGLES, _shingles(options)
    begun = iter(rows)
    first = list(islice(begun, 1))
    every, said = chain(first, begun), list[str]()
    if options.file and not of_artifact and not first:  # an answer without rows could also be an error
        said.append(f"simdocs: {display_name(options.file)}: this text has no shingles")

    def blocks() -> Blocks:
        while block := list(islice(every, AT_ONCE)):
            yield block

    return Result("show", run.table(head, blocks()), lines=lambda _seconds, _verbose: said)


def _shingles(options: Show) -> Iterator[Row]:
    """The shingles of a text with their tokens, in text order, with repeats."""
    problems = list(options.problems_of("a text"))
    if problems and options.file == b"-":
        raise UsageError(*problems)
    if options.text is not None:
        data = as_bytes(options.text)
    else:
        data = read_single_document(options.file, options.max_size, Sequences())
    if problems:  # but an artifact that is not there is no text
        raise UsageError(*problems)
    return spelled_shingles(as_utf8(data)[0], shingling_of(options.fields()))


MOST_COLUMNS = 20
"""The largest number of documents that are columns of a matrix."""


def _of_artifact(options: Show, artifact: Artifact, run: Run) -> _Table:
    """The table of an artifact that was asked for.

    UsageError: the artifact has no such view, or too many documents for it. InputError: it has no document of a name.
    """
    if problems := list(options.problems_of(artifact.kind)):
        raise UsageError(*problems)
    names = [name for name in options.documents if isinstance(name, bytes)]
    rows = _rows_named(Corpus.of_artifact(artifact), names) if names else None
    if options.buckets or options.candidates:
        assert isinstance(artifact, BandIndex)
        # The first documents with the texts of these stand for all copies in the buckets.
        firsts = None if rows is None else artifact["same_as"].rows(rows).astype(np.int64)
        return _buckets(artifact, firsts) if options.buckets else _candidates(artifact, firsts, options, run)
    rows = np.arange(artifact.n_documents) if rows is None else rows
    if len(rows) > MOST_COLUMNS:
        raise UsageError(
            f"{artifact.name}: a matrix of {len(rows):,} documents has too many columns: name up to {MOST_COLUMNS}"
            " of its documents"
        )
    names = Corpus.of_artifact(artifact).printed_names(rows)
    columns = tuple((name, NUMBER) for name in map(display_name, names))
    if isinstance(artifact, Shingles):
        return _matrix(artifact, rows, columns, options.root, run)
    assert isinstance(artifact, Signatures)
    return _signatures(artifact, rows, columns)


def _rows_named(corpus: Corpus, names: Sequence[bytes]) -> Rows:
    """The rows of the documents with these names, as recorded or as paths that work here. InputError: there is none."""
    recorded = {name: row for row, name in enumerate(corpus.names(np.arange(len(corpus))))}
    rows = list[int]()
    for name in names:
        below = os.path.relpath(os.path.abspath(name), os.path.abspath(corpus.root))
        row = recorded.get(name, recorded.get(os.path.normpath(name), recorded.get(below)))
        if row is None:
            raise InputError(f"{display_name(name)}: {corpus.artifact_name} has no document of this name")
        rows.append(row)
    return np.array(rows, np.int64)


_MOST_SPELLED = 1 << 16
"""Rows of a matrix that have shingles at most. These are strings, which take much more memory than tokens."""


_Columns = tuple[tuple[str, str], ...]


def _matrix(shingles: Shingles, rows: Rows, columns: _Columns, root: bytes | None, run: Run) -> _Table:
    """The characteristic matrix: a row for each shingle, a column for each document, and 1 where it has the shingle.

    The rows are in the order of the shingles, or where these are unknown, in that of their tokens.
    """
    sets = shingles.tokens.take(rows)
    tokens = distinct(sets.values)
    cells = np.zeros((len(tokens), len(rows)), np.int64)
    cells[np.searchsorted(tokens, sets.values), np.repeat(np.arange(len(rows)), sets.lengths)] = 1
    spelled = _spelled(Corpus.of_artifact(shingles, root=root), rows, tokens, run)
    place_of = {shingle: place for place, shingle in enumerate(in_row_order(set(spelled.values())))}
    known = sorted(spelled, key=lambda token: (place_of[spelled[token]], token))  # multisets repeat shingles
    unknown = [token for token in tokens.tolist() if token not in spelled]
    order = np.searchsorted(tokens, np.array([*known, *unknown], np.uint32))
    head = TableHead((*SHINGLES.columns, *columns))
    lines = np.column_stack((tokens, cells))[order].tolist()
    return head, ((spelled.get(token), token, *line) for token, *line in lines)


def _spelled(corpus: Corpus, rows: Rows, tokens: Tokens, run: Run) -> dict[int, str]:
    """The shingle of each token, as far as the documents can be read again."""
    unnamed = "rows have tokens and no shingles"
    if len(tokens) > _MOST_SPELLED:
        run.skipped.warnings.append(f"{corpus.artifact_name}: {unnamed}, because there are more than {_MOST_SPELLED:,}")
        return {}
    try:
        spelled, unread = spellings(corpus, rows, tokens)
    except ArtifactError as error:
        run.skipped.warnings.append(f"{unnamed}: {error}")
        return {}
    if len(spelled) < len(tokens) and unread:
        first = unread[0]
        why = OF_UNVERIFIED.get(first.detail, f"its text cannot be read again ({first.detail})")
        names = f"{display_name(first.shown_name)}{and_more(len(unread))}"
        run.skipped.warnings.append(f"{names}: {why}, so some {unnamed}")
    return spelled


def _signatures(artifact: Signatures, rows: Rows, columns: _Columns) -> _Table:
    """The signature matrix: a row for each place, a column for each document; for two of them, whether they agree."""
    head = TableHead((("place", NUMBER), *columns))
    values: Iterator[Row] = ((at, *column) for at, column in enumerate(artifact.signatures[rows].T.tolist(), 1))
    if len(rows) == len("ab"):
        return head.but(PLAIN, agree=NAME), ((*row, "yes" if row[1] == row[2] else "no") for row in values)
    return head, values


def _buckets(index: BandIndex, rows: Rows | None) -> _Table:
    """The documents of each bucket that has two or more: of all, or of those buckets that have a document named."""

    def lines() -> Iterator[Row]:
        names = Corpus.of_artifact(index).printed_names
        for band in range(index.recipe.banding.bands):
            keys, owners = (index[column].cut(band, band + 1)[0] for column in ("band_keys", "band_rows"))
            begins, sizes = shared_runs(keys)
            members = np.asarray(owners)[ranges(begins, sizes)].astype(np.int64)
            bucket = np.repeat(np.arange(len(sizes)), sizes)
            if rows is not None:
                wanted = np.isin(bucket, bucket[np.isin(members, rows)])
                members, bucket = members[wanted], bucket[wanted]
            order = np.lexsort((members, bucket))
            for number, name in zip(bucket[order].tolist(), names(members[order]), strict=True):
                yield band + 1, number + 1, name

    return _BUCKETS, lines()


def _candidates(index: BandIndex, rows: Rows | None, options: Show, run: Run) -> _Table:
    """Every candidate pair of different texts, with everything that decides it. rows: only pairs with one of these."""
    corpus = Corpus.of_artifact(index, sets=opened_shingles(options.shingles), root=options.root)
    banding = index.recipe.banding
    verifier = Verifier(corpus, banding.threshold, run, no_prefilter=True)

    def lines() -> Iterator[Row]:
        firsts, numbers = index.documents.distinct_texts()
        signatures = index.signatures
        for one, other in candidate_pairs(buckets_of_index(index, numbers, len(firsts)), len(firsts)):
            left, right = firsts[one], firsts[other]
            if rows is not None:
                wanted = np.isin(left, rows) | np.isin(right, rows)
                left, right = left[wanted], right[wanted]
            exact = verifier.exact_jaccard(left, right)
            similar = np.where(np.isnan(exact), "", np.where(exact >= banding.threshold, "yes", "no"))
            names = (corpus.printed_names(side) for side in (left, right))
            agree, estimates = agreeing_bands(signatures, left, right, banding.cut), corpus.estimates(left, right)
            yield from zip(*names, *(each.tolist() for each in (agree, estimates, exact, similar)), strict=True)

    return _CANDIDATES, lines()


ENDS = 3
"""Documents shown of either end."""

_FLAGS = {"empty": EMPTY, "short": SHORT, "invalid_bytes": INVALID, "utf_16_or_32": WIDE, "all_ignored": IGNORED}


def facts_of(artifact: Artifact) -> Iterator[tuple[str, str | int | float | None]]:
    """Yield everything that an artifact says of itself without its texts, and what is to be expected of an index.

    They are keys and values, in the order in which they are shown. A key may occur several times.
    """
    for key, value in _facts(artifact):
        if isinstance(value, bool):
            yield key, "yes" if value else "no"
        elif isinstance(value, int | np.integer):
            yield key, int(value)
        else:
            yield key, Figure(value) if isinstance(value, float) else None if value in (None, "") else in_words(value)


def _facts(artifact: Artifact) -> Iterator[tuple[str, Any]]:
    form, documents = FORMATS[artifact.kind], artifact.documents
    yield "kind", artifact.kind
    yield "version", form.version
    yield "made_from", artifact.made_from
    yield "documents", artifact.n_documents
    yield "bytes", documents.facts["size"].sum()
    yield "tokens", documents.tokens
    if artifact.kind != "shingles":
        yield "ignored_tokens", len(artifact.ignored)
        yield "ignored_share", documents.share_left_out
    firsts, _ = documents.distinct_texts()
    yield "distinct_texts", len(firsts)
    for name, flag in _FLAGS.items():
        yield name, documents.flagged(flag)
    yield "unicode", artifact.recipe.unicode
    for group in form.parameter_groups:
        for name, value in getattr(artifact.recipe, group).flattened():
            if name == "rule" and isinstance(artifact.recipe, IndexRecipe):  # by which bands were really chosen
                yield name, chosen_by(artifact.recipe.banding, artifact.recipe.sketching.num_perm)
            elif value != ():  # own hash functions, which few have
                yield name, value
    for array in form.arrays:
        kind = "structured" if array.dtype.names else array.dtype.str
        yield array.file, f"{kind} {artifact[array.name].shape}"
    if isinstance(artifact.recipe, IndexRecipe):
        expected = expected_of(artifact)
        yield "probability", expected.at_threshold
        yield from ((f"probability_at_{similarity:g}", chance) for similarity, chance in expected.curve)
        yield "candidates_a_document", expected.candidates
        if expected.better_num_perm:
            yield "fewer_candidates_with_num_perm", expected.better_num_perm
    yield from _run(artifact)
    yield "kernels_in_use", kernels_in_use()
    count, prefix = artifact.n_documents, name_prefix(None, artifact.root)
    for key, rows in (("first", range(min(ENDS, count))), ("last", range(max(ENDS, count - ENDS), count))):
        yield from ((key, name_to_text(path_from(prefix, documents.raw_name(row)))) for row in rows)


def _run(artifact: Artifact) -> Iterator[tuple[str, Any]]:
    """Yield facts from run.json. No checksum covers the file, so its values may have any type."""
    for key in ("simdocs", "start", "root"):
        if isinstance(value := artifact.run.get(key), str):
            yield key, _printable(value)
    command = artifact.run.get("command")
    if isinstance(command, list):
        yield "command", " ".join(shell_word(_printable(str(word))) for word in command)
    with contextlib.suppress(ArtifactError):
        yield "new_or_changed", len(artifact.changed)
    skipped = artifact.run.get("skipped")
    if isinstance(skipped, dict):
        for reason, count in skipped.items():
            if isinstance(count, int | list):
                yield _printable(f"skipped_{reason}"), len(count) if isinstance(count, list) else count


def _printable(text: str) -> str:
    """A text from run.json; with escapes, if it holds a surrogate that stands for no byte."""
    try:
        text_to_name(text)
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text
