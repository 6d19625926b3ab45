"""The options class of each command, to be made in tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simdocs.commands import QUESTIONS, question

ASKED: Mapping[str, type[Any]] = {name: question(name)[0] for names in QUESTIONS.values() for name in names}
"""The options class of each command, by its name."""

_ON_ONE_MACHINE = [asked for name, asked in ASKED.items() if not name.startswith("spark ")]

OPTIONS: Mapping[str, Any] = {name: declared for asked in _ON_ONE_MACHINE for name, declared in asked.options.items()}
"""The declaration of each option on one machine, by its name."""
