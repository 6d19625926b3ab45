"""Comparisons as tables: the measures of two texts, a table over units and k, a matrix, and passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from simdocs.model.answers import (
    KEYED,
    NAME,
    NUMBER,
    SIMILARITY,
    VALUE,
    Cell,
    Row,
    TableColumn,
    TableHead,
    table_head,
)
from simdocs.model.comparison import Comparison, MeasureValue, SimilarityMatrix, Slots, SlotTrace
from simdocs.model.names import display_name, text_to_name

EXPLAINED: Mapping[str, str] = MappingProxyType(
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
"""What each measure is, in a few words. The last names another measure if the threshold is about that."""

_MAIN = frozenset({"jaccard", "containment_a", "containment_b", "edit_distance", "estimate"})
"""The measures that a table shows to people who do not ask for all of them."""

_MOSTLY = 0.8
"""The share of a text from which on a comparison says that it is in the other text, whatever the similarity."""

_DIGITS = 6
"""Decimal places of a percentage at most."""

_OF_SHINGLES = ("jaccard", "bag_jaccard", "containment_a", "containment_b", "cosine")
"""The measures in a table over units and k."""

MEASURES = table_head(KEYED, measure=NAME, value=VALUE)
EXPLAINED_MEASURES = MEASURES.but(KEYED, meaning=NAME)
NOTES = table_head(note=NAME)
OVER_SHINGLES = table_head(unit=NAME, k=NUMBER, **dict.fromkeys(_OF_SHINGLES, SIMILARITY))


def head_of_comparison(result: Comparison | SimilarityMatrix, *, explained: bool = False) -> TableHead:
    """The columns of a comparison. explained: with what each measure is."""
    if isinstance(result, SimilarityMatrix):
        texts = (TableColumn(str(number), SIMILARITY) for number in range(1, len(result.names) + 1))
        return TableHead((TableColumn("number", NUMBER), TableColumn("document", NAME), *texts))
    if len(result.every) > 1:
        return OVER_SHINGLES
    return EXPLAINED_MEASURES if explained else MEASURES


def verdict(result: Comparison) -> str:
    """One sentence for people: how similar two texts are, and what that is at the threshold.

    On a second line: that most of one text is in the other, if it is not so the other way round.
    """
    threshold, measure = result.matrix.threshold, result.decided_by
    similarity, what, more = result.similarity, "near-duplicates", ""
    said = f"{percentage(similarity, threshold)} alike"
    if measure.startswith("overlap"):
        of_a, of_b = float(result.matrix.similarity[0, 1]), float(result.matrix.similarity[1, 0])
        said, what = _contained(result, of_a, of_b, threshold), "contained"
    elif measure == "jaccard":
        of_a, of_b = result.shingles.containment_a or 0.0, result.shingles.containment_b or 0.0
        if min(of_a, of_b) < _MOSTLY <= max(of_a, of_b):
            more = "\n" + _contained(result, of_a, of_b, 1.0)
    same = result.difference.sameness if similarity == 1 and result.difference is not None else ""
    if same:
        said = f"{same[0].upper()}{same[1:]}"
    elif measure not in ("jaccard", "overlap"):
        said += ", repeated shingles counted"
    return f"{said}: {'' if result.similar else 'not '}{what} at {threshold:g}{more}"


def _contained(result: Comparison, of_a: float, of_b: float, threshold: float) -> str:
    """How much of which text is in which. of_a, of_b: the share of each that is in the other."""
    a, b = (display_name(text_to_name(name)) for name in result.names)
    share = "All" if max(of_a, of_b) == 1 else percentage(max(of_a, of_b), threshold)
    inner, outer = (a, b) if of_a >= of_b else (b, a)
    return f"{share} of {inner} is in {outer}" + (f", and as much of {outer} in {inner}" if of_a == of_b else "")


def percentage(share: float, threshold: float) -> str:
    """A share in percent, with as many digits as show on which side of 0, of 1 and of the threshold it is."""
    if share in (0, 1):
        return f"{share:.0%}"
    for digits in range(1, _DIGITS + 1):
        shown = float(f"{share:.{digits + 2}f}")
        if 0 < shown < 1 and (shown >= threshold) == (share >= threshold):
            break
    return f"{share:.{digits}%}"


def rows_of_comparison(
    result: Comparison | SimilarityMatrix, *, explained: bool = False, main: bool = False
) -> Iterator[Row]:
    """Yield the rows of a comparison. main: of two texts, only the main measures."""
    if isinstance(result, SimilarityMatrix):
        for number, (name, similarities) in enumerate(result.rows(), 1):
            yield number, text_to_name(name), *similarities
    elif len(result.every) > 1:
        for each in result.every:
            yield each.unit.encode(), each.k, *(getattr(each, name) for name in _OF_SHINGLES)
    else:
        shown = _MAIN | {result.decided_by.partition(" ")[0]}
        for name, value in result.rows():
            if main and name not in shown:
                continue
            yield name.encode(), _cell(value), *((_explained(name, result).encode(),) if explained else ())


def rows_of_notes(result: Comparison) -> Iterator[Row]:
    """Yield the notes on a comparison, which have no place among the measures."""
    for note in result.notes:
        yield (note.encode(),)


def npy_file(result: Comparison | SimilarityMatrix) -> bytes:
    """The similarities as a file that numpy.load reads."""
    from io import BytesIO

    import numpy as np

    out = BytesIO()
    matrix = result if isinstance(result, SimilarityMatrix) else result.matrix
    np.save(out, matrix.similarity, allow_pickle=False)
    return out.getvalue()


def _explained(name: str, result: Comparison) -> str:
    return f"whether {result.decided_by} >= threshold" if name == "similar" else EXPLAINED[name]


def _cell(value: MeasureValue) -> Cell:
    return (text_to_name(value) if value else None) if isinstance(value, str) else value


PAIRS = table_head(a=NAME, b=NAME, agree=NUMBER, estimate=SIMILARITY, jaccard=SIMILARITY)

_CHANGED, _INFINITY = "*", "∞"


def tables_of(trace: SlotTrace, *, marked: bool) -> list[tuple[TableHead, Iterable[Row]]]:
    """The tables of a trace: its rows, the signatures, and each two documents.

    marked: for people: slots that changed are marked, infinity has its sign, and nothing is repeated.
    """
    functions = tuple(TableColumn(f"h{number + 1}", NUMBER) for number in range(trace.hashes.shape[1]))
    of_row = (TableColumn("row", NUMBER), TableColumn("shingle", NAME), TableColumn("document", NAME))
    rows = TableHead((*of_row, TableColumn("has", NUMBER), *functions))
    signatures = TableHead((TableColumn("signature", NAME), *functions))
    names = [text_to_name(name) for name in trace.names]
    return [
        (rows, _marked_rows(trace, names) if marked else _rows(trace, names)),
        (signatures, [(name, *slots) for name, slots in zip(names, trace.signatures.tolist(), strict=True)]),
        (PAIRS, [(text_to_name(a), text_to_name(b), *figures) for a, b, *figures in trace.pairs()]),
    ]


def _rows(trace: SlotTrace, names: list[bytes]) -> Iterator[Row]:
    """Yield for each shingle the values of the hash functions, and then the slots of each document."""
    for number, (shingle, hashes, after) in enumerate(trace.rows(), 1):
        spelled = text_to_name(shingle)
        yield number, spelled, None, None, *hashes
        for name, (has, slots) in zip(names, after, strict=True):
            yield number, spelled, name, int(has), *slots


def _marked_rows(trace: SlotTrace, names: list[bytes]) -> Iterator[Row]:
    """Yield the same for people."""
    before: list[Slots] = [(None,) * trace.hashes.shape[1]] * len(names)
    for number, (shingle, hashes, after) in enumerate(trace.rows(), 1):
        yield number, text_to_name(shingle), None, None, *hashes
        for at, (name, (has, slots)) in enumerate(zip(names, after, strict=True)):
            shown = (_shown(slot, slot != was) for slot, was in zip(slots, before[at], strict=True))
            yield None, None, name, int(has), *shown
            before[at] = slots


def _shown(slot: int | None, changed: bool) -> bytes:
    return f"{_CHANGED if changed else ''}{_INFINITY if slot is None else slot}".encode()
