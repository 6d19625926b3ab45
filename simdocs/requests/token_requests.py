"""Questions about texts, each with one step more: how they become tokens, signatures, and bands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simdocs.errors import mention
from simdocs.parameters import PARAMETERS
from simdocs.requests.checked_request import CheckedRequest
from simdocs.requests.exclusions import not_together
from simdocs.requests.read_request import ReadRequest


@dataclass(frozen=True, init=False, eq=False, repr=False)
class TokenRequest(CheckedRequest):
    """How a text becomes tokens."""

    unit: str | None = None
    k: int | None = None
    language: str | None = None
    multiset: bool | None = None
    seed: int | str | None = None
    nfkc: bool | None = None
    keep_case: bool | None = None
    strip_accents: bool | None = None
    strip_punctuation: bool | None = None
    mask_digits: bool | None = None

    def _language_without_stop_words(self) -> Iterator[str]:
        if self.language is not None and (self.unit or PARAMETERS["unit"].default) != "stopword":
            yield f"{mention('language')} goes with {mention('unit')} stopword"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class DocumentTokensRequest(TokenRequest, ReadRequest):
    """How texts that are read become tokens."""

    def problems_beside_documents(self) -> Iterator[str]:
        """What does not go with documents that are read now."""
        yield from super().problems_beside_documents()
        if getattr(self, "against", None) is None:  # or else the index decides the unit
            yield from self._language_without_stop_words()


@dataclass(frozen=True, init=False, eq=False, repr=False)
class SignaturesRequest(DocumentTokensRequest):
    """And how tokens become signatures."""

    scheme: str | None = None
    num_perm: int | None = None


@dataclass(frozen=True, init=False, eq=False, repr=False)
class BandsRequest(SignaturesRequest):
    """And how signatures are cut into bands."""

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
