"""The result of tune: what bands find by similarity, and how similar the documents are to each other."""

from __future__ import annotations

from typing import Any

from simdocs.model.result import Result, Table
from simdocs.options.file_formats import FILE_FORMATS
from simdocs.options.recipes import Banding

STEPS = 20
"""Pairs are counted by the twentieth in which their similarity is; 1 is one of its own."""


class Tuning(Result):
    """What the bands find, and which options suit the documents. Its rows are for every twentieth of the similarity.

    banding: the bands, and what they were chosen for.
    pairs: the estimated number of pairs in each twentieth, (21,); none without two different texts.
    next: the call that is proposed; empty if there is none.
    """

    def __init__(self, table: Table, banding: Banding, pairs: tuple[int, ...], following: str, **more: Any) -> None:
        super().__init__("tune", table, **more)
        self.banding, self.pairs, self.next = banding, pairs, following

    def svg(self) -> bytes:
        """The S-curve, and below it how similar the documents are, as an image in SVG."""
        image: bytes = FILE_FORMATS["curve.svg"].load()(self)
        return image
