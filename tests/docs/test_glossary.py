"""docs/glossary.md has each term once, in alphabetical order."""

from __future__ import annotations

import re

from tests.docs.executed import DOCS

GLOSSARY = DOCS / "glossary.md"


def test_terms_are_in_alphabetical_order_and_none_comes_twice() -> None:
    entries = re.findall(r"^- (\*\*.*?)(?:: |:$)", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)
    terms = [re.findall(r"\*\*(.*?)\*\*", entry) for entry in entries]
    firsts = [names[0].lower() for names in terms]
    assert firsts == sorted(firsts)
    every = [name.lower() for names in terms for name in names]
    assert len(set(every)) == len(every) > 40
