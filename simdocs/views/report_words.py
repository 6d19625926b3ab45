"""What a report says of an answer in sentences: what was compared, how, and what that guarantees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simdocs.model.figures import at_least, counted, cut_in_words, figure
from simdocs.model.report import Report
from simdocs.model.report_counts import found_pairs
from simdocs.model.saved_answer import SavedAnswer
from simdocs.model.skipped import in_short
from simdocs.names import display_name
from simdocs.options.families import KEEP, UNITS

_NORMALISATION: Mapping[str, str] = {
    "nfkc": "compatibility characters unified (NFKC)",
    "strip_accents": "accents removed",
    "strip_punctuation": "punctuation removed",
    "mask_digits": "digits masked",
}

_MOST_ARGUMENTS = 10
"""Arguments that are named."""


def comparison_in_words(answer: SavedAnswer) -> Iterator[tuple[str, str]]:
    """Yield what was compared: the name of each fact, and the fact."""
    given = [f"{display_name(name)} ({counted(documents, 'document')})" for name, documents in answer.arguments if name]
    more = f", and {len(given) - _MOST_ARGUMENTS:,} more" if len(given) > _MOST_ARGUMENTS else ""
    if given:
        yield "Compared", f"{', '.join(given[:_MOST_ARGUMENTS])}{more}"
    yield "Directory", display_name(answer.root)
    if answer.index_root is not None:
        yield "Against an index of", display_name(answer.index_root)
    if answer.skipped:
        yield "Not compared", "; ".join(f"{count:,}: {_reason(reason)}" for reason, count in answer.skipped.items())


def _reason(reason: str) -> str:
    try:
        return in_short(reason)
    except KeyError:  # an answer of another version may know other reasons
        return reason


def method_in_words(answer: SavedAnswer) -> Iterator[tuple[str, str]]:
    """Yield how it was compared: the name of each fact, and the fact."""
    shingling, grouping = answer.recipe.shingling, answer.parameters["grouping"]
    unit = UNITS[shingling.unit]
    what = "multisets" if shingling.multiset else "sets"
    of = (
        f"{shingling.k} {unit.plural} in a row"
        if shingling.unit != "stopword"
        else f"a stop word and the {shingling.k - 1} words after it"
    )
    yield "Texts as", f"{what} of shingles of {of}; {_normalised(shingling.normalisation.fields())}"
    yield "Similarity", "the fraction of their shingles that two documents have in common (Jaccard)"
    yield "Threshold", f"{answer.threshold:g}"
    banding = answer.parameters["banding"]
    if banding is None:
        yield "Candidates", "every pair"
    else:
        sketching = answer.recipe.sketching
        bands = cut_in_words(banding["bands"], banding["rows"])
        yield (
            "Candidates",
            f"pairs that agree in one of {bands} of signatures of {sketching.num_perm} values ({sketching.scheme})",
        )
    yield "Kept of each group", KEEP[grouping["keep"]].help if grouping["keep"] in KEEP else grouping["keep"]
    yield "simdocs", answer.simdocs


def _normalised(switches: Mapping[str, Any]) -> str:
    case = "case kept" if switches["keep_case"] else "in lower case"
    return ", ".join([case, "spaces collapsed", *(told for name, told in _NORMALISATION.items() if switches[name])])


def promises_in_words(report: Report) -> Iterator[str]:
    """Yield sentences on what is certain about the answer, and what is not."""
    answer = report.answer
    if answer.changed is not None:
        yield "Only groups with a document that was new or changed at the last update of the index are listed."
    if not report.answer.is_exact:
        yield (
            "The similarities are estimates from signatures: no text was compared. Look at pairs before you remove any."
        )
    elif report.answer.by_chains:
        yield (
            f"Each group is linked by pairs whose exact similarity is {answer.threshold:g} or more. A duplicate may be"
            " less similar than that to the document that is kept."
        )
    else:
        yield (
            f"Every duplicate has an exact similarity of {answer.threshold:g} or more to the document that is kept in"
            " its place. No text was called a duplicate because of an estimate."
        )
    found = found_pairs(report)
    if found is None:
        yield "Every pair was looked at, so none is missed."
    else:
        yield (
            f"Similar pairs may be missed: {cut_in_words(*found[0])} find"
            f" {at_least(answer.probability, answer.threshold)}. Among pairs as similar as those in this answer, about"
            f" {figure(found[1])} are expected to have been missed."
        )
