"""The Python function that helps to choose parameters: tune."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from simdocs.api.ask import ask
from simdocs.api.docstrings import with_keywords_of
from simdocs.api.for_python import as_in_python, running_for_python
from simdocs.model.artifact import BandIndex, Shingles, Signatures
from simdocs.model.tuning import Tuning
from simdocs.requests.tune_request import TuneRequest
from simdocs.values import Path

if TYPE_CHECKING:
    from simdocs.api.keywords import TuneKeywords


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
