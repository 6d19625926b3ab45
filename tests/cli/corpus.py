"""A few texts, some nearly the same, and ways to lay them out on disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

A = (
    b"The ferry leaves the northern quay at seven every morning except on Sundays, when it leaves at nine. "
    b"Bicycles are carried free of charge; dogs pay half. In storms the crossing is put off, and a red ball "
    b"is hoisted at the harbour master's office. Tickets are sold on board."
)
"""A text."""

A1 = A.replace(b"half", b"a third")
A2 = A.replace(b"seven", b"eight")
"""Two that are nearly the same as it, and one another."""

B = (
    b"Peel the apples and cut them into eighths. Rub butter into flour and sugar until it looks like crumbs, "
    b"spread it over the fruit and bake for three quarters of an hour. It keeps for two days, if it is let."
)
"""Another text."""


def jaccard(left: bytes, right: bytes, k: int = 9) -> str:
    """The similarity of two ASCII texts as the program prints it."""
    a, b = (
        {text[at : at + k] for at in range(len(text) - k + 1)}
        for text in (b" ".join(whole.lower().split()) for whole in (left, right))
    )
    return f"{len(a & b) / len(a | b):.6f}"


def lay(root: Path, files: Mapping[str, bytes]) -> Path:
    """Write files below root, directories as needed."""
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root
