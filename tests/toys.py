"""Toy members of the families: each is one implementation here, and one entry in its family's table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from simdocs.families import FORMATS, KEEP, SCHEMES, UNITS, Unit
from simdocs.family import Member
from simdocs.kernels.group.greedy_rounds import oldest
from simdocs.kernels.sketch import fss
from simdocs.kernels.sketch.schemes import Scheme
from simdocs.kernels.tokens.shinglers import WORD
from simdocs.model.answers import Row
from simdocs.model.ragged import Array
from simdocs.views.output_formats import Tsv

TOY_SHINGLER = WORD
TOY_SCHEME = Scheme(fss.signatures, fss.partial_signatures)


def second_oldest(sizes: Array, mtimes: Array) -> Array:
    """Sort by time of change; on its own it is the order of `oldest`."""
    return oldest(sizes, mtimes)


class Shouting(Tsv):
    """TSV in capitals."""

    def row(self, row: Row) -> bytes:
        """One line."""
        return super().row(row).upper()


@contextmanager
def registered() -> Iterator[None]:
    """The toys in their tables, and out of them again."""
    UNITS.register("toyunit", Unit("toy units in a row", "tests.toys:TOY_SHINGLER", 2))
    SCHEMES.register("toyscheme", Member("a toy of a scheme", "tests.toys:TOY_SCHEME"))
    KEEP.register("toykeep", Member("the toy that is kept", "tests.toys:second_oldest"))
    FORMATS.register("toyformat", Member("a toy of a format", "tests.toys:Shouting"))
    try:
        yield
    finally:
        for family, name in ((UNITS, "unit"), (SCHEMES, "scheme"), (KEEP, "keep"), (FORMATS, "format")):
            family.remove(f"toy{name}")


def main() -> None:
    """The program, with the toys in their tables."""
    from simdocs.cli import main as program

    with registered():
        program()


if __name__ == "__main__":
    main()
