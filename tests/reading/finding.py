"""Find the files that arguments name, as a command does before it reads them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from simdocs.model.skipped import Skipped
from simdocs.reading.find import Sources, find
from tests import strategies as some


def found_by(
    *names: str | bytes | Path, listed: Path | None = None, skipped: Any = None, many: Any = None, **walking: Any
) -> Any:
    """Return the files that these arguments, or the lines of a list, name. skipped: where skips are recorded."""
    sources = Sources(tuple(map(os.fsencode, names)), listed=None if listed is None else os.fsencode(listed))
    return find(sources, some.walking(**walking), Skipped() if skipped is None else skipped, many)
