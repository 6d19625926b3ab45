"""Tokens that are left out of every document, because they belong to boilerplate."""

from __future__ import annotations

import hashlib

import numpy as np

from simdocs.model.ragged import Mask, Ragged, Tokens

_AT_ONCE = 1 << 18
"""Tokens that are looked up at once: their places take 2 MiB."""

_TABLE_BITS = 16
"""High bits of a token that select its cell in a table of 64 KiB, which tells most tokens that are not ignored."""


def digest_of(ignored: Tokens) -> str:
    """A digest of ignored tokens: the first half of the SHA-256 of their bytes, in hexadecimal; empty if none are."""
    return hashlib.sha256(np.ascontiguousarray(ignored).data).hexdigest()[:32] if len(ignored) else ""


def leave_out(rows: Ragged, ignored: Tokens) -> Ragged:
    """The same rows without the ignored tokens: Ragged uint32, in the same order.

    rows: Ragged uint32. ignored: (I,) uint32, ascending.
    """
    if not len(ignored) or not len(rows.values):
        return rows
    return rows.keep(~are_among(rows.values, ignored))


def are_among(tokens: Tokens, ignored: Tokens) -> Mask:
    """Which tokens (T,) are among the ignored ones (I,), which ascend: bool (T,)."""
    found = np.zeros(len(tokens), bool)
    if not len(ignored):
        return found
    shift = np.uint32(32 - _TABLE_BITS)
    table = np.zeros(1 << _TABLE_BITS, bool)
    table[ignored >> shift] = True
    for at in range(0, len(tokens), _AT_ONCE):
        part = tokens[at : at + _AT_ONCE]
        likely = np.flatnonzero(table[part >> shift])
        values = part[likely]
        places = np.minimum(np.searchsorted(ignored, values), len(ignored) - 1)
        found[at + likely] = ignored[places] == values
    return found
