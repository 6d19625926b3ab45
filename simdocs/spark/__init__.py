"""A cluster's flow: the questions about near-duplicates for documents that the workers of Spark read.

    dedupe      which documents are nearly the same, and which of them to keep
    pairs       which pairs of documents are similar
    signature   signatures of documents, in parts for simdocs.merge

Each takes the SparkSession that is there, which may be one of Spark Connect. Nothing per document is collected.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from simdocs.model.skipped import Skipped


class Answer(NamedTuple):
    """What was found, as DataFrames that the session holds: `spark.catalog.clearCache()` frees them.

    rows: what `simdocs dedupe` or `simdocs pairs` prints, in its order: (kept, duplicate, jaccard, estimate), or
        (document, other, jaccard, estimate). Names that are not UTF-8 keep their bytes.
    skipped: the documents that were not compared: (reason, name, detail, line).
    read: how many documents were read, and how many of them are empty: (documents, empty), one row.
    """

    rows: Any
    skipped: Any
    read: Any


def dedupe(spark: Any, *documents: Any, **options: Any) -> Answer:
    """Find near-duplicates among files, directories and s3:// names that all workers see.

    options: those of `simdocs spark dedupe`, such as threshold=0.9, but not those of the session and the output.
    Raises UsageError, InputError, and what Spark raises.
    """
    from simdocs.spark.answers import found
    from simdocs.spark.commands import Dedupe

    return found(spark, Dedupe(documents=documents, **_UNNAMED, **options), Skipped())


def pairs(spark: Any, *documents: Any, **options: Any) -> Answer:
    """Find all pairs of similar documents: see `dedupe`."""
    from simdocs.spark.answers import found
    from simdocs.spark.commands import Pairs

    return found(spark, Pairs(documents=documents, **_UNNAMED, **options), Skipped())


def signature(spark: Any, *documents: Any, output: Any, **options: Any) -> int:
    """Write signatures of documents to parts, NAME.signatures below `output`. Return how many documents were signed.

    Raises OutputError: the output exists. See `dedupe` for others.
    """
    from simdocs.spark.commands import Signature
    from simdocs.spark.parts import signed

    return signed(spark, Signature(documents=documents, output=output, **options), Skipped())


_UNNAMED: dict[str, Any] = {"output": os.devnull}
"""What the rules of a command ask for, and a caller does not need."""
