"""The measures of two texts: by their shingles, by what remains in order, and by their signatures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from simdocs.errors import UsageError
from simdocs.kernels import jaccard, multisets
from simdocs.kernels.jaccard import shared_tokens
from simdocs.kernels.multisets import leave_out
from simdocs.kernels.shinglers import SHINGLERS, normalised_texts, text_tokens, unit_numbers
from simdocs.kernels.subsequence import cells, lcs_length
from simdocs.model.comparison import MOST_CELLS
from simdocs.model.ragged import NO_TOKENS, Ragged, Tokens, joined
from simdocs.options.families import edited_units
from simdocs.options.recipes import Bands, Shingling, Sketching
from simdocs.pipeline.signing import signing_of

Measures = Mapping[str, Any]
"""Measures of two texts by their names: words and numbers. None: it is not defined, or was not computed."""


def token_sets(texts: Sequence[bytes], shingling: Shingling, ignored: Tokens = NO_TOKENS) -> Ragged:
    """The token set of each text, or its multiset as a set, without the ignored tokens: Ragged uint32. texts: UTF-8."""
    return Ragged.from_rows([set_and_length(text, shingling, ignored)[0] for text in texts], np.uint32)


def set_and_length(text: bytes, shingling: Shingling, ignored: Tokens = NO_TOKENS) -> tuple[Tokens, int]:
    """The token set of a text, as in `token_sets`, and the number of its units. text: UTF-8."""
    normalised = normalised_texts(joined([text]), shingling)
    tokens, lengths = SHINGLERS[shingling.unit].shingles(normalised, shingling)
    if shingling.multiset:
        tokens = multisets.token_multisets(tokens, shingling.seed)
    return multisets.token_sets(tokens, ignored).values, int(lengths[0])


def are_shorter_than_a_shingle(texts: Sequence[bytes], sets: Ragged, shingling: Shingling) -> list[bool]:
    """Whether each text has units, but fewer than a shingle. sets: its token sets. texts: UTF-8."""
    each = zip(texts, (sets.lengths == 1).tolist(), strict=True)  # the text itself is then its only token
    return [alone and set_and_length(text, shingling)[1] < shingling.k for text, alone in each]


def shingle_measures(a: bytes, b: bytes, shingling: Shingling, ignored: Tokens = NO_TOKENS) -> Measures:
    """The similarity of two texts by their shingles, as sets and as multisets, without ignored ones. a, b: UTF-8."""
    # One text at a time: a large one takes many times its size meanwhile.
    bags = [
        np.sort(leave_out(text_tokens(normalised_texts(joined([text]), shingling), shingling), ignored).values)
        for text in (a, b)
    ]
    of_a, of_b, shared, least, product, squares_a, squares_b = shared_tokens(*bags)
    union, squares = of_a + of_b - shared, squares_a * squares_b
    similarity, of_bags = shared / max(1, union), least / max(1, sum(map(len, bags)) - least)
    cosine = min(1.0, product / math.sqrt(squares)) if squares else None
    return {
        "unit": shingling.unit,
        "k": shingling.k,
        "shingles_a": of_a,
        "shingles_b": of_b,
        "intersection": shared,
        "union": union,
        "jaccard": similarity,
        "distance": 1.0 - similarity,
        "bag_jaccard": of_bags,
        "bag_distance": 1.0 - of_bags,
        "containment_a": _fraction(shared, of_a),
        "containment_b": _fraction(shared, of_b),
        "overlap": _fraction(shared, min(of_a, of_b)),
        "cosine": cosine,
        "angle": None if cosine is None else math.degrees(math.acos(cosine)),
    }


def _fraction(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def edit_measures(a: bytes, b: bytes, shingling: Shingling) -> Measures:
    """The similarity of two texts by what remains in order of the units of shingles: characters, words or lines.

    Words are compared if the texts are too long and different for characters, and nothing if they are for words, too.
    """
    texts = normalised_texts(joined([a, b]), shingling)
    for unit in edited_units(shingling.unit):
        left, right = unit_numbers(texts, unit, shingling)
        if cells(left, right) <= MOST_CELLS:
            lcs, both = lcs_length(left, right), len(left) + len(right)
            similarity = _fraction(2 * lcs, both)
            return {"edit_unit": unit, "lcs": lcs, "edit_distance": both - 2 * lcs, "edit_similarity": similarity}
    return NO_EDITS


NO_EDITS: Measures = MappingProxyType(dict.fromkeys(("edit_unit", "lcs", "edit_distance", "edit_similarity")))
"""The value of these measures where nothing was compared."""


def similarity(a: bytes, b: bytes, shingling: Shingling, measure: str) -> float:
    """The similarity of two texts by a member of SIMILARITIES; 0.0 if it is not defined. a, b: UTF-8.

    UsageError: the texts are too long and different for an edit distance, even by words or lines.
    """
    match measure:
        case "cosine":
            return float(shingle_measures(a, b, shingling)["cosine"] or 0.0)
        case "edit":
            if (found := edit_measures(a, b, shingling)) is NO_EDITS:
                other = "use another --measure"
                raise UsageError(f"--measure edit: the texts are too long and different for it: {other}")
            return float(found["edit_similarity"] or 0.0)
    sets, first, second = token_sets((a, b), shingling), np.array([0]), np.array([1])
    if measure == "jaccard":
        return float(jaccard.exact(sets, first, second)[0])
    of_a, of_b = jaccard.containments(jaccard.overlaps(sets, first, second), sets.lengths).tolist()
    return float(of_a if measure == "containment" else max(of_a, of_b))


def signature_measures(sets: Ragged, seed: int, sketching: Sketching, bands: Bands, similarity: float) -> Measures:
    """The similarity of the signatures of two token sets, and of their bands. similarity: the exact one of the sets.

    Two empty sets have the same signature, but share no token, so they count as agreeing in no place.
    """
    signatures = signing_of(sketching)(sets, sketching.num_perm, seed)
    agree = (signatures[0] == signatures[1]) & sets.lengths.all()
    in_bands = agree[: bands.bands * bands.rows].reshape(bands)
    return {
        "num_perm": sketching.num_perm,
        "estimate": float(agree.mean()),
        "standard_error": math.sqrt(similarity * (1 - similarity) / sketching.num_perm),
        "bands": bands.bands,
        "rows": bands.rows,
        "equal_bands": int(in_bands.all(axis=1).sum()),
        "probability": bands.chance(similarity),
    }
