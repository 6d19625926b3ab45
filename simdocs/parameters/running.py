"""Parameters about how the work is done: where it runs, and what is an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simdocs.errors import mention
from simdocs.parameters.declaration import RUN, Group, parameter
from simdocs.parameters.families import ENGINES
from simdocs.parameters.values import Choice, Flag, FreeText, Whole


class Settings:
    """Any number of settings, each as KEY=VALUE; on a command line one at a time, in Python also as a mapping.

    prefix: how each key begins. A value may be secret, so no message shows it.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.wanted = f"KEY=VALUE, with a KEY that begins with {prefix}"

    def check(self, value: Any) -> tuple[str, ...]:
        """The settings, each as KEY=VALUE. Of several with one key, the last counts."""
        given = [f"{key}={each}" for key, each in value.items()] if isinstance(value, Mapping) else value
        each = given if isinstance(given, tuple | list) else (given,)
        return tuple(f"{key}={its}" for key, its in dict(map(self._split, each)).items())

    def parse(self, text: str) -> str:
        """One setting."""
        return "=".join(self._split(text))

    def _split(self, setting: Any) -> tuple[str, str]:
        key, equals, value = setting.partition("=") if isinstance(setting, str) else ("", "", "")
        if not equals or not key.startswith(self._prefix) or key == self._prefix or "\0" in setting:
            raise ValueError(self.wanted)
        return key.strip(), value

    def shown(self, given: object) -> object:
        """What messages show of a wrong value."""
        first = next(iter(given), "") if isinstance(given, tuple | list | Mapping) else given
        return first.partition("=")[0] if isinstance(first, str) else first


class Running(Group, section=RUN):
    """How the work is done.

    jobs: worker processes, or tasks of Spark at a time; None: as many as there are cores.
    engine: where the work runs.
    spark_master, spark_conf: the cluster and the settings of the session that is made for it, if there is none.
    strict: whether it is an error if a document cannot be judged.
    """

    jobs: int | None = parameter(
        Whole(1, 1024),
        default=None,
        described="all cores",
        help="Number of worker processes.",
    )
    engine: str = parameter(
        Choice(ENGINES),
        default="local",
        help=f"Where the work runs. The answer is the same. With spark, {mention('jobs')} is the number of tasks at a"
        " time.",
    )
    spark_master: str | None = parameter(
        FreeText(),
        default=None,
        described="local[*]; or that of spark-submit",
        help="Cluster of Spark, such as yarn or spark://HOST:7077.",
    )
    spark_conf: tuple[str, ...] = parameter(
        Settings("spark."), default=(), help="Setting of Spark. This option may be repeated."
    )
    strict: bool = parameter(
        Flag(), default=False, help="Write nothing and exit with 2 if a document could not be compared."
    )
