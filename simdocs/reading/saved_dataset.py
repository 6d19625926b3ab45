"""Data sets that Hugging Face `datasets` has saved: which files of their directories hold rows."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from typing import Any

from simdocs.model.skipped import DocumentSkipped
from simdocs.reading.files import READ

_STATE, _INFO, _SPLITS = "state.json", "dataset_info.json", "dataset_dict.json"
"""The files that describe a data set, or one of its splits, and the splits of one."""

_INDICES = ("_indices_data_files", "_indices_files")
"""What old versions list in the state if only some rows of the files belong to the data set, or in another order."""

MARKS = frozenset((b"state.json", b"dataset_dict.json"))
"""Files that only directories of saved data sets have, as a rule."""

_MOST = 1 << 24
"""Bytes of a description that are read."""


class SavedDataset:
    """The description of a data set in a directory.

    data: the names of the files with its rows; None: all files of the directory are read as usual.
    listed: the names of files and directories that must be there.
    """

    def __init__(self, data: frozenset[bytes] | None, listed: frozenset[bytes]) -> None:
        self.data, self.listed = data, listed

    def leaves_out(self, name: bytes) -> bool:
        """Whether a file with this name holds no rows of the data set."""
        return name == _SPLITS.encode() if self.data is None else name not in self.data


Head = Callable[[str, int], "bytes | None"]
"""Returns the first bytes, so many at most, of the file with this name in a directory; None if there is none."""


def saved_dataset(head: Head) -> SavedDataset | None:
    """The description of the data set in a directory; None if it is an ordinary directory.

    Raises DocumentSkipped: malformed (its files are not its rows).
    """
    state = _read(head, _STATE)
    if state is not None and head(_INFO, 1) is not None and (files := _names(state.get("_data_files"))) is not None:
        if any(state.get(each) for each in _INDICES):
            remedy = "save it again after flatten_indices()"
            raise DocumentSkipped(
                "malformed", f"a data set of which only some rows are used, or in another order: {remedy}"
            )
        return SavedDataset(files, files)
    splits = _read(head, _SPLITS)
    if splits is not None and isinstance(names := splits.get("splits"), list):
        return SavedDataset(None, frozenset(os.fsencode(name) for name in names if isinstance(name, str)))
    return None


def _names(listed: Any) -> frozenset[bytes] | None:
    """The names in a list of data files; None if this is no such list."""
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        return None
    names = [each.get("filename") for each in listed]
    if not all(isinstance(name, str) and "/" not in name and "\0" not in name for name in names):
        return None
    return frozenset(os.fsencode(name) for name in names)


def _read(head: Head, name: str) -> dict[str, Any] | None:
    """The JSON object in a file of the directory; None if there is none."""
    try:
        value = json.loads(head(name, _MOST) or b"")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def first_bytes(path: bytes, most: int) -> bytes | None:
    """The first bytes of the regular file at this path, which is no link; None if there is none."""
    try:
        file = os.open(path, READ | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        return os.read(file, most) if stat.S_ISREG(os.fstat(file).st_mode) else None
    except OSError:
        return None
    finally:
        os.close(file)
