"""spark dedupe, pairs, signature: the same questions as on one machine, for documents that a cluster reads."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from simdocs.commands import dedupe as locally
from simdocs.errors import OutputError
from simdocs.names import display_name, is_uri
from simdocs.options.answers import Grouping, Target
from simdocs.options.declaration import Group, option
from simdocs.options.families import FORMATS, KEEP
from simdocs.options.sources import DOCS, Banded, OfSignatures
from simdocs.options.values import FREE_TEXT, PATTERNS, choice, whole

if TYPE_CHECKING:
    from simdocs.engines.engine import Run
    from simdocs.model.result import Result


_PARTS = {name: FORMATS[name] for name in ("parquet", "tsv", "jsonl")}


class OfCluster(Group):
    """The session that is started."""

    spark_master: str = option(FREE_TEXT, default="local[*]", help="Cluster: yarn or spark://HOST:7077.", metavar="URL")
    spark_conf: tuple[str, ...] = option(PATTERNS, default=(), help="Settings of Spark.", metavar="KEY=VALUE")
    partitions: int | None = option(
        whole(1, 1 << 20),
        default=None,
        described="spark.sql.shuffle.partitions",
        help="Number of parts into which documents and pairs are divided.",
        metavar="N",
    )


def output_named(options: Any) -> str:
    """Nothing goes to standard output."""
    outputs = [getattr(options, name, None) for name in ("output", "kept_rows", "removed_rows")]
    return "name the directory of the answer with -o OUT/" if b"-" in outputs or not any(outputs) else ""


def settings_of_spark(options: Any) -> str:
    """Settings have names, and the master has an option of its own."""
    wrong = [each for each in options.spark_conf if not re.match(r"spark\.(?!master=)[^=]+=", each)]
    return f"--spark-conf takes spark.KEY=VALUE, and no spark.master: {wrong[0].partition('=')[0]}" if wrong else ""


class _Parts(Group):
    """Where the answer is written."""

    takes = DOCS
    without = frozenset(("jobs", "strict", "template", "ignore_common"))

    output: bytes | None = Target.options["output"].but(
        help="Write the answer to the new directory OUT. It is complete when it has the file _SUCCESS.",
        metavar="OUT/",
    )

    publishes_itself = True
    """Spark writes the parts of the answer."""


class Signature(_Parts, OfSignatures, OfCluster):
    """Turn documents into signatures on a cluster of Spark.

    DOCS are files, directories and s3:// names that all machines see. OUT gets parts, NAME.signatures, each of whole
    files, of which simdocs merge makes one.
    """

    command = "spark signature"
    examples = (
        "simdocs spark signature data/ -o parts --spark-master yarn",
        "simdocs merge parts/*.signatures -o all.signatures",
    )
    usual = ("unit", "k", "num_perm", "output", "spark_master", "spark_conf", "partitions")
    rules = (output_named, settings_of_spark)


class Pairs(_Parts, Banded, OfCluster):
    """Find all pairs of similar documents on a cluster of Spark.

    DOCS are files, directories and s3:// names that all machines see. OUT gets the rows that simdocs pairs prints, in
    their order, in parts.
    """

    command = "spark pairs"
    examples: ClassVar[Sequence[str]] = ("simdocs spark pairs data/ -o pairs --spark-master yarn",)
    usual = ("threshold", "unit", "k", "output", "format", "spark_master", "spark_conf", "partitions")
    rules = (output_named, settings_of_spark)

    format: str = option(choice(_PARTS), default="parquet", help="Format of the parts.")


class Dedupe(Pairs):
    """Find near-duplicates among documents on a cluster of Spark.

    DOCS are files, directories and s3:// names that all machines see. OUT gets the rows that simdocs dedupe prints, in
    their order, in parts.
    """

    command = "spark dedupe"
    examples = (
        "simdocs spark dedupe data/ -o duplicates --spark-master yarn",
        "simdocs spark dedupe data/ -o found --format tsv --keep longest",
    )
    usual = ("threshold", "unit", "k", "keep", "output", "format", "spark_master", "partitions")

    keep: str = Grouping.options["keep"].but(
        values=choice({name: KEEP[name] for name in ("first", "longest", "shortest")})
    )
    kept_rows: bytes | None = locally.Dedupe.options["kept_rows"].but()
    removed_rows: bytes | None = locally.Dedupe.options["removed_rows"].but()


def target_of(output: bytes) -> str:
    """The name of a directory that Spark writes. OutputError: it exists."""
    path = os.fsdecode(output)
    if is_uri(output):
        return path.replace("s3://", "s3a://", 1)  # the name that Hadoop has for it
    if os.path.lexists(path):
        raise OutputError(f"{display_name(output)}: exists: name a directory that does not")
    return f"file://{os.path.abspath(path)}"


def answer(options: Any, run: Run) -> Result:
    """Do the work on a cluster that is started for it, and publish the parts.

    MissingExtraError, ClusterError: see `session`. OutputError: OUT exists.
    """
    from simdocs.spark.session import session

    if options.output:
        target_of(options.output)  # fails now if it ever does
    with session(options.spark_master, dict(each.partition("=")[::2] for each in options.spark_conf)) as there:
        from simdocs.spark.parts import signatures_written, written

        result = (signatures_written if isinstance(options, Signature) else written)(there, options, run)
        run.conclude(result)
        return result
