"""Documents and their signatures, ready to be compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simdocs.engines.run import Run
from simdocs.errors import ArtifactError
from simdocs.kernels.lsh.banding import candidate_probability
from simdocs.kernels.lsh.buckets import band_keys, shared_buckets, shared_buckets_of_tables
from simdocs.matching.corpus import Corpus
from simdocs.model.artifact import Artifact
from simdocs.model.columns import MemoryColumn
from simdocs.model.documents import Documents
from simdocs.model.ragged import Index, Ragged, Tokens
from simdocs.parameters import Banding, Recipe
from simdocs.pipeline.prepare import Intake, banded, signed


@dataclass(frozen=True, slots=True)
class Prepared:
    """Documents, their signatures, and how they are banded: recipe.banding has its bands and rows."""

    documents: Documents
    signatures: Tokens
    corpus: Corpus
    recipe: Recipe
    index: Artifact | None = None

    @property
    def cut(self) -> tuple[int, int]:
        """Bands and rows."""
        banding = self.recipe.banding or Banding()
        return banding.bands or 1, banding.rows or 1

    def buckets(self, firsts: Index, numbers: Index | None = None) -> Ragged:
        """The buckets that documents `firsts` share, as members numbered 0, 1, ...

        numbers: (N,) the number of every document, where firsts are the first of each text: then the tables of the
        index will do.
        """
        if self.index is None or numbers is None:
            return shared_buckets(band_keys(self.signatures, firsts, *self.cut))
        members = (numbers[rows] for rows in self.index["band_rows"].all())
        return shared_buckets_of_tables(self.index["band_keys"].all(), members)


def prepared(intake: Intake, recipe: Recipe, run: Run, *, bands: bool = True) -> Prepared:
    """What is given, ready to be compared. The recipe is that of the artifact, where one is given.

    bands: whether candidates are found by them. If not, there need be none that reach the recall.
    """
    recipe = banded(recipe) if bands else recipe
    documents, signatures, found = signed(intake, recipe, run, with_sets=False)
    if found is not None:
        corpus = Corpus.of(documents, signatures, intake.walking.max_size, recipe.sequences)
        return Prepared(documents, signatures, corpus, recipe)
    shelf = intake.shelf
    assert shelf is not None
    sets = shelf if shelf.kind == "shingles" else intake.shingles
    corpus = Corpus.on(shelf, MemoryColumn(signatures), of_same_documents(sets, shelf), intake.root)
    return Prepared(documents, signatures, corpus, recipe, shelf if shelf.kind == "index" else None)


def threshold_warning(threshold: float, prepared: Prepared) -> Iterator[str]:
    """That documents exactly at this threshold are found more seldom than is stated, if they are."""
    banding = prepared.recipe.banding or Banding()
    found = candidate_probability(threshold, *prepared.cut)
    if threshold < banding.threshold and found < banding.recall:
        yield (
            f"bands for threshold {banding.threshold:g} find a pair at {threshold:g} with a chance of {found:.4f}, less"
            f" than the recall of {banding.recall:g}: an index with --threshold {threshold:g} finds more"
        )


def of_same_documents(shingles: Artifact | None, shelf: Artifact) -> Artifact | None:
    """The shingles, if they are those that the other artifact was made of, or would be. ArtifactError: they are not."""
    if shingles is not None and shingles.made_from != shelf.made_from:
        raise ArtifactError(
            f"{shingles.name}: not of the same documents and parameters as {shelf.name}: build one of them again"
        )
    return shingles
