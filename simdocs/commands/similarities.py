"""The answers of compare: the measures of two texts, the similarities of several, and a trace of how MinHash works."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, compress
from types import MappingProxyType
from typing import Any

import numpy as np

from simdocs.commands.compared_texts import ComparedTexts, spelled_tokens
from simdocs.errors import UsageError
from simdocs.kernels import jaccard
from simdocs.kernels.permutation import slots
from simdocs.kernels.schemes import signing_of
from simdocs.matching.difference import difference
from simdocs.matching.measures import are_shorter_than_a_shingle, edit_measures, shingle_measures, signature_measures
from simdocs.model.comparison import Comparison, SimilarityMatrix
from simdocs.model.documents import OTHER_ENCODING
from simdocs.model.figures import percentage
from simdocs.model.measures import NOT_COMPUTED, EditMeasures, MeasureValue, ShingleMeasures, SignatureMeasures
from simdocs.model.passages import MOST_CELLS, Difference
from simdocs.model.ragged import Array, Floats, Mask, Ragged, Tokens, distinct
from simdocs.model.result import KEYED, NAME, NUMBER, PLAIN, SIMILARITY, VALUE, Look, Row, Table, table_head
from simdocs.names import display_name, text_to_name
from simdocs.options.families import UNITS, edited_units
from simdocs.options.recipes import Sketching

_MAIN = frozenset({"jaccard", "containment_a", "containment_b", "edit_distance", "estimate"})
"""The measures that a table shows to people who do not ask for all of them."""

_OF_SHINGLES = ("jaccard", "bag_jaccard", "containment_a", "containment_b", "cosine")
"""The measures in a table over units and k."""

_MEASURES, _NOTES = table_head(KEYED, measure=NAME, value=VALUE), table_head(note=NAME)
_OVER_SHINGLES = table_head(unit=NAME, k=NUMBER, **dict.fromkeys(_OF_SHINGLES, SIMILARITY))
_PASSAGES = table_head(passage=NAME, a=NAME, b=NAME)
_TRACED_PAIRS = table_head(a=NAME, b=NAME, agree=NUMBER, estimate=SIMILARITY, jaccard=SIMILARITY)

_NAMED = 3
"""Names in a note."""

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "a": "first text",
        "b": "second text",
        "unit": "unit of a shingle",
        "k": "units in a shingle",
        "shingles_a": "distinct shingles of a",
        "shingles_b": "distinct shingles of b",
        "intersection": "distinct shingles of both",
        "union": "distinct shingles of either",
        "jaccard": "intersection / union",
        "distance": "1 - jaccard",
        "bag_jaccard": "jaccard, repeated shingles counted",
        "bag_distance": "1 - bag_jaccard",
        "containment_a": "share of a's shingles that are in b",
        "containment_b": "share of b's shingles that are in a",
        "overlap": "the larger containment",
        "cosine": "of the angle between the counts of shingles",
        "angle": "that angle in degrees",
        "edit_unit": "unit of the following three",
        "lcs": "length of the longest common subsequence",
        "edit_distance": "insertions and deletions from a to b",
        "edit_similarity": "2 lcs / (length of a + length of b)",
        "num_perm": "places in a signature",
        "estimate": "share of places that agree",
        "standard_error": "of the estimate: sqrt(J(1-J)/num_perm)",
        "bands": "bands of a signature",
        "rows": "rows of a band",
        "equal_bands": "bands that agree; 1 makes a candidate",
        "probability": "chance of one equal band or more",
        "threshold": "near-duplicates reach this similarity",
        "similar": "whether jaccard >= threshold",
    }
)
"""Each measure in a few words."""


def matrix_of(compared: ComparedTexts, sets: Ragged) -> tuple[Floats, list[str]]:
    """How similar each two texts are, by the measure of their token sets that was asked for; and notes about the texts.

    The similarities are float64 (N, N).
    """
    left, right = np.triu_indices(len(sets), 1)
    similarity = np.diag((sets.lengths > 0).astype(np.float64))
    if compared.options.measure == "containment":
        shared = jaccard.overlaps(sets, left, right)
        similarity[left, right] = jaccard.containments(shared, sets.lengths[left])
        similarity[right, left] = jaccard.containments(shared, sets.lengths[right])
    else:
        similarity[left, right] = similarity[right, left] = jaccard.exact(sets, left, right)
    return similarity, list(_notes(compared, sets, similarity))


def _notes(compared: ComparedTexts, sets: Ragged, similarity: Floats) -> Iterator[str]:
    """Yield notes about texts that match nothing or only the same text, and about texts that may not match a copy."""
    names, bare = compared.named, (similarity.diagonal() == 0).tolist()
    blank = [not text.decode("utf-8", "surrogateescape").strip() for text in compared.texts]
    if empty := list(compress(names, (no and nothing for no, nothing in zip(bare, blank, strict=True)))):
        so = "this text is empty, so it matches" if len(empty) == 1 else "these texts are empty, so they match"
        yield f"{_named(empty)}: {so} nothing"
    if others := list(compress(names, (no and not nothing for no, nothing in zip(bare, blank, strict=True)))):
        have, match = ("this text has", "it matches") if len(others) == 1 else ("these texts have", "they match")
        yield f"{_named(others)}: {have} no shingles to compare, so {match} nothing"
    short = dict.fromkeys(compress(names, are_shorter_than_a_shingle(compared.texts, sets, compared.shinglings[0])))
    if short and _largest(similarity) < 1:
        are = "this text is shorter" if len(short) == 1 else "these texts are shorter"
        so = "it matches" if len(short) == 1 else "they match"
        yield f"{_named(short)}: {are} than a shingle, so {so} only the same text"
    invalid = dict.fromkeys(compress(names, (not _is_utf8(text) for text in compared.texts)))
    if 0 < len(invalid) < len(set(names)):
        yield f"{_named(invalid)} {'is' if len(invalid) == 1 else 'are'} not UTF-8: {OTHER_ENCODING}"


def _named(names: Iterable[Any]) -> str:
    """The first of these names."""
    shown = [display_name(text_to_name(str(name))) for name in names]
    more = f" and {len(shown) - _NAMED:,} more" if len(shown) > _NAMED else ""
    return ", ".join(shown[:_NAMED]) + more


def _largest(similarity: Floats) -> float:
    """The largest similarity of two different texts."""
    return float(similarity[~np.eye(len(similarity), dtype=bool)].max())


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def similarity_matrix(compared: ComparedTexts, similarity: Floats, notes: Sequence[str]) -> SimilarityMatrix:
    """The similarities of several texts, as a table with a column for each."""
    names, threshold = compared.named, compared.options.threshold
    columns = dict.fromkeys(map(str, range(1, len(names) + 1)), SIMILARITY)
    rows = enumerate(zip(names, similarity.tolist(), strict=True), 1)
    table = Table.of(
        table_head(number=NUMBER, document=NAME).but(PLAIN, **columns),
        ((number, name, *row) for number, (name, row) in rows),
    )
    is_found = _largest(similarity) >= threshold
    return SimilarityMatrix(table, names, similarity, notes=notes, is_found=is_found)


def comparison(
    compared: ComparedTexts,
    sets: Ragged,
    sketching: Sketching,
    similarity: Floats,
    notes: Sequence[str],
    marked: str | None,
    *,
    with_edits: bool,
) -> Comparison:
    """Two texts by every measure. marked: the units by which their difference is marked; None: it is not."""
    (a, b), (name_a, name_b), first = compared.texts, compared.named, compared.shinglings[0]
    exact = float(jaccard.exact(sets, np.array([0]), np.array([1]))[0])
    decided_by = "bag_jaccard" if first.multiset else "jaccard"
    if compared.options.measure == "containment":
        decided_by = "overlap of multisets" if first.multiset else "overlap"
    each = zip(compared.shinglings, compared.ignored, strict=True)
    every = tuple(shingle_measures(a, b, shingling, ignored) for shingling, ignored in each)
    edits = edit_measures(a, b, first) if with_edits else NOT_COMPUTED
    signatures = signature_measures(sets, first.seed, sketching, compared.bands, exact)
    found = None if marked is None else difference(a, b, first, marked)
    threshold = compared.options.threshold
    is_similar = _largest(similarity) >= threshold
    measured = dict[str, MeasureValue](a=name_a, b=name_b)
    for group, prefix, names in _SHOWN:
        values = {"shingles": every[0], "edits": edits, "signatures": signatures}[group]
        measured |= {f"{prefix}{name}": getattr(values, name) for name in names}
    measured |= {"threshold": threshold, "similar": "yes" if is_similar else "no"}
    too_long = list(_too_long(edits, first.unit, found))
    if too_long:
        so = "; ".join(what for _, what in too_long)
        notes = [*notes, f"the texts are too long and different ({too_long[0][0]}): {so}"]
    table = _measures(measured, decided_by, Look(nested=False))
    if len(every) > 1:
        over = ((each.unit, each.k, *(getattr(each, name) for name in _OF_SHINGLES)) for each in every)
        table = Table.of(_OVER_SHINGLES, over)

    def drawn(look: Look) -> Iterator[Table]:
        """The measures, then the passages and the notes, if the difference was asked for."""
        yield table if len(every) > 1 else _measures(measured, decided_by, look)
        if found is not None and not look.for_people:
            yield Table.of(_PASSAGES, found.rows())
            yield Table.of(_NOTES, ((note,) for note in notes))

    return Comparison(
        table,
        names=(name_a, name_b),
        every=every,
        edits=edits,
        signatures=signatures,
        matrix=similarity,
        difference=found,
        verdict=_verdict(compared, similarity, every[0], decided_by, found),
        drawn=drawn,
        notes=notes,
        is_found=is_similar,
    )


_MOSTLY = 0.8
"""The share of a text from which on a comparison says that it is in the other text, whatever the similarity."""


def _verdict(
    compared: ComparedTexts, matrix: Floats, shingles: ShingleMeasures, measure: str, found: Difference | None
) -> str:
    """A sentence on how similar two texts are, and whether they are near-duplicates at the threshold.

    If most of only one of them is in the other, a second line says so.
    """
    names = [display_name(text_to_name(str(name))) for name in compared.named]
    threshold, similarity, what, more = compared.options.threshold, _largest(matrix), "near-duplicates", ""
    said = f"{percentage(similarity, threshold)} alike"
    if measure.startswith("overlap"):
        said, what = _contained(names, float(matrix[0, 1]), float(matrix[1, 0]), threshold), "contained"
    elif measure == "jaccard":
        of_a, of_b = shingles.containment_a or 0.0, shingles.containment_b or 0.0
        if min(of_a, of_b) < _MOSTLY <= max(of_a, of_b):
            more = "\n" + _contained(names, of_a, of_b, 1.0)
    same = found.sameness if similarity == 1 and found is not None else ""
    if same:
        said = f"{same[0].upper()}{same[1:]}"
    elif measure not in ("jaccard", "overlap"):
        said += ", repeated shingles counted"
    return f"{said}: {'' if similarity >= threshold else 'not '}{what} at {threshold:g}{more}"


def _contained(names: Sequence[str], of_a: float, of_b: float, threshold: float) -> str:
    """A phrase about the larger containment. of_a, of_b: the fraction of each text that is in the other."""
    share = "All" if max(of_a, of_b) == 1 else percentage(max(of_a, of_b), threshold)
    inner, outer = names if of_a >= of_b else names[::-1]
    return f"{share} of {inner} is in {outer}" + (f", and as much of {outer} in {inner}" if of_a == of_b else "")


_SHOWN = (
    ("shingles", "", ("unit", "k", "shingles_a", "shingles_b", "intersection", "union", "jaccard", "distance")),
    ("shingles", "", ("bag_jaccard", "bag_distance", "containment_a", "containment_b", "overlap", "cosine", "angle")),
    ("edits", "edit_", ("unit",)),
    ("edits", "", ("lcs",)),
    ("edits", "edit_", ("distance", "similarity")),
    ("signatures", "", SignatureMeasures.__slots__),
)
"""The measures in the order in which they are shown: which they are of, their prefix, and their names."""


def _measures(measured: Mapping[str, MeasureValue], decided_by: str, look: Look) -> Table:
    """The measures of both texts; for people the main ones, unless they want all."""
    main = _MAIN | {decided_by.partition(" ")[0]}
    rows = [
        (name, None if value == "" else value)
        for name, value in measured.items()
        if look.verbose or not look.for_people or name in main
    ]
    if not look.explained:
        return Table.of(_MEASURES, rows)
    meanings = {**MEANINGS, "similar": f"whether {decided_by} >= threshold"}
    return Table.of(_MEASURES.but(KEYED, meaning=NAME), ((*row, meanings[row[0]]) for row in rows))


def _too_long(edits: EditMeasures, unit: str, found: Difference | None) -> Iterator[tuple[str, str]]:
    """Yield pairs of phrases: what there is too much of, and what was done instead."""
    edited, pairs = edited_units(unit), f"more than {MOST_CELLS:,} pairs of"
    if edits is not NOT_COMPUTED and not edits.unit:
        yield f"{pairs} {UNITS[edited[-1]].plural}", "there is no edit distance"
    elif edits is not NOT_COMPUTED and edits.unit != edited[0]:
        yield f"{pairs} {UNITS[edited[0]].plural}", f"the edit distance is of {UNITS[edits.unit].plural}"
    if found is not None and found.coarser:
        yield found.excess, f"they are compared {found.coarser}"


_MOST_VALUES = 10**6
"""The largest number of values in a trace, one for each row, document and hash function."""

_CHANGED, _INFINITY = "*", "∞"


def slot_trace(
    compared: ComparedTexts, sets: Ragged, sketching: Sketching, similarity: Floats, notes: Sequence[str]
) -> SimilarityMatrix:
    """How the signatures of texts are computed, row by row. sets: the tokens of each text that count.

    A row of the table has the number of a shingle, the shingle, a document, whether it has the shingle, and its slots
    after it (None: infinity); or, without a document, the values of the hash functions. Rows are in the order of the
    texts, or with own functions in that of their numbers. UsageError: the table would have more than a million numbers.
    """
    tokens_there, num_perm, shingling = distinct(sets.values), sketching.num_perm, compared.shinglings[0]
    values = len(tokens_there) * (len(sets) + 1) * num_perm
    if values > _MOST_VALUES:
        raise UsageError(
            f"--trace would print {values:,} values, and at most {_MOST_VALUES:,} are printed:"
            f" {len(tokens_there):,} shingles of {len(sets):,} texts, and {num_perm:,} hash functions: use shorter"
            " texts, or a smaller --num-perm"
        )
    if sketching.is_own:
        spelled = dict(zip(sketching.item_tokens, sketching.items, strict=True))
    else:
        spelled = spelled_tokens(compared.texts, shingling)
    tokens = np.fromiter(spelled, np.uint32, len(spelled))
    tokens = tokens[np.isin(tokens, tokens_there)]
    members = np.column_stack([np.isin(tokens, sets[row]) for row in range(len(sets))])
    sign, names = signing_of(sketching), compared.named
    alone = Ragged(tokens, np.arange(len(tokens) + 1))
    hashes, signatures = (sign(each, num_perm, shingling.seed) for each in (alone, sets))
    functions = {f"h{number + 1}": NUMBER for number in range(num_perm)}
    head = table_head(row=NUMBER, shingle=NAME, document=NAME, has=NUMBER).but(PLAIN, **functions)
    shingles = [spelled[token] for token in tokens.tolist()]
    rows = partial(_trace_rows, names, shingles, members, hashes, slots(hashes, members))

    def drawn(look: Look) -> Iterator[Table]:
        yield Table.of(head, rows(marked=look.for_people))
        if look.holds_all:
            signed = zip(names, signatures.tolist(), strict=True)
            yield Table.of(table_head(signature=NAME).but(PLAIN, **functions), ((name, *row) for name, row in signed))
            yield Table.of(_TRACED_PAIRS, _traced_pairs(names, members, signatures, similarity))

    is_found = _largest(similarity) >= compared.options.threshold
    table = Table.of(head, rows(marked=False))
    return SimilarityMatrix(table, names, similarity, drawn=drawn, notes=notes, is_found=is_found)


def _trace_rows(
    names: Sequence[Any], shingles: Sequence[str], members: Mask, hashes: Tokens, after: Array, *, marked: bool
) -> Iterator[Row]:
    """Yield for each shingle the values of the hash functions, and then the slots of each document.

    members: bool (R, N), which document has which shingle. hashes: uint32 (R, K). after: uint32 (R, N, K), the slots,
    which have no meaning before the document's first shingle. marked: for people, slots that changed are marked,
    infinity has its sign, and nothing is repeated.
    """
    infinite: list[int | None] = [None] * hashes.shape[1]
    before, reached = [infinite] * len(names), np.logical_or.accumulate(members, axis=0).tolist()
    each = zip(shingles, hashes.tolist(), members.tolist(), after.tolist(), reached, strict=True)
    for number, (shingle, values, has, filled, begun) in enumerate(each, 1):
        yield number, shingle, None, None, *values
        for at, name in enumerate(names):
            now = filled[at] if begun[at] else infinite
            if marked:
                yield None, None, name, int(has[at]), *map(_shown, now, before[at])
            else:
                yield number, shingle, name, int(has[at]), *now
            before[at] = now


def _shown(slot: int | None, was: int | None) -> str:
    return f"{_CHANGED if slot != was else ''}{_INFINITY if slot is None else slot}"


def _traced_pairs(names: Sequence[Any], members: Mask, signatures: Tokens, similarity: Floats) -> Iterator[Row]:
    """Yield both names of each pair, the number and fraction of equal places, and the exact similarity."""
    for left, right in combinations(range(len(names)), 2):
        empty = not members[:, [left, right]].any(axis=0).all()
        agree = 0 if empty else int((signatures[left] == signatures[right]).sum())
        yield names[left], names[right], agree, agree / signatures.shape[1], float(similarity[left, right])
