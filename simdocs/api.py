"""The Python API: a function for each question, made from its options class, and what else the package offers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from inspect import Parameter as Argument
from inspect import Signature, cleandoc
from typing import TYPE_CHECKING, Any, cast

from simdocs.commands import ask, question, write_summary
from simdocs.engines.engine import running
from simdocs.errors import InputError, UsageError
from simdocs.model.artifact import Artifact
from simdocs.names import display_name
from simdocs.options.declaration import Options
from simdocs.options.values import Path

if TYPE_CHECKING:
    from simdocs.model.artifact import BandIndex, Shingles, Signatures
    from simdocs.model.groups import Deduplication, SavedAnswer
    from simdocs.model.result import Result


def function(name: str) -> Callable[..., Any]:
    """The public function that asks a question. Its keywords are the options of the command of this name."""
    asked = question(name)[0]
    places = [(argument, nargs) for argument, (_, nargs, _) in asked.takes.items()]

    def call(*arguments: Any, **keywords: Any) -> Any:
        given = list(arguments)
        for argument, nargs in places:
            if nargs < 0:
                keywords[argument], given = tuple(given), []
            elif given:
                keywords[argument] = given.pop(0)
        if given:
            raise TypeError(f"{name}() takes {len(places)} arguments, not {len(arguments)}")
        if shell := [each for each in keywords if each in asked.options and asked.options[each].shell]:
            raise TypeError(f"{name}() has no option {', '.join(shell)}: it is for the command line")
        return _answered(asked(**keywords))

    one, several = Argument.POSITIONAL_OR_KEYWORD, Argument.VAR_POSITIONAL
    by_place = [Argument(argument, several if nargs < 0 else one) for argument, nargs in places]
    by_name = [Argument(each, Argument.KEYWORD_ONLY, default=default) for each, default in keywords_of(asked).items()]
    call.__name__ = call.__qualname__ = name
    call.__doc__ = docstring(asked)
    call.__signature__ = Signature([*by_place, *by_name])  # type: ignore[attr-defined]
    return call


def keywords_of(asked: type[Options]) -> dict[str, Any]:
    """The keywords of a question in Python, with their defaults; None where another option or nothing decides."""
    others = {name: default for name, default in asked.arguments.items() if name not in asked.takes}
    return others | {each.name: each.default for each in asked.options.values() if not each.shell}


def docstring(asked: type[Options]) -> str:
    """What a function does, and what its keywords mean."""
    lines = [cleandoc(asked.__doc__ or ""), "", "Keywords, with their defaults in brackets:", ""]
    for declared in asked.options.values():
        if not declared.shell:
            default = f" [{declared.shown_default}]" if declared.shown_default else ""
            lines.append(f"    {declared.name}: {declared.help}{default}")
    return "\n".join(lines)


def _answered(options: Any) -> Any:
    """The result that answers a question of a Python caller. Its summary is written if that was asked for.

    OutputError: the summary cannot be written; then nothing else is published. For others, see `ask`.
    """
    began = time.monotonic()
    summary_json = getattr(options, "summary_json", None)
    if getattr(options, "jobs", 1) is None:
        options = options.filled(jobs=1)
    with ExitStack() as stack:
        note = None
        if summary_json is not None:
            # The file that is opened first is published last, so there is no summary without its answer.
            from simdocs.views.output import file_of

            note = stack.enter_context(file_of(os.fsdecode(summary_json)))

        def conclude(result: Result) -> None:
            if note is not None:
                write_summary(note, result, time.monotonic() - began)

        run = stack.enter_context(running(options, conclude=conclude))
        result = ask(options, run)
        if not options.publishes_itself:
            conclude(result)
    if not options.publishes_itself or isinstance(result, Artifact):
        return result
    # Texts in memory cannot be read again from a disk, so the artifact holds them.
    made, documents = open(options.output), result.documents
    return made.but(held=documents.held, given_names=documents.given_names, skipped=result.skipped)


def open(artifact: Path) -> Shingles | Signatures | BandIndex:  # noqa: A001  (simdocs.open, as gzip.open)
    """Open an artifact, check all of it, and return it with memory-mapped arrays.

    Raises ArtifactError if it is damaged, and InputError if it does not exist or cannot be read.
    """
    from simdocs.artifacts.formats import FORMATS
    from simdocs.artifacts.reader import checked, open_artifact, usable

    return cast("Shingles | Signatures | BandIndex", checked(usable(open_artifact(_encoded(artifact)), FORMATS)))


def write_answer(result: Deduplication, path: Path) -> None:
    """Save what `dedupe` has found as a NAME.answer file, as `simdocs dedupe -o NAME.answer` does: all or nothing.

    UsageError: the path does not end in .answer, or is in a store. OutputError: it cannot be written.
    """
    from simdocs.model.groups import SUFFIX

    target = _encoded(path)
    if not target.endswith(f".{SUFFIX}".encode()):
        raise UsageError(f"{display_name(target)}: the name of a saved answer ends in .{SUFFIX}")
    result.write(target)


def read_answer(answer: Path) -> SavedAnswer:
    """Read a NAME.answer file, check all of it, and return it as a SavedAnswer, whose `pairs()` yields the duplicates.

    Raises ArtifactError if it is damaged, and InputError if it does not exist or cannot be read.
    """
    from simdocs.artifacts import answer_file

    return answer_file.read_answer(_encoded(answer))


def _encoded(path: Path) -> bytes:
    """A path as bytes. UsageError: not a path. InputError: it contains NUL."""
    try:
        encoded = os.fsencode(path)
    except TypeError:
        raise UsageError(f"{type(path).__name__} is not a path") from None
    if b"\0" in encoded:
        raise InputError(f"{display_name(encoded)}: a path cannot contain NUL")
    return encoded
