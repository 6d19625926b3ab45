"""What `simdocs dedupe` of four files may cost before it has read the first: a budget for each thing that adds up.

A start creates classes and imports modules, and a reader follows a call through files. Each budget may only shrink.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.cli.corpus import A1, A, B, lay

COUNTED = """
import dataclasses, json, sys
made, files = [], set()
process = dataclasses._process_class
def counted(kind, *rest):
    made.append(kind.__module__)
    return process(kind, *rest)
dataclasses._process_class = counted
def called(frame, event, _):
    code = frame.f_code
    is_function = code.co_flags & 2 and not code.co_name.startswith("<")
    if event == "call" and "/simdocs/" in code.co_filename and is_function:
        files.add(code.co_filename)
sys.setprofile(called)
from simdocs.__main__ import console
try:
    console()
except SystemExit as ended:
    status = ended.code
sys.setprofile(None)
modules = [name for name in sys.modules if name.partition(".")[0] == "simdocs"]
json.dump({"status": status, "dataclasses": sum(name.partition(".")[0] == "simdocs" for name in made),
           "modules": len(modules), "files": len(files)}, open("counts", "w"))
"""
"""Functions have the flag CO_NEWLOCALS (2). Readers follow no calls of comprehensions, nor of bodies of modules."""

BUDGETS = {"dataclasses": 18, "modules": 115, "files": 75}


def test_dedupe_of_four_files_keeps_its_budgets(tmp_path: Path) -> None:
    lay(tmp_path, {"docs/a": A, "docs/b": A1, "docs/c": B, "docs/d": B + A})
    words = [sys.executable, "-c", COUNTED, "dedupe", "docs", "-j1"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    found: dict[str, int] = json.loads(Path(tmp_path, "counts").read_text())
    assert found.pop("status") in (0, None)
    assert all(1 < found[what] <= budget for what, budget in BUDGETS.items()), found
