"""docs/output.md lists every reason for skipping, and every key of the JSON summary."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simdocs.model.skipped import JUDGED, UNJUDGED, in_short
from tests.docs.executed import DOCS, EXAMPLES, SCRIPTS

OUTPUT = DOCS / "output.md"
PAGE = OUTPUT.read_text(encoding="utf-8")
ON_JSON = PAGE.partition("\n## The JSON summary\n")[2].partition("\n## ")[0]

WITH_A_SUMMARY = (
    "index corpus -o corpus.index --containment --dry-run",
    "index corpus -o corpus.index --containment",
    "shingle corpus -o corpus.shingles",
    "dedupe corpus --cluster components",
    "pairs corpus.index --changed",
    "query corpus.index corpus/poems --nearest 2",
    "query corpus.index corpus/poems --measure containment",
    "tune corpus",
    "audit corpus",
)


@pytest.mark.parametrize("reason", [*JUDGED, *UNJUDGED])
def test_every_reason_for_skipping_is_listed_with_its_words(reason: str) -> None:
    assert f"\n| `{reason}` | {in_short(reason)} | " in PAGE


def keys(facts: dict[str, Any]) -> Iterator[str]:
    """Yield the keys of an object and of the objects in it, without parameters and reasons for skipping."""
    for key, value in facts.items():
        yield key
        if key not in ("parameters", "skipped", "looks_like"):
            for inner in value if isinstance(value, list) else [value]:
                yield from keys(inner) if isinstance(inner, dict) else ()


def test_every_key_of_the_json_summary_is_described(tmp_path: Path) -> None:
    (tmp_path / "corpus").symlink_to(EXAMPLES / "corpus")
    found: set[str] = set()
    for command in WITH_A_SUMMARY:
        call = [SCRIPTS / "simdocs", *command.split(), "--summary-json", "summary.json", "-q"]
        subprocess.run(call, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
        found |= {*keys(json.loads((tmp_path / "summary.json").read_bytes()))}
    assert len(found) > 60
    assert found - {*re.findall(r"`(\w+)`", ON_JSON)} == set()
