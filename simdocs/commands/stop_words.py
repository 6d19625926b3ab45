"""The list of stop words that a request names, and whether an artifact was built with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simdocs.corpora.single_text import read_single_document
from simdocs.errors import InputError, mention
from simdocs.model.artifact import Artifact
from simdocs.model.names import display_name
from simdocs.parameters import PARAMETERS
from simdocs.recipes import MOST_STOP_WORDS, Sequences

_COMMENT = "#|"
"""What begins a comment. No word holds these signs, and the lists of Snowball have comments after |."""


def with_stop_word_list(given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, with the list of stop words in the place of the name of its file.

    InputError: the list cannot be used. UsageError: the file has many texts.
    """
    given = dict(given)
    if (name := given.pop("stop_words", None)) is not None:
        given["stop_word_list"] = stop_word_list(name)
    return given


def stop_word_list(name: bytes) -> str:
    """The distinct words in this file, sorted, with spaces between them: see `with_stop_word_list`."""
    shown = display_name(name)
    data = read_single_document(name, PARAMETERS["max_size"].default, Sequences())
    if len(data) > MOST_STOP_WORDS:
        problem = f"this list of stop words has {len(data):,} bytes, and {MOST_STOP_WORDS:,} are allowed"
        raise InputError(f"{shown}: {problem}: leave out comments and rare words")
    try:
        lines = data.decode().splitlines()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{shown}, line {line}: this list is not in UTF-8: convert it first, for instance with iconv"
        ) from None
    for sign in _COMMENT:
        lines = [line.partition(sign)[0] for line in lines]
    words = sorted({word for line in lines for word in line.split()})
    if not any(map(str.isalnum, "".join(words))):
        raise InputError(f"{shown}: this list has no words: give one word on each line")
    return " ".join(words)


def contradictory_stop_words(given: Mapping[str, Any], artifact: Artifact) -> Iterator[str]:
    """Yield a message if the list that was given is not that of the artifact. Errors: see `with_stop_word_list`."""
    if (name := given.get("stop_words")) is None:
        return
    theirs, remedy = artifact.recipe.shingling.stop_word_list, "rebuild it, or leave the option out"
    if not theirs:
        yield f"{artifact.name} was built without {mention('stop_words')}: {remedy}"
    elif theirs != stop_word_list(name):
        yield f"{artifact.name} was built with other {mention('stop_words')} than {display_name(name)}: {remedy}"
