"""The declaration of a parameter, and the headings under which help lists them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from simdocs.values import Flag, Values

DOCUMENTS, TEXT, SHINGLES, SIGNATURES = "Documents", "Normalised text", "Shingles", "Signatures and bands"
GROUPS, UPDATE, ANSWER, RUN = "Groups", "Update of an artifact", "Answer", "Run"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter.

    section: the heading under which help lists it. default: its value when it is not given; None if there is no default
    or if it depends on other parameters. described: the default in words, if the value alone does not say it. question:
    the only question for which this declaration counts; empty: it counts for all others.
    """

    name: str
    section: str
    values: Values
    help: str
    default: Any = None
    described: str | Callable[[], str] = ""
    question: str = ""

    @property
    def shown_default(self) -> str:
        """The default as help and the reference show it; empty if they show none."""
        described = self.described() if callable(self.described) else self.described
        if described or self.default is None or self.default == () or isinstance(self.values, Flag):
            return described
        return f"{self.default:g}" if isinstance(self.default, float) else str(self.default)
