"""gaoya: `MinHashStringIndex`, which cuts shingles itself, with its bulk functions, then an exact comparison.

Its queries leave out candidates whose estimate is below the threshold of the index. That of the index is lower here, so
that similar pairs are not left out because of their estimate.
"""

from gaoya.minhash import MinHashStringIndex

from benchmarks.rivals import steps

LOWER = 0.1

given = steps.task()
paths, texts = steps.read(given.directory)
index = MinHashStringIndex(
    hash_size=32,
    jaccard_threshold=given.threshold - LOWER,
    num_bands=given.bands,
    band_size=given.rows,
    analyzer=given.unit,
    ngram_range=(given.k, given.k),
    id_container="smallvec",
)
index.par_bulk_insert_docs(list(range(len(texts))), texts)
found = [(earlier, row) for row, near in enumerate(index.par_bulk_query(texts)) for earlier in near if earlier < row]
steps.compare_and_write(given, paths, texts, found)
