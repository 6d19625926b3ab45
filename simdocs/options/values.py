"""Kinds of values that options take: each checks a value from Python and parses a word of a command line.

Both ways raise ValueError, whose text says in words what is wanted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Protocol

from simdocs.names import is_uri

if TYPE_CHECKING:
    from simdocs.options.declaration import Member

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


def without_secret(given: object) -> object:
    """A value for a message: without what is before an @ in the name of an object, which may be a key."""
    text = os.fsdecode(given) if isinstance(given, bytes) else given
    if not isinstance(text, str) or not is_uri(os.fsencode(text)):
        return given
    before, _, after = text.partition("://")
    return f"{before}://...@{after.rpartition('@')[2]}" if "@" in after else text


Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
"""A path, as Python callers give it."""

_UNITS_OF_SIZE = {"": 1, "k": KIB, "m": MIB, "g": GIB}
_UNITS_OF_SIZE |= {"kib": KIB, "mib": MIB, "gib": GIB, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9}

UNITS_OF_SIZE = "K, M and G are powers of 1024; KB, MB and GB are powers of 1000."
"""The sentence in help about the units of a size."""

_SHOWN = 60
"""Characters of a wrong value that a message shows."""

_LEAST_PERCENTAGE, _PERCENT = 10, 100
"""Numbers that are taken for percentages where a fraction is wanted. Nobody looks for a similarity of a few percent."""

_UNBOUNDED = 1 << 62
"""No count of bytes or documents reaches this."""


class Values(Protocol):
    """A kind of value. wanted: what is accepted, in words."""

    @property
    def wanted(self) -> str:
        """The accepted values, in words: `a whole number from 1 to 1000`."""

    def check(self, value: Any) -> Any:
        """The value from Python in its normal type. ValueError: it is not accepted."""

    def parse(self, text: str) -> Any:
        """The value that a word of a command line stands for. ValueError: it stands for none."""


def refusal(values: Values, wanted: object, given: object) -> str:
    """The message about a wrong value: what is wanted, what was given, and what may have been meant."""
    given = without_secret(getattr(values, "shown", lambda value: value)(given))
    shown = given if not isinstance(given, str) or len(given) <= _SHOWN else f"{given[:_SHOWN]}..."
    hint = getattr(values, "hint", lambda _: "")(given)
    return f"must be {wanted}, not {shown!r}" + (f": {hint}" if hint else "")


class Flag:
    """True or False."""

    wanted = "True or False"

    def check(self, value: Any) -> bool:
        """True or False itself."""
        if not isinstance(value, bool):
            raise ValueError(self.wanted)
        return value

    def parse(self, text: str) -> bool:
        """A flag takes no word."""
        raise ValueError(f"no value, not {text!r}")


class Whole:
    """A whole number from `least` to `most` (None: no upper bound)."""

    def __init__(self, least: int, most: int | None = None) -> None:
        self.least, self.most = least, most

    @property
    def wanted(self) -> str:
        """The bounds in words."""
        if self.most is None:
            return f"a whole number, {self.least} or more"
        return f"a whole number from {self.least} to {self.most}"

    def check(self, value: Any) -> int:
        """The number as an int."""
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        if not whole or not self.least <= int(value) <= (_UNBOUNDED if self.most is None else self.most):
            raise ValueError(self.wanted)
        return int(value)

    def parse(self, text: str) -> int:
        """The number that the digits stand for."""
        digits = text.strip()
        if not (digits.removeprefix("+").isdecimal() and digits.isascii() and len(digits) <= 20):
            raise ValueError(self.wanted)
        return self.check(int(digits))


class Fraction:
    """A number above 0 and up to 1."""

    wanted = "a number above 0 and up to 1, such as 0.8"

    def check(self, value: Any) -> float:
        """The number as a float."""
        if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) <= 1:
            raise ValueError(self.wanted)
        return float(value)

    def parse(self, text: str) -> float:
        """The number that the text stands for."""
        return self.check(_number(text, self.wanted))

    def hint(self, given: object) -> str:
        """The fraction that a wrong value may stand for: a percentage, or a number with a decimal comma."""
        try:
            number = float(str(given).strip().removesuffix("%").replace(",", "."))
        except ValueError:
            return ""
        number = number / 100 if _LEAST_PERCENTAGE <= number <= _PERCENT else number
        return f"did you mean {number:g}?" if 0 < number <= 1 else ""


class Seconds:
    """A number of seconds from 0 on; infinity is for ever."""

    wanted = "a number of seconds, 0 or more"

    def check(self, value: Any) -> float:
        """The number as a float."""
        if not isinstance(value, Real) or isinstance(value, bool) or not float(value) >= 0:
            raise ValueError(self.wanted)
        return float(value)

    def parse(self, text: str) -> float:
        """The number that the text stands for."""
        return self.check(_number(text, self.wanted))


class Size:
    """A number of bytes; on a command line with a unit, such as 256M (powers of 1024) or 10MB (powers of 1000)."""

    wanted = "a size in bytes, such as 500K, 256M or 10MB"

    def check(self, value: Any) -> int:
        """The number of bytes."""
        if not isinstance(value, Integral) or isinstance(value, bool) or not 0 <= int(value) <= _UNBOUNDED:
            raise ValueError(self.wanted)
        return int(value)

    def parse(self, text: str) -> int:
        """The number of bytes that the text stands for."""
        digits = text.strip().rstrip("kmgibKMGIB")
        unit = text.strip()[len(digits) :].lower()
        if not (digits.isdecimal() and digits.isascii() and len(digits) <= 18 and unit in _UNITS_OF_SIZE):
            raise ValueError(self.wanted)
        return self.check(int(digits) * _UNITS_OF_SIZE[unit])


class Seed:
    """A number below 2^32, or `random` for an unpredictable one."""

    wanted = "a whole number below 2^32, or random"

    def check(self, value: Any) -> int:
        """The seed; a new random one for `random`."""
        if value == "random":
            import secrets

            return secrets.randbits(32)
        if not isinstance(value, Integral) or isinstance(value, bool) or not 0 <= int(value) < 1 << 32:
            raise ValueError(self.wanted)
        return int(value)

    def parse(self, text: str) -> int:
        """The seed that the text stands for."""
        if text == "random":
            return self.check(text)
        if not (text.isdecimal() and text.isascii() and len(text) <= 10):
            raise ValueError(self.wanted)
        return self.check(int(text))


class Choice:
    """The name of a member of a family."""

    def __init__(self, family: Mapping[str, Member]) -> None:
        self.family = family

    @property
    def wanted(self) -> str:
        """All names."""
        return f"one of {', '.join(self.family)}"

    def check(self, value: Any) -> str:
        """The name."""
        if not isinstance(value, str) or value not in self.family:
            raise ValueError(self.wanted)
        return str(value)

    def parse(self, text: str) -> str:
        """The name."""
        return self.check(text)

    def hint(self, given: object) -> str:
        """The member that a wrong value may stand for: one with a similar name, or one that help describes so."""
        from difflib import get_close_matches

        if not isinstance(given, str):
            return ""
        if set(given.split(",")) <= self.family.keys():
            return "only one is allowed"
        described = [name for name, member in self.family.items() if member.help.lower() == given.lower()]
        near = described or get_close_matches(given, self.family, 1, 0.7)
        return f"did you mean {near[0]}?" if near else ""


class Several:
    """One or more different values of a kind; on a command line separated by commas, in Python in a sequence."""

    def __init__(self, values: Choice | Whole) -> None:
        self.values = values

    @property
    def wanted(self) -> str:
        """The accepted values, in words."""
        return f"{self.values.wanted}, or several of them separated by commas"

    @property
    def family(self) -> Mapping[str, Member]:
        """The family of each of them; empty if they are numbers."""
        return self.values.family if isinstance(self.values, Choice) else {}

    def check(self, value: Any) -> tuple[Any, ...]:
        """The values. A single one may stand alone."""
        each = value if isinstance(value, tuple | list | range) else (value,)
        try:
            return self._different(tuple(map(self.values.check, each)))
        except ValueError:
            raise ValueError(self.wanted) from None

    def parse(self, text: str) -> tuple[Any, ...]:
        """The values between commas."""
        try:
            return self._different(tuple(map(self.values.parse, text.split(","))))
        except ValueError:
            raise ValueError(self.wanted) from None

    def hint(self, given: object) -> str:
        """The hint about the first wrong value."""
        if isinstance(given, str) and isinstance(self.values, Choice):
            wrong = [word for word in given.split(",") if word not in self.values.family]
            return self.values.hint(wrong[0]) if wrong else ""
        return ""

    def _different(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Values without repeats. ValueError: there is none."""
        if not values:
            raise ValueError(self.wanted)
        return tuple(dict.fromkeys(values))


class FreeText:
    """A text of at most 1,000 characters, which has its place in a manifest.

    Bytes that are not UTF-8 are lone surrogates, as in file names. Others could not be printed.
    """

    wanted = "a text of at most 1000 characters without lone surrogates"

    def check(self, value: Any) -> str:
        """The text."""
        if not isinstance(value, str) or len(value) > 1000:
            raise ValueError(self.wanted)
        try:
            value.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise ValueError(self.wanted) from None
        return value

    def parse(self, text: str) -> str:
        """The text of the bytes that stand on the command line, the same in every locale."""
        return os.fsencode(text).decode("utf-8", "surrogateescape")


class PatternList:
    """Any number of shell patterns; on a command line one at a time."""

    wanted = "a tuple of patterns"

    def check(self, value: Any) -> tuple[str, ...]:
        """The patterns."""
        if not isinstance(value, tuple | list) or not all(isinstance(pattern, str) for pattern in value):
            raise ValueError(self.wanted)
        return tuple(value)

    def parse(self, text: str) -> str:
        """One pattern."""
        return FreeText().parse(text)


class _Paths:
    """Paths as the system spells them."""

    wanted: str

    def _encoded(self, value: Any) -> bytes:
        try:
            path = os.fsencode(value)
        except TypeError:
            raise ValueError(self.wanted) from None
        if b"\0" in path:
            raise ValueError(f"{self.wanted}, without NUL")
        return path

    def parse(self, text: str) -> bytes:
        """One path, as the system spells it."""
        return os.fsencode(text)


class PathName(_Paths):
    """The path of a file or directory.

    directories: whether shells offer only directories.
    here: why it must be on this machine, and no object of a store; empty if it need not be.
    """

    WRITES = (
        "on this machine or in S3 or Google Cloud Storage, without a user name, a key or a port before the first slash"
    )

    def __init__(self, *, directories: bool = False, here: str = "", wanted: str = "a path") -> None:
        self.directories, self.here, self.wanted = directories, here, wanted

    def check(self, value: Any) -> bytes:
        """The path."""
        path = self._encoded(value)
        if self.here and is_uri(path):
            raise ValueError(f"{self.wanted} on this machine ({self.here})")
        host = path.partition(b"://")[2].partition(b"/")[0]
        # In HDFS, a file that is being written would be seen.
        if is_uri(path) and (path.startswith((b"hdfs", b"viewfs")) or b"@" in host or b":" in host):
            raise ValueError(f"{self.wanted} {self.WRITES}")
        return path


class PathList(_Paths):
    """Any number of paths; on a command line one at a time."""

    wanted = "a path, or a tuple of paths"

    def check(self, value: Any) -> tuple[bytes, ...]:
        """The paths."""
        return tuple(map(self._encoded, value if isinstance(value, tuple | list) else (value,)))


class ArtifactName(_Paths):
    """The path of an artifact, or in Python the artifact itself. kinds: the kinds that are accepted."""

    def __init__(self, kinds: tuple[str, ...]) -> None:
        self.kinds = kinds
        self.wanted = f"an artifact of kind {' or '.join(kinds)}, or its path"

    def check(self, value: Any) -> Any:
        """The path, or the artifact itself."""
        if hasattr(value, "recipe"):
            return value
        path = self._encoded(value)
        if is_uri(path):
            raise ValueError(f"{self.wanted} on this machine (copy it there first)")
        return path


def _number(text: str, wanted: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(wanted) from None
