"""Optional libraries are imported when they are needed; without one, a message says which command installs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from simdocs.cli import exits
from simdocs.errors import MissingExtraError, SimdocsError
from simdocs.extras import needs

INSTALL = "pip install 'simdocs[datasets]'"


@pytest.mark.parametrize(
    ("module", "package"),
    [("pyarrow", "pyarrow"), ("pyarrow.parquet", "pyarrow"), ("backports.zstd", "backports.zstd")],
)
def test_an_absent_library_is_named_with_the_command_that_installs_it(monkeypatch, module, package):
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as caught:
        needs(module, "reading Parquet", "x.parquet")
    assert str(caught.value) == f"x.parquet: reading Parquet needs {package}: {INSTALL}"
    with pytest.raises(MissingExtraError) as caught:
        needs(module, "writing Parquet")
    assert str(caught.value) == f"writing Parquet needs {package}: {INSTALL}"
    assert exits.status_of(caught.value) == exits.FAILED == 2
    assert isinstance(caught.value, SimdocsError)


def test_an_answer_that_cannot_be_written_is_refused_before_any_work(tmp_path):
    program = "import sys; sys.modules['pyarrow'] = None; from simdocs.__main__ import console; console()"
    words = [sys.executable, "-c", program, "dedupe", "missing", "-o", "x.parquet"]
    done = subprocess.run(words, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"simdocs: error: writing Parquet needs pyarrow: {INSTALL}\n"
    assert list(tmp_path.iterdir()) == []
