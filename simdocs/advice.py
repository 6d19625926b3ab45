"""Advice from the lengths, scripts and templates of documents: which k and threshold suit them, and which stop words.

An edit destroys the shingles that overlap it. So what three edited characters, one edited word or an added link leave
of the similarity follows from the length of a text, and so do a k and a threshold that such variants still reach. A
small k has a price: short shingles turn up in unrelated texts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simdocs.engines.engine import Run, Tally
from simdocs.kernels.grouping import PairGraph, connect
from simdocs.kernels.multisets import frequencies
from simdocs.matching.corpus import Corpus
from simdocs.model.artifact import Artifact, Shingles
from simdocs.model.documents import WIDE, Documents
from simdocs.model.figures import STEPS, counted
from simdocs.model.ragged import Array, Floats, Ragged
from simdocs.names import display_name
from simdocs.options.families import UNITS, UnitFigures
from simdocs.options.recipes import MOST_UNITS, RECORDED, Shingling, SignatureRecipe

if TYPE_CHECKING:
    from simdocs.matching.measured_recall import PairSample


_LIKELY = 0.05
"""k is too small if a shingle occurs in an unrelated document with a larger probability than this."""

EDITED, LINK = 3, 25
"""The numbers of characters that a small edit changes, and that an added link has."""

_SUITS, _LEAST = 0.6, 0.55
"""A smaller k is advised if small edits leave less than the second of these similarities, and it is one with which they
leave the first. With k = 9, that is so for texts of less than 101 characters."""

_STEP, _LOWEST = 0.05, 0.4
"""Thresholds are advised in these steps, and none that is lower."""

_SHORT_SHARE = 0.1
"""The shortest texts that are looked at: this share of all. Half of them are shorter than the one that decides."""

_MIXED = 10
"""Texts that are shorter than the median length divided by this do not decide about the others."""


_ROUNDING = 1e-9


class ShortTexts(NamedTuple):
    """The shortest tenth of some documents, by its median: how much an edit takes from such a text.

    figures: what is known about the units of its shingles
    units: its length in these units
    typical: the median length of all documents
    without_spaces: whether its script is written without spaces
    left_out: the number of its shingles that are left out because they belong to a template
    """

    figures: UnitFigures
    units: float
    typical: float
    without_spaces: bool
    left_out: float = 0.0

    @classmethod
    def of(cls, documents: Documents, unit: str) -> ShortTexts | None:
        """The shortest documents; None if no document has units, or nothing is known about units of this kind."""
        rows = np.flatnonzero(documents.facts["length"] > 0)
        figures = UNITS[unit].figures
        if not len(rows) or figures is None:
            return None
        lengths = documents.facts["length"][rows]
        rows = rows[np.argsort(lengths, kind="stable")[: max(1, round(_SHORT_SHARE * len(rows)))]]
        short = documents.facts[rows]
        size = short["size"] / np.where(short["flags"] & WIDE, 2, 1)
        bytes_of_unit = size / short["length"]
        low, high = figures.unspaced_bytes
        without = bool(np.mean((low < bytes_of_unit) & (bytes_of_unit <= high)) > 1 / 2)
        left_out = float(np.median(short["ignored"]))
        typical = float(np.median(lengths))
        units = max(float(np.median(short["length"])), typical / _MIXED)
        return cls(figures, units, typical, without, left_out)

    def left_by(self, k: int) -> dict[str, float]:
        """The similarity that each small edit leaves between such a text and its variant."""
        shingles = max(1.0, self.units - k + 1 - self.left_out)
        edited, word = EDITED * k, self.figures.of_word[self.without_spaces] + k - 1
        return {
            "three edited characters": max(0.0, (shingles - edited) / (shingles + edited)),
            "an edited word": max(0.0, (shingles - word) / (shingles + word)),
            f"an added link of {LINK} characters": shingles / (shingles + self.figures.of_link),
        }

    def least(self, k: int) -> float:
        """The similarity that the worst of the small edits leaves."""
        return min(self.left_by(k).values())

    def chance(self, k: int) -> float:
        """The probability that a shingle is in an unrelated document of typical length, if all were as likely."""
        variety = self.figures.variety[self.without_spaces]
        return float(-np.expm1(self.typical * np.log1p(-(variety**-k))))


class Suitable(NamedTuple):
    """A k and a threshold that suit the shortest documents.

    least: the similarity that the worst of the small edits leaves with this k
    """

    k: int
    threshold: float
    least: float


def suitable(short: ShortTexts, shingling: Shingling, threshold: float) -> Suitable:
    """The k and the threshold that variants of short texts reach, next to those that were chosen.

    The threshold is lowered first, and k only if that is not enough, or raised if unrelated documents look alike. A
    threshold is never raised.
    """
    # The smallest k with which unrelated documents of these lengths do not look alike.
    smallest = next((k for k in range(1, MOST_UNITS) if short.chance(k) <= _LIKELY), MOST_UNITS)
    k = max(shingling.k, smallest)
    if k == shingling.k and short.least(k) < min(_LEAST, threshold):
        fits = (each for each in range(k, smallest, -1) if short.least(each) >= _SUITS)
        k = next(fits, smallest)
    least = short.least(k)
    reached = max(_LOWEST, round(math.floor(least / _STEP + _ROUNDING) * _STEP, 2))
    return Suitable(k, min(threshold, reached), least)


def length_advice(documents: Documents, shingling: Shingling) -> Iterator[str]:
    """Yield a line if k is too small for these documents, or else if it is too large; and if stop words are rare.

    Nothing is said about texts of so few units that a small edit leaves nothing of them with any k.
    """
    if UNITS[shingling.unit].begins_at_stop_words:
        yield from _without_stop_words(documents.facts["length"], documents.facts["count"], shingling)
    short = ShortTexts.of(documents, shingling.unit)
    if short is None:
        return
    better = suitable(short, shingling, RECORDED["threshold"].default)
    if better.k > shingling.k or (better.k < shingling.k and better.least):
        yield in_words(short, shingling, better)


def in_words(short: ShortTexts, shingling: Shingling, better: Suitable) -> str:
    """Why another k or threshold suits the documents better, as one line of advice. better: what is proposed."""
    units, k = UNITS[shingling.unit].plural, shingling.k
    if better.k > k:
        return (
            f"k = {k} is small: half the documents have {short.typical:,.0f} {units} or more; a shingle turns up in an"
            f" unrelated one with a chance of {short.chance(k):.2f}, and unrelated ones look alike:"
            f" -k {better.k} would do"
        )
    edit, left = min(short.left_by(k).items(), key=lambda each: each[1])
    problem = f"k = {k} is large for short texts" if better.k < k else "some texts are short"
    if short.left_out:
        problem = f"without what is left out, {problem}"
    leave = "leave" if edit.endswith("characters") and not edit.startswith("an ") else "leaves"
    typical = f"in a short one of {counted(round(short.units - short.left_out), units[:-1])}"
    problem += f": {typical}, {edit} {leave} a similarity of only {left:.2f}"
    change = f"-k {better.k} " if better.k < k else ""
    threshold = f"--threshold {better.threshold:g}"
    found = "finds such variants" if better.least >= better.threshold else "finds more of such variants"
    return f"{problem}: {change}{threshold} {found}"


def _without_stop_words(lengths: Array, counts: Array, shingling: Shingling) -> Iterator[str]:
    long = lengths >= _FEW_SHINGLES * shingling.k
    whole, every = int((long & (counts == 1)).sum()), int(long.sum())
    if whole and whole >= _SHORT_SHARE * every:
        varied = UNITS[shingling.unit].varied
        varied = f", or --unit {varied}" if varied else ""
        source, other = f"--language {shingling.language}", "another --language"
        if shingling.stop_word_list:
            source, other = "--stop-words", "another list"
        yield (
            f"{source}: {whole:,} of {every:,} documents ({whole / every:.0%})"
            " have hardly any of its stop words, so only copies of them are found;"
            f" try {other}{varied}"
        )


_FEW_SHINGLES = 5
"""A document with fewer than this many times k units is too short to tell whether it has stop words."""


LEAVING_OUT = "leave it out with --template FILE or --ignore-common F (simdocs tune DOCS looks for F)"
"""The advice that leaves out a template."""

MANY_DOCUMENTS = 100
"""With fewer documents than this, no advice is given, because the answer is easily read in full."""

LARGE_GROUP = 20
"""The smallest number of documents in a large group."""

_SHARE_OF_PAIRS = 0.5
"""Advice is given if large groups have more than this share of the pairs of different texts."""

_SHARE_OF_DOCUMENTS = 0.1
"""Advice is given if one group has more than this share of the documents."""


def template_advice(graph: PairGraph, corpus: Corpus, unit: str) -> tuple[str, ...]:
    """One line if a template may explain the similar pairs, otherwise none.

    A template may explain them if groups of LARGE_GROUP or more documents have most pairs of different texts, or if a
    group has a large share of all documents.

    graph: all rows of the corpus, with all pairs that were found
    unit: the unit of the shingles
    """
    size = len(graph)
    first, documents, pairs = graph.groups()
    if size < MANY_DOCUMENTS or not len(first):
        return ()
    in_large, of_all = int(pairs[documents >= LARGE_GROUP].sum()), int(pairs.sum())
    largest = int(np.argmax(documents))
    count = int(documents[largest])
    name = display_name(corpus.printed_names(first[largest : largest + 1])[0])
    some = f"{count:,} documents ({count / size:.0%} of all), such as {name}"
    linked = f"{some}, are {'linked by chains of similar pairs' if pairs[largest] else 'copies of one text'}"
    remedy = f"if they share only a template, {LEAVING_OUT}"
    if coarser := UNITS[unit].coarser:
        remedy += f", or try --unit {coarser}"
    if in_large > _SHARE_OF_PAIRS * of_all:
        spread = f"{in_large:,} of {of_all:,} pairs of different texts are in chains of {LARGE_GROUP} or more documents"
        return (f"{spread}, the largest of {some}: {remedy}",)
    if count > _SHARE_OF_DOCUMENTS * size:
        return (f"{linked}: {remedy}" if pairs[largest] else linked,)
    return ()


def useless_template(documents: Documents, artifact: Artifact | None, recipe: SignatureRecipe) -> Iterator[str]:
    """Yield a warning if no document has a token of the templates that were given.

    artifact: where the documents come from; if it has signatures, it has decided what is left out.
    """
    decided_now = artifact is None or isinstance(artifact, Shingles)
    if decided_now and recipe.ignoring.template_digest and documents.tokens and not documents.share_left_out:
        yield "--template leaves out nothing: no document has any of its tokens"


_EACH = 20
"""There is a crowd if there are more candidates for each document than this ..."""

_SHARE_SIMILAR = 0.05
"""... and less than this share of them are similar."""


def watch_for_a_crowd(documents: int, run: Run, *, joinable: bool) -> list[str]:
    """A list that gets a line of advice, which is explained at once, as soon as the counts of a run show a crowd.

    joinable: whether an exact join, which was not asked for, would answer, too.
    """
    advice = list[str]()

    def look(tally: Tally) -> None:
        is_crowd = tally.candidates > _EACH * documents and tally.similar < _SHARE_SIMILAR * tally.candidates
        if is_crowd and documents >= MANY_DOCUMENTS and not advice:
            exact = "; or try --exact, which may compare far fewer pairs" if joinable else ""
            advice.append(
                f"there are more than {_EACH} candidates for each document, and less than {_SHARE_SIMILAR:.0%} of them"
                f" are similar: if the documents share a template, {LEAVING_OUT}{exact}"
            )
            run.explain(advice[0])

    run.tally.watch = look
    return advice


def keep_of_lines(documents: Documents, policy: str) -> Iterator[str]:
    """Yield a warning if documents are to be kept by the time of their file, and none has a file of its own."""
    if policy in ("newest", "oldest") and len(documents) and documents.facts["container"].all():
        yield (
            f"--keep {policy} compares the times of files, and no document has a file of its own: of"
            " near-duplicates in the same file the first is kept"
        )


_LOWEST_STEP, _FARTHEST = 8, 3
"""In twentieths: no lower threshold is proposed, and none that is so much below the one that was asked for."""

_FEW, _CLEAR, _SLOPE = 3, 0.1, 0.5
"""A threshold is in a gap if up to _FEW pairs are near it, or up to _CLEAR times as many as are found. It cuts through
the pairs of unrelated documents, which are more with each step down, if there are more than _SLOPE times as many."""


class Threshold(NamedTuple):
    """A threshold, with the estimated numbers of pairs that it finds, and of those that are less than 0.05 from it."""

    value: float
    found: float
    near: float

    @property
    def is_clear(self) -> bool:
        """Whether it is in a gap, so that small edits decide nothing."""
        return self.near <= max(_FEW, _CLEAR * self.found)

    @property
    def is_on_slope(self) -> bool:
        """Whether it cuts through pairs of unrelated documents."""
        return not self.is_clear and self.near > _SLOPE * self.found


CODE = 0.5
"""The threshold that is proposed for program code (docs/choosing.md)."""

_SIGNS, _ENDS = "{}()[];=<>_", "{}();:,"
_OF_SIGNS, _OF_ENDS = 0.05, 0.4


def is_code(texts: Sequence[str]) -> bool:
    """Whether most of these texts are program code: its lines mostly end with signs, and it has many in them.

    Of Java, Python and C, half of the lines and more end so, and 6% to 14% of all letters are such signs; of prose and
    manual pages a third of the lines and 5% at most.
    """
    found = 0
    for text in texts:
        lines = [line for line in map(str.strip, text.splitlines()) if line]
        signs = sum(map(text.count, _SIGNS)) > _OF_SIGNS * sum(map(len, lines))
        found += signs and sum(line[-1] in _ENDS for line in lines) > _OF_ENDS * len(lines)
    return 2 * found > len(texts)


def threshold_at(counts: Floats, value: float) -> Threshold:
    """A threshold among these pairs. counts: the numbers of pairs in each twentieth, (21,)."""
    at = round(value * STEPS)
    return Threshold(value, float(counts[at:].sum()), float(counts[max(0, at - 1) : at + 1].sum()))


def best_threshold(counts: Floats, start: float, highest: float) -> Threshold:
    """The threshold in a gap that is nearest to `start` and not above `highest`.

    If there is no gap, it is `start`, or `highest` if `start` cuts through the pairs of unrelated documents.
    """
    first, last = (round(value * STEPS) for value in (start, highest))
    places = [start, *(at / STEPS for at in range(max(_LOWEST_STEP, first - _FARTHEST), last + 1)), highest]
    every = [threshold_at(counts, value) for value in places if value <= highest]
    clear = [each for each in every if each.is_clear]
    if clear:
        return min(clear, key=lambda each: (abs(each.value - start), -each.value))
    return every[-1] if every[0].is_on_slope else every[0]


_MANY_DOCUMENTS = 100
"""With fewer documents than this, a token in most of them is no sign of a template."""

_FRACTIONS = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2)
"""The fractions that are considered. The largest is proposed: no group of real near-duplicates may reach it."""

LARGE, OF_A_CROWD = 0.3, 0.05
"""A template is found if at least this share of the tokens of documents is in more of them than the fraction says. The
second is for documents of which it is known that some form a crowd, which may be few."""

_MORE = 0.1
"""With half the fraction, at most this share more may be left out. Tokens of a template are in most of the documents on
it and in no others. The words and letters of a language have all frequencies."""


def template_fraction(sets: Ragged, large: float) -> tuple[float, float] | None:
    """The fraction for --ignore-common that leaves out a template of these documents, and the share of tokens in it.

    sets: the token sets of some documents, drawn at random. large: LARGE or OF_A_CROWD.
    """
    counts = frequencies(sets.values).counts

    def share(fraction: float) -> float:
        return float(counts[counts > fraction * len(sets)].sum() / counts.sum())

    for fraction in _FRACTIONS if len(sets) >= _MANY_DOCUMENTS else ():
        if share(fraction) >= large and share(fraction / 2) <= (1 + _MORE) * share(fraction):
            return fraction, share(fraction)
    return None


_CROWD, _MOST, _ABOVE, _FALSE = 20, 0.5, 0.1, 0.1
"""A crowd has at least _CROWD documents, more than _MOST of the pairs that a lower threshold adds, and at most _ABOVE
times as many pairs above the higher one: near-duplicates have more. It does no harm with up to _FALSE of all pairs."""


def is_crowd(sample: PairSample, size: int, lowered: float, asked: float) -> bool:
    """Whether a threshold that is lowered mostly adds pairs of documents that may share only a template.

    size: the number of documents, of which the sample has rows.
    """
    similarity, weight = sample.similarity, sample.weight
    near, found = similarity >= lowered - _FARTHEST / STEPS, similarity >= lowered
    labels = connect(np.arange(size), sample.left[near], sample.right[near])
    crowded = found & (np.bincount(labels, minlength=size)[labels[sample.left]] >= _CROWD)
    below = found & (similarity < asked)
    of_crowd, above = float(weight[crowded & below].sum()), float(weight[crowded & ~below].sum())
    harmful = of_crowd > max(_MOST * float(weight[below].sum()), _FALSE * float(weight[found].sum()))
    return harmful and above <= _ABOVE * of_crowd
