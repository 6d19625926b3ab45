"""--summary-json: one object of what was done."""

from __future__ import annotations

import json
import os

from tests.cli.corpus import A1, A, B, lay
from tests.cli.program import simdocs


def facts_of(where, *arguments):
    done = simdocs("dedupe", *arguments, "--summary-json", "note", cwd=where)
    assert done.status == 0
    assert done.err == ""
    return json.loads((where / "note").read_bytes())


def test_the_summary_has_the_facts_of_groups(here):
    lay(here, {"docs/copy.txt": A.upper(), "docs/empty": b" \n"})
    facts = facts_of(here, "docs")
    assert facts["documents"] == 5
    assert facts["bytes"] == len(A + A1 + B + A) + 2
    assert facts["empty"] == 1
    assert facts["skipped"] == {}
    assert (facts["bands"], facts["rows"]) == (18, 7)
    assert 0.98 < facts["probability"] < 0.99
    assert facts["candidates"] >= facts["verified"] == 1
    assert (facts["duplicates"], facts["groups"], facts["kept"]) == (2, 1, 3)
    assert 0 <= facts["seconds"] < 60
    assert "pairs" not in facts


def test_the_summary_has_every_parameter(here):
    given = (
        "--unit",
        "word",
        "-k",
        "4",
        "-t",
        "0.7",
        "--seed",
        "9",
        "--keep",
        "longest",
        "--nfkc",
        "--include",
        "*.txt",
    )
    parameters = facts_of(here, "docs", *given, "--max-size", "1M", "--bands", "32", "--rows", "4")["parameters"]
    assert parameters["walking"]["include"] == ["*.txt"]
    assert parameters["walking"]["max_size"] == 1 << 20
    assert (parameters["shingling"]["unit"], parameters["shingling"]["k"], parameters["shingling"]["seed"]) == (
        "word",
        4,
        9,
    )
    assert parameters["shingling"]["normalisation"]["nfkc"] is True
    assert parameters["sketching"] == {"scheme": "fss", "num_perm": 128}
    assert (parameters["banding"]["threshold"], parameters["banding"]["bands"], parameters["banding"]["rows"]) == (
        0.7,
        32,
        4,
    )
    assert parameters["grouping"]["keep"] == "longest"


def test_the_summary_has_a_random_seed(here):
    seeds = {facts_of(here, "docs", "--seed", "random")["parameters"]["shingling"]["seed"] for _ in range(2)}
    assert len(seeds) == 2
    assert all(0 <= seed < 1 << 32 for seed in seeds)


def test_the_summary_has_the_facts_of_pairs(here):
    lay(here, {"docs/copy.txt": A})
    assert facts_of(here, "docs", "--pairs")["pairs"] == 2
    assert facts_of(here, "docs", "--pairs", "--all-copies")["pairs"] == 3


def test_pairs_left_out_are_those_that_all_copies_adds(here):
    """Copies of one text, and copies of two texts that are similar."""
    lay(here, {f"docs/copy{at}": (A, A1)[at % 2] for at in range(5)})
    chained = facts_of(here, "docs", "--pairs")
    every = facts_of(here, "docs", "--pairs", "--all-copies")
    assert (chained["pairs"], every["pairs"], every["pairs_left_out"]) == (6, 21, 0)
    assert chained["pairs_left_out"] == 15
    said = "identical texts are listed as a chain, which leaves out 15 pairs (--all-copies lists every pair)"
    assert said in simdocs("dedupe", "docs", "--pairs", "--summary", cwd=here).err.splitlines()
    assert "a chain" not in simdocs("dedupe", "docs", "--pairs", "--all-copies", "--summary", cwd=here).err


def test_the_summary_has_the_facts_of_components(here):
    facts = facts_of(here, "docs", "--cluster", "components")
    assert [(one["kept"], one["documents"], one["all_compared"]) for one in facts["components"]] == [
        ("docs/a.txt", 2, True)
    ]
    assert facts["components"][0]["smallest_to_kept"] == facts["components"][0]["smallest_of_two"] > 0.8


def test_the_summary_is_valid_json_whatever_patterns_and_names_hold(here):
    os.rename(here / "docs/a.txt", here / "docs" / os.fsdecode(b"\xff\n\x1b"))
    facts = facts_of(here, "docs", "--include", b"\xff*", "--include", "*.txt", "--cluster", "components")
    assert len(facts["parameters"]["walking"]["include"]) == 2
    assert facts["documents"] == 3


def test_the_summary_goes_where_a_link_or_device_leads(here):
    done = simdocs("dedupe", "docs", "-o", "answer", "--summary-json", "/dev/stdout", cwd=here)
    assert json.loads(done.out)["documents"] == 3
    assert len((here / "answer").read_bytes().splitlines()) == 1


def test_the_summary_is_the_old_or_the_new_one(here):
    lay(here, {"note": b"old"})
    assert simdocs("dedupe", "gone", "--summary-json", "note", cwd=here).status == 2
    assert simdocs("dedupe", "docs", "--summary-json", "docs/c.txt", cwd=here).status == 2
    assert simdocs("dedupe", "docs", "--summary-json", "gone/note", cwd=here).status == 2
    assert simdocs("dedupe", "docs", "--summary-json", "docs", cwd=here).status == 2
    assert (here / "note").read_bytes() == b"old"
    assert (here / "docs/c.txt").read_bytes() == B
    assert sorted(os.listdir(here)) == ["docs", "note"]


def test_the_summary_is_written_with_exit_code_too(here):
    assert simdocs("dedupe", "docs", "--exit-code", "--summary-json", "note", cwd=here).status == 1
    lay(here, {"docs/z": A * 2})
    size = str(len(A1))
    assert simdocs("dedupe", "docs", "--max-size", size, "--summary-json", "note", "-q", cwd=here).status == 3
    assert json.loads((here / "note").read_bytes())["skipped"] == {"oversized": 1}
