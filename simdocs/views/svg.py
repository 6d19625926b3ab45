"""Parts of images in SVG: all text in them is escaped, and all looks come from classes of one style sheet."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import NamedTuple
from xml.sax.saxutils import escape

WIDTH = 680
"""The width of all images, in units of the image."""


class Plot(NamedTuple):
    """The frame of an image, in units of the image: its left, top, width and height."""

    left: int
    top: int
    width: int
    height: int

    @property
    def bottom(self) -> int:
        """The place of the axis."""
        return self.top + self.height

    def x(self, share: float) -> float:
        """The place of a share of the width."""
        return self.left + self.width * share

    def y(self, share: float) -> float:
        """The place of a share of the height, from the axis."""
        return self.bottom - self.height * share


@cache
def style() -> str:
    """The style sheet of all images."""
    return files("simdocs.views").joinpath("report", "figure.css").read_text("utf-8")


def image(name: str, title: str, description: str, height: int, parts: Iterable[str]) -> str:
    """An image with its title and its text alternative. It can stand in a page, or alone with `alone`.

    name: the beginning of the ids of its parts, of which a page has one each.
    """
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 {WIDTH} {height}" role="img"'
            f' aria-labelledby="{name}-title {name}-description">',
            f'<title id="{name}-title">{escape(title)}</title>',
            f'<desc id="{name}-description">{escape(description)}</desc>',
            *parts,
            "</svg>",
        )
    )


def alone(drawn: str, title: str) -> bytes:
    """An image as a file of its own, with its title, the style sheet and a background."""
    head, _, rest = drawn.partition("<title")
    height = int(head.partition('viewBox="0 0 ')[2].split('"')[0].split()[1]) + 40
    head = head.replace(f'viewBox="0 0 {WIDTH} {height - 40}"', f'viewBox="0 -40 {WIDTH} {height}"')
    background = (
        f"<style>{style()}.page{{fill:#fff}}@media (prefers-color-scheme:dark){{.page{{fill:#14181d}}}}"
        ".heading{font-size:17px!important;font-weight:600}</style>"
        f'<rect class="page" y="-40" width="{WIDTH}" height="{height}"/>'
        f'<text class="heading" x="16" y="-12">{escape(title)}</text>'
    )
    described, _, body = f"<title{rest}".partition("</desc>")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}{described}</desc>\n{background}{body}\n'.encode()


def text(x: float, y: float, content: str, kind: str = "") -> str:
    """Some text. kind: its classes."""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(content)}</text>'


def fine(at: int) -> str:
    """The classes of a label below an axis. Every second one is not shown if the letters are large."""
    return "middle soft fine" if at % 2 else "middle soft"


def bar(x: float, y: float, width: float, height: float, kind: str, told: str = "") -> str:
    """A bar. told: what it says when a pointer is on it."""
    title = f"<title>{escape(told)}</title>" if told else ""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect class="{kind}" {place}>{title}</rect>'


def path(kind: str, points: str) -> str:
    """A line."""
    return f'<path class="{kind}" d="{points}"/>'


def shortened(content: str, most: int) -> str:
    """The text with an ellipsis for its beginning if it has more characters than this."""
    return content if len(content) <= most else f"…{content[len(content) - most + 1 :]}"


def amount_ticks(most: int) -> list[int]:
    """Round numbers from 0 to at least this one: at most five, for an axis of counts."""
    step = 1
    while step * 4 < most:
        digits = 10 ** (len(str(step)) - 1)
        step = step * 2 if step != 2 * digits else digits * 5
    return list(range(0, step * 5, step))[: -(-most // step) + 1]
