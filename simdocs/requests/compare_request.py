"""The question how similar texts are, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from simdocs.errors import mention
from simdocs.parameters.families import SCHEMES
from simdocs.parameters.recipes import SeveralShinglings
from simdocs.parameters.values import Path
from simdocs.requests.checked_request import not_together
from simdocs.requests.read_request import SourceRequest
from simdocs.requests.token_requests import BandRequest, SketchRequest, TextRequest

OF_DOCUMENTS = ("max_size", "text_field", "id_field", "plain")
"""Parameters about reading files, which neither an artifact nor texts in memory need."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class CompareRequest(BandRequest, SketchRequest, TextRequest, SourceRequest):
    """Compare texts. documents: at least two; or an artifact, and the names of at least two documents in it.

    unit, k: several give a table. diff: how the difference of two texts is found; None: it is not. trace: the answer is
    how the signatures are computed.
    """

    question: ClassVar[str] = "compare"
    own = (SeveralShinglings,)
    wanted: ClassVar[str] = "two files"
    of_paths: ClassVar[tuple[str, ...]] = (*OF_DOCUMENTS, "root")

    unit: tuple[str, ...] | None = None
    k: tuple[int, ...] | None = None
    template: tuple[Path, ...] | None = None
    measure: str | None = None
    diff: str | None = None
    trace: bool | None = None
    max_size: int | None = None
    text_field: str | None = None
    id_field: str | None = None
    plain: bool | None = None
    root: Path | None = None

    @property
    def artifact(self) -> Any:
        """What may be an artifact, with the names of documents after it; None if texts are in memory."""
        return self.documents[0] if self.documents else None

    @property
    def several_shinglings(self) -> bool:
        """Whether the answer is a table over units and k."""
        return len(self.unit or ()) > 1 or len(self.k or ()) > 1

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        read = [*self.documents, *(self.template or ()), self.stop_words]
        if read.count(b"-") > max(1, self.documents.count(b"-")):
            yield "- names standard input, which can be read only once"
        given: Sequence[object] = self.documents if self.texts is None else self.texts
        if len(given) == 1:
            yield "there is nothing to compare this text with: give two texts, or more"
        if self.trace and self.diff is not None:
            yield not_together("diff", "trace", why="choose one")
        if self.trace and self.measure is not None:
            yield not_together("measure", "trace", why="signatures are about the Jaccard similarity")
        if self.trace and self.several_shinglings:
            yield f"{mention('trace')} needs one {mention('unit')} and one {mention('k')}, not lists of them"

    def problems_of_trace(self, scheme: str) -> Iterator[str]:
        """What cannot be combined with signatures of this scheme."""
        if self.trace and not SCHEMES[scheme].by_rows:
            which = ", the default," if scheme == self.parameter("scheme").default else ""
            yield (
                f"{mention('trace')} needs {mention('scheme')} permutation: {scheme}{which} does not go through the"
                " shingles row by row"
            )

    def problems_beside_artifact(self) -> Iterator[str]:
        """What cannot be combined with an artifact."""
        for name in self.given():
            if name in OF_DOCUMENTS:
                yield f"{mention(name)} needs documents, not an artifact"
        if self.several_shinglings:
            yield f"an artifact has one {mention('unit')} and one {mention('k')}: name the documents instead"

    def problems_beside_documents(self) -> Iterator[str]:
        """What cannot be combined with documents that are read now."""
        if self.root is not None:
            yield f"{mention('root')} needs an artifact, not documents"
        yield from self._stop_words_beside(self.unit or self.parameter("unit").default)
        yield from self.problems_of_trace(self.scheme or self.parameter("scheme").default)

    def problems_of_many(self) -> Iterator[str]:
        """What cannot be combined with more than two texts."""
        if self.diff is not None:
            yield f"{mention('diff')} shows the difference of two texts, not of more"
        if self.several_shinglings:
            yield f"a matrix has one {mention('unit')} and one {mention('k')}: give two texts for a table over several"
