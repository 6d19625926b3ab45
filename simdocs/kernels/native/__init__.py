"""Kernels in C beside those in NumPy: which of the two are in use, and how a function calls the one in C.

A kernel in C returns the same bytes as the function in NumPy, which stays the definition. It is optional: where no
compiler was at hand when simdocs was installed, NumPy does all the work.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar, cast

from simdocs.errors import UsageError

VARIABLE = "SIMDOCS_KERNELS"
"""The environment variable that chooses: `numpy`, `native`, or `auto`, which is native if it is installed."""

_chosen = ""
"""The choice of this process. It is made once, when it is needed first."""

_Arguments = ParamSpec("_Arguments")
_Made = TypeVar("_Made")


def kernels_in_use() -> str:
    """The kernels that this process uses: `native` or `numpy`.

    Raises UsageError: SIMDOCS_KERNELS has another value, or asks for kernels in C that are not installed.
    """
    global _chosen
    if not _chosen:
        wanted = os.environ.get(VARIABLE) or "auto"
        if wanted not in ("auto", "native", "numpy"):
            raise UsageError(f"{VARIABLE} is {wanted!r}: set it to auto, native or numpy")
        is_there = wanted != "numpy" and is_installed()
        if wanted == "native" and not is_there:
            raise UsageError(
                f"{VARIABLE} is native, but simdocs was installed without its kernels in C: install a C compiler, and"
                " then simdocs again, with SIMDOCS_NATIVE=require in the environment"
            )
        _chosen = "native" if is_there else "numpy"
    return _chosen


def is_installed() -> bool:
    """Whether the kernels in C are installed."""
    try:
        import_module("simdocs.kernels.native.compiled")
    except ImportError:
        return False
    return True


def accelerated(kernel: Callable[_Arguments, _Made]) -> Callable[_Arguments, _Made]:
    """Call the kernel in C instead of this one in NumPy, if it is in use and does not return NotImplemented.

    The kernel in C has the same name in functions.py. All kernels without this decorator have only one version.
    """
    in_c: Callable[_Arguments, Any] | None = None

    @wraps(kernel)
    def chosen(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Made:
        nonlocal in_c
        if kernels_in_use() == "numpy":
            return kernel(*args, **kwargs)
        if in_c is None:
            in_c = getattr(import_module("simdocs.kernels.native.functions"), kernel.__name__)
        made = in_c(*args, **kwargs)
        return kernel(*args, **kwargs) if made is NotImplemented else cast("_Made", made)

    return chosen
