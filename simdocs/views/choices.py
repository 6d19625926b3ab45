"""Which bands to choose, for people: choices side by side, the S-curve, and the similarities of the documents."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from shutil import get_terminal_size
from types import MappingProxyType

from simdocs.model.answers import FACTS, KEYED, NAME, Row, TableHead
from simdocs.model.audited import Audit
from simdocs.model.tuning import BandChoice, Estimate, Tuning
from simdocs.views.curve import curve_with_marks, distribution, figure, shown_probability

_LABEL, _CHOICE = 20, 10
"""Columns of a terminal that the names of figures take, and that a choice takes."""


def drawn(result: Tuning, *, colored: bool) -> bytes:
    """The choices, the S-curve of the one that is chosen and, with documents, how many pairs have which similarity."""
    parts = [_choices(result, colored=colored), curve_with_marks(result.chosen, colored=colored)]
    if result.corpus is not None and result.corpus.compared:
        parts.append(distribution(result.curve, colored=colored))
    return b"\n".join(parts)


def _choices(result: Tuning, *, colored: bool) -> bytes:
    """The choices as columns, as many as the terminal has room for; the chosen one is always there."""
    from rich.console import Console
    from rich.table import Table

    width = get_terminal_size().columns
    room = max(1, (width - _LABEL) // _CHOICE)
    at = result.choices.index(result.chosen)
    begin = max(0, min(at - room // 2, len(result.choices) - room))
    shown = result.choices[begin : begin + room]
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    for choice in shown:
        table.add_column(justify="right", no_wrap=True, style="bold" if choice.chosen else "")
    for label, told in _figures(result).items():
        table.add_row(label, *(told(choice) for choice in shown))
    out = io.StringIO()
    color = "standard" if colored else None
    console = Console(file=out, width=width, force_terminal=colored, color_system=color, highlight=False)  # type: ignore[arg-type]
    console.print(table)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines()).encode()


def _figures(result: Tuning) -> dict[str, Callable[[BandChoice], str]]:
    """What is said about each choice, by its label."""
    threshold = result.chosen.threshold
    below, above = (f"{max(0.0, min(1.0, threshold + more)):g}" for more in (-0.1, 0.1))
    figures: dict[str, Callable[[BandChoice], str]] = {
        "": lambda choice: "chosen" if choice.chosen else "",
        "bands": lambda choice: str(choice.bands),
        "rows": lambda choice: str(choice.rows),
        f"found at {threshold:g}": lambda choice: shown_probability(choice.probability),
        f"found at {below}": lambda choice: shown_probability(choice.probability_below),
        f"found at {above}": lambda choice: shown_probability(choice.probability_above),
        "half found at": lambda choice: f"{choice.half:.3f}",
        "(1/b)^(1/r)": lambda choice: f"{choice.steepest:.3f}",
        "bytes a document": lambda choice: f"{choice.bytes:,}",
    }
    if result.chosen.misses is not None:
        figures |= {
            "expected misses": lambda choice: _counted(choice.misses),
            "false candidates": lambda choice: _counted(choice.false_candidates),
        }
    return figures


def _counted(estimate: Estimate | None) -> str:
    assert estimate is not None
    return figure(estimate.value)


MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "documents": "documents that were read",
        "distinct_texts": "different texts among them",
        "threshold": "near-duplicates reach this similarity",
        "bands": "bands of a signature",
        "rows": "rows of a band",
        "similar_pairs": "pairs of texts at the threshold or above",
        "found": "similar pairs that share a bucket",
        "missed": "similar pairs that share none",
        "recall": "found / similar_pairs",
        "stated_recall": "smallest recall that was asked for",
        "predicted_recall": "mean probability of these pairs to be found",
        "seeds": "other hash functions that were tried",
        "mean_recall": "mean recall with these",
        "mean_recall_low": "95% interval of the recall to expect: from",
        "mean_recall_high": "95% interval of the recall to expect: to",
        "candidates": "pairs of texts that share a bucket",
        "precision": "found / candidates",
        "sampled": "documents drawn to estimate; 0: all compared",
        "recall_low": "95% interval of recall in a sample: from",
        "recall_high": "95% interval of recall in a sample: to",
        "missed_family": "largest family that the sample may overlook (5% chance)",
    }
)
"""What each key means, in a few words."""

EXPLAINED_FACTS = FACTS.but(KEYED, meaning=NAME)


_ESTIMATED = frozenset({"similar_pairs", "missed"})
"""Counts that a sample estimates. The others are exact."""


def head_of_audit(*, explained: bool) -> TableHead:
    """The columns of an audit. explained: with what each key means."""
    return EXPLAINED_FACTS if explained else FACTS


def rows_of_audit(result: Audit, *, explained: bool, for_people: bool) -> list[Row]:
    """The rows of an audit. for_people: without empty values, and estimates are marked as such."""
    rows = list[Row]()
    for key, value in result.rows():
        if value is None and for_people:
            continue
        about = for_people and result.sampled and not result.has_drawn_all and key in _ESTIMATED
        shown = f"about {value:.0f}".encode() if about else value
        meaning = "all texts were compared" if key == "sampled" and result.has_drawn_all else MEANINGS[key]
        rows.append((key.encode(), shown, *((meaning.encode(),) if explained else ())))
    return rows
