"""Profiles of Hypothesis: the same examples every time, and many more of them with `make test-slow`.

`--hypothesis-profile=explore` draws new examples. `make fuzz` does so, too, in rounds.

The last lines of a run say which tests were skipped for want of something.
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests.amounts import SHORT_EXAMPLES
from tests.runs import eager_workers

if TYPE_CHECKING:
    from tests.spark import Sessions

_LARGE_INPUTS = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "same", derandomize=True, deadline=None, max_examples=SHORT_EXAMPLES, suppress_health_check=_LARGE_INPUTS
)
settings.register_profile(
    "thorough", derandomize=True, deadline=None, max_examples=600, suppress_health_check=_LARGE_INPUTS
)
settings.register_profile("explore", deadline=None, max_examples=2000, suppress_health_check=_LARGE_INPUTS)
settings.register_profile("fuzz", deadline=None, max_examples=300, print_blob=True, suppress_health_check=_LARGE_INPUTS)
settings.load_profile("same")


def pytest_configure() -> None:
    """Let programs that tests start end by ctrl-C and hangups, although the tests run in the background or by nohup."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)  # the tests themselves still go on


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start workers even for a single task: with this, jobs=2 means workers for few documents, too."""
    eager_workers(monkeypatch)


@pytest.fixture(scope="session")
def spark_sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sessions]:
    """The one session of Spark that tests take as the session that is there. Each takes seconds to start."""
    from tests.spark import Sessions

    sessions = Sessions(tmp_path_factory.mktemp("executors"))
    yield sessions
    sessions.close()


@pytest.fixture
def spark(spark_sessions: Sessions) -> Any:
    """A session of Spark that tries a task again, and has few partitions."""
    there = spark_sessions.use()
    there.conf.set("spark.sql.shuffle.partitions", "2")
    yield there
    there.catalog.clearCache()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was not tested, and why, so that nobody takes a run without strace for a whole one."""
    skipped = terminalreporter.stats.get("skipped", ())
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    if reasons:
        terminalreporter.section("NOT TESTED", yellow=True, bold=True)
    for reason, count in sorted(reasons.items()):
        terminalreporter.line(f"{count} tests: {reason}", yellow=True)
