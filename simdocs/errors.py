"""Every error that simdocs raises on purpose.

    SimdocsError                 what went wrong, with what, and what to do
    ├── UsageError               the request makes no sense as it stands           exit 2
    │   └── UnreachableRecallError  no bands and rows find that share of the pairs    exit 2
    ├── InputError               a named argument cannot be read                   exit 2
    ├── OutputError              an answer cannot be written                       exit 2
    ├── WorkerError              a worker process was killed                       exit 2
    └── UnjudgedError            --strict, and something could not be judged       exit 2

One table, in cli/exits.py, maps them to exit statuses.
"""

from __future__ import annotations


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
