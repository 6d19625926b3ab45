"""The question how much the bands miss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from simdocs.errors import mention
from simdocs.parameters.values import Path
from simdocs.requests.checked_request import not_together
from simdocs.requests.report_requests import AnswerRequest
from simdocs.requests.token_requests import BandsRequest


@dataclass(frozen=True, init=False, eq=False, repr=False)
class AuditRequest(BandsRequest):
    """Measure how many similar pairs bands find among documents."""

    question: ClassVar[str] = "audit"
    upstream: ClassVar[tuple[str, ...]] = ("shingles", "signatures", "index")

    sample: int | None = None
    max_memory: int | None = None
    shingles: Any = None
    root: Path | None = None

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        if self.sample is not None and self.max_memory is not None:
            yield not_together("sample", "max_memory", why="a sample is compared in little memory")


@dataclass(frozen=True, init=False, eq=False, repr=False)
class AuditDrawRequest(AnswerRequest):
    """How an audit is drawn, and what is said about the run."""

    question: ClassVar[str] = "audit_report"

    exit_code: bool | None = None


_ABOUT_BANDS = ("num_perm", "threshold", "recall", "rule", "bands", "rows", "jobs", "strict")
"""Parameters that mean something without documents."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class TuneRequest(BandsRequest):
    """Say what bands will find: in general, or among documents."""

    question: ClassVar[str] = "tune"
    upstream: ClassVar[tuple[str, ...]] = ("shingles", "signatures", "index")

    shingles: Any = None
    root: Path | None = None

    @property
    def has_documents(self) -> bool:
        """Whether documents were named."""
        return bool(self._ways())

    def _rules_of_sources(self) -> Iterator[str]:
        if self.has_documents:
            yield from super()._rules_of_sources()
            return
        yield from self._rules_of_texts()
        for name in self.given():
            if name not in _ABOUT_BANDS:
                yield f"{mention(name)} needs documents: name some, or leave it out"
