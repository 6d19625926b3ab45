"""Read a report as a browser would: its elements, its text, and the data that its script decodes."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any


class ReportPage(HTMLParser):
    """A page.

    elements: the name and the attributes of each element, in order.
    text: all text that people see without the script.
    scripts: the type and the content of each script.
    """

    def __init__(self, drawn: bytes) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[str, str]] = []
        self.styles: list[str] = []
        self._said: list[str] = []
        self._in = ""
        self.feed(drawn.decode("utf-8"))
        self.close()
        self.text = " ".join("".join(self._said).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._in = tag
        if tag == "script":
            self.scripts.append((dict(attrs).get("type") or "", ""))

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in == "script":
            kind, content = self.scripts[-1]
            self.scripts[-1] = kind, content + data
        elif self._in == "style":
            self.styles.append(data)
        else:
            self._said.append(data)

    @property
    def policy(self) -> dict[str, list[str]]:
        """The content security policy."""
        (content,) = [
            found["content"] or ""
            for tag, found in self.elements
            if tag == "meta" and found.get("http-equiv") == "Content-Security-Policy"
        ]
        return {name: allowed for name, *allowed in (part.split() for part in content.split(";"))}

    @property
    def packed(self) -> list[Any]:
        """What the script decodes: the groups, and then the blocks of texts."""
        return [
            json.loads(gzip.decompress(base64.b64decode(content)))
            for kind, content in self.scripts
            if kind == "application/octet-stream"
        ]

    @property
    def data(self) -> dict[str, Any]:
        """The groups."""
        found: dict[str, Any] = self.packed[0]
        return found

    @property
    def texts(self) -> dict[str, Any]:
        """The texts of all groups, by the place of the group."""
        return {place: each for block in self.packed[1:] for place, each in block.items()}

    @property
    def pairs(self) -> list[tuple[str, str, float]]:
        """The names of each kept document and its duplicate, and their similarity."""
        found, data = [], self.data
        begin, at = 0, 0
        for count in data["counts"]:
            for place in range(begin + 1, begin + count):
                found.append((data["names"][begin], data["names"][place], data["similarities"][at] / 1e6))
                at += 1
            begin += count
        return found


def digest(content: str) -> str:
    """The source that allows this content in a policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def loads_anything(page: ReportPage) -> list[tuple[str, str, str | None]]:
    """Each attribute that could load or run something."""
    return [
        (tag, name, value)
        for tag, found in page.elements
        for name, value in found.items()
        if name in ("src", "srcset", "data", "poster", "background", "style", "action", "formaction", "srcdoc")
        or name.startswith("on")
        or (name in ("href", "xlink:href") and not re.match("#", value or ""))
    ]
