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
    (hidden / "sitecustomize.py").write_text(
        "import sys\n"
        f"for name in {modules!r}:\n"
        "    inside = [each for each in sys.modules if each.startswith(f'{name}.')]\n"
        "    sys.modules.update(dict.fromkeys([name, *inside]))\n"
    )
    source = str(Path(simdocs.__file__).parent.parent)
    return environment(PYTHONPATH=os.pathsep.join((str(hidden), source)))
