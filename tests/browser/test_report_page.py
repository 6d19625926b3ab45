"""A report in a real browser: it draws all groups, and lets people search, sort, filter, link and copy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simdocs import report
from tests.browser.browsing import AXE, Shown, a_browser, shown
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import simdocs
from tests.cli.test_report import HOSTILE
from tests.report_pages import ReportPage
from tests.saved_groups import DIRECTORIES, answer_with

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.xdist_group("browser")]

LINES = "word => getComputedStyle(word).textDecorationLine"


NOTES = {
    "docs/long.txt": b"\n".join(b"line %d of the long text" % at for at in range(40)),
    "docs/long-too.txt": b"\n".join(b"line %d of the long text" % at for at in range(40)).replace(b"20", b"twenty"),
}


def page_of(place: Path, *documents: str) -> None:
    """Write the report about these documents to page.html."""
    simdocs("dedupe", *documents, "-q", "-o", "x.answer", cwd=place)
    simdocs("report", "x.answer", "-q", "-o", "page.html", cwd=place)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with a_browser() as found:
        yield found


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of three groups: of A and two like it, of two copies of B, and of a long text."""
    docs = {"docs/a.txt": A, "docs/b.txt": A1, "new/c.txt": A2, "docs/z.txt": B, "new/d.txt": B} | NOTES
    place = lay(tmp_path_factory.mktemp("small"), docs)
    page_of(place, "docs", "new", "-t", "0.5")
    return place / "page.html"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of 100,000 groups, without texts."""
    path = tmp_path_factory.mktemp("large") / "page.html"
    path.write_bytes(report(answer_with(100_000), report_size=0).html())
    return path


@pytest.fixture
def view(browser: Any) -> Iterator[Shown]:
    """A page. At the end, nothing may have gone wrong, and nothing may have been asked for."""
    with shown(browser) as found:
        yield found
        assert (found.trouble, found.requests) == ([], [])


def test_the_first_group_is_shown_with_its_texts(view: Shown, small: Path) -> None:
    view.open(small)
    assert view.text(".status") == "3 groups"
    assert view.text("#shown") == "What differs is shown for all 4 pairs."
    assert [each.split("\n")[0] for each in view.page.locator(".row").all_inner_texts()] == [
        "0 a.txt",
        "1 long-too.txt",
        "2 z.txt",
    ]
    assert view.text(".detail h3") == "Group 0"
    assert view.page.locator(".diff del").all_inner_texts() == ["half"]
    assert view.page.locator(".diff ins").all_inner_texts() == ["a third"]
    assert view.page.locator(".documents tr.chosen td").first.inner_text() == "docs/b.txt"


def test_keys_choose_groups_and_pairs_and_the_address_names_them(view: Shown, small: Path) -> None:
    view.open(small)
    view.page.locator(".list").focus()
    view.press("n")
    view.until(".documents tr.chosen", "new/c.txt")
    assert view.page.url.endswith("#g=0&d=2")
    view.press("p", "p", "ArrowDown", "ArrowDown", "ArrowDown")
    view.until(".detail h3", "Group 2")
    assert view.page.url.endswith("#g=2")
    assert "The texts are equal." in view.text(".detail")
    view.press("Home")
    view.until(".detail h3", "Group 0")
    view.press("/")
    assert view.page.locator("input[type=search]").evaluate("input => input === document.activeElement")
    view.press("Escape")
    assert view.page.locator(".list").evaluate("list => list === document.activeElement")


def test_search_and_filters_choose_groups(view: Shown, small: Path) -> None:
    view.open(small)
    view.page.fill("input[type=search]", "NEW/ d.txt")
    view.until(".status", "1 of 3 groups")
    assert view.text(".row").startswith("2 z.txt")
    view.until(".detail h3", "Group 2")
    assert view.page.url.endswith("#g=2")
    view.page.fill("input[type=search]", "no such name")
    view.until(".status", "0 of 3 groups")
    assert view.text(".detail") == ""
    view.page.fill("input[type=search]", "")
    view.until(".status", "3 groups")
    view.until(".detail h3", "Group 0")
    view.page.locator("select").nth(1).select_option("new")
    view.until(".status", "2 of 3 groups")
    view.page.locator("select").nth(1).select_option("")
    view.page.locator("input[type=number]").nth(0).fill("1")
    view.until(".status", "1 of 3 groups")
    assert view.text(".row").startswith("2 z.txt")
    view.page.evaluate("location.hash = '#g=1'")
    view.until(".status", "3 groups")
    view.until(".detail h3", "Group 1")


def test_hostile_names_and_texts_stay_text(view: Shown, tmp_path: Path) -> None:
    lay(tmp_path, {f"docs/{name.decode('utf-8', 'surrogateescape')}": text for name, text in HOSTILE.items()})
    page_of(tmp_path, "docs", "-t", "0.5")
    view.open(tmp_path / "page.html")
    names = ReportPage((tmp_path / "page.html").read_bytes()).data["names"]
    for at in range(1, len(HOSTILE)):
        if at > 1:
            view.press("n")
        view.until(".documents tr.chosen", names[at])
    view.page.locator(".documents button", has_text="{{ 7*7 }}&amp;.txt").click()
    view.until(".documents tr.chosen", "{{ 7*7 }}&amp;.txt")
    view.until(".diff ins", "</script><script>alert(1)</script><!-- {{ 7*7 }} &lt; \\u202e\\xff\\x1b[31m")
    assert view.count("img") == 0


def test_a_hundred_thousand_groups_are_searched_sorted_and_scrolled_with_few_elements(view: Shown, large: Path) -> None:
    view.open(large)
    assert view.text(".status") == "100,000 groups"
    assert view.count("#app *") < 400
    assert view.page.locator(".row").first.get_attribute("aria-setsize") == "100000"
    view.page.fill("input[type=search]", "ferry-council")
    view.until(".status", " of 100,000 groups")
    view.page.fill("input[type=search]", "-099999")
    view.until(".status", "1 of 100,000 groups")
    view.page.fill("input[type=search]", "")
    view.until('.row[aria-setsize="100000"]', "documents")
    view.page.locator("select").first.select_option("number")
    view.page.locator(".list").focus()
    view.press("End")
    view.until(".row[aria-selected=true]", "99999")
    view.until(".detail h3", "Group 99999")
    view.page.locator("select").nth(1).select_option(DIRECTORIES[0])
    view.until(".status", " of 100,000 groups")
    view.open(large, "#g=77777")
    view.until(".detail h3", "Group 77777")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 420])
def test_the_page_has_no_fault_of_accessibility(browser: Any, small: Path, scheme: str, width: int) -> None:
    if not AXE.exists():
        pytest.skip("no axe-core here: npm install --no-save axe-core")
    with shown(browser, color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True) as view:
        view.open(small)
        view.until(".documents", "kept")
        view.page.add_script_tag(path=str(AXE))
        found = view.page.evaluate("axe.run()")
    assert [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found["violations"]] == []
    assert len(found["passes"]) > 20


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_comparison_is_a_page_without_faults(browser: Any, tmp_path: Path, scheme: str) -> None:
    lay(tmp_path, {"a.txt": A, "b.txt": A1})
    simdocs("compare", "a.txt", "b.txt", "--passages", "-o", "page.html", cwd=tmp_path)
    with shown(browser, color_scheme=scheme, bypass_csp=True) as view:
        view.open(tmp_path / "page.html", runs=False)
        view.until(".diff ins", "a third")
        if AXE.exists():
            view.page.add_script_tag(path=str(AXE))
            assert view.page.evaluate("axe.run()")["violations"] == []
    with shown(browser, viewport={"width": 420, "height": 800}) as view:
        view.open(tmp_path / "page.html", "#place-1", runs=False)
        assert view.page.evaluate("document.documentElement.scrollWidth") <= 420
        # Paper has no colours behind words.
        view.page.emulate_media(media="print")
        lines = [view.page.locator(f".diff {tag}").first.evaluate(LINES) for tag in ("del", "ins")]
        assert lines == ["line-through", "underline"]
        assert (view.trouble, view.requests) == ([], [])
