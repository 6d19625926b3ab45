"""Questions that build an artifact."""

from collections.abc import Iterator
from typing import Any, ClassVar

from simdocs.errors import Problem, mention
from simdocs.parameters.answers import Summarising, Target
from simdocs.parameters.recipes import Containing, OwnFunctions
from simdocs.parameters.texts import Rereading, Updating
from simdocs.requests.request import Exclusion, Need, Request, RequestRules, only, paths
from simdocs.requests.sources import OWN_FUNCTIONS, BandsRequest, DocumentTokensRequest, SignaturesRequest


class BuildRequest(DocumentTokensRequest):
    """Build an artifact.

    kind: its kind.
    target: its path, or None (from Python) to keep it in memory.
    """

    kind: ClassVar[str] = ""

    target: Target
    updating: Updating


_OF_BUILDS = (
    Need("dry_run", "output", "name the artifact to compare with"),
    Exclusion("lock_wait", "dry_run", f"{mention('dry_run')} takes no lock"),
)


class ShingleRequest(BuildRequest):
    """Make token sets."""

    question = "shingle"
    kind = "shingles"
    rules: ClassVar[RequestRules] = (*DocumentTokensRequest.rules, *_OF_BUILDS)


class SignatureRequest(BuildRequest, SignaturesRequest):
    """Make signatures."""

    question = "signature"
    kind = "signatures"
    upstream = ("shingles",)

    own: OwnFunctions

    rules: ClassVar[RequestRules] = (*SignaturesRequest.rules, *OWN_FUNCTIONS, *_OF_BUILDS)


class IndexRequest(BuildRequest, BandsRequest):
    """Make an index; of an index, one with other bands."""

    question = "index"
    kind = "index"
    upstream = ("shingles", "signatures", "index")

    own: OwnFunctions
    containing: Containing

    rules: ClassVar[RequestRules] = (*BandsRequest.rules, *OWN_FUNCTIONS, *_OF_BUILDS)


class MergeRequest(Request):
    """Merge artifacts of one kind.

    artifacts: their paths, or the artifacts themselves, in the order of their documents.
    target: the path of the artifact that is made, or None (from Python) to keep it in memory.
    """

    question = "merge"

    artifacts: tuple[Any, ...] = ()

    rereading: Rereading = only("root")
    target: Target = only("allow_shrink", "output", "lock_wait")
    summarising: Summarising

    def _check(self) -> Iterator[Problem]:
        self.__dict__["artifacts"], wrong = paths(self.artifacts, or_texts=False)
        yield from wrong
        if not (self.artifacts or wrong):
            yield Problem("nothing to merge: name the artifacts")
