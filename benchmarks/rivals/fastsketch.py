"""FastSketchLSH: `FastSimilaritySketch` of token lists and `LSH`; or, for an expert, of hashes made with NumPy."""

import numpy as np
from FastSketchLSH import LSH, FastSimilaritySketch

from benchmarks.rivals import hashes, steps

given = steps.task()
paths, texts = steps.read(given.directory)
sketch = FastSimilaritySketch(size=steps.PLACES, seed=steps.SEED)
if given.how == "lists":
    matrices = []
    for some in steps.batches(texts):
        tokens = [steps.shingles(text, given.unit, given.k) for text in some]
        matrices.append(np.asarray(sketch.batch(tokens, num_threads=1), np.uint64))
else:
    matrices = [
        sketch.batch_csr(flat, offsets, prehashed=True, num_threads=1)
        for flat, offsets in hashes.flat_batches(texts, given.unit, given.k)
    ]
signatures = np.concatenate(matrices)
lsh = LSH(num_perm=steps.PLACES, num_bands=given.bands, num_threads=1)
lsh.insert(signatures)
near, offsets = (np.asarray(part).astype(np.int64) for part in lsh.query(signatures, format="csr"))
row = np.repeat(np.arange(len(signatures)), np.diff(offsets))
earlier = near < row
found = sorted(set(zip(near[earlier].tolist(), row[earlier].tolist(), strict=True)))
compare = hashes.compare_and_write if given.how == "hashes, compared" else steps.compare_and_write
compare(given, paths, texts, found)
