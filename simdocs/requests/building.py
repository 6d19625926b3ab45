"""Questions that build an artifact."""

from typing import ClassVar

from simdocs.errors import mention
from simdocs.parameters.answers import Target, Updating
from simdocs.parameters.recipes import Containing
from simdocs.requests.request import Exclusion, Need, RequestRules
from simdocs.requests.sources import BandsRequest, DocumentTokensRequest, SignaturesRequest


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
    Exclusion("keep_unreadable", "rebuild", "a rebuild takes nothing from the artifact"),
    # What cannot be read is not counted. So other tokens may be common, and nothing of the artifact would fit.
    Exclusion(
        "keep_unreadable",
        "ignore_common",
        f"which tokens are common depends on the documents that cannot be read; use {mention('template')}",
    ),
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
    rules: ClassVar[RequestRules] = (*SignaturesRequest.rules, *_OF_BUILDS)


class IndexRequest(BuildRequest, BandsRequest):
    """Make an index; of an index, one with other bands."""

    question = "index"
    kind = "index"
    upstream = ("shingles", "signatures", "index")

    containing: Containing

    rules: ClassVar[RequestRules] = (*BandsRequest.rules, *_OF_BUILDS)
