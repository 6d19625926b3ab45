"""Libraries that only some files need: import one when it is needed, or say which command installs it."""

from __future__ import annotations

import io
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

from simdocs.errors import MissingExtraError

_EXTRAS = {"pyarrow": "datasets", "backports.zstd": "datasets", "jinja2": "report", "pyspark": "spark"}
"""The extra of each package. A module is in one of them, or belongs to Python."""


_TOGETHER = {"pandas": "pandas and pyarrow"}
"""The packages that a module is of no use without, with the module, for messages."""


def needs(module: str, what: str, name: str = "") -> ModuleType:
    """Import a module of an optional library, such as `pyarrow.parquet`.

    what: what it is needed for, for the message, such as `reading Parquet`.
    name: the file that needs it, as it is shown; empty if the message should name none.
    Raises MissingExtraError: the library is not installed, or cannot be imported.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = next((name for name in _EXTRAS if _is_in(module, name)), "")
        absent = error.name and (error.name == module or (package and _is_in(package, error.name)))
        trouble = "" if absent else str(error)
        raise MissingExtraError(
            what, package or _TOGETHER.get(module, module), trouble, name, extra=_EXTRAS.get(package, "")
        ) from error


def _is_in(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")


class SinkFile(io.RawIOBase):
    """A file for pyarrow to write, which passes its bytes on."""

    def __init__(self, sink: Callable[[bytes], object]) -> None:
        super().__init__()
        self._sink, self._size = sink, 0

    def writable(self) -> bool:
        """Whether it can be written to: yes."""
        return True

    def tell(self) -> int:
        """The number of bytes that were written so far."""
        return self._size

    def write(self, data: Any, /) -> int:
        """Pass these bytes on. Return their number."""
        piece = bytes(data)
        self._sink(piece)
        self._size += len(piece)
        return len(piece)
