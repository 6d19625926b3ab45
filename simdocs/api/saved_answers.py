"""The public functions about saved answers: write and read them, act on their duplicates, and undo that."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Unpack, cast

from simdocs.api.ask import ask_for_python, encoded_path
from simdocs.api.docstrings import with_keywords_of
from simdocs.errors import UsageError
from simdocs.model.names import display_name
from simdocs.parameters.values import Path, is_uri
from simdocs.requests.acting import ActRequest, UndoRequest

if TYPE_CHECKING:
    from simdocs.api.keywords import ActKeywords, UndoKeywords
    from simdocs.model.acted import Acted, PutBack
    from simdocs.model.deduplication import Deduplication
    from simdocs.model.saved_answer import SavedAnswer


def write_answer(result: Deduplication, path: Path) -> None:
    """Save what `dedupe` has found as a NAME.answer file, as `simdocs dedupe -o NAME.answer` does: all or nothing.

    UsageError: the path does not end in .answer. OutputError: it cannot be written.
    """
    from simdocs.artifacts.answer_file import lines_of
    from simdocs.artifacts.recognise import is_artifact
    from simdocs.model.saved_answer import SUFFIX
    from simdocs.storage.atomic_file import atomic_file

    target = encoded_path(path)
    if not target.endswith(f".{SUFFIX}".encode()):
        raise UsageError(f"{display_name(target)}: the name of a saved answer ends in .{SUFFIX}")
    if is_uri(target):
        raise UsageError(f"{display_name(target)}: a saved answer must be on this machine, and not in a store")
    with atomic_file(os.fsdecode(target), is_artifact) as stream:
        for piece in lines_of(result):
            stream.write(piece)


def read_answer(answer: Path) -> SavedAnswer:
    """Read a NAME.answer file, check all of it, and return it as a SavedAnswer, whose `pairs()` yields the duplicates.

    Raises ArtifactError if it is damaged, and InputError if it does not exist or cannot be read.
    """
    from simdocs.artifacts.answer_file import read_answer

    return read_answer(encoded_path(answer))


@with_keywords_of(ActRequest, "answer")
def act(answer: Path, **keywords: Unpack[ActKeywords]) -> Acted:
    """Move the duplicates of a saved answer away, or link them to the kept documents, and return Acted: what was done.

    Nothing is changed without yes=True. Each step is written to the journal NAME.answer.journal.jsonl first.
    """
    return cast("Acted", ask_for_python(ActRequest(answer=answer, **keywords)))


@with_keywords_of(UndoRequest, "journal")
def undo(journal: Path, **keywords: Unpack[UndoKeywords]) -> PutBack:
    """Put back what act has done, by its journal, and return PutBack. Nothing is changed without yes=True."""
    return cast("PutBack", ask_for_python(UndoRequest(journal=journal, **keywords)))
