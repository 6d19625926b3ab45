"""Kinds of values that options take: each checks a value from Python and parses a word of a command line."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Mapping
from math import inf, nextafter
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, NamedTuple

from simdocs.names import is_uri

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

UNITS_OF_SIZE = "K, M and G are powers of 1024; KB, MB and GB are powers of 1000."
"""The sentence in help about the units of a size."""

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
"""A path, as Python callers give it."""

_SHOWN = 60
"""Characters of a wrong value that a message shows."""

_UNBOUNDED = 1 << 62
"""No count of bytes or documents reaches this."""


def without_secret(given: object) -> object:
    """A value for a message: without what is before an @ in the name of an object, which may be a key."""
    text = os.fsdecode(given) if isinstance(given, bytes) else given
    if not isinstance(text, str) or not is_uri(os.fsencode(text)):
        return given
    before, _, after = text.partition("://")
    return f"{before}://...@{after.rpartition('@')[2]}" if "@" in after else text


class Values(NamedTuple):
    """A kind of value.

    words: what is accepted; empty for members of a family.
    of_python, of_word: the value that a Python object or a word of a command line stands for; None: it is not accepted.
        A path that is not accepted is a ValueError, which says why. of_word of None: as of_python.
    family: the members of which one is named; empty: values are no names.
    python: the type of a value as Python callers give it.
    shell: what shells offer to complete: `file`, `dir` or nothing.
    is_number: whether it is a number within bounds.
    is_repeated: whether the option is repeated for several values.
    here: why a path must be on this machine, and no object of a store; empty if it need not be.
    """

    words: str
    of_python: Callable[[Any], Any]
    of_word: Callable[[str], Any] | None = None
    family: Mapping[str, Any] = MappingProxyType({})
    python: str = "str"
    shell: str = ""
    is_number: bool = False
    is_repeated: bool = False
    here: str = ""

    @property
    def wanted(self) -> str:
        """The accepted values, in words: `a whole number from 1 to 1000`."""
        return self.words or f"one of {', '.join(self.family)}"

    def check(self, value: Any) -> Any:
        """A value from Python in its normal type. ValueError: it is not accepted, with what is wanted."""
        return self._accepted(self.of_python(value))

    def parse(self, text: str) -> Any:
        """The value that a word of a command line stands for. ValueError: as in `check`."""
        return self._accepted((self.of_word or self.of_python)(text))

    def _accepted(self, value: Any) -> Any:
        if value is None:
            raise ValueError(self.wanted)
        return value

    def refusal(self, wanted: object, given: object) -> str:
        """The message about a wrong value: what is wanted, what was given, and what may have been meant."""
        from difflib import get_close_matches

        given = without_secret(given)
        shown = given if not isinstance(given, str) or len(given) <= _SHOWN else f"{given[:_SHOWN]}..."
        near = get_close_matches(given, self.family, 1, 0.7) if isinstance(given, str) else []
        return f"must be {wanted}, not {shown!r}" + (f": did you mean {near[0]}?" if near else "")


FLAG = Values("True or False", lambda value: value if isinstance(value, bool) else None, python="bool")
"""True or False. On a command line it has no value."""


def _integer(value: Any, least: int, most: int) -> int | None:
    """A whole number within bounds; None for anything else."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    return int(value) if is_whole and least <= int(value) <= most else None


def _digits(text: str, most: int) -> int | None:
    """The number that ASCII digits stand for; None if they are none, or too many."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= most else None


def whole(least: int, most: int | None = None) -> Values:
    """A whole number from `least` to `most` (None: no upper bound)."""
    words = f"a whole number, {least} or more" if most is None else f"a whole number from {least} to {most}"

    def check(value: Any) -> int | None:
        return _integer(value, least, _UNBOUNDED if most is None else most)

    def parse(text: str) -> int | None:
        return check(_digits(text.strip().removeprefix("+"), 20))

    return Values(words, check, parse, python="int", is_number=True)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _bounded(words: str, least: float, most: float) -> Values:
    """A number within bounds."""

    def check(value: Any) -> float | None:
        is_real = isinstance(value, Real) and not isinstance(value, bool)
        return float(value) if is_real and least <= float(value) <= most else None

    return Values(words, check, lambda text: check(_number(text)), python="float", is_number=True)


FRACTION = _bounded("a number above 0 and up to 1, such as 0.8", nextafter(0, 1), 1.0)
SECONDS = _bounded("a number of seconds, 0 or more", 0.0, inf)
"""Infinity is for ever."""

_UNITS = {"": 1, "b": 1, "k": KIB, "m": MIB, "g": GIB, "kib": KIB, "mib": MIB, "gib": GIB}
_UNITS |= {"kb": 10**3, "mb": 10**6, "gb": 10**9}


def _size(text: str) -> int | None:
    """The number of bytes that a size with a unit stands for."""
    digits = text.strip().rstrip("kmgibKMGIB")
    number, unit = _digits(digits, 18), text.strip()[len(digits) :].lower()
    return None if number is None or unit not in _UNITS else _integer(number * _UNITS[unit], 0, _UNBOUNDED)


SIZE = Values(
    *("a size in bytes, such as 500K, 256M or 10MB", lambda value: _integer(value, 0, _UNBOUNDED), _size),
    python="int",
    is_number=True,
)


def _seed(value: Any) -> int | None:
    if value == "random":
        import secrets

        return secrets.randbits(32)
    return _integer(value, 0, (1 << 32) - 1)


SEED = Values(
    "a whole number below 2^32, or random",
    _seed,
    lambda text: _seed(text if text == "random" else _digits(text, 10)),
    python='int | Literal["random"]',
)
"""A number below 2^32; `random` is an unpredictable one."""


def choice(family: Mapping[str, Any]) -> Values:
    """The name of a member of a family."""

    def check(value: Any) -> str | None:
        return value if isinstance(value, str) and value in family else None

    return Values("", check, family=family)


MOST_CHARACTERS = 1000
"""Characters of a text that has its place in a manifest."""


def _free_text(value: Any) -> str | None:
    """A text whose bytes that are not UTF-8 are lone surrogates, as in file names. Others could not be printed."""
    try:
        value.encode("utf-8", "surrogateescape")
    except (AttributeError, UnicodeEncodeError):
        return None
    return str(value) if len(value) <= MOST_CHARACTERS else None


def _given_text(text: str) -> str:
    """The text of the bytes that stand on the command line, the same in every locale."""
    return os.fsencode(text).decode("utf-8", "surrogateescape")


FREE_TEXT = Values(f"a text of at most {MOST_CHARACTERS} characters without lone surrogates", _free_text, _given_text)

MOST_FIELDS = 16


def _field_names(value: Any) -> tuple[str, ...] | None:
    names = dict.fromkeys(map(_free_text, value if isinstance(value, tuple | list) else (value,)))
    return (
        tuple(name for name in names if name is not None) if None not in names and len(names) <= MOST_FIELDS else None
    )


FIELD_NAMES = Values(
    f"{FREE_TEXT.wanted}, or a list of at most {MOST_FIELDS} of them",
    _field_names,
    _given_text,
    python="str | Sequence[str]",
    is_repeated=True,
)


def _delimiter(value: Any) -> str | None:
    mark = "\t" if value == r"\t" else value
    is_one = isinstance(mark, str) and len(mark) == 1 and "\0" < mark < "\x7f" and mark not in '"\r\n'
    return mark if is_one else None


DELIMITER = Values(r"one ASCII character, such as ; or \t, but no quote and no line end", _delimiter, _given_text)


def _encoding(value: Any) -> Any:
    """The name that Python gives to an encoding in which ASCII is ASCII, so that lines end where they do in UTF-8."""
    try:
        ascii_of = bytes(range(10, 128))
        if isinstance(value, str) and ascii_of.decode(value) == ascii_of.decode("ascii"):
            return codecs.lookup(value).name
    except (LookupError, ValueError):
        pass
    return None


ENCODING = Values(
    "an encoding that Python knows and that has ASCII in it, such as latin-1 or shift_jis", _encoding, _given_text
)

PATTERNS = Values(
    "a tuple of patterns",
    lambda value: tuple(value) if isinstance(value, tuple | list) and all(isinstance(x, str) for x in value) else None,
    _given_text,
    python="Sequence[str]",
    is_repeated=True,
)
"""Shell patterns."""

_IN_STORES = (
    "on this machine or in S3 or Google Cloud Storage, without a user name, a key or a port before the first slash"
)


def _path(value: Any, wanted: str) -> bytes:
    """A path, as the system spells it. ValueError: it is none, with what is wanted."""
    try:
        path = os.fsencode(value)
    except TypeError:
        raise ValueError(wanted) from None
    if b"\0" in path:
        raise ValueError(f"{wanted}, without NUL")
    return path


def path_name(*, wanted: str = "a path", directory: bool = False, here: str = "") -> Values:
    """The path of a file or directory. directory: whether shells offer only directories. here: see Values."""

    def check(value: Any) -> bytes:
        name = _path(value, wanted)
        if here and is_uri(name):
            raise ValueError(f"{wanted} on this machine ({here})")
        host = name.partition(b"://")[2].partition(b"/")[0]
        # In HDFS, a file that is being written would be seen.
        if is_uri(name) and (name.startswith((b"hdfs", b"viewfs")) or b"@" in host or b":" in host):
            raise ValueError(f"{wanted} {_IN_STORES}")
        return name

    return Values(wanted, check, os.fsencode, python="Path", shell="dir" if directory else "file", here=here)


_PATHS = "a path, or a tuple of paths"

PATHS = Values(
    _PATHS,
    lambda value: tuple(_path(each, _PATHS) for each in (value if isinstance(value, tuple | list) else (value,))),
    os.fsencode,
    python="Path | Sequence[Path]",
    shell="file",
    is_repeated=True,
)


def artifact_name(kind: str) -> Values:
    """The path of an artifact of this kind, or in Python the artifact itself."""
    wanted = f"an artifact of kind {kind}, or its path"

    def check(value: Any) -> Any:
        if hasattr(value, "recipe"):
            return value
        name = _path(value, wanted)
        if is_uri(name):
            raise ValueError(f"{wanted} on this machine (copy it there first)")
        return name

    python = {"shingles": "Path | Shingles", "index": "Path | BandIndex"}[kind]
    return Values(wanted, check, os.fsencode, python=python, shell="dir")
