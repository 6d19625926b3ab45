"""Saved answers with many groups, which no run had to find."""

from __future__ import annotations

from collections.abc import Iterator

from simdocs.model.groups import SavedAnswer, SavedDocument, SavedPair
from simdocs.options.answers import Grouping
from simdocs.options.recipes import Banding, Sequences, Shingling, SignatureRecipe, Sketching, Walking

DIRECTORIES = ("corpus/archive/2019", "corpus/archive/2020", "corpus/incoming", "corpus/mirror/of/another/site")
_WORDS = ("annual", "report", "harbour", "ferry", "minutes", "council", "draft", "final", "notice", "tender")


def answer_with(groups: int) -> SavedAnswer:
    """An answer with this number of groups, of 2 to 40 documents, about 2.5 on average, with names like real ones."""
    sizes = [2 + (at % 5 == 0) + (at % 11 == 0) + 37 * (at % 4999 == 17) for at in range(groups)]
    duplicates = sum(sizes) - groups
    recipe = SignatureRecipe(sequences=Sequences(), shingling=Shingling(), sketching=Sketching())
    banding = Banding(threshold=0.8, recall=0.95, rule="recall", bands=18, rows=7)
    parameters = {
        "walking": Walking().as_dict(),
        "grouping": Grouping().as_dict(),
        "banding": banding.as_dict(),
        "sequences": recipe.sequences.as_dict(),
        "shingling": recipe.shingling.as_dict(),
        "sketching": recipe.sketching.as_dict(),
    }
    head = {
        "root": "/data",
        "index_root": None,
        "parameters": parameters,
        "threshold": 0.8,
        "probability": 0.985542,
        "ignored": "",
        "documents": 3 * groups,
        "kept": 3 * groups - duplicates,
        "groups": groups,
        "duplicates": duplicates,
        "changed": None,
        "skipped": {},
        "arguments": [{"name": "corpus", "documents": 3 * groups}],
        "roots": [{"path": "/data/corpus/", "named": 7, "inode": 1, "argument": 0}],
        "simdocs": "0.1.0",
    }
    return SavedAnswer(head, recipe, lambda: _pairs(sizes))


def _pairs(sizes: list[int]) -> Iterator[SavedPair]:
    for group, size in enumerate(sizes):
        kept = _document(group, 0)
        for copy in range(1, size):
            similarity = 1.0 if (group + copy) % 6 == 0 else 0.8 + (group * 7919 + copy * 104729) % 199_999 / 1e6
            yield SavedPair(kept, _document(group, copy), similarity, round(similarity * 128) / 128, group)


def _document(group: int, copy: int) -> SavedDocument:
    words = "-".join(_WORDS[(group // 10**place + copy * place) % 10] for place in range(4))
    name = f"{DIRECTORIES[(group + copy) % len(DIRECTORIES)]}/{words}-{group:06}{'-' * bool(copy)}{copy or ''}.txt"
    size, time = 500 + group * 37 % 9000 + copy, 1_500_000_000 + group * 3000 + copy
    return SavedDocument(name.encode(), 0, 0, size, size, time * 10**9, time * 10**9, group * 100 + copy + 1, "0" * 32)
