"""Figures of one group of a report: how similar its documents are to each other, and which pairs link them."""

from __future__ import annotations

import math

from simdocs.model.figures import counted
from simdocs.model.ragged import Floats
from simdocs.model.report import Report, ShownGroup
from simdocs.model.report_counts import compared_group, linked
from simdocs.names import display_name
from simdocs.options.families import FIGURES
from simdocs.views.svg import WIDTH, bar, image, path, shortened, text

_HEAD = 44
"""The height of the line that names the group."""

_NAMES = 250
"""The width of the names beside a matrix."""

_ROW = 24
"""The height of a document in a tree."""

_LETTER = 7.4
"""The width of a letter, on average."""


def matrix(report: Report) -> str:
    """A table of how similar the documents of a group are to each other: the more similar, the darker."""
    group = compared_group(report)
    if group is None or group.similarities is None:
        return ""
    similarities, names = group.similarities, _names(report, group)
    wide = min(46.0, (WIDTH - _NAMES - 16) / len(names))
    high = max(16.0, min(30.0, wide))
    top = _HEAD + 22
    every = 1 if wide >= 20 else 5
    parts, least, scope = [_heading(report, group)], float(similarities.min()), _range(similarities)
    for row, name in enumerate(names):
        y = top + row * high
        label = f"{name} ({row or 'kept'})"
        parts.append(text(_NAMES - 10, y + high / 2 + 4, shortened(label, int((_NAMES - 20) / _LETTER)), "end"))
        if row % every == 0:
            parts.append(text(_NAMES + (row + 0.5) * wide, top - 8, str(row) if row else "kept", "middle soft"))
        for column, other in enumerate(names):
            if row == column:
                continue
            value, x = float(similarities[row, column]), _NAMES + column * wide
            shade = 1 + round(4 * (value - least) / (1 - least)) if least < 1 else 5
            told = f"{name} and {other}: {value:.6f}"
            parts.append(bar(x, y, wide, high, f"cell shade{shade}", told))
            if wide >= 34:
                parts.append(text(x + wide / 2, y + high / 2 + 4, f"{value:.2f}", "middle" + " onshade" * (shade > 3)))
    bottom = top + len(names) * high
    parts.append(text(16, bottom + 26, scope, "soft"))
    description = f"{_which(report, group)} {scope}"
    return image("matrix", FIGURES["matrix"].title, description, math.ceil(bottom + 38), parts)


def _names(report: Report, group: ShownGroup) -> list[str]:
    """The names of the documents of a group, the kept one first."""
    begin, end = report.groups.starts[group.place : group.place + 2].tolist()
    return [display_name(name) for name in report.groups.names[begin:end]]


def _which(report: Report, group: ShownGroup) -> str:
    names = _names(report, group)
    number = int(report.groups.number[group.place])
    return f"Group {number}: {counted(len(names), 'document')}, of which {names[0]} is kept."


def _heading(report: Report, group: ShownGroup) -> str:
    return text(16, 20, shortened(_which(report, group), int((WIDTH - 32) / _LETTER)), "soft")


def _range(similarities: Floats) -> str:
    pairs = [float(value) for row, values in enumerate(similarities) for value in values[row + 1 :]]
    return f"The similarities of pairs are from {min(pairs):.6f} to {max(pairs):.6f}."


def links(report: Report) -> str:
    """A tree of the pairs that link the documents of a group to the kept one, with the similarity of each."""
    group = compared_group(report)
    if group is None or group.similarities is None:
        return ""
    names, similarities, threshold = _names(report, group), group.similarities, report.answer.threshold
    every = linked(similarities, threshold)
    indent = min(28.0, 280 / max(1, *(each.steps for each in every)))
    y_of = {each.at: _HEAD + place * _ROW + 10 for place, each in enumerate(every)}
    parts, told = [_heading(report, group)], []
    for at, to, steps in every:
        x, y = 24 + steps * indent, y_of[at]
        label, similarity = names[at], float(similarities[at, 0])
        if to >= 0:
            parts.append(path("axis", f"M{x - indent:.1f} {y_of[to] + 5}V{y}H{x - 6:.1f}"))
            label = f"{similarities[at, to]:.3f}  {label}"
            told.append(f"{names[at]} is linked to {names[to]} by {similarities[at, to]:.6f}")
        elif at:
            label = f"not linked  {label}"
            told.append(f"{names[at]} is not linked by a pair that reaches the threshold")
        parts.append(f'<circle class="{"duplicate" if at else "kept"}" cx="{x:.1f}" cy="{y}" r="5"/>')
        parts.append(text(x + 12, y + 5, shortened(label, int((WIDTH - 170 - x) / _LETTER))))
        if at and to != 0:
            kind = "end warn" if similarity < threshold else "end soft"
            parts.append(text(WIDTH - 12, y + 5, f"{similarity:.3f} to the kept", kind))
    description = f"{_which(report, group)} {'; '.join(told)}. The threshold is {threshold:g}."
    return image("links", FIGURES["links"].title, description, _HEAD + len(every) * _ROW + 8, parts)
