"""The families of formats of files that are read: containers, which hold many documents."""

from __future__ import annotations

from simdocs.parameters.declaration import Family, Member


class ContainerFormat(Member):
    """A format of files that hold many documents.

    suffixes: how the names of such files end, unless they are compressed
    needs: the module of an optional library that reads them, and what for, such as `reading Parquet`; None: Python does
    """

    def __init__(
        self,
        help_text: str,
        implementation: str,
        suffixes: tuple[bytes, ...],
        *,
        needs: tuple[str, str] | None = None,
    ) -> None:
        super().__init__(help_text, implementation)
        self.suffixes, self.needs = suffixes, needs


CONTAINERS = Family(
    {
        "jsonl": ContainerFormat(
            "one JSON object per line", "simdocs.corpora.containers.jsonl:JSON_LINES", (b".jsonl", b".ndjson")
        ),
    }
)

ON_STANDARD_INPUT = "jsonl"
"""The container that standard input is if it is said to be one."""
