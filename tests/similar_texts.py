"""Random similar texts: of few words, with copies, small edits, and empty and short texts."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from tests.twins.text_answers import Text

WORDS = (b"the", b"of", b"Cat", b"and", b"dog", b"x", b"caf\xc3\xa9", b"sat", b"\xff\x80", b"it")
JOINTS = (b" ", b"\n", b"  ", b", ", b"\r\n", b"\t")
ODD = (b"", b" \n", b"!!!", b"a", b"the", b"\xef\xbb\xbf", b"\xc3")


def edited(words: list[bytes], kind: str, at: int, word: bytes) -> list[bytes]:
    """Return the words with one inserted, dropped or replaced, or unchanged."""
    at = at % (len(words) + 1)
    if kind == "insert":
        return [*words[:at], word, *words[at:]]
    if kind == "drop":
        return words[:at] + words[at + 1 :]
    if kind == "replace" and at < len(words):
        return [*words[:at], word, *words[at + 1 :]]
    return words


@st.composite
def corpora(draw: Any, most: int = 14) -> list[Text]:
    """Draw texts, many of which are earlier ones with edits, other spaces or another case."""
    texts: list[list[bytes]] = []
    out = []
    for _ in range(draw(st.integers(0, most))):
        kind = draw(st.sampled_from(("new", "copy", "insert", "drop", "replace", "odd")))
        mtime = draw(st.integers(0, 3)) * 10**9
        if kind == "odd":
            out.append(Text(draw(st.sampled_from(ODD)), mtime))
            continue
        if kind == "new" or not texts:
            words = draw(st.lists(st.sampled_from(WORDS), max_size=12))
        else:
            source = texts[draw(st.integers(0, len(texts) - 1))]
            words = edited(source, kind, draw(st.integers(0, 12)), draw(st.sampled_from(WORDS)))
        texts.append(words)
        joint = draw(st.sampled_from(JOINTS))
        data = joint.join(words)
        out.append(Text(data.upper() if draw(st.booleans()) else data, mtime))
    return out


def family(seed: int, size: int, words: int = 60, vocabulary: int = 400) -> list[Text]:
    """Return a larger corpus: families of texts that are a few edits apart, with copies and a few odd texts."""
    dice = random.Random(seed)
    heads: list[list[bytes]] = []
    out = []
    for _ in range(size):
        mtime = dice.randrange(5) * 10**9
        if dice.random() < 0.05:
            out.append(Text(dice.choice(ODD), mtime))
            continue
        if not heads or dice.random() < 0.15:
            heads.append([b"w%d" % dice.randrange(vocabulary) for _ in range(dice.randint(3, words))])
        text = dice.choice(heads)
        for _ in range(dice.choice((0, 0, 1, 1, 2, 3, 5, 9))):
            kind = dice.choice(("insert", "drop", "replace"))
            text = edited(text, kind, dice.randrange(words), b"w%d" % dice.randrange(vocabulary))
        if dice.random() < 0.3:
            heads.append(text)
        out.append(Text(dice.choice(JOINTS).join(text), mtime))
    return out
