"""The row kernels, each as a function from a batch's bytes to a list with one entry for each document."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from simdocs.kernels.lsh import buckets
from simdocs.kernels.sketch.schemes import scheme_of
from simdocs.kernels.text.units import Units
from simdocs.kernels.tokens import multisets
from simdocs.kernels.tokens.shinglers import normalised_texts, shingler_of, text_tokens
from simdocs.model.ragged import Ragged
from simdocs.model.texts import Texts
from simdocs.parameters.families import SCHEMES
from simdocs.parameters.recipes import Shingling
from tests import strategies as some

NUM_PERM, BANDS, ROWS = 6, 2, 3


def frozen_rows(rows: Ragged) -> Ragged:
    """Return the rows, read-only."""
    return Ragged(some.frozen(rows.values), some.frozen(rows.offsets))


def frozen_texts(raw: Ragged, shingling: Shingling) -> Texts:
    """Return normalised texts, read-only."""
    texts = normalised_texts(raw, shingling)
    starts = None if texts.stride_offsets is None else some.frozen(texts.stride_offsets)
    return Texts(frozen_rows(texts.encoded), frozen_rows(texts.codepoints), starts)


def frozen_units(raw: Ragged, shingling: Shingling) -> tuple[Texts, Units]:
    """Return texts and their units, read-only."""
    texts = frozen_texts(raw, shingling)
    units = shingler_of(shingling.unit).units(texts, shingling)
    return texts, Units(*map(some.frozen, (units.starts, units.stops, units.offsets)))


def frozen_tokens(raw: Ragged, shingling: Shingling) -> Ragged:
    """Return the tokens of sets or multisets, read-only."""
    tokens = frozen_rows(text_tokens(frozen_texts(raw, shingling), shingling))
    return frozen_rows(multisets.token_multisets(tokens, shingling.seed)) if shingling.multiset else tokens


def text_rows(raw: Ragged, shingling: Shingling) -> list:
    texts = frozen_texts(raw, shingling)
    return list(zip(some.rows_of(texts.codepoints), some.rows_of(texts.encoded), strict=True))


def unit_rows(raw: Ragged, shingling: Shingling) -> list:
    texts, units = frozen_units(raw, shingling)
    begins = np.repeat(texts.codepoints.offsets[:-1], np.diff(units.offsets))
    return some.rows_of(Ragged(np.column_stack((units.starts - begins, units.stops - begins)), units.offsets))


def shingle_rows(raw: Ragged, shingling: Shingling) -> list:
    texts, units = frozen_units(raw, shingling)
    layout = shingler_of(shingling.unit).layout(texts, units, shingling)
    begins = np.repeat(units.offsets[:-1], np.diff(layout.offsets))
    return some.rows_of(Ragged(np.column_stack((layout.firsts - begins, layout.sizes)), layout.offsets))


def token_rows(raw: Ragged, shingling: Shingling) -> list:
    return some.rows_of(frozen_tokens(raw, shingling))


def set_rows(raw: Ragged, shingling: Shingling) -> list:
    return some.rows_of(multisets.token_sets(frozen_tokens(raw, shingling)))


def signature_rows(scheme: str, raw: Ragged, shingling: Shingling) -> list:
    return scheme_of(scheme).signatures(frozen_tokens(raw, shingling), NUM_PERM, shingling.seed).tolist()


def band_key_rows(scheme: str, raw: Ragged, shingling: Shingling) -> list:
    signatures = some.frozen(scheme_of(scheme).signatures(frozen_tokens(raw, shingling), NUM_PERM, shingling.seed))
    order = some.frozen(np.arange(len(signatures)))
    return buckets.band_keys(signatures, order, BANDS, ROWS).T.tolist()


ROW_KERNELS: dict[str, Callable[[Ragged, Shingling], list[Any]]] = {
    "texts": text_rows,
    "units": unit_rows,
    "shingles": shingle_rows,
    "tokens": token_rows,
    "sets": set_rows,
    **{f"{scheme} signatures": partial(signature_rows, scheme) for scheme in SCHEMES},
    **{f"{scheme} band keys": partial(band_key_rows, scheme) for scheme in SCHEMES},
}
