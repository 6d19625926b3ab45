"""Figures of a report about directories: what is kept in each, and which have duplicates of which."""

from __future__ import annotations

import math

from simdocs.model.figures import counted, size
from simdocs.model.report import Report
from simdocs.model.report_counts import DirectoryShare, directory_pairs, directory_shares
from simdocs.options.families import FIGURES
from simdocs.views.svg import WIDTH, bar, image, shortened, text

_ROW = 44
"""The height of a directory with its two bars."""

_LEFT = 200
"""The width of the names of directories."""

_LETTER = 8.0
"""The width of a bold letter or digit, on average."""


def removed(report: Report) -> str:
    """Bars of the documents and bytes that are kept and that are duplicates, by directory."""
    shares = directory_shares(report)
    if not shares:
        return ""
    labels = [
        (
            f"{each.duplicates:,} of {each.documents:,}{' — more than half' * each.is_mostly_removed}",
            f"{size(each.duplicate_bytes)} of {size(each.bytes)}",
        )
        for each in shares
    ]
    width = WIDTH - _LEFT - 20 - _LETTER * max(len(line) for each in labels for line in each)
    most, largest = max(each.documents for each in shares), max(1, *(each.bytes for each in shares))
    parts = [
        bar(_LEFT, 4, 11, 11, "kept"),
        text(_LEFT + 17, 14, "kept", "soft"),
        bar(_LEFT + 70, 4, 11, 11, "duplicate"),
        text(_LEFT + 87, 14, "duplicates", "soft"),
        text(_LEFT + 180, 14, "upper bar: documents, lower bar: bytes", "soft"),
    ]
    for at, each in enumerate(shares):
        y, told = 28 + at * _ROW, _told(each)
        parts.append(text(_LEFT - 10, y + 20, shortened(each.name, 26), "end"))
        for row, (whole, part, scale) in enumerate(
            ((each.documents, each.duplicates, most), (each.bytes, each.duplicate_bytes, largest))
        ):
            kept, gone = (width * value / scale for value in (whole - part, part))
            high = 14 if row == 0 else 7
            parts.append(bar(_LEFT, y + row * 17, kept, high, "kept", told))
            parts.append(bar(_LEFT + kept, y + row * 17, gone, high, "duplicate", told))
        beyond = _LEFT + width * max(each.documents / most, each.bytes / largest) + 10
        parts.append(text(beyond, y + 12, labels[at][0], "warn" * each.is_mostly_removed))
        parts.append(text(beyond, y + 28, labels[at][1], "soft"))
    return image(
        "removed",
        FIGURES["removed"].title,
        " ".join(f"{_told(each)}." for each in shares),
        34 + len(shares) * _ROW,
        parts,
    )


def _told(share: DirectoryShare) -> str:
    whole = f"{share.name}: {share.duplicates:,} of {counted(share.documents, 'document')} are duplicates"
    bytes_ = f"{size(share.duplicate_bytes)} of {size(share.bytes)}"
    return f"{whole} ({bytes_})" + (", more than half" if share.is_mostly_removed else "")


_TOP = 146
"""The height of the names above the table of directories."""


def directories(report: Report) -> str:
    """A table of directories against each other: the more duplicates one has of documents in another, the darker."""
    found = directory_pairs(report)
    if found is None:
        return ""
    names, documents, in_bytes = found
    number = len(names)
    cell = min(46.0, (WIDTH - _LEFT - 30) / number)
    most = max(max(row) for row in documents)
    parts, told = (
        [text(_LEFT - 10, _TOP - 12, "duplicates in", "end soft"), text(_LEFT, 14, "of documents kept in", "soft")],
        [],
    )
    for at, name in enumerate(names):
        parts.append(text(_LEFT - 10, _TOP + at * cell + cell / 2 + 4, shortened(name, 26), "end"))
        x = _LEFT + at * cell + cell / 2 + 4
        parts.append(f'<g transform="rotate(-50 {x:.1f} {_TOP - 8})">{text(x, _TOP - 8, shortened(name, 16))}</g>')
    for row, (first, counts) in enumerate(zip(names, documents, strict=True)):
        for column, (second, count) in enumerate(zip(names, counts, strict=True)):
            x, y = _LEFT + column * cell, _TOP + row * cell
            if not count:
                parts.append(bar(x, y, cell, cell, "cell none"))
                continue
            amount = f"{counted(count, 'duplicate')} in {first}"
            line = f"{amount} of documents kept in {second} ({size(in_bytes[row][column])})"
            told.append((count, line))
            shade = 1 + round(4 * math.log1p(count) / math.log1p(most))
            parts.append(bar(x, y, cell, cell, f"cell shade{shade}", line))
            if cell >= 22:
                parts.append(text(x + cell / 2, y + cell / 2 + 4, _short(count), f"middle{' onshade' * (shade > 3)}"))
    told.sort(key=lambda each: -each[0])
    description = "; ".join(line for _, line in told[:8]) + (f"; and {len(told) - 8} more" if len(told) > 8 else "")
    return image(
        "directories", FIGURES["directories"].title, f"{description}.", math.ceil(_TOP + number * cell + 12), parts
    )


def _short(count: int) -> str:
    """A count in at most four characters."""
    if count < 10_000:
        return str(count)
    return f"{count // 1000}k" if count < 1_000_000 else f"{count // 1_000_000}M"
