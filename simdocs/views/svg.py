"""Images in SVG: their parts, the figures of a report, and the S-curve of bands, which rich draws, too.

All text in images is escaped, and their looks are classes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any
from xml.sax.saxutils import escape

from simdocs.model.comparison import Tuning
from simdocs.model.figures import STEPS, counted, shown_probability
from simdocs.model.report import Report, directory_pairs, group_sizes, similarities_of
from simdocs.model.result import NAME, NUMBER, SIMILARITY, Result, Table, plain, table_head, tables_of
from simdocs.options.recipes import Bands
from simdocs.views.messages import columns_of_output
from simdocs.views.output import Drawing
from simdocs.views.output_formats import by_rich

WIDTH = 400
"""The width of all images, in units of the image: so little that a telephone shows letters of them in their size."""

LEFT, RIGHT, TOP, BOTTOM = 56, WIDTH - 8, 28, 178
"""The frame of a chart, in units of the image."""

_LETTER = 7.5
"""The width of a letter or digit, on average."""

TITLES = {"similarities": "Similarities", "sizes": "Group sizes", "directories": "Directories against each other"}

_NOTHING = "This answer has nothing to draw here."

_Image = tuple[str, float, list[str]]
"""The text alternative of an image, its height, and its parts."""


@cache
def part(name: str) -> str:
    """A file of which pages and images are made, such as the style sheet of all images."""
    return files("simdocs.views").joinpath("report", name).read_text("utf-8")


def image(name: str, title: str, description: str, height: float, parts: Iterable[str], *, alone: bool = False) -> str:
    """An image with its title and its text alternative.

    name: the beginning of the ids of its parts, of which a page has one each. alone: as a file of its own, with its
    title, the style sheet and a background.
    """
    above, css = 36 if alone else 0, part("figure.css")
    around = (
        f"<style>{css}.page{{fill:#fff}}@media (prefers-color-scheme:dark){{.page{{fill:#14181d}}}}</style>",
        f'<rect class="page" y="-{above}" width="{WIDTH}" height="{height + above:.0f}"/>',
        text(8, -14, title, "heading"),
    )
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 -{above} {WIDTH} {height + above:.0f}"'
            f' role="img" aria-labelledby="{name}-title {name}-description">',
            f'<title id="{name}-title">{escape(title)}</title>',
            f'<desc id="{name}-description">{escape(description)}</desc>',
            *(around if alone else ()),
            *parts,
            "</svg>\n",
        )
    )


def text(x: float, y: float, content: str, kind: str = "") -> str:
    """Some text. kind: its classes."""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(content)}</text>'


def bar(x: float, y: float, width: float, height: float, kind: str, told: str = "") -> str:
    """A bar. told: what it says when a pointer is on it."""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect class="{kind}" {place}><title>{escape(told)}</title></rect>'


def path(kind: str, points: str) -> str:
    """A line."""
    return f'<path class="{kind}" d="{points}"/>'


def amount_ticks(most: int) -> list[int]:
    """Round numbers from 0 to at least this one: at most five, for an axis of counts."""
    step = 1
    while step * 4 < most:
        digits = 10 ** (len(str(step)) - 1)
        step = step * 2 if step != 2 * digits else digits * 5
    return list(range(0, step * 5, step))[: -(-most // step) + 1]


def figure(report: Report, name: str, *, alone: bool = False) -> str:
    """A figure of a report; empty if there is nothing to draw. alone: as a file of its own, which then says so."""
    drawn = {"similarities": similarities, "sizes": sizes, "directories": directories}[name](report)
    if drawn is None and not alone:
        return ""
    return image(name, TITLES[name], *(drawn or (_NOTHING, 40, [text(8, 16, _NOTHING, "soft")])), alone=alone)


def figure_file(report: Report, name: str) -> bytes:
    """A figure of a report as a file of its own."""
    return figure(report, name, alone=True).encode()


def similarities(report: Report) -> _Image | None:
    """A histogram of the similarities of duplicates to their kept documents, with the threshold."""
    (first, counts, equal), threshold = similarities_of(report), report.answer.threshold
    if not report.answer.duplicates:
        return None
    ticks = amount_ticks(max(equal, *counts))
    lows = [(first + at) / 100 for at in range(len(counts))]
    told = [
        f"{low:.2f} to {low + 0.01:.2f}: {counted(count, 'duplicate')}" for low, count in zip(lows, counts, strict=True)
    ]
    bars = [*zip(counts, [f"{low:.2f}" for low in lows], told, strict=True)]
    bars.append((equal, "1", f"similarity 1: {counted(equal, 'duplicate')}"))
    drawn = [(count / ticks[-1], "same" if label == "1" else "duplicate", label, said) for count, label, said in bars]
    what = "similarity to the kept document" if report.answer.is_exact else "estimated similarity to the kept document"
    parts = [*chart(drawn, [(tick / ticks[-1], f"{tick:,}") for tick in ticks], what)]
    x = LEFT + (threshold * 100 - first) * _wide(drawn)
    parts.append(path("mark", f"M{x:.1f} {TOP - 6}V{BOTTOM}"))
    beside, how = (-4, "soft end") if x > (LEFT + RIGHT) / 2 else (4, "soft")
    parts.append(text(x + beside, TOP - 12, f"threshold {threshold:g}", how))
    largest = max(counts)
    low = lows[counts.index(largest)]
    most = f" Most of the others, {largest:,}, are from {low:.2f} to {low + 0.01:.2f}." if largest else ""
    below = any(count for low, count in zip(lows, counts, strict=True) if low + 0.01 <= threshold)
    chains = " Some are below the threshold, because chains of similar documents link them." if below else ""
    total = counted(sum(counts) + equal, "duplicate")
    said = f"{total}, of which {equal:,} have similarity 1. The threshold is {threshold:g}.{most}{chains}"
    return said, BOTTOM + 46, parts


def sizes(report: Report) -> _Image | None:
    """How many groups have how many documents, on a logarithmic scale."""
    counts = group_sizes(report)
    if not counts:
        return None
    digits = max(1, math.ceil(math.log10(max(groups for *_, groups in counts) + 1)))
    bars = []
    for least, most, groups in counts:
        label = f"{least}" if least == most else f"{least}–{most}"
        bars.append((log_share(groups, digits), "kept", label, f"{label} documents: {counted(groups, 'group')}"))
    ticks = [(log_share(10**digit, digits), f"{10**digit:,}") for digit in range(digits + 1)]
    parts = [*chart(bars, ticks, "documents in a group (groups: logarithmic)")]
    largest, pairs = int(report.groups.sizes[0]), counts[0][2]
    said = f"{counted(len(report.groups), 'group')}. The largest has {largest:,} documents; {pairs:,} have two."
    return said, BOTTOM + 46, parts


_ONE = 0.15
"""The height of 1 on a logarithmic scale, as a share of the height between 1 and 10."""


def log_share(count: int, digits: int) -> float:
    """The height of a count as a share of that of 10 ** digits. That of 1 is not 0, so that it is seen."""
    return (math.log10(count) + _ONE) / (digits + _ONE) if count else 0.0


def _wide(bars: Sequence[object]) -> float:
    """The width of a bar of a chart with its share of the space between bars."""
    return (RIGHT - LEFT) / max(6, len(bars))


def chart(bars: Sequence[tuple[float, str, str, str]], ticks: Sequence[tuple[float, str]], what: str) -> Iterator[str]:
    """Yield the lines of a scale with their numbers, bars with labels as far as there is room, and an axis.

    bars: for each its share of the height, its classes, its label, and what it says under a pointer. ticks: shares of
    the height, and the numbers there. what: what the axis is about.
    """
    high, wide = BOTTOM - TOP, _wide(bars)
    for share, number in ticks:
        y = BOTTOM - high * share
        yield from (path("grid", f"M{LEFT} {y:.1f}H{RIGHT}"), text(LEFT - 6, y + 4, number, "end soft"))
    every = math.ceil((max(len(label) for _, _, label, _ in bars) + 1) * _LETTER / wide)
    for at, (share, kind, label, told) in enumerate(bars):
        x = LEFT + at * wide
        yield bar(x + wide * 0.08, BOTTOM - high * share, wide * 0.84, high * share, kind, told)
        if (len(bars) - 1 - at) % every == 0:  # the last bar has its label
            yield text(x + wide / 2, BOTTOM + 18, label, "middle soft")
    yield path("axis", f"M{LEFT} {BOTTOM}H{RIGHT}")
    yield text((LEFT + RIGHT) / 2, BOTTOM + 38, what, "middle soft")


_NAMES, _HEAD = 160, 44
"""The width of the names of directories, and the height of what is above their table."""


def directories(report: Report) -> _Image | None:
    """A table of directories against each other: the more duplicates one has of documents in another, the darker."""
    found = directory_pairs(report)
    if found is None:
        return None
    names, counts = found
    cell, most = min(32.0, (WIDTH - _NAMES - 8) / len(names)), max(map(max, counts))
    parts, told = [text(8, 14, "duplicates (rows) of documents that are kept in (columns)", "soft")], []
    for row, name in enumerate(names):
        y = _HEAD + row * cell
        parts.append(text(_NAMES - 8, y + cell / 2 + 4, f"{_shortened(name, 16)}  {row + 1}", "end"))
        parts.append(text(_NAMES + (row + 0.5) * cell, _HEAD - 8, str(row + 1), "middle soft"))
        for column, (other, count) in enumerate(zip(names, counts[row], strict=True)):
            x, kind = _NAMES + column * cell, 1 + round(4 * math.log1p(count) / math.log1p(most)) if count else 0
            said = f"{counted(count, 'duplicate')} in {name} of documents kept in {other}"
            parts.append(bar(x, y, cell, cell, f"cell shade{kind}", said))
            if count:
                told.append((-count, said))
                how = "middle onshade" if kind > 3 else "middle"
                parts.append(text(x + cell / 2, y + cell / 2 + 4, _short(count), how))
    some = [said for _, said in sorted(told, key=lambda each: each[0])[:8]]
    more = f"; and {len(told) - 8} more" if len(told) > 8 else ""
    return f"{'; '.join(some)}{more}.", _HEAD + len(names) * cell + 8, parts


def _shortened(content: str, most: int) -> str:
    """The text with an ellipsis for its beginning if it has more characters than this."""
    return content if len(content) <= most else f"…{content[1 - most :]}"


def _short(count: int) -> str:
    """A count below a thousand million in at most three characters, or nearly."""
    if count < 1000:
        return str(count)
    return f"{count // 1000}k" if count < 100_000 else f"{count / 1e6:.1f}M".lstrip("0")


_WIDTH, _FIGURES = 80, 17
"""Columns that a drawing takes at most, and those of the figures beside a bar."""


def draw_info(result: Result, drawing: Drawing) -> None:
    """Draw what an artifact holds, and the S-curve of an index."""
    for table in tables_of(result, drawing.look):
        drawing.draw(table)
    facts: dict[Any, Any] = dict(row[:2] for row in result)
    if facts["kind"] == "index":
        cut, marks = Bands(facts["bands"], facts["rows"]), {facts["threshold"]: "threshold"}
        drawing.write(b"\n" + curve(cut.chance, marks, colored=drawing.colored))


def curve(probability: Callable[[float], float], marks: Mapping[float, str], *, colored: bool) -> bytes:
    """The chance of being found by similarity: a bar for every twentieth, and one for each mark.

    If the terminal is narrow, the marks are not named.
    """
    from rich.bar import Bar
    from rich.console import Group
    from rich.table import Table

    width = min(_WIDTH, columns_of_output())
    note = 2 + max(map(len, marks.values()))
    note = note if width - note - _FIGURES >= width // 4 else 0
    drawn = Table(box=None, pad_edge=False, show_header=False)
    alignments: tuple[Any, ...] = ("left", "left", "right", "left")
    for alignment in alignments:
        drawn.add_column(justify=alignment, no_wrap=True)
    for similarity in sorted({step / STEPS for step in range(1, STEPS + 1)} | marks.keys()):
        chance = probability(similarity)
        label = f"{similarity:.2f}" if similarity * STEPS % 1 == 0 else f"{similarity:.4g}"
        bar = Bar(1, 0, chance, width=max(1, width - note - _FIGURES), color="cyan" if colored else "default")
        drawn.add_row(label, bar, shown_probability(chance), marks.get(similarity, "") if note else "")
    title = "S-curve 1 - (1 - s^r)^b: chance of being found, by similarity"
    return by_rich(Group(title, drawn), width, colored=colored).encode()


_EXAMPLES = table_head(threshold=SIMILARITY, pairs=NUMBER, example=NAME)


def draw_tuning(result: Tuning, drawing: Drawing) -> None:
    """Draw thresholds with the least similar pair that each finds, and the S-curve."""
    banding = result.banding
    found = [sum(result.pairs[step:]) for step in range(len(result.pairs))]
    rows = [
        (row[0], many, b" ".join(map(plain, row[3:5])) + b": " + plain(row[6]))
        for row, many in zip(result, found, strict=False)
        if row[3]
    ]
    if rows:
        drawing.draw(Table.of(_EXAMPLES, rows))
        drawing.write(b"\n")
    marks = {banding.cut.steepest: "(1/b)^(1/r)", banding.cut.half: "half", banding.threshold: "threshold"}
    drawing.write(curve(banding.cut.chance, marks, colored=drawing.colored))
