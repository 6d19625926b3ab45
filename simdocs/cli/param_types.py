"""Types of option values: sizes, seeds, shares, tables of names."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from simdocs.errors import spelled
from simdocs.model.names import text_of
from simdocs.values import GIB, KIB, MIB

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_SIZES = {"": 1, "K": KIB, "M": MIB, "G": GIB}


class Text(click.ParamType[str]):
    """A text that is looked for in documents or their names: the same in every locale, as they are."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        """The text of the bytes that stand on the command line."""
        return text_of(os.fsencode(value))


class Directory(click.Path):
    """The path of a directory, as an artifact is: so shells offer no others. Whether it is one is seen when it is
    opened."""

    def __init__(self) -> None:
        super().__init__(readable=False, path_type=bytes)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:  # noqa: ARG002
        """What makes a shell offer directories."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="dir")]


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


class Seconds(click.FloatRange):
    """A number from 0 on; not a number is none, and infinity is for ever."""

    def __init__(self) -> None:
        super().__init__(0)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number of seconds", param, ctx)
        return number


class Seed(click.ParamType[int]):
    """A 32-bit number, or `random`: one that nobody can know beforehand."""

    name = "seed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The seed."""
        if isinstance(value, int):
            return value
        if value == "random":
            import secrets

            return secrets.randbits(32)
        if not (value.isascii() and value.isdigit() and len(value) <= 10 and int(value) < 1 << 32):
            self.fail(f"{value!r} is not a seed: a number below 2^32, or `random`", param, ctx)
        return int(value)


class Member(click.Choice[str]):
    """One of the names of a family; a shell shows them with what they are."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        super().__init__(list(table))
        self.table = {
            name: spelled(getattr(text, "help", text), lambda name: f"--{name}") for name, text in table.items()
        }

    @property
    def listed(self) -> str:
        """All of them, for help: `name: what it is; ...`."""
        return "; ".join(f"{name}: {what}" for name, what in self.table.items())

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        """The members whose names begin so."""
        items = super().shell_complete(ctx, param, incomplete)
        for item in items:
            item.help = self.table[item.value]
        return items
