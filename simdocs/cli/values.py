"""Types of option values: sizes, seeds, shares, tables of names."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from typing import Any

import click

from simdocs.parameters import GIB, KIB, MIB

_SIZES = {"": 1, "K": KIB, "M": MIB, "G": GIB}


class Size(click.ParamType[int]):
    """A number of bytes; K, M and G are powers of 1024."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Bytes, from text such as 256M."""
        if isinstance(value, int):
            return value
        number, unit = value.strip(), ""
        if number[-1:].upper() in _SIZES:
            number, unit = number[:-1], number[-1:].upper()
        if not (number.isascii() and number.isdigit() and len(number) <= 18):
            self.fail(f"{value!r} is not a size, such as 500K or 256M", param, ctx)
        return int(number) * _SIZES[unit]


class Share(click.FloatRange):
    """A number above 0 and up to 1; not a number is neither."""

    def __init__(self) -> None:
        super().__init__(0, 1, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number."""
        try:
            number: float = super().convert(value, param, ctx)
        except click.BadParameter:
            number = math.nan
        if math.isnan(number):
            self.fail(f"{value!r} is not a number above 0 and up to 1", param, ctx)
        return number


class Seed(click.ParamType[int]):
    """A 32-bit number, or `random`: one that nobody can know beforehand."""

    name = "seed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The seed."""
        if isinstance(value, int):
            return value
        if value == "random":
            return secrets.randbits(32)
        if not (value.isascii() and value.isdigit() and len(value) <= 10 and int(value) < 1 << 32):
            self.fail(f"{value!r} is not a seed: a number below 2^32, or `random`", param, ctx)
        return int(value)


def choice(table: Mapping[str, str]) -> click.Choice[str]:
    """One of the names of a family."""
    return click.Choice(list(table))


def members(table: Mapping[str, str]) -> str:
    """A family's members, for help: `name: what it is; ...`."""
    return "; ".join(f"{name}: {what}" for name, what in table.items())
