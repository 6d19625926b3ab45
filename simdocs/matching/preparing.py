"""The documents of a command as a corpus: read and signed, or from an artifact; and warnings about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from simdocs.artifacts.manifest import differences
from simdocs.artifacts.npy import damaged
from simdocs.engines.engine import Progress, Run, each_band, no_progress
from simdocs.errors import ArtifactError, ParametersError
from simdocs.kernels.buckets import shared_buckets_of_tables
from simdocs.kernels.grouping import bucket_components
from simdocs.matching.corpus import Corpus
from simdocs.model.artifact import Artifact, BandIndex, Shingles
from simdocs.model.documents import EMPTY, IGNORED, Documents
from simdocs.model.ragged import Mask, Ragged, Rows, TextNumbers, Tokens, count_true_in_rows
from simdocs.model.skipped import Skip, Skipped
from simdocs.options.recipes import SignatureRecipe
from simdocs.pipeline.signing import Intake, signed


def report_ignored(documents: Documents, prefix: bytes, skipped: Skipped) -> None:
    """Report each document with no tokens left, and warn if no document has any.

    prefix: the path that is put before their names so that they work in the working directory.
    """
    rows = np.flatnonzero(documents.facts["flags"] & IGNORED)
    skipped.extend(Skip("ignored", documents.raw_name(row), root=prefix) for row in rows.tolist())
    if len(rows) > 1 and len(rows) + documents.flagged(EMPTY) == len(documents):
        skipped.warnings.append(
            f"all tokens of all {len(rows):,} documents are left out, so none is similar to another: see"
            f" --ignore-common and --template"
        )


def useless_template(documents: Documents, artifact: Artifact | None, recipe: SignatureRecipe) -> Iterator[str]:
    """Yield a warning if no document has a token of the templates that were given.

    artifact: where the documents come from; if it has signatures, it has decided what is left out.
    """
    decided_now = artifact is None or isinstance(artifact, Shingles)
    if decided_now and recipe.ignoring.template_digest and documents.tokens and not documents.share_left_out:
        yield "--template leaves out nothing: no document has any of its tokens"


def unknown_recall(recipe: SignatureRecipe) -> Iterator[str]:
    """Yield a warning if hash functions were stated, because what bands find is computed for random ones."""
    if recipe.sketching.is_own:
        yield "the hash functions were stated, so pairs may be missed more often than the bands would miss them"


_MANY = 1 << 14
"""With at least this many documents, workers are started before the columns of an artifact are read."""


def prepare(intake: Intake, recipe: SignatureRecipe, run: Run) -> Corpus:
    """Read and sign the documents given, or take their signatures from the artifact."""
    artifact = intake.artifact
    if artifact is not None and artifact.n_documents >= _MANY:
        run.engine.start()
    documents, signatures = signed(intake, recipe, run, with_sets=False, compared=True)
    if artifact is None:
        corpus = Corpus.of(documents, recipe, signatures, intake.walking.max_size)
    else:
        shingles = artifact if isinstance(artifact, Shingles) else intake.shingles
        corpus = corpus_of(artifact, shingles, intake.root, signatures)
    report_ignored(documents, corpus.prefix, run.skipped)
    return replace(corpus, recipe=recipe, ignored=intake.ignored, _documents=[documents])


def rows_around(index: BandIndex, changed: Rows, *, linked: bool) -> Rows:
    """The documents of an index among which all pairs with changed documents are found, ascending.

    These are the changed documents, and all documents whose texts share a bucket with the text of a changed one.
    linked: also the documents that share a bucket with any of these, and so on, until no bucket has other members. Then
    grouping them makes the same decisions as grouping the whole index.
    """
    firsts, text = index.documents.distinct_texts()
    buckets = buckets_of_index(index, text, len(firsts))
    chosen = np.zeros(len(firsts) + 1, bool)  # the -1 of an empty document selects the last entry
    chosen[text[changed]] = True
    if linked:
        component = bucket_components(buckets, len(firsts))
        chosen[:-1] = np.isin(component, component[chosen[:-1]])
    else:
        shared = count_true_in_rows(chosen[buckets.values], buckets.offsets)
        chosen[buckets.take(np.flatnonzero(shared)).values] = True
    is_near: Mask = chosen[text]
    is_near[changed] = True
    return np.flatnonzero(is_near)


def corpus_of(
    artifact: Artifact, shingles: Shingles | None, root: bytes | None, signatures: Tokens | None = None
) -> Corpus:
    """The documents of an artifact, with the token sets that were given beside it, if any.

    root, signatures: see `Corpus.of_artifact`. InputError: root is not a directory. ArtifactError: the token sets have
    other documents or parameters.
    """
    if shingles is None or shingles.made_from == artifact.made_from:
        return Corpus.of_artifact(artifact, sets=shingles, root=root, signatures=signatures)
    if found := differences(shingles.recipe, artifact.recipe, ["shingling"]):
        raise ParametersError(shingles.name, artifact.name, found)
    raise ArtifactError(f"{shingles.name}: does not have the documents of {artifact.name}: build one of them again")


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
