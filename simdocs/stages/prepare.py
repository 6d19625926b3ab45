"""Whatever a stage is given, documents or an artifact, brought to where they can be compared."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from simdocs.artifacts.shelf import Shelf
from simdocs.corpora.arguments import Found, Sources, find
from simdocs.engines.local import Local
from simdocs.errors import ArtifactError, UsageError
from simdocs.kernels.banding import choose, probability
from simdocs.kernels.collide import band_keys, buckets, buckets_of_tables
from simdocs.model.documents import Documents
from simdocs.model.names import shown
from simdocs.model.ragged import Index, Ragged, Tokens
from simdocs.model.sketches import Held
from simdocs.model.skipped import Skipped
from simdocs.parameters import Banding, Recipe, Sketching, Walking
from simdocs.stages.corpus import Corpus, documents_on
from simdocs.stages.shingle import Progress
from simdocs.stages.signature import sign, sign_shelf


@dataclass(frozen=True, slots=True)
class Intake:
    """What a stage is given: names of documents, or an artifact of an earlier stage.

    texts: documents in memory, in place of sources. shingles: token sets of the same documents, to verify by. root:
    where documents of an artifact are found again.
    outputs: files to be written, which must not be among the documents.
    """

    sources: Sources = field(default_factory=Sources)
    walking: Walking = field(default_factory=Walking)
    shelf: Shelf | None = None
    shingles: Shelf | None = None
    root: bytes | None = None
    outputs: Sequence[str | None] = ()
    texts: Found | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """Documents, their signatures, and how they are banded: recipe.banding has its bands and rows."""

    documents: Documents
    signatures: Tokens
    corpus: Corpus
    recipe: Recipe
    index: Shelf | None = None

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
            return buckets(band_keys(self.signatures, firsts, *self.cut))
        members = (numbers[rows] for rows in self.index["band_rows"].all())
        return buckets_of_tables(self.index["band_keys"].all(), members)


def found_of(intake: Intake, skipped: Skipped) -> Found:
    """The files that an intake names. UsageError: an output is one of them. InputError: see `find`."""
    if intake.texts is not None:
        return intake.texts
    found = find(intake.sources, intake.walking, skipped)
    if intake.walking.include and not found.names:
        skipped.remarks.append("no file is taken by --include: patterns go by what is below the directory named")
    for path in filter(None, intake.outputs):
        if found.holds(path):
            raise UsageError(
                f"{shown(os.fsencode(path))}: is one of the documents, or a list of them, and would be overwritten:"
                " name another, or --exclude it"
            )
    return found


def banded(recipe: Recipe) -> Recipe:
    """The recipe with its bands and rows chosen. UsageError: there are none such."""
    sketching, banding = recipe.sketching or Sketching(), recipe.banding or Banding()
    bands, rows = choose(banding, sketching.num_perm)
    return replace(recipe, sketching=sketching, banding=replace(banding, bands=bands, rows=rows))


def signed(
    intake: Intake, recipe: Recipe, engine: Local, skipped: Skipped, progress: Progress, *, with_sets: bool
) -> tuple[Documents, Tokens, Found | None]:
    """Documents and signatures of whatever is given. with_sets: with the facts of token sets."""
    sketching = recipe.sketching or Sketching()
    shelf = intake.shelf
    if shelf is None:
        found = found_of(intake, skipped)
        limit = intake.walking.max_size
        return *sign(found, limit, recipe, sketching, engine, skipped, progress, with_sets=with_sets), found
    if shelf.kind == "shingles":
        return documents_on(shelf), sign_shelf(shelf, sketching, engine, progress), None
    return documents_on(shelf), np.asarray(shelf["signatures"].all()), None


def prepared(
    intake: Intake, recipe: Recipe, engine: Local, skipped: Skipped, progress: Progress, *, bands: bool = True
) -> Prepared:
    """What is given, ready to be compared. The recipe is that of the artifact, where one is given.

    bands: whether candidates are found by them. If not, there need be none that reach the recall.
    """
    recipe = banded(recipe) if bands else recipe
    documents, signatures, found = signed(intake, recipe, engine, skipped, progress, with_sets=False)
    if found is not None:
        corpus = Corpus.of(documents, signatures, intake.walking.max_size, recipe.sequences)
        return Prepared(documents, signatures, corpus, recipe)
    shelf = intake.shelf
    assert shelf is not None
    sets = shelf if shelf.kind == "shingles" else intake.shingles
    corpus = Corpus.on(shelf, Held(signatures), of_same_documents(sets, shelf), intake.root)
    return Prepared(documents, signatures, corpus, recipe, shelf if shelf.kind == "index" else None)


def threshold_warning(threshold: float, prepared: Prepared) -> Iterator[str]:
    """That documents exactly at this threshold are found more seldom than is stated, if they are."""
    banding = prepared.recipe.banding or Banding()
    found = probability(threshold, *prepared.cut)
    if threshold < banding.threshold and found < banding.recall:
        yield (
            f"bands for threshold {banding.threshold:g} find a pair at {threshold:g} with a chance of {found:.4f}, less"
            f" than the recall of {banding.recall:g}: an index with --threshold {threshold:g} finds more"
        )


def of_same_documents(shingles: Shelf | None, shelf: Shelf) -> Shelf | None:
    """The shingles, if they are those that the other artifact was made of, or would be. ArtifactError: they are not."""
    if shingles is not None and shingles.manifest.made_from != shelf.manifest.made_from:
        raise ArtifactError(
            f"{shingles.name}: not of the same documents and parameters as {shelf.name}: build one of them again"
        )
    return shingles
