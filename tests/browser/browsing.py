"""A real browser that shows pages from files: Debian's Chromium, driven by Playwright, without a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
"""The rules of accessibility: `npm install --no-save axe-core` puts them here."""


class Shown:
    """A page in a browser, with everything that went wrong, and what it asked for.

    page: the page of Playwright. trouble: errors, and messages on the console. requests: addresses but its own.
    """

    def __init__(self, page: Any) -> None:
        self.page = page
        self.trouble: list[str] = []
        self.requests: list[str] = []
        self._own = ""
        page.on("console", lambda message: self.trouble.append(message.text))
        page.on("pageerror", lambda error: self.trouble.append(str(error)))
        page.on("dialog", lambda dialog: self.trouble.append(dialog.message))
        page.on("request", lambda request: self._own in request.url or self.requests.append(request.url))

    def open(self, path: Path, part: str = "", *, runs: bool = True) -> None:
        """Show this page. runs: wait until its script has drawn the groups."""
        self._own = path.as_uri()
        self.page.goto(f"{path.as_uri()}{part}")
        if runs:
            self.page.wait_for_selector("html[data-ready]")

    def count(self, selector: str) -> int:
        """How many elements there are."""
        number: int = self.page.locator(selector).count()
        return number

    def text(self, selector: str) -> str:
        """The text of an element."""
        text: str = self.page.locator(selector).first.inner_text()
        return text

    def press(self, *keys: str) -> None:
        """Press these keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def until(self, selector: str, text: str) -> None:
        """Wait until an element with this text is there."""
        self.page.locator(selector, has_text=text).first.wait_for()


@contextmanager
def a_browser() -> Iterator[Any]:
    """A browser, which is closed at the end; the test is skipped if there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright here: pip install playwright")
    if CHROMIUM is None:
        pytest.skip("no browser here: apt-get install chromium")
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def shown(browser: Any, **how: Any) -> Iterator[Shown]:
    """An empty page. how: of the context, such as its color_scheme."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, "offline": True} | how)
    try:
        yield Shown(context.new_page())
    finally:
        context.close()
