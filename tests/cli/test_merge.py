"""simdocs merge: what it refuses, with which words; and that every command accepts what it has made."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import FEW_FILES, running, simdocs
from tests.cli.traps import trap
from tests.commands.building import build, content
from tests.runs import without_sync

LINES = b"".join(json.dumps({"id": name, "text": B.decode() + name}).encode() + b"\n" for name in "xyz")


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two directories, their artifacts of all kinds, those of both in one run, and one that was built inside."""
    lay(tmp_path, {"a/1.txt": A, "a/2.txt": B, "b/1.txt": A1, "b/lines.jsonl": LINES, "form": B[:40]})
    monkeypatch.chdir(tmp_path)
    without_sync(monkeypatch)
    for kind in ("shingles", "signatures", "index"):
        for name, documents in (("a", ["a"]), ("b", ["b"]), ("once", ["a", "b"])):
            build(Path(f"{name}.{kind}"), documents)
    monkeypatch.chdir("b")
    build(Path("../inside.index"), ["1.txt"])
    monkeypatch.chdir(tmp_path)
    os.symlink("a.index", "link.index")
    return tmp_path


def refused(ground: Path, *words: str) -> tuple[int, str]:
    """The status and the message of a merge that writes nothing."""
    before = sorted(os.listdir(ground))
    done = simdocs("merge", *words, cwd=ground)
    assert (done.out, done.err.count("\n"), sorted(os.listdir(ground))) == (b"", 1, before)
    return done.status, done.err.removeprefix("simdocs: error: ").removesuffix("\n")


DIFFERENT = [
    (("-k", "5", "--nfkc"), "with -k 9 and without --nfkc", "with -k 5, --nfkc"),
    (("--num-perm", "64", "-t", "0.5"), "with --num-perm 128, --threshold 0.8", "with --num-perm 64, --threshold 0.5"),
    (("--bands", "9", "--rows", "5"), "with --bands 18, --rows 7", "with --bands 9, --rows 5"),
    (("--containment",), "without --containment", "with --containment"),
    (("--template", "form"), "without --template", "with --template"),
    (("--max-size", "1M"), "with --max-size 268435456", "with --max-size 1048576"),
]


@pytest.mark.parametrize(("options", "one", "other"), DIFFERENT)
def test_different_parameters_are_refused_with_both_values(ground, options, one, other):
    assert simdocs("index", "b", *options, "-q", "-o", "other.index", cwd=ground).status == 0
    said = f"a.index was built {one}, and other.index {other}: build both with the same options"
    assert refused(ground, "a.index", "other.index", "-o", "new.index") == (4, said)


def test_artifacts_without_common_tokens_are_refused(ground):
    for name in "ab":
        words = ("index", name, "--ignore-common", "0.5", "-q", "--rebuild", "-o", f"{name}.index")
        assert simdocs(*words, cwd=ground).status == 0
    status, said = refused(ground, "a.index", "b.index", "-o", "new.index")
    assert status == 4
    assert said.startswith("a.index: was built with --ignore-common 0.5, and which tokens are common depends on all")
    assert said.endswith("as with simdocs index ALL.shingles -o ALL.index --ignore-common 0.5")


REFUSED = [
    (("a.index", "once.index"), "new.index", 2, "a/1.txt: this document is in a.index and in once.index: merge"),
    (("a.index", "b.index", "./a.index"), "new.index", 2, "./a.index: this artifact is given twice: name each"),
    (("a.index", "b.index"), "b.index", 2, "b.index: this is one of the artifacts to merge, and would be replaced"),
    (
        ("a.index", "b.index"),
        "link.index",
        2,
        "link.index: this is one of the artifacts to merge, and would be replaced",
    ),
    (("a.index", "b.shingles"), "new.index", 4, "b.shingles: this is a shingles artifact, not an index"),
    (("a.index", "b"), "new.index", 4, "b: not an artifact, because there is no manifest.json in it: name an"),
    (("nowhere.index", "b.index"), "new.index", 2, "nowhere.index: no such artifact"),
    (("a.index", "b.index"), "form", 2, "form: the name of an index must end in .index: use -o form.index"),
    (("a.index", "inside.index"), "new.index", 2, "a.index was built in "),
    ((), "new.index", 2, "nothing to merge: name the artifacts"),
]


@pytest.mark.parametrize(("artifacts", "output", "status", "said"), REFUSED)
def test_what_cannot_be_merged_is_refused_with_one_line(ground, artifacts, output, status, said):
    found, message = refused(ground, *artifacts, "-o", output)
    assert (found, message[: len(said)]) == (status, said)


def test_the_same_container_in_two_artifacts_is_refused_although_no_document_is(ground):
    lay(ground, {"b/lines.jsonl": LINES.replace(b'"id": "', b'"id": "later ')})
    assert simdocs("index", "b/lines.jsonl", "-q", "-o", "later.index", cwd=ground).status == 0
    said = "b/lines.jsonl: this file is in b.index and in later.index: merge artifacts of different documents"
    assert refused(ground, "b.index", "later.index", "-o", "new.index") == (2, said)


def test_each_damaged_file_is_named_and_nothing_is_written(ground):
    for file in sorted((ground / "b.index").glob("*.npy")):
        data = file.read_bytes()
        if len(data) <= 128:  # an empty array
            continue
        file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        status, said = refused(ground, "a.index", "b.index", "-o", "new.index")
        assert status == 4
        assert said.startswith(f"b.index/{file.name}: damaged: "), said
        file.write_bytes(data)
    assert simdocs("merge", "a.index", "b.index", "-o", "new.index", cwd=ground) == (0, b"", "")


def test_roots_that_differ_need_one_that_is_named(ground):
    place = ground / "b"
    assert simdocs("index", "2.txt", "-q", "-o", "../two.index", cwd=ground / "a").status == 0
    status, said = refused(ground, "inside.index", "two.index", "-o", "new.index")
    assert status == 2
    assert said == (
        f"inside.index was built in {place}, and two.index in {ground / 'a'}, so the same names may mean different"
        " files: build both in the same directory, or name that of all documents with --root"
    )
    lay(ground, {"moved/1.txt": A1, "moved/2.txt": B})
    words = ("merge", "inside.index", "two.index", "-o", "new.index", "--root")
    assert simdocs(*words, "nowhere", cwd=ground).status == 2
    assert simdocs(*words, "moved", cwd=ground) == (0, b"", "")
    assert json.loads((ground / "new.index/run.json").read_text())["root"] == str(ground / "moved")
    done = simdocs("dedupe", "new.index", "--list", "kept", cwd=ground)
    assert (done.status, done.names) == (0, [(f"{ground}/moved/{name}.txt",) for name in (1, 2)])


def test_an_artifact_without_run_json_needs_a_root(ground):
    (ground / "b.index/run.json").unlink()
    said = "b.index/run.json: missing or damaged, so it is not known where the documents are: build the artifact again"
    found = refused(ground, "a.index", "b.index", "-o", "new.index")
    assert found == (4, f"{said}, or name their directory with --root")
    assert simdocs("merge", "a.index", "b.index", "--root", ".", "-o", "new.index", cwd=ground) == (0, b"", "")
    assert simdocs("check", "new.index", cwd=ground) == (0, b"", "")
    assert content(ground / "new.index") == content(ground / "once.index")


def test_an_update_of_a_merged_index_reads_only_what_changed(ground):
    assert simdocs("merge", "a.index", "b.index", "-o", "new.index", cwd=ground) == (0, b"", "")
    a, b, new = (json.loads((ground / f"{name}.index/run.json").read_text()) for name in ("a", "b", "new"))
    assert new["read_ns"] == a["read_ns"] < b["read_ns"]
    lay(ground, {"b/3.txt": A2})
    done = simdocs("index", "a", "b", "-o", "new.index", "--summary", cwd=ground)
    assert done.status == 0
    assert "6 unchanged, 0 changed, 1 new, 0 removed" in done.err
    assert "other arguments" not in done.err
    assert simdocs("index", "a", "b", "-q", "-o", "fresh.index", cwd=ground).status == 0
    assert content(ground / "new.index") == content(ground / "fresh.index")


def test_skipped_documents_of_all_artifacts_are_counted_and_are_no_failure_of_the_merge(ground):
    lay(ground, {"a/bad.jsonl": LINES + b"no JSON\n", "b/binary": b"\0", "b/bad.jsonl": LINES + b"{}\n"})
    for name in "ab":
        assert simdocs("index", name, "-q", "-o", f"{name}.index", cwd=ground).status == 3
    assert simdocs("merge", "a.index", "b.index", "-o", "new.index", cwd=ground) == (0, b"", "")
    assert simdocs("index", "a", "b", "-q", "-o", "once.index", cwd=ground).status == 3
    found, once = (json.loads((ground / name / "run.json").read_text()) for name in ("new.index", "once.index"))
    assert found["skipped"] == once["skipped"] == {"binary": 1, "malformed": 2}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_merge_that_is_ended_leaves_the_old_artifact(ground, number):
    """It is ended when the signatures of the second artifact are copied."""
    shutil.copytree(ground / "a.index", ground / "new.index")
    before = content(ground / "new.index")
    action = "import time\nopen('reached', 'w').close()\ntime.sleep(60)"
    env = trap(ground, action, "open", "sketch_rows.npy", at=4)
    with running("merge", "a.index", "b.index", "-q", "-o", "new.index", cwd=ground, env=env) as process:
        while not (ground / "reached").exists():
            assert process.poll() is None
        process.send_signal(number)
        process.wait()
    assert content(ground / "new.index") == before
    drafts = [name for name in os.listdir(ground) if name.startswith(".simdocs-tmp-")]
    assert bool(drafts) == (number == signal.SIGKILL)
    assert simdocs("merge", "a.index", "b.index", "-q", "-o", "new.index", cwd=ground) == (0, b"", "")
    assert content(ground / "new.index") == content(ground / "once.index")
    assert not any(name.startswith(".simdocs-tmp-") for name in os.listdir(ground))


def test_more_artifacts_than_open_files_are_merged(ground):
    names = [f"s{number:03}" for number in range(70)]
    lay(ground, {f"{name}/x": b"%d " % number * 9 + A for number, name in enumerate(names)})
    for name in names:
        build(Path(f"{name}.index"), [name], num_perm=16, threshold=0.5)
    build(Path("all.index"), names, num_perm=16, threshold=0.5)
    done = simdocs("merge", *(f"{name}.index" for name in names), "-o", "new.index", cwd=ground, limits=FEW_FILES)
    assert done == (0, b"", "")
    assert content(ground / "new.index") == content(ground / "all.index")
