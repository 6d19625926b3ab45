"""text-dedup: its program `text_dedup.minhash`, which answers with clusters, then an exact comparison of their members.

Every pair of a cluster is a candidate here, because the program does not say which members are similar.
"""

import json
import os
import pickle
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path

from benchmarks.rivals import steps

given = steps.task()
paths, texts = steps.read(given.directory)
with tempfile.TemporaryDirectory() as scratch:
    lines = Path(scratch, "texts.jsonl")
    with lines.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in texts)
    options = {
        "path": "json",
        "data_files": str(lines),
        "split": "train",
        "cache_dir": f"{scratch}/cache",
        "output": f"{scratch}/kept",
        "column": "text",
        "ngram": str(given.k),
        "min_length": "1",
        "num_perm": str(steps.PLACES),
        "threshold": str(given.threshold),
        "b": str(given.bands),
        "r": str(given.rows),
        "hash_func": "xxh3",
        "hash_bits": "32",
        "num_proc": "1",
    }
    command = [sys.executable, "-m", "text_dedup.minhash", "--debug"]
    command += [part for name, value in options.items() for part in (f"--{name}", value)]
    offline = os.environ | {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": f"{scratch}/home"}
    subprocess.run(command, env=offline, stdout=subprocess.DEVNULL, check=True)
    clusters = pickle.loads(Path(scratch, "kept", "uf.pkl").read_bytes())
members: dict[int, list[int]] = {}
for row in sorted(clusters.parent):
    members.setdefault(clusters.find(row), []).append(row)
steps.compare_and_write(
    given, paths, texts, (pair for cluster in members.values() for pair in combinations(cluster, 2))
)
