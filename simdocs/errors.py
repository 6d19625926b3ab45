"""Every error that simdocs raises on purpose.

    SimdocsError                 what went wrong, with what, and what to do
    ├── UsageError               the request makes no sense as it stands           exit 2
    │   └── UnreachableRecallError  no bands and rows find that share of the pairs    exit 2
    ├── InputError               a named argument cannot be read                   exit 2
    ├── OutputError              an answer cannot be written                       exit 2
    ├── WorkerError              a worker process was killed                       exit 2
    ├── UnjudgedError            --strict, and something could not be judged       exit 2
    ├── ArtifactError            an artifact is damaged, or not what is wanted     exit 4
    │   └── ParametersError         two that were made with different parameters      exit 4
    └── LockedError              another run is writing the same artifact          exit 75

One table, in cli/exits.py, maps them to exit statuses.
"""

from __future__ import annotations

from collections.abc import Mapping


class SimdocsError(Exception):
    """Something that its reader can mend: the message is one line and says how."""


class UsageError(SimdocsError):
    """The request makes no sense as it stands."""


class UnreachableRecallError(UsageError):
    """No bands and rows of num_perm places find `recall` of the pairs at `threshold`."""

    def __init__(self, threshold: float, recall: float, num_perm: int, best: float, remedy: str) -> None:
        self.threshold, self.recall, self.num_perm, self.best = threshold, recall, num_perm, best
        super().__init__(
            f"no bands and rows reach a recall of {recall:g} at threshold {threshold:g} with --num-perm {num_perm}"
            f" ({num_perm} x 1 finds {best:.6g}): {remedy}"
        )


class InputError(SimdocsError):
    """A document or list that was named cannot be read."""


class OutputError(SimdocsError):
    """The answer cannot be written where it was asked for."""


class WorkerError(SimdocsError):
    """A worker process could not be started, or ended before its work was done."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: try fewer, such as -j 1")


class UnjudgedError(SimdocsError):
    """Under --strict: some documents could not be judged, and nothing was published."""


class ArtifactError(SimdocsError):
    """An artifact is damaged, or of another kind or version than is wanted."""


class ParametersError(ArtifactError):
    """Two artifacts, or an artifact and this program, that were made with different parameters."""

    def __init__(self, one: str, other: str, differences: Mapping[str, tuple[object, object]]) -> None:
        self.differences = differences
        each = "; ".join(
            f"{name} is {mine!r} there and {theirs!r} here" for name, (mine, theirs) in differences.items()
        )
        super().__init__(f"{one}: of other parameters than {other}: {each}: build it again with the same")


class LockedError(SimdocsError):
    """Another run is writing the same artifact."""
