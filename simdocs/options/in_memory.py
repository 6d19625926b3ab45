"""Texts in memory and their names, as Python callers have them: lists, generators, Series, arrays of any library."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from math import isnan
from typing import Any

from simdocs.extras import needs
from simdocs.names import text_to_name


def listed(name: str, values: Any) -> list[Any]:
    """The values of an iterable, an array or a Series as a list of Python objects, with None where there is none.

    name: the argument, for messages. ValueError: they are nothing of that, with the message. MissingExtraError: only
    pyarrow can read them.
    """
    kind = type(values).__name__
    if isinstance(values, str | bytes | bytearray | memoryview):
        raise ValueError(f"{name} must be an iterable of {name}, such as a list, not {kind}")
    if isinstance(values, Mapping):
        raise ValueError(f"{name} must be an iterable of {name}, not {kind}: use texts=list(d.values()), names=list(d)")
    if hasattr(values, "columns") or hasattr(values, "column_names"):
        raise ValueError(f"{name} is a table ({kind}), not a column: use one of its columns")
    for method in ("to_pylist", "to_list", "tolist"):  # of pyarrow; of Polars and pandas; of NumPy
        if callable(take := getattr(values, method, None)):
            taken = take()
            if isinstance(taken, list):
                return taken
    if isinstance(values, Iterable) and getattr(values, "ndim", 1) != 0:  # NumPy has arrays of no dimension
        return list(values)
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        return _from_arrow(name, values)
    raise ValueError(f"{name} must be an iterable of {name}, such as a list, not {kind}")


def _from_arrow(name: str, values: Any) -> list[Any]:
    """The values of an object that only hands over Arrow data. ValueError: they are no column."""
    arrow = needs("pyarrow", f"reading {name} of type {type(values).__name__}")
    is_stream = hasattr(values, "__arrow_c_stream__")
    column = arrow.chunked_array(values) if is_stream else arrow.array(values)
    if arrow.types.is_struct(column.type):
        raise ValueError(f"{name} is a table ({type(values).__name__}), not a column: use one of its columns")
    found: list[Any] = column.to_pylist()
    return found


def problems_of_texts(texts: Sequence[Any]) -> Iterator[str]:
    """Yield which of these is the first that is no text."""
    wrong = [row for row, text in enumerate(texts) if not isinstance(text, str | bytes)]
    if wrong:
        first, more = wrong[0], f" ({len(wrong) - 1:,} more are no texts either)" if len(wrong) > 1 else ""
        what = _described(texts[first])
        remedy = "leave it out, or use an empty text" if what == "null" else "a text must be str or bytes"
        yield f"texts[{first}] is {what}{more}: {remedy}"


def problems_of_names(names: Sequence[Any], texts: int | None) -> Iterator[str]:
    """Yield what is wrong with the names of texts. texts: how many there are; None: that is not known."""
    if texts is not None and len(names) != texts:
        yield f"there must be as many names as texts, {texts}, not {len(names)}"
    met = dict[bytes, int]()
    for row, name in enumerate(names):
        if _is_null(name):
            yield f"names[{row}] is null: give each text a name"
            return
        if not _is_hashable(name):
            yield f"names[{row}] is {_described(name)}, which is not hashable: use str, int or another type"
            return
        try:
            encoded = name_in_bytes(name)
        except UnicodeEncodeError as error:
            yield f"names holds {error.object!r}, which has no bytes: give bytes"
            return
        if (first := met.setdefault(encoded, row)) != row:
            same = f"both {name!r}" if name == names[first] else f"{names[first]!r} and {name!r}, which read the same"
            yield f"names[{first}] and names[{row}] are {same}: each text needs a name of its own"
            return


def name_in_bytes(name: Hashable) -> bytes:
    """How the name of a text is recorded: bytes as they are, and anything else as str. UnicodeEncodeError."""
    return name if isinstance(name, bytes) else text_to_name(str(name))


def names_of(names: Sequence[Any] | None, texts: int) -> tuple[list[bytes], dict[bytes, Any]]:
    """The names of texts in bytes, by default 0, 1, 2, ...; and by these bytes those that are neither str nor bytes."""
    if names is None:
        return [str(row).encode() for row in range(texts)], {}
    called = list(map(name_in_bytes, names))
    return called, {
        encoded: name for encoded, name in zip(called, names, strict=True) if not isinstance(name, str | bytes)
    }


def _described(value: Any) -> str:
    """What a value is, in words."""
    return "null" if _is_null(value) else f"of type {type(value).__name__}"


def _is_null(value: Any) -> bool:
    """Whether a value says that there is none: None, NaN, or what pandas has for it."""
    if isinstance(value, float):
        return isnan(value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
