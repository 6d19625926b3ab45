"""What a run did: as lines for people, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from simdocs.model.skipped import UNJUDGED, Skipped

_LOOSEST = 10

_MANY, _LARGE = 100, 0.1
"""Documents from which on a group is worth a word if it is so large a part of them."""


def as_json(facts: Mapping[str, Any]) -> bytes:
    """One JSON object."""
    return json.dumps(facts, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def unjudged(skipped: Skipped) -> str:
    """How many documents could not be judged, and why."""
    counts = ", ".join(f"{count:,} {reason}" for reason, count in skipped.counts.items() if reason in UNJUDGED)
    return f"--strict: nothing published, since not all could be judged: {counts}"


def lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """The same facts, as somebody at a terminal wants to read them."""
    yield _documents(facts)
    found = "every pair is found" if facts["parameters"]["grouping"]["exact"] else _bands(facts)
    yield f"{found}; {counted(facts['candidates'], 'candidate')}, {facts['verified']:,} verified"
    yield _outcome(facts)
    yield from _alarm(facts)
    for component in facts.get("components", ())[:_LOOSEST]:
        yield _looseness(component)


def queried(facts: Mapping[str, Any]) -> Iterator[str]:
    """The same of a query."""
    yield f"{_documents(facts)}, against {counted(facts['indexed'], 'document')}"
    yield f"{_bands(facts)}; {counted(facts['candidates'], 'candidate')}, {facts['verified']:,} verified"
    matches = counted(facts["matches"], "match", "matches")
    yield f"{matches} for {counted(facts['matched'], 'document')}, in {facts['seconds']:.2f} s"


def built(facts: Mapping[str, Any], name: str) -> Iterator[str]:
    """The same of an artifact that was built."""
    yield f"{_documents(facts)}, {counted(facts['tokens'], 'token')}"
    if "curve" in facts:
        yield from expected(facts)
    yield f"{name}: written in {facts['seconds']:.2f} s"


def expected(facts: Mapping[str, Any]) -> Iterator[str]:
    """What an index will find."""
    yield _bands(facts)
    yield "probability by similarity: " + ", ".join(f"{s:g} {chance:.4f}" for s, chance in facts["curve"])
    line = f"about {facts['candidates_a_document']:,.1f} candidates a document, from sampled pairs"
    if "fewer_with" in facts:
        fewer = facts["fewer_with"]
        line += f": --num-perm {fewer['num_perm']} would need {fewer['candidates_a_document']:,.1f}"
    yield line


def _documents(facts: Mapping[str, Any]) -> str:
    return (
        f"{counted(facts['documents'], 'document')}, {counted(facts['bytes'], 'byte')}"
        + (f", {facts['empty']:,} empty" if facts["empty"] else "")
        + "".join(f", {count:,} skipped: {reason}" for reason, count in facts["skipped"].items())
    )


def _bands(facts: Mapping[str, Any]) -> str:
    bands = f"{counted(facts['bands'], 'band')} of {counted(facts['rows'], 'row')}"
    return f"{bands} find a pair at {facts['threshold']:g} with probability {facts['probability']:.4f}"


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _outcome(facts: Mapping[str, Any]) -> str:
    seconds = f"in {facts['seconds']:.2f} s"
    if "pairs" in facts:
        return f"{counted(facts['pairs'], 'similar pair')}, {seconds}"
    if not facts["duplicates"]:
        return f"no duplicates, {seconds}"
    duplicates = f"{counted(facts['duplicates'], 'duplicate')} of {counted(facts['groups'], 'document')}"
    return f"{duplicates}, {facts['kept']:,} kept, {seconds}"


def _alarm(facts: Mapping[str, Any]) -> Iterator[str]:
    """What a template that many documents share looks like: one group that is a large part of all."""
    group, documents = facts.get("largest_group"), facts["documents"]
    if group is not None and documents >= _MANY and group["duplicates"] > _LARGE * documents:
        share = group["duplicates"] / documents
        yield f"largest group: {group['duplicates']:,} duplicates of {group['kept']}, {share:.0%} of all documents"


def _looseness(component: Mapping[str, Any]) -> str:
    def figure(value: float | None) -> str:
        return "unknown" if value is None else f"{value:.6f}"

    return (
        f"component of {component['kept']}: {component['documents']:,} documents; smallest similarity to it"
        f" {figure(component['smallest_to_kept'])}, of any two {figure(component['smallest_of_two'])}"
        + ("" if component["all_compared"] else " or less (not all were compared)")
    )
