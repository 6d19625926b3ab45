"""A report or a comparison as one page of HTML, which loads nothing: its style, its script and its data are in it.

What people need most can be read without the script: the largest groups, the figures, and what was compared and how.
All groups are data that the script decodes and draws. Names and texts are drawn as text only, with control characters
escaped, by templates that escape everything and by a script that makes no HTML of strings.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from simdocs.extras import needs
from simdocs.model.comparison import Comparison, Difference
from simdocs.model.figures import at_least, counted, cut_in_words, size
from simdocs.model.groups import SavedAnswer
from simdocs.model.report import MOST_PAIRS, OTHERS, Report, differences, directories_of
from simdocs.model.result import Look, Result, Table, plain, tables_of
from simdocs.model.skipped import in_short
from simdocs.names import command_line, display_name, name_to_text, shell_word, text_to_name
from simdocs.options.families import FIGURES, KEEP
from simdocs.options.recipes import ChoosingBands, Shingling
from simdocs.views.drawn_difference import difference_rows, ends_of, harmless_text
from simdocs.views.svg import TITLES, figure, part

LISTED = 100
"""Groups that can be read without the script."""

_MOST_LISTED = 20
"""Documents of each of these groups that are listed at most."""

_MOST_ARGUMENTS = 10
"""Arguments that are named."""

_BLOCK = 1 << 20
"""Characters of texts that the browser decodes at once."""


def report_page(report: Report) -> bytes:
    """The page of a report: the same bytes for the same answer. MissingExtraError: Jinja2 is not installed."""
    answer, groups = report.answer, report.groups
    blocks, (_, missing) = list(_text_blocks(report)), differences(report.shown)
    share = f" ({answer.duplicates / answer.documents:.0%})" if answer.documents else ""
    counts = [
        (f"{answer.documents:,}", "documents"),
        (f"{answer.kept:,}", "kept") if answer.changed is None else (f"{answer.changed:,}", "new or changed"),
        (f"{answer.duplicates:,}{share}", "duplicates"),
        (f"{answer.groups:,}", "groups"),
        (size(int(groups.size[groups.duplicates].sum())), "text in duplicates"),
    ]
    return rendered(
        "page.html",
        title=f"Near-duplicates: {counted(answer.duplicates, 'duplicate')} in {counted(answer.groups, 'group')}",
        counts=counts,
        facts=[*_compared_in_words(answer), *_method_in_words(answer)],
        promises=list(_promises_in_words(answer)),
        figures=[(name, TITLES[name], _markup(drawn)) for name in FIGURES if (drawn := figure(report, name))],
        listed=list(_listed(report)),
        beyond=max(0, len(groups) - LISTED),
        shown=_shown_in_words(report),
        unreadable=[display_name(each.encode("utf-8", "surrogateescape")) for each in missing],
        data=_packed(_json(_data(report, [first for first, _ in blocks]))),
        blocks=[_packed(text) for _, text in blocks],
        version=answer.simdocs,
    )


def rendered(template: str, **values: Any) -> bytes:
    """A page from one of the templates. Its style and script are allowed by their digests, and nothing else is."""
    styles, script = part("figure.css") + part("page.css"), part("page.js")
    jinja2 = needs("jinja2", "writing HTML")
    spaces = dict.fromkeys(("trim_blocks", "lstrip_blocks", "keep_trailing_newline"), True)
    loader, undefined = jinja2.FunctionLoader(part), jinja2.StrictUndefined
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=undefined, **spaces)
    page: str = environment.get_template(template).render(
        style=_markup(styles), script=_markup(script), style_hash=_hash(styles), script_hash=_hash(script), **values
    )
    return page.encode()


def _markup(safe: str) -> Any:
    """Text of our own files, or of an image whose parts are escaped, which a template takes as it is."""
    return needs("markupsafe", "writing HTML").Markup(safe)


def _hash(content: str) -> str:
    return base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _compared_in_words(answer: SavedAnswer) -> Iterator[tuple[str, str]]:
    """Yield what was compared: the name of each fact, and the fact."""
    given = [f"{display_name(name)} ({counted(documents, 'document')})" for name, documents in answer.arguments if name]
    more = f", and {len(given) - _MOST_ARGUMENTS:,} more" if len(given) > _MOST_ARGUMENTS else ""
    if given:
        yield "Compared", f"{', '.join(given[:_MOST_ARGUMENTS])}{more}"
    yield "Directory", display_name(answer.root)
    if answer.index_root is not None:
        yield "Against an index of", display_name(answer.index_root)
    if answer.skipped:
        yield "Not compared", "; ".join(f"{count:,}: {in_short(reason)}" for reason, count in answer.skipped.items())


def _method_in_words(answer: SavedAnswer) -> Iterator[tuple[str, str]]:
    """Yield how it was compared: the name of each fact, and the fact."""
    keep, banding = answer.parameters["grouping"]["keep"], answer.parameters["banding"]
    yield "Options", _compare_options(answer) or "the defaults"
    yield "Similarity", "the fraction of their shingles that two documents have in common (Jaccard)"
    yield "Threshold", f"{answer.threshold:g}"
    candidates = "every pair"
    if banding is not None:
        sketching, bands = answer.recipe.sketching, cut_in_words(banding["bands"], banding["rows"])
        values = f"{sketching.num_perm} values ({sketching.scheme})"
        candidates = f"pairs that agree in one of {bands} of signatures of {values}"
    yield "Candidates", candidates
    yield "Kept of each group", KEEP[keep].help if keep in KEEP else keep
    yield "simdocs", answer.simdocs


def _promises_in_words(answer: SavedAnswer) -> Iterator[str]:
    """Yield sentences on what is certain about the answer, and what is not."""
    if answer.changed is not None:
        yield "Only groups with a document that was new or changed at the last update of the index are listed."
    if not answer.is_exact:
        yield (
            "The similarities are estimates from signatures: no text was compared. Look at pairs before you remove any."
        )
    elif answer.parameters["grouping"]["cluster"] == "components":
        yield (
            f"Each group is linked by pairs whose exact similarity is {answer.threshold:g} or more. A duplicate may be"
            " less similar than that to the document that is kept."
        )
    else:
        yield (
            f"Every duplicate has an exact similarity of {answer.threshold:g} or more to the document that is kept in"
            " its place. No text was called a duplicate because of an estimate."
        )
    banding = answer.parameters["banding"]
    if banding is None:
        yield "Every pair was looked at, so none is missed."
    else:
        bands = cut_in_words(banding["bands"], banding["rows"])
        yield f"Similar pairs may be missed: {bands} find {at_least(answer.probability, answer.threshold)}."


def _listed(report: Report) -> Iterator[dict[str, Any]]:
    """Yield the largest groups, which can be read without the script: the kept document and the first duplicates."""
    groups = report.groups
    for place in range(min(LISTED, len(groups))):
        begin, end = groups.starts[place : place + 2].tolist()
        shown = range(begin, min(end, begin + 1 + _MOST_LISTED))
        yield {
            "number": int(groups.number[place]),
            "size": end - begin,
            "documents": [
                (display_name(groups.names[at]), f"{groups.similarity[at]:.6f}", size(int(groups.size[at])))
                for at in shown
            ],
            "more": end - begin - len(shown),
        }


def _shown_in_words(report: Report) -> str:
    """A sentence about the texts that are in the page, and those that are left out."""
    duplicates, (shown, _) = report.answer.duplicates, differences(report.shown)
    if not duplicates:
        return ""
    if shown == duplicates:
        return f"What differs is shown for {'the only pair' if shown == 1 else f'all {shown:,} pairs'}."
    if not report.most_bytes:
        return "No texts are in this page, because its size for texts is 0."
    planned = sum(map(len, report.shown.values()))
    left_out, lost = duplicates - planned, planned - shown
    why = list[str]()
    if left_out:
        limit = f"a report has {report.most_bytes / 1e6:,.4g} MB of texts and {MOST_PAIRS} pairs of a group at most"
        why.append(f"{left_out:,} {'is' if left_out == 1 else 'are'} left out, because {limit}")
    if lost:
        why.append(f"the texts of {lost:,} could not be read again")
    return f"What differs is shown for {shown:,} of {duplicates:,} pairs: {', and '.join(why)}."


def _data(report: Report, first_of_block: list[int]) -> dict[str, Any]:
    """The groups, as columns; and for each block of texts the place of its first group."""
    groups = report.groups
    shown = [display_name(name) for name in groups.names]
    words = {
        at: shell_word(name_to_text(groups.names[at]))
        for at, (name, text) in enumerate(zip(groups.names, shown, strict=True))
        if name != text.encode("utf-8", "surrogateescape")
    }
    return {
        "names": shown,
        "words": words,
        "options": _compare_options(report.answer),
        "numbers": groups.number.tolist(),
        "counts": groups.sizes.tolist(),
        "sizes": groups.size.tolist(),
        "similarities": [round(1e6 * each) for each in groups.similarity[groups.duplicates].tolist()],
        "directories": [name for name in directories_of(groups)[0] if name != OTHERS],
        "blocks": first_of_block,
        "texts": list(report.shown),
        "exact": report.answer.is_exact,
        "threshold": report.answer.threshold,
        "mostPairs": MOST_PAIRS,
    }


_NOT_SHOWN = ("stop_word_list", "normalisation")


def _compare_options(answer: SavedAnswer) -> str:
    """The options with which `simdocs compare` compares two documents as they were for this answer."""
    shingling = answer.recipe.shingling
    given: dict[str, Any] = {name: value for name, value in shingling.fields().items() if name not in _NOT_SHOWN}
    default = Shingling(unit=shingling.unit).fields() | {"unit": Shingling().unit} | Shingling().normalisation.fields()
    default |= ChoosingBands().fields()
    given |= shingling.normalisation.fields() | {"threshold": answer.threshold}
    others = {name: value for name, value in given.items() if value != default.get(name)}
    return command_line("compare", (), others).removeprefix("simdocs compare").lstrip()


def _text_blocks(report: Report) -> Iterator[tuple[int, str]]:
    """Yield the texts of some groups together as JSON, each with the place of the first of them."""
    held, first, length = list[str](), 0, 0
    for place, group in report.shown.items():
        text = f'"{place}":{_json(_texts(group))}'
        if held and length + len(text) > _BLOCK:
            yield first, f"{{{','.join(held)}}}"
            held, length = [], 0
        first = first if held else place
        held.append(text)
        length += len(text)
    if held:
        yield first, f"{{{','.join(held)}}}"


def _texts(group: Mapping[int, Difference | str]) -> dict[str, Any]:
    """The rows of each pair of a group, or why there are none."""
    pairs, notes = dict[int, Any](), dict[int, str]()
    for at, difference in group.items():
        if isinstance(difference, str):
            notes[at] = display_name(difference.encode("utf-8", "surrogateescape"))
            continue
        pairs[at] = [
            [row.left] if not row.differs and row.left == row.right else [row.left, row.right]
            for row in difference_rows(difference)
        ]
        if note := difference.likeness or (f"compared {difference.coarser}" if difference.coarser else ""):
            notes[at] = note
    return {"pairs": pairs, "notes": notes}


def _json(value: Any) -> str:
    # What is left of lone surrogates has no place in UTF-8.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _packed(text: str) -> str:
    """Compressed and in base64, which has no character that HTML gives a meaning to."""
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode("ascii")


_LINKS = 200
"""Places that differ to which the page links."""


def compared_page(result: Result) -> bytes:
    """The page of a comparison, or of the similarities of more than two texts. MissingExtraError: Jinja2 is missing."""
    compared = result if isinstance(result, Comparison) else None
    found, in_common = (None, None) if compared is None else (compared.difference, compared.in_common)
    rows = [] if found is None else list(difference_rows(found))
    differ = [len(row.left) > 1 or len(row.right) > 1 for row in rows]
    places = sum(differ)
    names = [] if compared is None else [display_name(text_to_name(str(name))) for name in compared.names]
    told = found.likeness if found is not None else ""
    return rendered(
        "compared.html",
        title=f"Compared: {' and '.join(names)}" if names else "Similarities",
        verdict=[] if compared is None else compared.verdict,
        notes=result.notes,
        names=names,
        told=f"{told[:1].upper()}{told[1:]}." if told else f"{counted(places, 'place')} in which the texts differ:",
        # Each place that differs has a number.
        rows=[(row, number * here) for row, number, here in zip(rows, accumulate(differ), differ, strict=True)],
        places=min(places, _LINKS),
        beyond=max(0, places - _LINKS),
        passages=None if in_common is None else list(_passages(in_common)),
        tables=[_table(table) for table in tables_of(result, Look(for_people=True))],
    )


def _passages(found: Result) -> Iterator[dict[str, Any]]:
    """Yield passages that both texts have: how long, where, and as in the first text, without the middle if long."""
    rows: list[tuple[Any, ...]] = [row for table in tables_of(found, Look(for_people=True)) for row in table]
    for row in rows:
        length, before, passage, after = row[-1]
        a, b = (f"line {line:,}, characters {begin:,} to {end:,}" for begin, end, line in (row[1:4], row[5:8]))
        before, *parts, after = map(harmless_text, (before, *ends_of(passage), after))
        yield {"length": length, "a": a, "b": b, "before": before, "parts": parts, "after": after}


def _table(table: Table) -> tuple[list[str], list[list[str]]]:
    """The names of the columns, and the rows as text."""
    heads = [name for name, _ in table.head.columns]
    return heads, [[display_name(plain(cell)) if plain(cell) else "" for cell in row] for row in table]
