"""Run the program where optional libraries are missing."""

from __future__ import annotations

import os
from pathlib import Path

import simdocs
from tests.cli.program import environment


def environment_without(directory: Path, *modules: str) -> dict[str, str]:
    """An environment in which these modules cannot be imported, as if they were not installed.

    directory: takes the file that hides them. Pass the modules as they are imported first, such as `pyarrow`.
    """
    hidden = directory / "hidden"
    hidden.mkdir()
    names = ", ".join(f"{name!r}: None" for name in modules)
    (hidden / "sitecustomize.py").write_text(f"import sys\nsys.modules.update({{{names}}})\n")
    source = str(Path(simdocs.__file__).parent.parent)
    return environment(PYTHONPATH=os.pathsep.join((str(hidden), source)))
