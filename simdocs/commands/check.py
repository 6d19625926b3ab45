"""check: what is wrong with artifacts."""

from __future__ import annotations

from simdocs.artifacts.damage import damages
from simdocs.engines.run import Run
from simdocs.errors import ArtifactError, InputError, SimdocsError
from simdocs.model.answers import Delivery
from simdocs.model.inspection import CheckResult
from simdocs.requests.studying import CheckRequest


def answer(request: CheckRequest, _run: Run, _delivery: Delivery) -> CheckResult:
    """The damage in artifacts, and those that cannot be read."""
    found = list[SimdocsError]()
    for path in request.artifacts:
        try:
            found += map(ArtifactError, damages(path))
        except InputError as error:
            found.append(error)
    return CheckResult(tuple(found))
