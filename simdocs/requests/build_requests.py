"""Questions that build an artifact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from simdocs.errors import mention
from simdocs.parameters.values import Path
from simdocs.requests.checked_request import not_together
from simdocs.requests.token_requests import BandsRequest, DocumentTokensRequest, SignaturesRequest


@dataclass(frozen=True, init=False, eq=False, repr=False)
class BuildRequest(DocumentTokensRequest):
    """Build an artifact. kind: which. output: where to; None (from Python) keeps it in memory."""

    kind: ClassVar[str]

    output: Path | None = None
    lock_wait: float | None = None
    rebuild: bool | None = None
    checksum: bool | None = None
    ignore_ctime: bool | None = None
    ignore_inode: bool | None = None
    keep_unreadable: bool | None = None
    allow_shrink: bool | None = None
    dry_run: bool | None = None

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        if self.dry_run and self.output is None:
            yield f"{mention('dry_run')} needs {mention('output')}: name the artifact to compare with"
        if self.dry_run and self.lock_wait is not None:
            yield not_together("lock_wait", "dry_run", why=f"{mention('dry_run')} takes no lock")
        if self.rebuild and self.keep_unreadable:
            yield not_together("keep_unreadable", "rebuild", why="a rebuild takes nothing from the artifact")
        if self.keep_unreadable and getattr(self, "ignore_common", None) is not None:
            # What cannot be read is not counted. So other tokens may be common, and nothing of the artifact would fit.
            why = f"which tokens are common depends on the documents that cannot be read; use {mention('template')}"
            yield not_together("keep_unreadable", "ignore_common", why=why)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ShingleRequest(BuildRequest):
    """Make token sets."""

    question: ClassVar[str] = "shingle"
    kind: ClassVar[str] = "shingles"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class SignatureRequest(BuildRequest, SignaturesRequest):
    """Make signatures."""

    question: ClassVar[str] = "signature"
    kind: ClassVar[str] = "signatures"
    upstream: ClassVar[tuple[str, ...]] = ("shingles",)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class IndexRequest(BuildRequest, BandsRequest):
    """Make an index; of an index, one with other bands."""

    question: ClassVar[str] = "index"
    kind: ClassVar[str] = "index"
    upstream: ClassVar[tuple[str, ...]] = ("shingles", "signatures", "index")

    containment: bool | None = None
