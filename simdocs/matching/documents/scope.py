"""Which documents are compared, and which of their pairs are wanted: all, or those with a new or changed document."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from simdocs.kernels.group.connectivity import bucket_components
from simdocs.matching.documents.corpus import Corpus
from simdocs.matching.documents.prepared import Prepared, buckets_of_index, part_of
from simdocs.model.artifact import BandIndex
from simdocs.model.documents import Documents
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Mask, Rows, count_true_in_rows


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The documents to compare.

    documents: all that were given. prepared: those that are compared. rows: for each of those, ascending, its row among
    the documents; None: all are compared. changed: which of those compared are new or changed, so that only pairs with
    one of them are wanted; None: all pairs are.
    """

    documents: Documents
    prepared: Prepared
    rows: Rows | None = None
    changed: Mask | None = None

    def wanted(self, pairs: Pairs) -> Pairs:
        """Those of these pairs of compared documents that are wanted."""
        return pairs if self.changed is None else pairs.with_any(self.changed)

    def of_documents(self, pairs: Pairs) -> Pairs:
        """These pairs of compared documents, by the rows of all documents."""
        rows = self.rows
        return pairs if rows is None else replace(pairs, left=rows[pairs.left], right=rows[pairs.right])


def scope_of(prepared: Prepared, changed: Rows | None = None) -> Scope:
    """The scope in which all these documents are compared.

    changed: the rows of those that are new or changed, if only pairs with one of them are wanted.
    """
    if changed is None:
        return Scope(prepared.documents, prepared)
    is_changed = np.zeros(len(prepared.documents), bool)
    is_changed[changed] = True
    return Scope(prepared.documents, prepared, None, is_changed)


def around(index: BandIndex, corpus: Corpus, changed: Rows, *, linked: bool) -> Scope:
    """The documents of an index that are compared, so that all pairs with changed documents are found among them.

    These are the changed documents, and all documents whose texts share a bucket with the text of a changed one.
    linked: the documents that share a bucket with any of these are among them, too, and so on. Then all decisions of
    grouping are the same as if all documents of the index took part, because no bucket has other members. corpus: the
    documents of the index.
    """
    documents = index.documents
    firsts, text = documents.distinct_texts()
    buckets = buckets_of_index(index, text, len(firsts))
    is_changed = np.zeros(len(text), bool)
    is_changed[changed] = True
    chosen = np.zeros(len(firsts) + 1, bool)  # the -1 of an empty document selects the last entry
    chosen[text[is_changed]] = True
    if linked:
        component = bucket_components(buckets, len(firsts))
        chosen[:-1] = np.isin(component, component[chosen[:-1]])
    else:
        shared = count_true_in_rows(chosen[buckets.values], buckets.offsets)
        chosen[buckets.take(np.flatnonzero(shared)).values] = True
    rows = np.flatnonzero(chosen[text] | is_changed)
    return Scope(documents, part_of(corpus, index.recipe, rows), rows, is_changed[rows])
