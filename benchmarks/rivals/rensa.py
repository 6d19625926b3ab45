"""rensa: full-set R-MinHash of token lists and `RMinHashLSH`; or, for an expert, of hashes made with NumPy."""

from rensa import RMinHash, RMinHashLSH

from benchmarks.rivals import steps

given = steps.task()
paths, texts = steps.read(given.directory)
if given.how == "lists":
    sketches = []
    for some in steps.batches(texts):
        tokens = [steps.shingles(text, given.unit, given.k) for text in some]
        sketches += RMinHash.from_token_sets(tokens, num_perm=steps.PLACES, seed=steps.SEED)
    lsh = RMinHashLSH(threshold=given.threshold, num_perm=steps.PLACES, num_bands=given.bands)
    lsh.insert_many(sketches)
    found = [(earlier, row) for row, near in enumerate(lsh.query_all(sketches)) for earlier in near if earlier < row]
    steps.compare_and_write(given, paths, texts, found)
else:
    import numpy as np

    from benchmarks.rivals import hashes

    matrices = [
        np.array(
            RMinHash.digest_matrix_from_flat_token_hashes(
                flat, offsets, num_perm=steps.PLACES, seed=steps.SEED
            ).to_rows(),
            np.uint32,
        )
        for flat, offsets in hashes.flat_batches(texts, given.unit, given.k)
    ]
    found = hashes.candidates(np.concatenate(matrices), given.bands, given.rows)
    compare = hashes.compare_and_write if given.how == "hashes, compared" else steps.compare_and_write
    compare(given, paths, texts, found)
