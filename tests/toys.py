"""Toy members of the families: each is one implementation here, and one entry in its family's table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from simdocs.kernels import fss, murmur
from simdocs.kernels.grouping import KEEP_ORDERS
from simdocs.kernels.shinglers import SHINGLERS, ShingledTexts, Shingler, windows
from simdocs.kernels.units import Units
from simdocs.model.ragged import Ragged, Texts
from simdocs.model.result import Row, TableHead
from simdocs.options.declaration import Member
from simdocs.options.families import FORMATS, KEEP, SCHEMES, UNITS, OutputFormat, Unit
from simdocs.options.recipes import Shingling
from simdocs.pipeline.signing import SIGNATURES
from simdocs.views.output import Format, plain


def sentences(texts: Texts, _: Shingling) -> Units:
    """Cut texts at full stops."""
    starts, stops, offsets = list[int](), list[int](), [0]
    for row, begin in enumerate(texts.codepoints.offsets[:-1].tolist()):
        text = "".join(map(chr, texts.codepoints[row].tolist()))
        for found in re.finditer(r"[^. ][^.]*", text):
            starts.append(begin + found.start())
            stops.append(begin + found.end())
        offsets.append(len(starts))
    return Units(np.array(starts, np.int64), np.array(stops, np.int64), np.array(offsets, np.int64))


def sentence_tokens(texts: Texts, shingling: Shingling) -> ShingledTexts:
    """Hash every k sentences."""
    units = sentences(texts, shingling)
    layout = windows(texts, units, shingling)
    hashes = murmur.hash_byte_strings(texts.data, *texts.byte_spans(units.starts, units.stops), shingling.seed)
    tokens = murmur.hash_number_runs(hashes, layout.firsts, layout.sizes, shingling.seed)
    return ShingledTexts(Ragged(tokens, layout.offsets), np.diff(units.offsets))


TOY_SHINGLER = Shingler(sentence_tokens, sentences, windows, ". ")


class Bracketed(Format):
    """Each row in brackets, between a first and a last line."""

    def __init__(self, head: TableHead, *, header: bool = False, colored: bool = False) -> None:
        self.names = [name.encode() for name, _ in head.columns]

    def begin(self) -> bytes:
        """Write the names of the columns."""
        return b"{" + b"|".join(self.names) + b"\n"

    def rows(self, rows: list[Row]) -> bytes:
        """Write the rows."""
        return b"".join(b"(" + b"|".join(map(plain, row)) + b")\n" for row in rows)

    def end(self) -> bytes:
        """Write the last line."""
        return b"}\n"


@contextmanager
def registered() -> Iterator[None]:
    """Put the toys in their tables, and take them out again."""
    UNITS["toyunit"] = Unit("toy units in a row", 2, plural="sentences")
    SCHEMES["toyscheme"] = Member("a toy of a scheme")
    KEEP["toykeep"] = Member("the toy that is kept")
    SHINGLERS["toyunit"], SIGNATURES["toyscheme"] = TOY_SHINGLER, fss.signatures
    KEEP_ORDERS["toykeep"] = KEEP_ORDERS["oldest"]
    FORMATS["toyformat"] = OutputFormat("a toy of a format", "tests.toys:Bracketed")
    members = (
        (UNITS, "unit"),
        (SCHEMES, "scheme"),
        (KEEP, "keep"),
        (FORMATS, "format"),
    )
    try:
        yield
    finally:
        for family, name in members:
            del family[f"toy{name}"]
        del SHINGLERS["toyunit"], SIGNATURES["toyscheme"], KEEP_ORDERS["toykeep"]


def main() -> None:
    """Run the program with the toys in their tables."""
    from simdocs.__main__ import console as program

    with registered():
        program()


if __name__ == "__main__":
    main()
