"""Where the lines of a JSON Lines file are cut into chunks, line by line."""

from __future__ import annotations

import re

from simdocs.corpora.containers import lines

FACTORS = (0x9FB21C651E98DF25, 0xD6E8FEB86659FD93, 0xC2B2AE3D27D4EB4F)
WORD = 1 << 64


def is_good_end(line: bytes) -> bool:
    """Return whether the content of a line says that a chunk ends after it."""
    mixed = len(line) * FACTORS[0] % WORD
    last, middle = len(line) - 9, len(line) // 2
    for factor, first in ((FACTORS[1], last), (FACTORS[2], middle)):
        places = (min(max(first + place, 0), len(line) - 1) for place in range(8))
        mixed ^= int.from_bytes(bytes(line[place] for place in places)) * factor % WORD
        mixed ^= mixed >> 29
        mixed = mixed * factor % WORD
    return (mixed >> 32) * lines.USUAL_BYTES < len(line) << 32


def chunks_of(data: bytes) -> list[bytes]:
    """Return the chunks of a whole file."""
    found: list[list[bytes]] = []
    goes_on = False
    for line in re.findall(rb"[^\n]*\n|[^\n]+", data):
        fits = goes_on and len(b"".join(found[-1])) + len(line) <= lines.MOST_BYTES
        if not fits or len(found[-1]) == lines.MOST_LINES:
            found.append([])
        found[-1].append(line)
        goes_on = len(b"".join(found[-1])) < lines.LEAST_BYTES or not is_good_end(line)
    return [b"".join(lines) for lines in found]
