"""Documents and their signatures, ready to be compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from simdocs.artifacts.manifest import differences
from simdocs.artifacts.npy import damaged
from simdocs.engines.run import Progress, Run, each_band, no_progress
from simdocs.errors import ArtifactError, ParametersError, mention
from simdocs.kernels.group.greedy_rounds import keep_order
from simdocs.kernels.lsh.banding import least_probability
from simdocs.kernels.lsh.buckets import keys_of_band, shared_buckets, shared_buckets_of_tables
from simdocs.matching.documents.corpus import Corpus
from simdocs.model.artifact import Artifact, BandIndex, Shingles
from simdocs.model.columns import MemoryColumn
from simdocs.model.documents import EMPTY, IGNORED, Documents
from simdocs.model.groups import Pairs
from simdocs.model.names import display_name
from simdocs.model.ragged import Index, Mask, Ragged, Rows, TextNumbers, Tokens
from simdocs.model.skipped import Skip, Skipped
from simdocs.pipeline.prepare import Intake, signed
from simdocs.recipes import Banding, Bands, SignatureRecipe


def report_ignored(documents: Documents, prefix: bytes, skipped: Skipped) -> None:
    """Report each document with no tokens left, and warn if no document has any.

    prefix: the path that is put before their names so that they work in the working directory.
    """
    rows = np.flatnonzero(documents.facts["flags"] & IGNORED)
    skipped.extend(Skip("ignored", documents.raw_name(row), root=prefix) for row in rows.tolist())
    if len(rows) > 1 and len(rows) + documents.flagged(EMPTY) == len(documents):
        skipped.warnings.append(
            f"all tokens of all {len(rows):,} documents are left out, so none is similar to another: see"
            f" {mention('ignore_common')} and {mention('template')}"
        )


def report_useless_template(
    documents: Documents, artifact: Artifact | None, recipe: SignatureRecipe, skipped: Skipped
) -> None:
    """Warn if no document has a token of the templates that were given.

    artifact: where the documents come from; if it has signatures, it has decided what is left out.
    """
    decided_now = artifact is None or isinstance(artifact, Shingles)
    if decided_now and recipe.ignoring.template_digest and documents.tokens and not documents.share_left_out:
        skipped.warnings.append(f"{mention('template')} leaves out nothing: no document has any of its tokens")


_MANY = 1 << 14
"""With at least this many documents, workers are started before the columns of an artifact are read."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Documents and their signatures. index: the index that they come from, if any. Its tables can be used."""

    documents: Documents
    signatures: Tokens
    corpus: Corpus
    recipe: SignatureRecipe
    index: BandIndex | None = None

    def buckets(self, bands: Bands, firsts: Rows, numbers: TextNumbers | None, progress: Progress) -> Ragged:
        """The buckets that documents `firsts` share, as members numbered 0, 1, ...: Ragged int32.

        numbers: (N,) the number of each document, if firsts are the first documents of the texts. Then the tables of
        the index can be used. progress: is called for each band.
        """
        if self.index is None or numbers is None:
            keys = (keys_of_band(self.signatures, firsts, band, bands.rows) for band in range(bands.bands))
            return shared_buckets(each_band(keys, bands.bands, progress))
        return buckets_of_index(self.index, numbers, len(firsts), progress)


def buckets_of_index(index: BandIndex, numbers: TextNumbers, size: int, progress: Progress = no_progress) -> Ragged:
    """The buckets that documents of an index share, from its tables: Ragged int32, of text numbers below `size`.

    numbers: (N,) the number of each document's text, in row order of their first documents.
    """
    tables, owners = index["band_keys"], index["band_rows"]
    bands = len(owners.all())
    members = (_members(index, numbers[rows], size) for rows in each_band(owners.all(), bands, progress))
    shared = shared_buckets_of_tables(tables.all(), members)
    tables.release()
    owners.release()
    return shared


def _members(index: BandIndex, texts: TextNumbers, size: int) -> TextNumbers:
    """The texts in a band of the index. ArtifactError: they are not all numbers below `size`, each once."""
    if len(texts) != size or (np.bincount(texts + 1, minlength=size + 1)[1:] != 1).any():
        raise damaged(f"{index.name}/band_rows.npy", "does not hold every distinct text once in each band")
    return texts


def prepared(intake: Intake, recipe: SignatureRecipe, run: Run) -> Prepared:
    """Read and sign the documents given, or take their signatures from the artifact."""
    if intake.artifact is not None and intake.artifact.n_documents >= _MANY:
        run.engine.start()
    documents, signatures = signed(intake, recipe, run, with_sets=False)
    artifact = intake.artifact
    if artifact is None:
        corpus = Corpus.of(documents, signatures, intake.walking.max_size, recipe.sequences)
        report_ignored(documents, b"", run.skipped)
        return Prepared(documents, signatures, replace(corpus, ignored=intake.ignored), recipe)
    sets = artifact if isinstance(artifact, Shingles) else intake.shingles
    corpus = Corpus.of_artifact(artifact, MemoryColumn(signatures), of_same_documents(sets, artifact), intake.root)
    report_ignored(documents, corpus.prefix, run.skipped)
    index = artifact if isinstance(artifact, BandIndex) else None
    return Prepared(documents, signatures, replace(corpus, ignored=intake.ignored), recipe, index)


def part_of(corpus: Corpus, recipe: SignatureRecipe, rows: Rows) -> Prepared:
    """These documents of a corpus alone. Only their facts, names and signatures are read."""
    part = corpus.some(rows)
    return Prepared(part.documents(), np.asarray(part.signatures.all()), part, recipe)


def threshold_warning(threshold: float, banding: Banding) -> Iterator[str]:
    """Yield a warning if pairs exactly at this threshold are found more rarely than the recall of the bands states."""
    found = least_probability(threshold, *banding.cut)
    if threshold < banding.threshold and found < banding.recall:
        yield (
            f"the index was built for threshold {banding.threshold:g} and finds only {100 * found:.3g}% of the pairs at"
            f" {threshold:g}: an index with {mention('threshold')} {threshold:g} finds more"
        )


def of_same_documents(shingles: Shingles | None, artifact: Artifact) -> Shingles | None:
    """The shingles. ArtifactError: the artifact was made from other documents or with other parameters."""
    if shingles is None or shingles.made_from == artifact.made_from:
        return shingles
    if found := differences(shingles.recipe, artifact.recipe, ["shingling"]):
        raise ParametersError(shingles.name, artifact.name, found)
    raise ArtifactError(
        f"{shingles.name}: does not have the documents of {artifact.name}:"
        f" {_other_document(shingles.documents, artifact.documents, artifact.name)}: build one of them again"
    )


def _other_document(mine: Documents, theirs: Documents, other: str) -> str:
    """The first document that only one of two artifacts has, or that has another text there. other: the second."""
    names, others = ([each.raw_name(row) for row in range(len(each))] for each in (mine, theirs))
    for here, there, what in ((names, others, "which it alone has"), (others, names, f"which only {other} has")):
        if alone := set(here) - set(there):
            return f"{display_name(min(alone))}, {what}"
    if names != others:
        return "they are in another order"
    differs = (mine.facts["set_digest"] != theirs.facts["set_digest"]).any(axis=1)
    return f"{display_name(names[int(differs.argmax())])} has another text"


@dataclass(frozen=True, slots=True)
class DistinctTexts:
    """M distinct texts, numbered in keep order by their first copy. Empty documents have no number.

    first: (M,) the row of that copy. number: (N,) the number of each document's text, or -1. rank: (N,) the position
    of each document in keep order.
    """

    first: Rows
    number: TextNumbers
    rank: Index

    def __len__(self) -> int:
        return len(self.first)

    @property
    def copies(self) -> Rows:
        """The rows that are not the first copy of their text, ascending."""
        is_first = np.zeros(len(self.number), bool)
        is_first[self.first] = True
        return np.flatnonzero(~is_first & (self.number >= 0))


def in_keep_order(documents: Documents, policy: str, left_out: Mask | None = None) -> DistinctTexts:
    """The distinct texts of the documents in the keep order of this policy. Documents left out have no number."""
    order = keep_order(policy, documents.facts["size"], documents.mtimes())
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    _, text = documents.distinct_texts(left_out)
    ranked = order[text[order] >= 0]
    texts, place = np.unique(text[ranked], return_index=True)
    by_first = np.argsort(place)
    number = np.full(int(text.max(initial=-1)) + 2, -1)  # the -1 of an empty document selects the last entry
    number[texts[by_first]] = np.arange(len(place))
    return DistinctTexts(ranked[place[by_first]], number[text], rank)


def pairs_of_copies(left: Rows, right: Rows, exact: bool) -> Pairs:
    """Pairs of copies of a text. Their similarity is 1, which counts as computed only if answers are exact."""
    ones = np.ones(len(left))
    return Pairs(left, right, ones if exact else np.full(len(left), np.nan), ones)
