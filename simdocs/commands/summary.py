"""What the summaries of several questions say: what was read, and what was left out."""

from __future__ import annotations

from typing import Any

from simdocs.corpora.containers.recognise import looking_like
from simdocs.model.documents import EMPTY, IGNORED, ONE_TEXT, WITHOUT_TOKENS, Documents
from simdocs.model.figures import counted
from simdocs.model.skipped import WITHOUT_ROWS, Skipped, in_short


def facts_read(documents: Documents) -> dict[str, Any]:
    """The number of documents that were read, as values that JSON has."""
    return {
        "documents": len(documents),
        "bytes": int(documents.facts["size"].sum()),
        "empty": documents.flagged(EMPTY),
        "read_as_one_text": documents.flagged(ONE_TEXT),
    }


def read_in_words(documents: Documents, skipped: Skipped) -> str:
    """The numbers of documents that were read and skipped, in words."""
    read = facts_read(documents)
    one_text, rows_are_kept = read["read_as_one_text"], skipped.keeps_rows
    parts = [counted(read["documents"], "document"), counted(read["bytes"], "byte")]
    parts += [f"{read['empty']:,} empty"] if read["empty"] else []
    parts += [f"{one_text:,} read as one text each (no rows with the text field)"] if one_text else []
    parts += [f"{count:,} {'looks' if count == 1 else 'look'} like {name}" for name, count in looking_like(documents)]
    for name, count in skipped.counts.items():
        what = "not compared" if rows_are_kept and name not in WITHOUT_ROWS else "skipped"
        parts.append(f"{count:,} {what}: {in_short(name)}")
    return ", ".join(parts)


def why_so_few(documents: Documents, skipped: Skipped, needed: int) -> str:
    """Why fewer documents than are needed can be compared; empty if there are enough."""
    flags = documents.facts["flags"]
    compared = int(((flags & WITHOUT_TOKENS) == 0).sum())
    if compared >= needed:
        return ""
    if compared:
        same = "again" in skipped.counts
        return "there is only one document" + ", and the other names are of the same file" * same
    without = "all tokens of all documents are left out" if (flags & IGNORED).any() else "all documents are empty"
    return without if len(documents) else "there is no document"


def no_pair(documents: Documents, skipped: Skipped, lacking: str) -> str:
    """A sentence that there are no two texts to compare. lacking: what is not known for that reason."""
    why = why_so_few(documents, skipped, 2) or "no two different texts can be read"
    return f"nothing was compared: {why}, so there is no {lacking}"


def left_out_in_words(documents: Documents, ignored: int) -> list[str]:
    """A line with the number of tokens that are left out; no line if no token is."""
    if not ignored:
        return []
    tokens = f"{ignored:,} {'token is' if ignored == 1 else 'tokens are'}"
    return [f"{tokens} left out of all documents: {documents.share_left_out:.1%} of their tokens"]


def facts_left_out(documents: Documents, ignored: int) -> dict[str, Any]:
    """The number of tokens that are left out, and their fraction, as values that JSON has."""
    return {"ignored_tokens": ignored, "ignored_share": round(documents.share_left_out, 6)}
