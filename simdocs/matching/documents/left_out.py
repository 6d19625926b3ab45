"""Documents with tokens left out: those with no tokens left, and templates that no document has."""

from __future__ import annotations

import numpy as np

from simdocs.errors import mention
from simdocs.model.artifact import Artifact, Shingles
from simdocs.model.documents import EMPTY, IGNORED, Documents
from simdocs.model.skipped import Skip, Skipped
from simdocs.recipes import SignatureRecipe


def report_ignored(documents: Documents, prefix: bytes, skipped: Skipped) -> None:
    """Report each document with no tokens left, and warn if no document has any.

    prefix: the path that is put before their names so that they work in the working directory.
    """
    rows = np.flatnonzero(documents.facts["flags"] & IGNORED)
    skipped.extend(Skip("ignored", documents.raw_name(row), root=prefix) for row in rows.tolist())
    if len(rows) > 1 and len(rows) + documents.flagged(EMPTY) == len(documents):
        skipped.warnings.append(
            f"all tokens of all {len(rows):,} documents are left out, so none is similar to another: see"
            f" {mention('ignore_common')} and {mention('template')}"
        )


def report_useless_template(
    documents: Documents, artifact: Artifact | None, recipe: SignatureRecipe, skipped: Skipped
) -> None:
    """Warn if no document has a token of the templates that were given.

    artifact: where the documents come from; if it has signatures, it has decided what is left out.
    """
    decided_now = artifact is None or isinstance(artifact, Shingles)
    if decided_now and recipe.ignoring.template_digest and documents.tokens and not documents.share_left_out:
        skipped.warnings.append(f"{mention('template')} leaves out nothing: no document has any of its tokens")
