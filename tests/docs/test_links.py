"""Links between the pages lead to files and headings that exist, as do names of files; every page can be reached."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.executed import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").rglob("*.md")])
NOT_FOR_READERS = {"docs/formats.head.md"}
"""The file from which a page is generated."""


def links(page: Path) -> list[str]:
    """Return the targets of a page's links, without those on the web."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r"`[^`\n]*`", "", prose)
    return [target for target in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", prose) if "://" not in target]


def anchors(page: Path) -> set[str]:
    """Return the names by which a page's headings can be linked to, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_existing_files_and_headings(page: Path) -> None:
    for target in links(page):
        path, _, heading = target.partition("#")
        leads_to = (page.parent / path).resolve() if path else page
        assert leads_to.exists(), target
        assert not heading or heading in anchors(leads_to), target


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, new = set(), [ROOT / "README.md"]
    while new:
        page = new.pop()
        reached.add(page)
        targets = [(page.parent / target.partition("#")[0]).resolve() for target in links(page)]
        new += [target for target in targets if target.suffix == ".md" and target not in reached]
    assert {str(page.relative_to(ROOT)) for page in PAGES if page not in reached} == NOT_FOR_READERS


def test_files_that_the_architecture_names_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/]+\.(?:py|c|h|html|js))`", text))
    there = [
        f"/{path.relative_to(ROOT)}" for room in ("simdocs", "tests", "docs") for path in (ROOT / room).rglob("*.*")
    ]
    assert len(named) > 60
    assert [name for name in sorted(named) if not any(path.endswith(f"/{name}") for path in there)] == []
