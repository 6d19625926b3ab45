"""datasketch: `MinHash.generator` with a fast hash function, `MinHashLSH`, then an exact comparison."""

from datasketch import MinHash, MinHashLSH
from mmh3 import hash as murmur

from benchmarks.rivals import steps


def unsigned(shingle: str) -> int:
    """Return MurmurHash3 of a string, 4 bytes."""
    return murmur(shingle, signed=False)


given = steps.task()
paths, texts = steps.read(given.directory)
tokens = (steps.shingles(text, given.unit, given.k) for text in texts)
lsh = MinHashLSH(num_perm=steps.PLACES, params=(given.bands, given.rows))
found = []
for row, sketch in enumerate(MinHash.generator(tokens, num_perm=steps.PLACES, hashfunc=unsigned)):
    found += [(earlier, row) for earlier in lsh.query(sketch)]
    lsh.insert(row, sketch, check_duplication=False)
steps.compare_and_write(given, paths, texts, found)
