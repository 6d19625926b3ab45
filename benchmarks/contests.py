"""What a race is about: files, and the exact truth about their pairs. Both are kept for the next race."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import corpora, exact, texts
from benchmarks.corpora import Array, Corpus, Truth

GENERATED = "generated"
REAL = ("peps_history_pd", "licences_scancode", "tldr_short")
UNITS = {"char": 9, "word": 5}
THRESHOLD = 0.8
BANDS, ROWS = 16, 8


@dataclass(frozen=True, slots=True)
class Contest:
    """Files whose similar pairs are to be found, by one unit. The name of a file is its row in the truth."""

    corpus: str
    unit: str
    directory: Path
    files: int
    size: int
    """Bytes of all files."""
    truth: Truth

    @property
    def k(self) -> int:
        """The number of units in a shingle."""
        return UNITS[self.unit]

    @property
    def by_documents(self) -> bool:
        """Whether recall is that of documents in similar pairs, not of pairs: a few families have nearly all pairs."""
        return self.corpus in corpora.BY_DOCUMENT

    @property
    def expected(self) -> Array:
        """The probability that each similar pair shares a band, by the formula. By documents: for each, of its most
        similar pair, which is the least that can be expected of its pairs together."""
        shared = 1 - (1 - self.truth.jaccard**ROWS) ** BANDS
        if not self.by_documents:
            return shared
        best = np.zeros(self.files)
        for row in np.divmod(self.truth.clear, self.files):
            np.maximum.at(best, row, shared)
        return best[best > 0]

    def scored(self, answer: Path) -> tuple[float, float]:
        """Return the recall and the precision of the pairs in a file. Pairs too near to the threshold do not count."""
        found = set()
        for line in answer.read_text(encoding="utf-8").splitlines():
            one, other, *_ = line.split("\t")
            found.add(tuple(sorted((int(Path(one).stem), int(Path(other).stem)))))
        keys = np.array([left * self.files + right for left, right in found], np.int64)
        counted = keys[~np.isin(keys, self.truth.near)]
        right = counted[np.isin(counted, self.truth.clear)]
        recall = self.counted(right) / max(1, self.counted(self.truth.clear))
        return recall, len(right) / max(1, len(counted))

    def counted(self, keys: Array) -> int:
        """Return the number of pairs, or of the documents in them."""
        return len(np.unique(np.divmod(keys, self.files))) if self.by_documents else len(keys)


def contest(corpus: str, unit: str, files: int, home: Path) -> Contest:
    """Return a contest about a corpus. Its files and its truth are made below `home`, unless they are there.

    files: the number of files of the generated corpus.
    """
    name = f"{corpus}-{files}" if corpus == GENERATED else corpus
    directory = home / "corpora" / f"{name}-{unit}"
    if not directory.exists():
        print(f"writing {directory}", flush=True)
        draft = directory.with_name(f".{directory.name}")
        texts.write(draft, cut(corpus, unit, files))
        draft.rename(directory)
    every = sorted(path for path in directory.rglob("*.txt"))
    contents = [path.read_bytes() for path in every]
    made_for = hashlib.sha256(repr((unit, UNITS[unit], THRESHOLD, corpora.NEAR)).encode())
    for content in contents:
        made_for.update(hashlib.sha256(content).digest())
    truth = home / "truth" / f"{name}-{unit}-{made_for.hexdigest()[:16]}.npy"
    if not truth.exists():
        print(f"computing {truth}, once", flush=True)
        found = exact.similar([one.decode() for one in contents], unit, UNITS[unit], THRESHOLD - corpora.NEAR)
        truth.parent.mkdir(parents=True, exist_ok=True)
        np.save(truth, np.array([(*pair, jaccard) for pair, jaccard in sorted(found.items())]).reshape(-1, 3))
    left, right, jaccard = np.load(truth).T
    names = [path.stem for path in every]
    known = Corpus(corpus, unit, [], names, [], 0, left.astype(np.int64), right.astype(np.int64), jaccard)
    return Contest(corpus, unit, directory, len(every), sum(map(len, contents)), known.at(THRESHOLD))


def cut(corpus: str, unit: str, files: int) -> Iterator[str]:
    """Yield the texts of a corpus that have shingles.

    Most libraries split words at spaces, and keep punctuation. So a text for words is its words between single spaces,
    lower-cased: everyone gets the same words.
    """
    every = texts.texts(files, 4000, seed=1) if corpus == GENERATED else corpora.read(corpus, unit).texts
    for text in every:
        if unit == "char" and text.strip():
            yield text
        elif unit == "word" and (words := exact.WORD.findall(text.lower())):
            yield " ".join(words) + "\n"
