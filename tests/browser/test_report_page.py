"""A report in a real browser: it draws all groups, and lets people search, sort, filter, link and copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise
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
    # A group is found if some of its pairs are within the limits: those of group 0 have 0.9032 and 0.9061.
    view.page.locator("input[type=number]").nth(0).fill("0.904")
    view.until(".row:nth-child(3)", "2 z.txt")
    assert view.text(".row").startswith("0 a.txt")
    view.page.locator("input[type=number]").nth(1).fill("0.905")
    view.until(".status", "1 of 3 groups")
    assert view.text(".row").startswith("0 a.txt")
    view.page.evaluate("location.hash = '#g=1'")
    view.until(".row:nth-child(3)", "2 z.txt")
    assert view.text(".status") == "3 groups"
    view.until(".detail h3", "Group 1")


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a group of 205 documents, of long texts that differ in a few lines, and of a long line."""
    lines = [f"{at:04} is the number of this line" for at in range(3300)]
    other = [line.upper() + "!" if at in (10, 15, 21, 1700, 3299) else line for at, line in enumerate(lines)]
    line = "x" + "".join(f"{at:03}\U0001f600" for at in range(500))
    docs = {f"many/{at:03}": f"{A.decode()} {at:03}".encode() for at in range(205)}
    docs |= {"lines/a": "\n".join(lines).encode(), "lines/b": "\n".join(other).encode()}
    docs |= {"line/a": line.encode(), "line/it's": line.replace("250", "xyz").encode()}
    place = lay(tmp_path_factory.mktemp("odd"), docs)
    page_of(place, *sorted({name.split("/")[0] for name in docs}))
    return place / "page.html"


def test_lines_that_are_the_same_are_folded_but_for_those_around_a_difference(view: Shown, odd: Path) -> None:
    view.open(odd, "#g=1")
    view.until(".documents", "lines/b")
    shown_now = [line.split("\t")[0] for line in view.text(".diff tbody").split("\n")]
    near = [*range(8, 24), *range(1698, 1703), *range(3297, 3300)]
    rows = [f"{at:04} is the number of this line" for at in near]
    folds = ["⋯ 8 lines", "⋯ 1,674 lines", "⋯ 1,594 lines"]
    assert shown_now == [folds[0], *rows[:16], folds[1], *rows[16:21], folds[2], *rows[21:]]
    assert view.count(".diff tr.differs") == 5
    view.page.locator(".fold button").nth(1).click()
    view.page.locator(".fold button").first.click()
    assert view.page.locator(".fold").all_inner_texts() == ["⋯ 174 lines", folds[2]]
    assert view.count(".diff tbody tr") == 8 + 24 + 2 + 1500
    view.page.locator("input[type=checkbox]").check()
    assert view.page.locator(".fold").all_inner_texts() == ["⋯ 1,800 lines"]
    assert view.count(".diff tbody tr") == 1501
    view.page.locator("input[type=checkbox]").uncheck()
    assert view.page.locator(".fold").all_inner_texts() == folds


def test_of_a_long_line_both_ends_are_shown_and_no_character_is_cut(view: Shown, odd: Path) -> None:
    view.open(odd, "#g=0")
    view.until(".tools code", """simdocs compare line/a 'line/it'"'"'s'""")
    begin, end = "x" + "".join(f"{at:03}\U0001f600" for at in range(32)), "499\U0001f600"
    left = view.text(".diff tbody td")
    assert left.startswith(f"{begin}⋯ ")
    assert left.endswith(end)
    more = view.page.locator(".diff .more")
    assert more.all_inner_texts() == ["⋯ 930 characters", "⋯ 927 characters"] * 2
    assert view.page.locator(".diff ins").all_inner_texts() == ["xyz"]
    more.first.click()
    assert view.count(".diff .more") == 3
    assert view.page.locator(".diff td").first.inner_text().startswith(f"{begin}032\U0001f600033")


def test_of_a_large_group_some_documents_are_shown_and_all_if_asked_for(view: Shown, odd: Path) -> None:
    view.open(odd)
    rows = view.page.locator(".documents tbody tr")
    told = ["2 000\n205 documents · 0.97–0.99 · 55 KiB · many/", "0 a\n2 documents · 0.98 · 3.42 KiB · line/"]
    assert view.page.locator(".row").all_inner_texts()[:2] == told
    assert rows.first.inner_text().split("\t") == ["many/000 kept", "", "276 bytes"]
    assert (rows.count(), rows.last.inner_text()) == (201, "show 5 more documents")
    rows.last.locator("button").click()
    assert (rows.count(), rows.last.inner_text().split("\t")[0]) == (205, "many/204")
    rows.last.locator("button").click()
    view.until(".detail h4", "Kept and duplicate 204 of 204")
    assert view.page.url.endswith("#g=2&d=204")
    assert (rows.count(), rows.nth(200).inner_text().split("\t")[0]) == (202, "many/204")
    box, outer = view.page.locator(".documents tr.chosen").bounding_box(), view.page.locator(".members").bounding_box()
    assert outer["y"] <= box["y"] <= box["y"] + box["height"] <= outer["y"] + outer["height"]
    assert "Texts are in this page for the first 50 duplicates of a group." in view.text(".detail")
    view.press("n")
    assert view.page.url.endswith("#g=2&d=204")
    view.press("p")
    view.until(".detail h4", "Kept and duplicate 203 of 204")
    view.open(odd, "#g=2&d=999")
    view.until(".detail h4", "Kept and duplicate 204 of 204")


def test_the_bar_has_its_limits_and_the_command_is_copied(browser: Any, odd: Path) -> None:
    with shown(browser, permissions=["clipboard-read", "clipboard-write"]) as view:
        view.open(odd)
        limits = "all => all.map(each => [each.min, each.max, each.step, each.value].join(' '))"
        assert view.page.locator("input[type=number]").evaluate_all(limits) == ["0 1 0.01 0.8", "0 1 0.01 1"]
        view.page.locator(".tools button").click()
        view.until(".tools button", "Copied")
        assert view.page.evaluate("navigator.clipboard.readText()") == "simdocs compare many/000 many/001"
        view.page.locator(".tools button", has_text="Copy").wait_for()
        assert view.trouble == []


def test_groups_are_sorted_as_asked_and_those_that_are_equal_by_their_place(view: Shown, large: Path) -> None:
    view.open(large)
    data = ReportPage(large.read_bytes()).data
    ends = list(accumulate(data["counts"], initial=0))
    names = [data["names"][begin] for begin in ends[:-1]]
    scores = [data["similarities"][begin - at : end - at - 1] for at, (begin, end) in enumerate(pairwise(ends))]
    freed = [sum(data["sizes"][begin + 1 : end]) for begin, end in pairwise(ends)]
    by: dict[str, Callable[[int], Any]] = {
        "bytes": lambda at: -freed[at],
        "least": lambda at: min(scores[at]),
        "most": lambda at: -max(scores[at]),
        "name": names.__getitem__,
        "number": data["numbers"].__getitem__,
        "size": int,
    }
    for name, key in by.items():
        view.page.locator("select").first.select_option(name)
        first = [str(data["numbers"][at]) for at in sorted(range(len(names)), key=key)[:10]]
        assert view.page.locator(".row .number").all_inner_texts()[:10] == first, name


def test_keys_move_by_pages_and_keep_the_chosen_group_in_sight(view: Shown, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(report(answer_with(300), report_size=0).html())
    view.open(page)
    view.page.locator("select").first.select_option("number")
    view.page.locator(".list").focus()
    view.press("Home")
    outer = view.page.locator(".list").bounding_box()
    page_by = 11  # rows of a page, but one
    for keys, group in (
        (["PageDown"] * 3, 3 * page_by),
        (["j"] * 20, 53),
        (["PageUp"], 53 - page_by),
        (["k"] * 9, 33),
        (["End"], 299),
        (["ArrowUp"] * 30, 269),
        (["Home"], 0),
    ):
        view.press(*keys)
        view.until(".row[aria-selected=true]", f"{group} ")
        assert view.page.url.endswith(f"#g={group}")
        box = view.page.locator(".row[aria-selected=true]").bounding_box()
        assert outer["y"] - 1 <= box["y"] <= box["y"] + box["height"] <= outer["y"] + outer["height"] + 2


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
