#!/usr/bin/env python3
"""Write the texts of the example collection as a data set, to try simdocs with.

    tables.py FORMAT OUTPUT

FORMAT is one of

    jsonl         one file with an object on each line
    csv           one file as a spreadsheet saves it: semicolons, line ends of Windows, a byte order mark
    parquet       a directory with three Parquet files
    huggingface   a directory as `save_to_disk` of Hugging Face `datasets` writes it, with two splits

The last two need pyarrow. A row has an id, the kind of text, the number of words, and the text.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def rows(directory: Path) -> list[Row]:
    """Return a row for each text in UTF-8 that is not empty, by name, so that the kinds are mixed."""
    found = []
    for path in sorted(directory.rglob("*.txt"), key=lambda path: path.name):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if text:
            found.append({"id": path.stem, "kind": path.parent.name, "words": len(text.split()), "text": text})
    return found


def write_jsonl(found: list[Row], path: Path) -> None:
    """Write one JSON object per line."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in found), encoding="utf-8")


def write_csv(found: list[Row], path: Path) -> None:
    """Write what a spreadsheet calls CSV."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(found[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(found)


def write_parquet(found: list[Row], path: Path) -> None:
    """Write three Parquet files. The rows are dealt like cards, so that duplicates are in different files."""
    import pyarrow
    from pyarrow import parquet

    path.mkdir()
    for shard in range(3):
        table = pyarrow.Table.from_pylist(found[shard::3])
        parquet.write_table(table, path / f"part-{shard}.parquet", compression="zstd")


def write_huggingface(found: list[Row], path: Path) -> None:
    """Write the splits `train` and `test`, each an Arrow stream and the files that describe it."""
    path.mkdir()
    _write_json(path / "dataset_dict.json", {"splits": ["train", "test"]})
    train = [row for number, row in enumerate(found) if number % 4 != 3]
    for split, some in (("train", train), ("test", found[3::4])):
        _write_split(some, path / split, split)


def _write_split(found: list[Row], path: Path, split: str) -> None:
    import pyarrow

    path.mkdir()
    table, name = pyarrow.Table.from_pylist(found), "data-00000-of-00001.arrow"
    with pyarrow.OSFile(str(path / name), "wb") as file, pyarrow.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table)
    features = {field.name: {"dtype": str(field.type), "_type": "Value"} for field in table.schema}
    _write_json(path / "dataset_info.json", {"features": features})
    state = {"_data_files": [{"filename": name}], "_fingerprint": "0" * 16, "_format_columns": None}
    state |= {"_format_kwargs": {}, "_format_type": None, "_output_all_columns": False, "_split": split}
    _write_json(path / "state.json", state)


def _write_json(path: Path, value: Row) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n")


WRITERS = {"jsonl": write_jsonl, "csv": write_csv, "parquet": write_parquet, "huggingface": write_huggingface}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in WRITERS:
        sys.exit(f"usage: tables.py {'|'.join(WRITERS)} OUTPUT")
    WRITERS[sys.argv[1]](rows(Path(__file__).with_name("corpus")), Path(sys.argv[2]))
