"""What is said on standard error, and to whom; and how long it may be."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from simdocs.model.skipped import UNJUDGED, Skip
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


SKIPS = {
    Skip("binary", b"a"): "a: skipped: a binary file (a NUL byte in the first 8 KiB)",
    Skip("binary", b"a", "a tar archive"): "a: skipped: a tar archive",
    Skip("malformed", b"a", "no text", 3): "a, line 3: skipped: no text",
    Skip("malformed", b"a", "no text", 3, b"/r", "row"): "/r/a, row 3: skipped: no text",
    Skip("oversized", b"a", "9 bytes"): "a: skipped: larger than --max-size (9 bytes)",
    Skip("named", b"a", "a device"): "a: skipped: a device",
    Skip("uninstalled", b"a", "needs x"): "a: skipped: needs x",
    Skip("unverified", b"a", "gone"): "a: skipped: its file is gone",
    Skip("unverified", b"a", "changed"): "a: skipped: its text has changed since it was read",
    Skip("unverified", b"a", "locked"): "a: skipped: its text cannot be read again (locked)",
    Skip("left", b"a", "it is gone"): "a: left as it is: it is gone",
    Skip("capped", b"a"): "a: kept, but not compared with all documents kept before it (--max-candidates)",
}


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("keeps_rows", [False, True])
def test_why_a_document_is_skipped_is_one_line(capfd, verbose, keeps_rows):
    told, every = teller(verbose=verbose), list(SKIPS)
    skipped = told.skipped(lambda: None)
    skipped.keeps_rows, skipped.explained = keeps_rows, {"named"}
    skipped.extend(every)
    told.skips(skipped)
    said = [f"simdocs: {SKIPS[skip]}" for skip in every]
    if keeps_rows:
        said = [line.replace("3: skipped", "3: not compared, and kept") for line in said]
    if not verbose:
        said = [
            line for line, skip in zip(said, every, strict=True) if skip.reason in UNJUDGED and skip.reason != "named"
        ]
    found = capfd.readouterr().err.splitlines()
    assert (found.pop(), sorted(found)) == ("simdocs: warning: a skipped: needs x", sorted(said))


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
