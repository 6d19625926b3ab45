"""Questions about texts, each with one step more: how they become tokens, signatures, and bands."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from simdocs.errors import mention
from simdocs.parameters import PARAMETERS
from simdocs.parameters.families import UNITS
from simdocs.parameters.values import Path
from simdocs.requests.checked_request import CheckedRequest, not_together
from simdocs.requests.read_request import ReadRequest


@dataclass(frozen=True, init=False, eq=False, repr=False)
class UnitRequest(CheckedRequest):
    """What a shingle is."""

    unit: str | None = None
    k: int | None = None


@dataclass(frozen=True, init=False, eq=False, repr=False)
class TextRequest(CheckedRequest):
    """How a text is normalised, which words of it count, and how its shingles are hashed."""

    language: str | None = None
    ignore_stop_words: bool | None = None
    stop_words: Path | None = None
    multiset: bool | None = None
    seed: int | str | None = None
    nfkc: bool | None = None
    keep_case: bool | None = None
    strip_accents: bool | None = None
    strip_punctuation: bool | None = None
    mask_digits: bool | None = None

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        if self.language is not None and self.stop_words is not None:
            yield not_together("language", "stop_words", why="each says what the stop words are")

    def _stop_words_beside(self, units: Collection[str]) -> Iterator[str]:
        """Yield a problem for each stop-word parameter that these units ignore."""
        ignoring = [name for name, unit in UNITS.items() if unit.may_ignore_stop_words]
        beginning = [name for name, unit in UNITS.items() if unit.begins_at_stop_words]
        ignored = not set(units).isdisjoint(ignoring)
        begun = not set(units).isdisjoint(beginning)
        if self.language is not None and not (begun or (ignored and self.ignore_stop_words)):
            names = " or ".join(beginning)
            yield f"{mention('language')} needs {mention('unit')} {names}, or {mention('ignore_stop_words')}"
        if self.stop_words is not None and not (ignored or begun):
            yield f"{mention('stop_words')} needs {mention('unit')} {' or '.join((*ignoring, *beginning))}"
        if self.ignore_stop_words and not ignored:
            yield f"{mention('ignore_stop_words')} needs {mention('unit')} {' or '.join(ignoring)}"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class TokenRequest(TextRequest, UnitRequest):
    """How a text becomes tokens."""

    def _stop_words_of_no_use(self) -> Iterator[str]:
        yield from self._stop_words_beside({self.unit or PARAMETERS["unit"].default})


@dataclass(frozen=True, init=False, eq=False, repr=False)
class DocumentTokensRequest(TokenRequest, ReadRequest):
    """How texts that are read become tokens."""

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        beside = [*(getattr(self, "template", None) or ()), self.stop_words]
        read = [*self.documents, self.files_from, self.files0_from, *beside]
        if b"-" in beside and read.count(b"-") > 1:
            yield "- names standard input, which can be read only once"

    def problems_beside_documents(self) -> Iterator[str]:
        """What cannot be combined with documents that are read now."""
        yield from super().problems_beside_documents()
        if getattr(self, "against", None) is None:  # or else the index decides the unit
            yield from self._stop_words_of_no_use()


@dataclass(frozen=True, init=False, eq=False, repr=False)
class SketchRequest(CheckedRequest):
    """How tokens become a signature."""

    scheme: str | None = None
    num_perm: int | None = None


@dataclass(frozen=True, init=False, eq=False, repr=False)
class BandRequest(CheckedRequest):
    """How a signature is cut into bands."""

    threshold: float | None = None
    recall: float | None = None
    rule: str | None = None
    bands: int | None = None
    rows: int | None = None

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        by_hand, by_rule = (
            [name for name in names if getattr(self, name) is not None]
            for names in (("bands", "rows"), ("recall", "rule"))
        )
        if by_hand and by_rule:
            chosen = f"{' and '.join(map(mention, by_rule))} {'chooses' if len(by_rule) == 1 else 'choose'}"
            yield not_together(*by_hand, *by_rule, why=f"{chosen} the bands and rows")


@dataclass(frozen=True, init=False, eq=False, repr=False)
class SignaturesRequest(SketchRequest, DocumentTokensRequest):
    """How texts that are read become signatures, and which of their tokens are left out."""

    ignore_common: float | None = None
    template: tuple[Path, ...] | None = None


@dataclass(frozen=True, init=False, eq=False, repr=False)
class BandsRequest(BandRequest, SignaturesRequest):
    """How texts that are read become signatures that are cut into bands."""
