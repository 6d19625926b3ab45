"""Every error that simdocs raises on purpose.

    SimdocsError                 what went wrong, with what, and what to do
    ├── UsageError               the request makes no sense as it stands           exit 2
    │   └── UnreachableRecallError  no bands and rows reach the recall                exit 2
    ├── InputError               a named argument cannot be read                   exit 2
    ├── MissingExtraError        an optional library is needed                     exit 2
    ├── OutputError              an answer cannot be written                       exit 2
    ├── ShrunkError              most documents of an artifact would be lost       exit 2
    ├── MemoryNeededError        an exact join needs more memory than there is     exit 2
    ├── WorkerError              a worker process was killed                       exit 2
    ├── ClusterError             a cluster cannot be had, or cannot do the work    exit 2
    ├── UnjudgedError            --strict, and something could not be judged       exit 2
    ├── ArtifactError            an artifact is damaged, or not what is wanted     exit 4
    │   └── ParametersError         two artifacts do not have the same parameters     exit 4
    └── LockedError              another run is writing the same artifact          exit 75

One table, in cli/exits.py, maps them to exit statuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from reprlib import Repr
from typing import Any


class SimdocsError(Exception):
    """An error that the user can mend: the message is one line, in the words of the command line, and says how."""


class UsageError(SimdocsError):
    """What was asked makes no sense as it stands. problems: all that is wrong with it."""

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("; ".join(problems))


class UnreachableRecallError(UsageError):
    """No bands and rows of num_perm places find `recall` of the pairs at `threshold`. remedy: what would help."""

    def __init__(self, threshold: float, recall: float, num_perm: int, best: float, remedy: str) -> None:
        self.threshold, self.recall, self.num_perm, self.best, self.remedy = threshold, recall, num_perm, best, remedy
        super().__init__(
            f"no bands and rows reach a recall of {recall:g} at threshold {threshold:g}"
            f" with --num-perm {num_perm} ({num_perm} bands of 1 row find {best:.6g}): {remedy}"
        )


class InputError(SimdocsError):
    """A document or list that was named cannot be read."""


class MissingExtraError(SimdocsError):
    """An optional library is needed that is not installed, or that cannot be imported.

    what: what it is needed for, such as `reading Parquet`.
    package: the package that has it, or several, as `A and B`.
    trouble: why it cannot be imported although it is installed; empty if it is not.
    name: the file that needs it, as it is shown; empty if no file does.
    extra: the extra of simdocs that has the package; empty if none has.
    """

    def __init__(self, what: str, package: str, trouble: str = "", name: str = "", *, extra: str = "datasets") -> None:
        self.what, self.package, self.trouble, self.name = what, package, trouble, name
        install = f"pip install 'simdocs[{extra}]'" if extra else f"pip install {package.replace(' and ', ' ')}"
        remedy = f", which cannot be imported ({trouble}): {install}" if trouble else f": {install}"
        self.problem = f"{what} needs {package}{remedy}"
        super().__init__(f"{name}: {self.problem}" if name else self.problem)


class ShrunkError(SimdocsError):
    """An argument gives far fewer documents than it gave to the artifact that would be replaced, or files cannot be
    read for lack of a library."""


class OutputError(SimdocsError):
    """The answer cannot be written where it was asked for."""


def shown_memory(size: int) -> str:
    """A number of bytes in megabytes; in kilobytes if it is less than 10 megabytes, in bytes below 1,000."""
    if size < 1000:
        return f"{size} byte{'' if size == 1 else 's'}"
    return f"{size / 1e6:,.0f} MB" if size >= 10**7 else f"{size / 1e3:,.0f} KB"


class MemoryNeededError(SimdocsError):
    """An exact join needs more memory than there is, or than is allowed: bytes of both. option: what asks for it."""

    def __init__(self, documents: int, needed: int, limit: int, allowed: bool, option: str = "--exact") -> None:
        self.documents, self.needed, self.limit = documents, needed, limit
        texts = "1 text" if documents == 1 else f"{documents:,} texts"
        there_is = "--max-memory allows" if allowed else "there is"
        more = ", or allow more" if allowed else ", or allow more with --max-memory"
        super().__init__(
            f"comparing {texts} exactly needs about {shown_memory(needed)} of memory, and {there_is}"
            f" {shown_memory(limit)}: leave out {option}, compare fewer documents, or try --unit"
            f" word{more}"
        )


FEWER_WORKERS = "use fewer workers, such as -j 1"
"""What to do if memory ran out in a worker."""


class WorkerError(SimdocsError):
    """A worker process could not be started, or ended before its work was done."""

    def __init__(self, what: str, remedy: str = "") -> None:
        """remedy: what to do, if it is not to use fewer workers."""
        super().__init__(f"{what}: {remedy or FEWER_WORKERS}")


class ClusterError(SimdocsError):
    """A cluster cannot be had, its workers cannot do the work, or it ended before the work was done."""


class UnjudgedError(SimdocsError):
    """With `strict`: some documents could not be judged, and nothing was published. skipped: their tally, a Skipped."""

    def __init__(self, skipped: Any) -> None:
        self.skipped = skipped
        why = skipped.unjudged_in_words
        super().__init__(f"--strict: nothing was written, because documents were not compared: {why}")


class ArtifactError(SimdocsError):
    """An artifact is damaged, or has another kind or version than the one that is needed.

    problem: what is wrong, without the remedy.
    remedy: what to do, if it is always the same.
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        self.problem = problem
        super().__init__(f"{problem}: {remedy}" if remedy else problem)


_SHORTENED = Repr()
_SHORTENED.maxstring = 80
"""How values are shown that may be long, such as a list of stop words."""


class ParametersError(ArtifactError):
    """Two artifacts do not have the same parameters, or an artifact and this Python do not.

    name: the artifact. other: what it was compared with. differences: for each parameter that differs, the value of the
    artifact and that of the other. message: the message, if it is not the usual one.
    """

    def __init__(
        self, name: str, other: str, differences: Mapping[str, tuple[object, object]], message: str = ""
    ) -> None:
        self.differences = differences
        each = "; ".join(
            f"{parameter} is {_SHORTENED.repr(mine)}, not {_SHORTENED.repr(theirs)}"
            for parameter, (mine, theirs) in differences.items()
        )
        super().__init__(
            message
            or f"{name}: does not have the parameters of {other}: {each}: build it again with the same parameters"
        )


class LockedError(SimdocsError):
    """Another run is writing the same artifact."""
