"""check: nothing when an artifact is whole; a line a damage, with the file and the rule, when it is not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simdocs as library
from simdocs.artifacts import formats
from simdocs.errors import ArtifactError
from simdocs.options.recipes import Containing
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.forged import BROKEN, Arrays, put, signed_anew
from tests.cli.program import Done, bound_by_modes, simdocs
from tests.commands.building import damages as found
from tests.commands.building import opened

KINDS = {"shingles": "shingle", "signatures": "signature", "index": "index"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """docs with its artifacts. Rows: 0 a, 1 b, 2 copy of a, 3 empty, 4 short, 5 another, 6 like a; 7 on: large."""
    root = tmp_path_factory.mktemp("whole")
    files = {"0": A, "1": A1, "2": A.upper(), "3": b"", "4": b"ab", "5": B, "6": A2}
    files |= {f"7{row:02}": np.random.default_rng(row).bytes(40_000).hex().encode() for row in range(8)}
    lay(root, {f"docs/{name}": data for name, data in files.items()})
    for kind, command in KINDS.items():
        sketched = ["--containment"] if kind == "index" else []
        assert simdocs(command, "docs", *sketched, "-o", f"x.{kind}", cwd=root) == (0, b"", "")
    return root


@pytest.fixture
def there(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    return tmp_path


def check(where: Path, *artifacts: str, **how: Any) -> Done:
    done = simdocs("check", *artifacts, cwd=where, **how)
    assert done.out == b""
    return done


def damages(where: Path, artifact: str) -> list[str]:
    """What is said of each damage."""
    start, end = f"{where / artifact}/", ": build the artifact again"
    lines = found(where / artifact)
    assert all(line.startswith(start) and line.endswith(end) for line in lines), lines
    return [line.removeprefix(start).removesuffix(end).replace(": damaged: ", ": ", 1) for line in lines]


@pytest.mark.parametrize("kind", KINDS)
def test_check_prints_nothing_for_a_whole_artifact(there, kind):
    assert damages(there, f"x.{kind}") == []
    signed_anew(there / f"x.{kind}")
    assert damages(there, f"x.{kind}") == []


@pytest.mark.reliability("a broken rule that checksums do not see")
@pytest.mark.parametrize("what", BROKEN)
def test_check_names_the_rule_that_is_broken(there, what):
    kind, change, message = BROKEN[what]
    signed_anew(there / f"x.{kind}", change)
    (line,) = damages(there, f"x.{kind}")
    assert line.startswith(message)


@pytest.mark.parametrize(
    ("kind", "group", "changes", "message"),
    [
        ("signatures", "sketching", {"num_perm": 64}, "manifest.json: it is not a manifest of simdocs"),
        ("index", "banding", {"rows": None}, "manifest.json: it is not a manifest of simdocs"),
        ("index", "banding", {"rows": 6}, "band_keys.npy: band 0 does not match signatures.npy"),
    ],
)
def test_check_names_a_manifest_that_contradicts_the_arrays(there, kind, group, changes, message):
    recipe = opened(there / f"x.{kind}").recipe
    signed_anew(there / f"x.{kind}", recipe=recipe.but(**{group: getattr(recipe, group).but(**changes)}))
    assert damages(there, f"x.{kind}")[0].startswith(message)


def test_check_names_a_damaged_digest_of_what_it_was_made_from(there):
    signed_anew(there / "x.index", made_from="0" * 32)
    assert damages(there, "x.index") == ["manifest.json: made_from does not match its documents"]


def test_check_names_all_damaged_files_or_the_first_that_cannot_be_opened(there):
    index = there / "x.index"
    (index / "run.json").write_text('{"start": "then"}')
    flip(index / "band_keys.npy", -1)
    flip(index / "signatures.npy", -1)
    found = [line.partition(":")[0] for line in damages(there, "x.index")]
    assert found == ["run.json", "band_keys.npy", "signatures.npy"]
    (index / "names.npy").unlink()
    (index / "band_rows.npy").rename(there / "away")
    (index / "band_rows.npy").symlink_to(there / "away")
    assert [line.partition(":")[0] for line in damages(there, "x.index")] == ["band_rows.npy"]


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


@pytest.mark.reliability("an array or manifest that is cut short, longer, or has a flipped bit")
def test_check_reads_every_block(there):
    tokens = there / "x.shingles" / "tokens.npy"
    blocks = -(-tokens.stat().st_size // formats.BLOCK)
    assert blocks > 2
    for place in (-1, -formats.BLOCK):
        flip(tokens, place)
    lines = damages(there, "x.shingles")
    assert lines == [f"tokens.npy: block {block} does not match its checksum" for block in (blocks - 2, blocks - 1)]


@pytest.mark.parametrize("data", [b"", b"[]"])
def test_check_names_a_damaged_manifest(there, data):
    manifest = there / "x.index" / "manifest.json"
    manifest.write_bytes(data)
    (line,) = damages(there, "x.index")
    assert line.startswith("manifest.json: ")
    manifest.unlink()
    assert damages(there, "x.index") == ["manifest.json: the file is missing"]


def test_check_takes_several_artifacts(there):
    assert check(there, "x.index", "x.shingles", "x.signatures/") == (0, b"", "")
    flip(there / "x.shingles" / "tokens.npy", -1)
    flip(there / "x.index" / "names.npy", -1)
    done = check(there, "x.index", "x.signatures", "x.shingles", "docs", "docs/0")
    files = ["x.index/names.npy", "x.shingles/tokens.npy", "docs", "docs/0"]
    assert [line.split(": ")[2] for line in done.err.splitlines()] == files
    assert done.status == 4
    library.check(there / "x.index").write(there / "said.jsonl")
    assert [*json.loads((there / "said.jsonl").read_bytes())] == ["kind", "problem"]
    # One that is not there keeps nobody from looking at the others.
    assert check(there, "x.index", "nowhere").status == 2


@pytest.mark.reliability("an artifact without read permission")
@pytest.mark.parametrize("command", [("check",), ("query", "docs/0")])
def test_an_artifact_that_may_not_be_read_is_not_called_damaged(there, command):
    """As of another user, with a umask of 077."""
    for name in ("manifest.json", "band_keys.npy"):
        (there / "x.index" / name).chmod(0)
        done = simdocs(command[0], "x.index", *command[1:], cwd=there, before=bound_by_modes)
        assert (done.status, done.out) == (2, b"")
        assert done.err == (
            f"simdocs: error: x.index/{name}: Permission denied: whoever built it must let you read it\n"
        )
        (there / "x.index" / name).chmod(0o644)


def test_a_sketch_in_an_index_that_has_none_is_reported(there):
    recipe = opened(there / "x.index").recipe
    signed_anew(there / "x.index", recipe=recipe.but(containing=Containing(containment=False)))
    said = "sketch_tokens.npy: is not empty, but manifest.json says that there is no sketch"
    assert damages(there, "x.index") == [said]


def test_a_query_refuses_a_sketch_of_documents_that_are_copies(there):
    def copies(arrays: Arrays) -> None:
        arrays["sketch_rows"][:] = 2

    signed_anew(there / "x.index", copies)
    done = simdocs("query", "x.index", "docs/700", "--measure", "containment", cwd=there)
    said = "x.index/sketch_rows.npy: damaged: holds a document that is not the first one with its text"
    assert (done.status, done.err) == (4, f"simdocs: error: {said}: build the artifact again\n")


@pytest.mark.parametrize(("row", "first"), [(5, 0), ([0, 2], [2, 2])])
def test_bands_are_not_taken_over_if_a_text_is_called_the_copy_of_another_or_of_a_later_one(there, row, first):
    signed_anew(there / "x.index", put("same_as", row, first))
    with pytest.raises(ArtifactError, match=r"same_as\.npy: damaged: does not hold the rows of the first documents"):
        opened(there / "x.index").hold_tables()


def test_an_artifact_of_other_unicode_tables_is_refused_and_a_link_to_none_is_no_document(there):
    recipe = opened(there / "x.index").recipe
    signed_anew(there / "x.index", recipe=recipe.but(unicode="3.2.0"))
    done = simdocs("dedupe", "x.index", cwd=there)
    assert (done.status, done.out, "x.index" in done.err, "3.2.0" in done.err) == (4, b"", True, True), done
    (there / "gone.index").symlink_to("nowhere")
    assert simdocs("dedupe", "gone.index", cwd=there) == (2, b"", "simdocs: error: gone.index: no such artifact\n")
