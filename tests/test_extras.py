"""Optional libraries are imported when they are needed; without one, a message says which command installs it."""

from __future__ import annotations

import errno
import sys

import pytest

from simdocs.cli import exits
from simdocs.cli.program import _line_about
from simdocs.errors import MemoryNeededError, MissingExtraError, ParametersError
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
    assert exits.status_of(caught.value) == exits.FAILED == 2


def test_a_library_of_no_extra_or_one_that_is_broken_is_named_too(tmp_path, monkeypatch):
    (tmp_path / "broken_library.py").write_text("import not_there_at_all\n")
    monkeypatch.syspath_prepend(tmp_path)
    why = "which cannot be imported (No module named 'not_there_at_all')"
    for module, said in {
        "pandas": "pandas and pyarrow: pip install pandas pyarrow",
        "not_there_at_all": "not_there_at_all: pip install not_there_at_all",
        "broken_library": f"broken_library, {why}: pip install broken_library",
    }.items():
        monkeypatch.setitem(sys.modules, "pandas", None)
        with pytest.raises(MissingExtraError) as caught:
            needs(module, "making tables")
        assert str(caught.value) == f"making tables needs {said}"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            MemoryNeededError(1, 999, 10**7 - 1, True),
            "comparing 1 text exactly needs about 999 bytes of memory, and --max-memory allows 10,000 KB: leave out"
            " --exact, compare fewer documents, or try --unit word, or allow more",
        ),
        (
            MemoryNeededError(2000, 10**7, 1, False, "--measure containment"),
            "comparing 2,000 texts exactly needs about 10 MB of memory, and there is 1 byte: leave out --measure"
            " containment, compare fewer documents, or try --unit word, or allow more with --max-memory",
        ),
        (
            ParametersError("a", "b", {"k": (9, 5), "stop_word_list": ("x" * 99, "")}),
            f"a: does not have the parameters of b: k is 9, not 5; stop_word_list is '{'x' * 37}...{'x' * 38}', not '':"
            " build it again with the same parameters",
        ),
        (MemoryError(), "not enough memory: -j 1 needs least, and --max-size leaves large documents out"),
        (OSError(errno.ENOMEM, "x"), "not enough memory: -j 1 needs least, and --max-size leaves large documents out"),
        *(
            (
                OSError(number, "x"),
                "too many open files: ulimit -n 64 allows enough for a few workers, and -j 1 needs fewest",
            )
            for number in (errno.EMFILE, errno.ENFILE)
        ),
        (OSError(errno.ENOENT, "x"), "the working directory no longer exists: change to one that does"),
        (OSError(errno.ENOENT, "gone", "a\n"), r"a\n: gone"),
        (OSError(errno.EIO, "write error"), "standard output: write error"),
        (KeyError("x"), "KeyError: 'x' (unexpected: --debug shows where)"),
    ],
)
def test_each_error_is_a_line(error, said):
    assert _line_about(error) == said


def test_memory_that_is_too_little_for_a_library_is_told_from_a_library_that_is_not_there():
    short = (ImportError("x.so: failed to map segment from shared object"), MemoryError(), OSError(errno.ENOMEM, ""))
    assert all(map(exits.is_out_of_memory, short))
    assert not any(map(exits.is_out_of_memory, (ImportError("no x"), OSError(errno.EACCES, ""), ValueError())))
