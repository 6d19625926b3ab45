"""Pairs near a threshold, for a person to judge, and the family of documents that has most of the similar pairs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

import numpy as np

from simdocs.advice.similarity_advice import FARTHEST
from simdocs.engines.run import Run
from simdocs.kernels.grouping import connect
from simdocs.matching.corpus import Corpus
from simdocs.matching.difference import PairDifferences
from simdocs.model.passages import Difference
from simdocs.model.ragged import Index, Rows
from simdocs.model.tuning import ExamplePair, PairSample
from simdocs.names import display_name, escape_controls

EACH = 3
"""Pairs that are shown above, at and below a threshold."""

_NEAR = 0.025
"""A pair is at a threshold if its similarity differs by less than this."""

_SHOWN = 24
"""Characters of a difference that are shown of each text."""

_READ = 1 << 20
"""The difference of texts with more bytes than this is not shown."""

_FAMILY, _SHARE = 5, 0.5
"""A family is named if it has at least _FAMILY documents, and more than _SHARE of the pairs near the threshold."""

_CROWD, _ABOVE, _FALSE = 20, 0.1, 0.1
"""A crowd has at least _CROWD documents, and at most _ABOVE times as many pairs above the threshold asked for as
below it: near-duplicates have more above. It does no harm if it has at most _FALSE of all pairs."""

_NAMED = 3


def example_pairs(
    corpus: Corpus, firsts: Rows, sample: PairSample, threshold: float, run: Run
) -> Iterator[ExamplePair]:
    """Yield the pairs of a sample that are next above, at and next below a threshold, the most similar ones first.

    firsts: (M,) the first document of each text, by which the sample numbers them.
    """
    similarity = sample.similarity
    low, high = np.minimum(sample.left, sample.right), np.maximum(sample.left, sample.right)
    order = np.lexsort((high, low, similarity))
    new = np.ones(len(order), bool)  # A pair may have been drawn twice.
    new[1:] = (low[order][1:] != low[order][:-1]) | (high[order][1:] != high[order][:-1])
    order = order[new]
    gap = similarity[order] - threshold
    at = order[np.abs(gap) < _NEAR]
    near = at[np.argsort(np.abs(similarity[at] - threshold), kind="stable")[:EACH]]
    chosen: dict[str, Index] = {
        "above": order[gap >= _NEAR][:EACH],
        "at": near[np.argsort(similarity[near], kind="stable")],
        "below": order[gap <= -_NEAR][-EACH:],
    }
    every = np.concatenate(list(chosen.values()))
    corpus.copy(firsts[np.concatenate((low[every], high[every]))], run, texts=True)
    differences = PairDifferences("words")
    for where, places in chosen.items():
        for place in places[::-1].tolist():
            pair = firsts[[low[place], high[place]]]
            document, other = map(display_name, corpus.printed_names(pair))
            short = ""
            if corpus.facts(pair)["size"].max() <= _READ:
                short = _in_short(differences.of(corpus, *pair.tolist()))
            yield ExamplePair(
                where=where,
                threshold=threshold,
                document=document,
                other=other,
                jaccard=float(similarity[place]),
                difference=short,
            )


def _in_short(difference: Difference) -> str:
    """The first passage that differs, and the number of others."""
    differing = [passage for passage in difference.passages if not passage.shared]
    if not differing:
        return difference.missing or difference.equality
    parts = [
        sign + _cut(" ".join(text.split()))
        for sign, text in (("-", differing[0].a), ("+", differing[0].b))
        if text.strip()
    ]
    more = f"and {len(differing) - 1} more" if len(differing) > 1 else ""
    return " ".join([*parts, *([more] if more else [])])


def _cut(text: str) -> str:
    return escape_controls(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def family_of_pairs(corpus: Corpus, firsts: Rows, sample: PairSample, least: float) -> Iterator[str]:
    """Yield a line that names the family which has most of the pairs of this similarity or more, if one has."""
    similar = np.flatnonzero(sample.similarity >= least)
    if not len(similar):
        return
    left, right = sample.left[similar], sample.right[similar]
    labels = connect(np.arange(len(firsts)), left, right)
    weights = np.bincount(labels[left], sample.weight[similar], len(firsts))
    largest = int(np.argmax(weights))
    members = np.flatnonzero(labels == largest)
    share = float(weights[largest] / weights.sum())
    if len(members) < _FAMILY or share <= _SHARE:
        return
    names = corpus.printed_names(firsts[members])
    yield (
        f"{share:.0%} of the pairs at {least:.2g} or above are in one family of documents, {_pattern(names)}: look at"
        " some of them before you trust these figures"
    )


def crowd_below(corpus: Corpus, firsts: Rows, sample: PairSample, lowered: float, asked: float) -> Iterator[str]:
    """Yield why a threshold is not to be lowered, if that adds a crowd: documents that may share only a template.

    A crowd has most of the pairs between the lowered threshold and the one that was asked for and hardly any above, and
    pairs that are a little less similar link it.
    """
    similarity, weight = sample.similarity, sample.weight
    near, found = similarity >= lowered - FARTHEST, similarity >= lowered
    labels = connect(np.arange(len(firsts)), sample.left[near], sample.right[near])
    sizes = np.bincount(labels, minlength=len(firsts))
    crowded, below = found & (sizes[labels[sample.left]] >= _CROWD), found & (similarity < asked)
    of_crowd, of_all = float(weight[crowded & below].sum()), float(weight[below].sum())
    above = float(weight[crowded & ~below].sum())
    if of_crowd <= max(_SHARE * of_all, _FALSE * float(weight[found].sum())) or above > _ABOVE * of_crowd:
        return
    members = np.flatnonzero(labels == int(np.argmax(sizes)))
    yield (
        f"{of_crowd / of_all:.0%} of the pairs between {lowered:g} and {asked:g} are of documents that may share only a"
        f" template, {_pattern(corpus.printed_names(firsts[members]))}"
    )


def _pattern(names: Sequence[bytes]) -> str:
    """Globs for most of these names, such as encodings/cp*.py; or some of them, if they have little in common."""
    alike: dict[tuple[bytes, bytes], list[bytes]] = {}
    for name in map(os.path.normpath, names):
        stem = _STEM.match(os.path.basename(name))
        assert stem is not None
        alike.setdefault((os.path.dirname(name), stem[0]), []).append(name)
    groups = sorted(alike.values(), key=lambda group: (-len(group), group))[:_NAMED]
    if len(groups[0]) < 2 or any(b"#" in name for name in names):
        return f"such as {', '.join(map(display_name, names[:_NAMED]))}"
    globs = [_glob(group) for group in groups if len(group) > 1]
    more = len(names) - sum(len(group) for group in groups if len(group) > 1)
    return ", ".join(map(display_name, globs)) + (f" and {more:,} more" if more else "")


_STEM = re.compile(rb"[^\W\d_]*")


def _glob(names: Sequence[bytes]) -> bytes:
    """A pattern of the common beginning and end of two or more names, with a star between them."""
    begin = _alike(names)
    end = _alike([name[begin:][::-1] for name in names])
    return names[0][:begin] + b"*" + names[0][len(names[0]) - end :]


def _alike(names: Sequence[bytes]) -> int:
    """The number of equal bytes at the beginning of these names."""
    first, last = min(names), max(names)  # What these two begin with, all that are between them begin with.
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return sum(1 for _ in alike)
