"""simdocs signature: signatures of documents or of token sets."""

from __future__ import annotations

from typing import Any

import click

from simdocs.cli import options as declared
from simdocs.cli.building import build
from simdocs.cli.help import Command


@click.command(
    cls=Command,
    examples=(
        "simdocs signature docs.shingles -o docs.signatures",
        "simdocs signature docs/ --unit word --num-perm 256 -o docs.signatures",
    ),
)
@declared.documents
@declared.sequences
@declared.shingling
@declared.normalisation
@declared.signing
@declared.output
@declared.running
@declared.lock_wait
def signature(**options: Any) -> int:
    """Make signatures, whose agreement estimates the similarity of documents.

    DOCS are files, directories (walked), or - for standard input; or one artifact X.shingles. The signatures are
    written to -o NAME.signatures: signatures.npy in it has a row of K numbers a document.
    """
    return build("signatures", options)
