"""What is said on standard error, and to whom; and how long it may be."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from simdocs.model.skipped import Skip
from simdocs.views import messages
from simdocs.views.messages import Teller


def teller(*, quiet: bool = False, verbose: bool = False, summary: bool = False) -> Teller:
    options: Any = SimpleNamespace(quiet=quiet, verbose=verbose, summary=summary)
    return Teller(options)


def everything(told: Teller) -> None:
    """Say one thing of each kind, and some of them twice."""
    skipped = told.skipped(lambda: messages.say("bar closed"))
    skipped.add(Skip("unreadable", b"gone", ""))
    explain = told.explain(lambda: messages.say("bar closed"))
    explain("a step")
    explain("a detail", detail=True)
    skipped.warnings += ["a step", "a warning", "a warning"]
    told.skips(skipped)
    told.summary(["a step", "a warning", "1 document"])
    told.outputs({"b", "a", None}, {"c\n", "b"})
    told.notes(["a note"])


STEP, SKIP = ["bar closed", "simdocs: a step"], "simdocs: gone: skipped: cannot be read"
WARNING, SUMMARY, NOTE = ["simdocs: warning: a warning"], ["1 document"], ["simdocs: a note"]
OUTPUTS = ["a: written", "b: replaced", r"c\n: replaced"]
DETAILED = ["bar closed", SKIP, *STEP, "bar closed", "simdocs: a detail", *WARNING, *SUMMARY, *OUTPUTS, *NOTE]


@pytest.mark.parametrize(
    ("terminal", "how", "said"),
    [
        (False, {}, [SKIP, "simdocs: warning: a step", *WARNING, *NOTE]),
        (False, {"summary": True}, [SKIP, "simdocs: warning: a step", *WARNING, *SUMMARY, *NOTE]),
        (True, {}, [*STEP, SKIP, *WARNING, *SUMMARY, *OUTPUTS, *NOTE]),
        (False, {"verbose": True}, DETAILED),
        (True, {"verbose": True}, DETAILED),
        (True, {"quiet": True}, []),
    ],
)
def test_each_line_is_said_once_and_only_to_whom_it_is_for(terminal, how, said, capfd, monkeypatch):
    monkeypatch.setattr(messages, "on_terminal", lambda: terminal)
    everything(teller(**how))
    assert capfd.readouterr().err.splitlines() == said


def test_a_long_word_and_a_long_line_of_an_error_are_cut_in_the_middle(capfd):
    cases = {
        "a" * 1000: "a" * 1000,
        "a" * 500 + "b" * 501: f"{'a' * 500}...{'b' * 500}",
        "a " * 4000: "a " * 4000,
        "a\n" + "b " * 4000: f"a {'b ' * 1999}...{'b ' * 2000}",
    }
    for text, shown in cases.items():
        messages.error(text)
        assert capfd.readouterr().err == f"simdocs: error: {shown}\n"
