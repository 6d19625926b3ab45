"""A toy container: texts between form feeds. A text may begin with an id and a colon; without a colon it has no text.

A file that begins with a brace is no such file. The toy is no alias of another member: its locators count texts and not
bytes, and it never holds its file open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate

from simdocs.corpora.containers.container import ContainerFile, Locator, OneText, Part, PartDocuments
from simdocs.corpora.containers.fields import missing_text
from simdocs.corpora.files import read
from simdocs.corpora.identity import NO_FILE
from simdocs.model.skipped import Skip
from simdocs.options.texts import Sequences

CHINESE = "gb18030"
"""An encoding in which many characters have two bytes that have three in UTF-8."""

IN_A_PART = 4
"""Texts in a part."""


class FormFeeds:
    noun = "page"

    def parts(self, file: ContainerFile, fields: Sequences) -> Iterator[Part]:
        data, stamp = (file.held, NO_FILE) if file.held is not None else read(file.name, file.limit, follow=file.follow)
        if data.startswith(b"{"):
            raise OneText("it begins with a brace")
        pages = data.split(b"\f")
        for at in range(0, len(pages), IN_A_PART):
            some = pages[at : at + IN_A_PART]
            yield Part(
                container="toycontainer",
                name=file.name,
                data=b"\f".join(some),
                start=at,
                extent=len(some),
                first=at + 1,
                count=len(some),
                stamp=stamp,
                limit=file.limit,
                read_to=sum(map(len, pages[: at + IN_A_PART])),
            )

    def documents(self, part: Part, fields: Sequences) -> PartDocuments:
        found = PartDocuments()
        for number, page in enumerate(part.data.split(b"\f"), part.first):
            if part.wanted is not None and number not in part.wanted:
                continue
            its_id, colon, text = page.partition(b":")
            if not colon:
                found.fields = "no colon"
                detail = missing_text(self.noun, fields.text_field[0], "no colon")
                found.textless.append(Skip("malformed", part.name, detail, number, noun=self.noun))
                continue
            found.has_text_field = True
            found.locators.append(Locator(number - 1, 1, number))
            found.ids.append(its_id or None)
            found.texts.append(text)
        return found


TOY_CONTAINER = FormFeeds()


class ChineseFeeds(FormFeeds):
    """The same in another encoding. Its locators are intervals of bytes, which may be shorter than the texts."""

    def parts(self, file: ContainerFile, fields: Sequences) -> Iterator[Part]:
        at = 0
        for part in super().parts(file, fields):
            yield replace(part, container="toybytes", start=at, extent=len(part.data))
            at += len(part.data) + 1

    def documents(self, part: Part, fields: Sequences) -> PartDocuments:
        found = super().documents(part, fields)
        pages = part.data.split(b"\f")
        starts = [0, *accumulate(len(page) + 1 for page in pages)]
        places = [number - part.first for _, _, number in found.locators]
        found.locators = [
            Locator(part.start + starts[place], len(pages[place]), part.first + place) for place in places
        ]
        found.texts = [text.decode(CHINESE).encode() for text in found.texts]
        return found


TOY_OF_BYTES = ChineseFeeds()
