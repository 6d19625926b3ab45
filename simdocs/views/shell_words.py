"""Commands that a page shows to be copied: names and options as a shell reads them."""

from __future__ import annotations

from shlex import quote
from typing import Any

from simdocs.model.saved_answer import SavedAnswer
from simdocs.names import shell_word
from simdocs.options.recipes import ChoosingBands, Shingling

__all__ = ["compare_options", "shell_word"]

_NOT_SHOWN = ("stop_word_list", "normalisation")


def compare_options(answer: SavedAnswer) -> str:
    """The options with which `simdocs compare` compares two documents as they were for this answer."""
    shingling = answer.recipe.shingling
    given: dict[str, Any] = {name: value for name, value in shingling.fields().items() if name not in _NOT_SHOWN}
    default = Shingling(unit=shingling.unit).fields() | {"unit": Shingling().unit} | Shingling().normalisation.fields()
    default |= ChoosingBands().fields()
    given |= shingling.normalisation.fields() | {"threshold": answer.threshold}
    words = list[str]()
    for name, value in given.items():
        if value != default.get(name):
            option = f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"
            words += (
                [option] if value is True else [option, quote(f"{value:g}" if isinstance(value, float) else str(value))]
            )
    return " ".join(words)
