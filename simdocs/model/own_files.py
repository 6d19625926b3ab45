"""How simdocs recognises its own files: drafts by their names, artifacts by the first bytes of their manifest."""

from __future__ import annotations

DRAFT_PREFIX = ".simdocs-tmp-"
"""The beginning of the name of a draft: a file or directory that is being written, or that a killed run left behind."""


def is_manifest(head: bytes) -> bool:
    """Whether a file that begins with these bytes is the manifest of an artifact."""
    return head.startswith(b'{\n "format": "simdocs.')
