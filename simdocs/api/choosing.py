"""The Python functions that help to choose parameters, and tell what they find: tune, audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from simdocs.api.ask import ask
from simdocs.api.docstrings import with_keywords_of
from simdocs.api.for_python import as_in_python, running_for_python
from simdocs.model.artifact import BandIndex, Shingles, Signatures
from simdocs.model.audited import Audit
from simdocs.model.tuning import Tuning
from simdocs.requests.audit_request import AuditRequest
from simdocs.requests.tune_request import TuneRequest
from simdocs.values import Path

if TYPE_CHECKING:
    from simdocs.api.keywords import AuditKeywords, TuneKeywords


@with_keywords_of(TuneRequest)
def tune(*documents: Path | Shingles | Signatures | BandIndex, **keywords: Unpack[TuneKeywords]) -> Tuning:
    """Choose bands for a threshold and a recall, and return a Tuning: what they find.

    With documents or texts, it has the expected numbers of missed pairs and of false candidates among them.
    """
    request = TuneRequest(documents=documents, **keywords)
    with running_for_python(request) as run:
        result: Any = ask(request, run)
    tuning: Tuning = as_in_python(result)
    return tuning


@with_keywords_of(AuditRequest)
def audit(*documents: Path | Shingles | Signatures | BandIndex, **keywords: Unpack[AuditKeywords]) -> Audit:
    """Measure how many similar pairs the bands find, and return an Audit: all pairs, those found, and the recall."""
    request = AuditRequest(documents=documents, **keywords)
    with running_for_python(request) as run:
        result: Audit = ask(request, run)
    return result
