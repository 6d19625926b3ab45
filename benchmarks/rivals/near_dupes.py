"""near-dupes: `find_duplicates`, which does the whole work, with bands of its own choice and its own exact comparison.

It links each copy of a text with one other copy only. Here the pairs of one are those of all its copies.
"""

from itertools import combinations, product

from near_dupes import find_duplicates

from benchmarks.rivals import steps

given = steps.task()
paths, texts = steps.read(given.directory)
found = find_duplicates(texts, kind="text", threshold=given.threshold, n_gram=given.k)
copies: dict[str, list[int]] = {}
for row, text in enumerate(texts):
    copies.setdefault(text, []).append(row)
pairs = {pair: 1.0 for rows in copies.values() for pair in combinations(rows, 2)}
for left, right, jaccard in found.pairs:
    for one, other in product(copies[texts[left]], copies[texts[right]]):
        if one != other:
            pairs[min(one, other), max(one, other)] = jaccard
steps.write(given.answer, paths, ((left, right, jaccard) for (left, right), jaccard in sorted(pairs.items())))
