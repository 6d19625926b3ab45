"""Kernels in C and in NumPy give the same bytes, and the environment chooses between them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from simdocs.kernels.native import is_installed
from tests.amounts import slow
from tests.cli.corpus import lay
from tests.cli.program import environment, simdocs

KERNELS = {name: environment(SIMDOCS_KERNELS=name) for name in ("numpy", "native")}

needs_both = pytest.mark.skipif(not is_installed(), reason="the kernels in C are not installed")

WORDS = (
    *("the", "Cow", "jumps", "over", "ΣΑΣ", "Straße", "漢字かな", "ไทย", "e\u0301te", "l'été"),
    *("x" * 300, "12,5", "\x1f", "--"),
)


def texts() -> dict[str, bytes]:
    """Texts of 0 to 400 words, in ASCII and in all scripts. Most are edited versions of others; some are not UTF-8."""
    found = dict[str, bytes]()
    for kind in ("plain", "other"):
        dice = random.Random(kind)
        plain = kind == "plain"
        some = [word for word in WORDS if word.isascii()] + [f"w{n}" for n in range(90)] if plain else WORDS
        made = [dice.choices(some, k=dice.choice([0, 1, 3, 9, 60, 400])) for _ in range(20)]
        for _ in range(30):
            words = list(dice.choice(made))
            if words:
                words[dice.randrange(len(words))] = "Edited\r\n\t"
            made.append(words)
        ends = (b"", b"\n", b" \r\n\n") if plain else (b"", b"\n", b"\xff\xfe\xed\xa0")
        for at, words in enumerate(made):
            space, end = dice.choice([" ", "\n", "  "]), dice.choice(ends)
            found[f"docs/{at:03}-{kind}"] = space.join(words).encode() + end
    return found


HOW = {
    "characters": [],
    "long shingles": ["-k", "33", "--seed", "7"],
    "words": ["--unit", "word", "--strip-punctuation"],
    "lines": ["--unit", "line"],
    "stop words": ["--unit", "stopword", "--multiset"],
    "other switches": ["--unit", "word", "-k", "2", "--keep-case", "--mask-digits", "--ignore-stop-words"],
}


def made_by(kernels: str, here: Path, docs: str, how: list[str]) -> dict[str, bytes]:
    """Return every file that the stages write with these kernels, without run.json, and what they print."""
    where = here / kernels
    where.mkdir()
    found = dict[str, bytes]()
    for command, name in (("shingle", "x.shingles"), ("index", "x.index")):
        done = simdocs(command, f"../{docs}", *how, "-o", name, cwd=where, env=KERNELS[kernels], served=True)
        assert done.status == 0, done.err
        files = sorted((where / name).iterdir())
        found |= {f"{name}/{path.name}": path.read_bytes() for path in files if path.name != "run.json"}
    for asked in (["dedupe", "x.index"], ["pairs", "x.index", "-t", "0.5"]):
        done = simdocs(*asked, cwd=where, env=KERNELS[kernels], served=True)
        assert done.status in (0, 1), done.err
        found[" ".join(asked)] = done.out
    return found


@needs_both
@pytest.mark.xdist_group("kernels")
@pytest.mark.parametrize(
    "what", ["characters", "stop words", "other switches", *slow("long shingles", "words", "lines")]
)
def test_both_kernels_write_the_same_bytes(what, tmp_path):
    lay(tmp_path, texts())
    expected = made_by("numpy", tmp_path, "docs", HOW[what])
    assert made_by("native", tmp_path, "docs", HOW[what]) == expected
    assert len(expected["dedupe x.index"].splitlines()) > 5


@needs_both
@pytest.mark.parametrize("kernels", KERNELS)
def test_version_and_info_say_which_kernels_are_in_use(kernels, here):
    lay(here, {"docs/a": b"a text"})
    assert simdocs("--version", env=KERNELS[kernels]).out.endswith(f" (kernels: {kernels})\n".encode())
    assert simdocs("index", "docs", "-o", "x.index", cwd=here).status == 0
    assert [b"kernels_in_use", kernels.encode()] in simdocs("info", "x.index", cwd=here, env=KERNELS[kernels]).rows


@pytest.mark.parametrize("command", [["--version"], ["dedupe", "docs"]])
def test_an_unknown_choice_of_kernels_is_an_error(command, here):
    lay(here, {"docs/a": b"a text"})
    done = simdocs(*command, cwd=here, env=environment(SIMDOCS_KERNELS="fast"))
    error = "simdocs: error: SIMDOCS_KERNELS is 'fast': set it to auto, native or numpy\n"
    assert done == (2, b"", error)
