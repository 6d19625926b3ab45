"""-o FILE: all or nothing, where the link leads, with the mode it had."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from tests.cli.corpus import B, lay
from tests.cli.program import bound_by_modes, in_shell, simdocs
from tests.cli.stand_in import stand_in
from tests.cli.traps import trap
from tests.commands.building import built


def left_behind(*directories: Path) -> list[str]:
    return [name for directory in directories for name in os.listdir(directory) if name.startswith(".simdocs-tmp-")]


@pytest.mark.reliability("an answer written into the tree")
@pytest.mark.reliability("an output that cannot be written or exchanged")
@pytest.mark.parametrize("where", ["docs", "gone/out", "docs/a.txt/out", "docs/c.txt", "", "loop"])
def test_an_output_that_cannot_be_written_fails_before_the_work(here, where):
    os.symlink("loop", here / "loop")
    before = sorted(os.listdir(here)), sorted(os.listdir(here.parent))
    done = simdocs("dedupe", "docs", "-o", where, cwd=here)
    assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
    assert done.err.startswith("simdocs: error: ")
    assert (sorted(os.listdir(here)), sorted(os.listdir(here.parent))) == before
    assert (here / "docs/c.txt").read_bytes() == B


@pytest.mark.reliability("an answer written into the tree")
@pytest.mark.reliability("an output that is an input")
@pytest.mark.parametrize("way", ["hard link", "symlink", "spelling"])
def test_a_document_is_never_overwritten(here, way):
    if way == "hard link":
        os.link(here / "docs/c.txt", here / "out")
    elif way == "symlink":
        os.symlink("docs/c.txt", here / "out")
    target = "./docs/../docs/c.txt" if way == "spelling" else "out"
    done = simdocs("dedupe", "docs", "-o", target, cwd=here)
    assert (done.status, len(done.err.splitlines())) == (2, 1)
    assert "is read in this run and would be overwritten: choose another output file" in done.err
    assert (here / "docs/c.txt").read_bytes() == B


@pytest.mark.reliability("an answer written into the tree")
def test_an_output_that_the_next_run_would_read_is_refused(here):
    for output in ("docs/new.tsv", "./docs/../docs/new.tsv"):
        done = simdocs("dedupe", "docs", "-o", output, cwd=here)
        assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
        assert "the next run would read this output, because it is in docs" in done.err
    assert simdocs("dedupe", "docs", "--kept-rows", "docs/new.jsonl", "--text-field", "text", cwd=here).status == 2
    assert not (here / "docs/new.tsv").exists()
    for more in (["--exclude", "*.tsv"], ["--include", "*.txt"]):
        assert simdocs("dedupe", "docs", "-o", "docs/new.tsv", *more, cwd=here).status == 0
        (here / "docs/new.tsv").unlink()
    assert simdocs("dedupe", "docs", "--hidden", "-o", "docs/.new.tsv", cwd=here).status == 2
    assert simdocs("dedupe", "docs", "-o", "docs/.new.tsv", cwd=here).status == 0
    assert simdocs("dedupe", "docs/a.txt", "-o", "docs/new.tsv", cwd=here).status == 0


def test_an_output_that_is_replaced_is_said_to_be(here):
    for word in ("written", "replaced"):
        assert simdocs("dedupe", "docs", "-v", "-o", "new.tsv", cwd=here).err.splitlines()[-1] == f"new.tsv: {word}"


@pytest.mark.reliability("an output inside an artifact")
def test_nothing_is_written_into_an_artifact(here):
    built(here / "x.index", [str(here / "docs")])
    before = {path.name: path.read_bytes() for path in (here / "x.index").iterdir()}
    for option in ("-o", "--summary-json"):
        for name in ("signatures.tsv", "band_keys", "new"):
            done = simdocs("query", "x.index", "docs/a.txt", option, f"x.index/{name}", cwd=here)
            assert (done.status, done.out) == (2, b"")
            assert done.err == f"simdocs: error: x.index/{name}: this is inside an artifact: choose another directory\n"
    assert simdocs("index", "docs", "-o", "x.index/y.index", cwd=here).status == 2
    assert {path.name: path.read_bytes() for path in (here / "x.index").iterdir()} == before


@pytest.mark.reliability("any umask")
@pytest.mark.reliability("the mode of an output")
def test_a_new_file_has_the_mode_of_the_umask(here):
    simdocs("dedupe", "docs", "-o", "out", cwd=here, umask=0o027)
    assert stat.S_IMODE((here / "out").stat().st_mode) == 0o640


@pytest.mark.reliability("any umask")
@pytest.mark.reliability("the mode of an output")
@pytest.mark.parametrize("mode", [0o755, 0o200])
def test_an_old_file_keeps_its_mode(here, mode, answer):
    lay(here, {"out": b"old"})
    (here / "out").chmod(mode)
    done = simdocs("dedupe", "docs", "-o", "out", cwd=here, before=bound_by_modes)
    assert done == (0, b"", "")
    assert stat.S_IMODE((here / "out").stat().st_mode) == mode
    (here / "out").chmod(0o600)
    assert (here / "out").read_bytes() == answer


@pytest.mark.reliability("an output that is a link, FIFO or device")
def test_the_target_of_a_linked_output_is_replaced(here, answer):
    lay(here, {"elsewhere/real": b"old"})
    os.symlink("elsewhere/real", here / "link")
    os.symlink("elsewhere/new", here / "dangling")
    for link, real in (("link", "real"), ("dangling", "new")):
        assert simdocs("dedupe", "docs", "-o", link, cwd=here) == (0, b"", "")
        assert (here / link).is_symlink()
        assert (here / "elsewhere" / real).read_bytes() == answer
    assert left_behind(here, here / "elsewhere") == []


@pytest.mark.reliability("names of 255 bytes")
@pytest.mark.reliability("outputs with such names")
def test_an_output_may_have_a_name_of_255_bytes(here, answer):
    assert simdocs("dedupe", "docs", "-o", "x" * 255, cwd=here) == (0, b"", "")
    assert (here / ("x" * 255)).read_bytes() == answer
    assert simdocs("dedupe", "docs", "-o", "x" * 256, cwd=here).status == 2
    for name in ("docs", "new/"):
        said = f"simdocs: error: {name}: this is a directory: name a file\n"
        assert simdocs("dedupe", "docs", "-o", name, cwd=here) == (2, b"", said)


@pytest.mark.reliability("an output that is a link, FIFO or device")
def test_devices_and_fifos_are_written_to_and_not_replaced(here, answer):
    for device in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        assert simdocs("dedupe", "docs", "-o", device, cwd=here) == (0, answer, "")
    assert simdocs("dedupe", "docs", "-o", "/dev/null", cwd=here) == (0, b"", "")
    os.mkfifo(here / "fifo")
    read = []
    reader = threading.Thread(target=lambda: read.append((here / "fifo").read_bytes()), daemon=True)
    reader.start()
    assert simdocs("dedupe", "docs", "-o", "fifo", cwd=here) == (0, b"", "")
    reader.join(10)
    assert read == [answer]
    assert stat.S_ISFIFO((here / "fifo").stat().st_mode)


def test_standard_output_may_be_a_file(here, answer):
    """What is open already is written to where it is."""
    (here / "same").touch()
    os.link(here / "same", here / "out")
    for words in ("-o /dev/stdout > out", "-o /dev/fd/1 > out", "-o /proc/self/fd/1 > out"):
        assert in_shell(f"simdocs dedupe docs -q {words}", cwd=here, program=stand_in()) == (0, b"", "")
        assert (here / "same").read_bytes() == answer
    for name, to in (("stdout", ">&1"), ("stderr", ">&2")):
        line = f"(echo first {to}; simdocs dedupe docs -q -o /dev/{name}) > out 2>&1"
        assert in_shell(line, cwd=here, program=stand_in()) == (0, b"", "")
        assert (here / "same").read_bytes() == b"first\n" + answer
    assert in_shell("simdocs dedupe docs -o /dev/stdout > out", cwd=here, program=stand_in()) == (0, b"", "")
    assert in_shell("simdocs dedupe docs >> out", cwd=here, program=stand_in()) == (0, b"", "")
    assert (here / "out").read_bytes() == answer * 2


ERRORS = {
    "document": ("raise OSError(5, 'Input/output error')", "open", "docs/c.txt", 3),
    "unforeseen": ("raise RuntimeError('never seen before')", "open", "docs/c.txt", 2),
    "rename": ("raise OSError(28, 'No space left on device')", "os.rename", "", 2),
    "kill": ("os.kill(os.getpid(), 9)", "open", "docs/c.txt", -9),
    "kill at rename": ("os.kill(os.getpid(), 9)", "os.rename", "", -9),
}


@pytest.mark.parametrize(("action", "event", "match", "status"), ERRORS.values(), ids=ERRORS)
def test_the_output_is_the_old_or_the_new_answer_whatever_happens(here, answer, action, event, match, status):
    lay(here, {"out": b"old"})
    env = trap(here, action, event, match)
    done = simdocs("dedupe", "docs", "-j1", "-o", "out", cwd=here, env=env)
    assert done.status == status
    assert "Traceback" not in done.err
    assert len(done.err.splitlines()) == (status > 0)
    assert (here / "out").read_bytes() == (answer if status == 3 else b"old")
    assert len(left_behind(here)) == (status < 0)
    if left_behind(here):
        assert simdocs("dedupe", "docs", "-o", "out", cwd=here) == (0, b"", "")
        assert (here / "out").read_bytes() == answer
        assert left_behind(here) == []


@pytest.mark.reliability("an output directory that vanishes")
def test_an_output_directory_that_vanishes_is_not_made_again(here):
    (here / "place").mkdir()
    env = trap(here, "import shutil; shutil.rmtree('place')", "open", "docs/c.txt")
    done = simdocs("dedupe", "docs", "-j1", "-o", "place/out", cwd=here, env=env)
    assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1)
    assert done.err.startswith("simdocs: error: place/out: ")
    assert not (here / "place").exists()


@pytest.mark.reliability("two writers of one answer")
def test_two_runs_that_write_one_answer_each_write_a_whole_one(here, answer):
    """The one that is first to begin is the last to end."""
    inner = "import subprocess; subprocess.run([sys.argv[0], 'dedupe', 'docs', '-o', 'out'], env={}); os.stat('out')"
    env = trap(here, inner, "open", "docs/c.txt")
    assert simdocs("dedupe", "docs", "-j1", "-o", "out", cwd=here, env=env) == (0, b"", "")
    assert (here / "out").read_bytes() == answer
    assert left_behind(here) == []


def test_a_dash_is_standard_output(here, answer):
    assert simdocs("dedupe", "docs", "-o", "-", cwd=here) == (0, answer, "")
    assert simdocs("dedupe", "docs", "-o", "./-", cwd=here) == (0, b"", "")
    assert (here / "-").read_bytes() == answer
    assert "-o NAME.index is missing" in simdocs("index", "docs", "-o", "-", cwd=here).err
    assert simdocs("dedupe", "docs", "--summary-json", "-", cwd=here).status == 2
