"""The Python functions about artifacts on disk: open, info, check."""

from __future__ import annotations

from typing import cast

from simdocs.api.for_python import encoded_path
from simdocs.artifacts.formats import FORMATS
from simdocs.artifacts.reader import checked, open_artifact, usable
from simdocs.commands.resolve import opened
from simdocs.model.artifact import BandIndex, Shingles, Signatures
from simdocs.model.artifact_facts import ArtifactInfo, CheckResult
from simdocs.values import Path


def info(artifact: Path) -> ArtifactInfo:
    """Read what an artifact holds, and return it as an ArtifactInfo: parameters, arrays and counts.

    Raises ArtifactError or InputError if the artifact cannot be opened.
    """
    from simdocs.commands.info import info as facts_of

    return facts_of(opened(encoded_path(artifact), tuple(FORMATS)))


def check(*artifacts: Path) -> CheckResult:
    """Read all of these artifacts and return a CheckResult, which lists everything that is wrong with them."""
    from simdocs.commands.check import check as check_paths

    return check_paths([encoded_path(artifact) for artifact in artifacts])


def open(artifact: Path) -> Shingles | Signatures | BandIndex:  # noqa: A001  (simdocs.open, as gzip.open)
    """Open an artifact, check all of it, and return it with memory-mapped arrays.

    Raises ArtifactError if it is damaged, and InputError if it does not exist or cannot be read.
    """
    opened = checked(usable(open_artifact(encoded_path(artifact)), FORMATS))
    return cast(Shingles | Signatures | BandIndex, opened)
