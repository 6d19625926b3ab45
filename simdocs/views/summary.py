"""What a run did: as lines for people, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from simdocs.model.skipped import UNJUDGED, Skipped

_LOOSEST = 10


def as_json(facts: Mapping[str, Any]) -> bytes:
    """One JSON object."""
    return json.dumps(facts, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def unjudged(skipped: Skipped) -> str:
    """How many documents could not be judged, and why."""
    counts = "; ".join(f"{count} {UNJUDGED[reason]}" for reason, count in skipped.counts.items() if reason in UNJUDGED)
    return f"--strict: nothing published, since not all could be judged: {counts}"


def lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """The same facts, as somebody at a terminal wants to read them."""
    banding = facts["parameters"]["banding"]
    yield (
        f"{facts['documents']:,} documents, {facts['bytes']:,} bytes"
        + (f", {facts['empty']:,} empty" if facts["empty"] else "")
        + "".join(f", {count:,} skipped: {reason}" for reason, count in facts["skipped"].items())
    )
    yield (
        f"{facts['bands']} bands of {facts['rows']} rows find a pair at {banding['threshold']:g} with probability"
        f" {facts['probability']:.4f}; {facts['candidates']:,} candidates, {facts['verified']:,} verified"
    )
    yield _outcome(facts)
    for component in facts.get("components", ())[:_LOOSEST]:
        yield _looseness(component)


def _outcome(facts: Mapping[str, Any]) -> str:
    seconds = f"in {facts['seconds']:.2f} s"
    if "pairs" in facts:
        return f"{facts['pairs']:,} similar pairs, {seconds}"
    return f"{facts['duplicates']:,} duplicates of {facts['groups']:,} documents, {facts['kept']:,} kept, {seconds}"


def _looseness(component: Mapping[str, Any]) -> str:
    def figure(value: float | None) -> str:
        return "unknown" if value is None else f"{value:.6f}"

    return (
        f"component of {component['kept']}: {component['documents']:,} documents; smallest similarity to it"
        f" {figure(component['smallest_to_kept'])}, of any two {figure(component['smallest_of_two'])}"
        + ("" if component["all_compared"] else " or less (not all were compared)")
    )
