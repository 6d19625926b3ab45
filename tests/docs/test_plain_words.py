"""What users and contributors read keeps to the same spelling: pages, help, messages and docstrings."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.docs.executed import ROOT

ROOMS = ("docs", "examples", "simdocs", "benchmarks")
READ = sorted(
    path
    for path in [*ROOT.glob("*"), *(path for room in ROOMS for path in (ROOT / room).rglob("*"))]
    if path.suffix in {".md", ".py"} or path.name == "Makefile"
)
"""The pages, and the sources, whose strings are the help and the messages."""

WITHOUT_ZERO = re.compile(r"""(?<![^\s'"`(\[{=<>|+~±×^-])\.\d+(?!\w|\.\d)""")
"""A fraction such as .8, which begins a word. File suffixes, versions and the specifications of formats do not."""


STUMBLED_OVER = re.compile(
    r"\b(in its stead|from the outset|none such|no such thing|(is|are) had|of theirs|whatever comes|(is|are) told"
    r"|thereof|that is none|are none of|if that bites|do(es)? not go with|goes with|(is|are) others( than)?|in vain"
    r"|br(ings?|ought) (a |one )?warnings?|of which nothing is left|come back with|shall (be|become)"
    r"|from nothing)\b",
    re.IGNORECASE,
)
"""Phrases that readers have stumbled over. Say it as one would aloud: needs, cannot be combined with, from scratch."""


def found(wanted: re.Pattern[str], texts: dict[str, str]) -> Iterator[str]:
    """Yield each line that has what is wanted, with its place."""
    for name, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            if wanted.search(line):
                yield f"{name}:{number}: {line.strip()}"


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Return what each file holds that someone reads."""
    assert len(READ) > 200
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in READ}


def test_decimal_fractions_have_a_zero_before_the_point(texts: dict[str, str]) -> None:
    assert list(found(WITHOUT_ZERO, texts)) == []


def test_no_phrase_that_readers_have_stumbled_over_comes_back(texts: dict[str, str]) -> None:
    assert list(found(STUMBLED_OVER, texts)) == []


@pytest.mark.parametrize("text", ["at .8,", "(.95)", "-t .5", "`.5`", "t=.5", "| .5 |", "-.05", ".5"])
def test_a_fraction_without_a_zero_would_be_found(text: str) -> None:
    assert list(found(WITHOUT_ZERO, {"page": text}))


@pytest.mark.parametrize("text", ["0.8", "simdocs.1", "3.11.2", "f'{x:.2f}'", "*.1", "{x:,.0f}", ".7z", "end.5"])
def test_suffixes_versions_and_formats_are_no_fractions(text: str) -> None:
    assert not list(found(WITHOUT_ZERO, {"page": text}))
