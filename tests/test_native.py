"""What only kernels in C can get wrong: sorting by digits, arrays at odd addresses, and arguments that do not fit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from importlib import import_module
from inspect import getfullargspec, isfunction
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from simdocs import kernels
from simdocs.kernels import buckets, fss, jaccard, multisets, murmur, native
from simdocs.kernels.normalise import normalise
from simdocs.kernels.shinglers import char_tokens, tokens_of_units
from simdocs.kernels.units import word_hashes
from simdocs.model.ragged import Ragged, offsets_of
from simdocs.options.recipes import Normalisation, Shingling
from tests import strategies as some
from tests.kernels.conftest import OF_BOTH

ROOT = Path(__file__).resolve().parent.parent

LARGE = 1 << 20
"""As in compiled.h: longer rows are sorted in place."""


def test_kernels_in_c_are_there_if_they_are_required():
    assert native.is_installed() or os.environ.get("SIMDOCS_NATIVE") != "require"


@pytest.fixture
def compiled() -> Iterator[ModuleType]:
    """The kernels in C, which are in use."""
    if not native.is_installed():
        pytest.skip("the kernels in C are not installed")
    with mock.patch.object(native, "_chosen", "native"):
        yield import_module("simdocs.kernels.native.compiled")


in_c = pytest.mark.usefixtures("compiled")


def test_every_kernel_in_c_has_a_version_in_numpy(compiled):
    functions = import_module("simdocs.kernels.native.functions")
    in_c = {name for name, each in vars(functions).items() if isfunction(each) and name[0] != "_"}
    in_c = {name for name in in_c if getattr(functions, name).__module__ == functions.__name__}
    modules = [import_module(f"simdocs.kernels.{each.name}") for each in iter_modules(kernels.__path__)]
    found = [each for module in modules for each in vars(module).values() if isfunction(each)]
    in_numpy = {each.__name__: each.__wrapped__ for each in found if hasattr(each, "__wrapped__")}
    assert in_c == in_numpy.keys()
    for name in in_c:
        assert getfullargspec(getattr(functions, name)).args == getfullargspec(in_numpy[name]).args


def few(count: int, bits: int) -> np.ndarray:
    """Numbers that differ in their lowest bits alone, as a forger would choose them."""
    return np.random.default_rng(bits).integers(0, 1 << bits, count, np.uint32) + np.uint32(0xABC00000)


ROWS = {
    "random": lambda count: np.random.default_rng(1).integers(0, 1 << 32, count, np.uint32),
    "equal": lambda count: np.full(count, 7, np.uint32),
    "two values in turn": lambda count: np.resize(np.array([0xFFFFFFFF, 0xFFFFFFFE], np.uint32), count),
    "falling": lambda count: np.arange(count, 0, -1, dtype=np.uint32),
    "low bits": lambda count: few(count, 8),
    "middle bits": lambda count: few(count, 18),
}


@in_c
@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("count", [0, 1, 32, 33, 1024, 1025, 50_000])
def test_sets_are_right_whatever_the_tokens_are(kind, count):
    row = ROWS[kind](count)
    made = multisets.token_sets(Ragged.from_rows([row, row[: count // 2]], np.uint32))
    assert np.array_equal(made[0], np.unique(row))
    assert np.array_equal(made[1], np.unique(row[: count // 2]))


@in_c
@pytest.mark.parametrize("kind", ROWS)
def test_sets_of_large_rows_are_right(kind):
    row = ROWS[kind](LARGE + 3)
    made = multisets.token_sets(Ragged.from_rows([row[:5], row], np.uint32))
    assert np.array_equal(made[1], np.unique(row))


KEYS = {
    "random": lambda count: np.random.default_rng(1).integers(0, 1 << 64, count, np.uint64),
    "few": lambda count: np.random.default_rng(1).integers(0, 40, count, np.uint64),
    "low bits": lambda count: np.random.default_rng(1).integers(0, 1 << 20, count, np.uint64),
    "falling": lambda count: np.arange(count, 0, -1, dtype=np.uint64),
    "high bits": lambda count: np.random.default_rng(1).integers(0, 9, count, np.uint64) << np.uint64(60),
}


@in_c
@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("count", [0, 1, 2, 1000, 30_000, LARGE + 1])
def test_keys_are_ordered_whatever_they_are(kind, count):
    keys = KEYS[kind](count)
    assert np.array_equal(buckets.order_of_keys(keys), np.argsort(keys, kind="stable"))


def odd(array: np.ndarray) -> np.ndarray:
    """The same array at an address that is no multiple of its items."""
    held = np.empty(array.nbytes + 1, np.uint8)
    held[1:] = np.frombuffer(array.tobytes(), np.uint8)
    return np.frombuffer(held.data, array.dtype, offset=1)


@in_c
@pytest.mark.parametrize("seed", range(5))
def test_arrays_may_begin_at_any_address(seed):
    rows = [np.random.default_rng(seed).integers(0, 1 << 32, size, np.uint32) for size in (0, 1, seed, 40 * seed)]
    made = Ragged.from_rows(rows, np.uint32)
    moved = Ragged(odd(made.values), odd(made.offsets))
    assert np.array_equal(fss.signatures(moved, 5), fss.signatures(made, 5))
    assert np.array_equal(multisets.token_sets(moved).values, multisets.token_sets(made).values)
    sets = multisets.token_sets(made)
    pairs = np.arange(len(rows)), np.arange(len(rows))[::-1]
    moved = Ragged(odd(sets.values), odd(sets.offsets))
    assert jaccard.overlaps(moved, *pairs).tolist() == jaccard.overlaps(sets, *pairs).tolist()
    data = odd(made.values).view(np.uint8) if len(made.values) else np.empty(0, np.uint8)
    spans = made.offsets[:-1] * 4, made.lengths * 4
    hashed = murmur.hash_byte_strings(np.frombuffer(made.values.tobytes(), np.uint8), *spans, 3)
    assert murmur.hash_byte_strings(data, *map(odd, spans), 3).tolist() == hashed.tolist()


LETTERS = ["a", "B", "_", "7", " ", "\n", "\r", ".", "é", "Ⱥ", "K", "ß", "\u0301", "\u0e33", "中", "。", "ก", "\u2028"]
LETTERS += ["\x85", "𝔘", "🙂", "ｶ", "\u3099", "א", "ı"]
LONG = ["word " * 9, "x" * 70]

plain_texts = st.lists(
    st.sampled_from(LETTERS) | st.sampled_from(some.LOOKALIKES) | st.sampled_from(LONG), max_size=30
).map("".join)


def both_ways(kernel: Callable[..., Any], *arguments: Any, **keywords: Any) -> tuple[Any, Any]:
    """What a kernel makes in C, and in NumPy. The one in C may not leave it to NumPy. Each may overwrite a copy."""
    in_c = getattr(import_module("simdocs.kernels.native.functions"), kernel.__name__)
    made = in_c(*deepcopy(arguments), **keywords)
    assert made is not NotImplemented
    return made, kernel.__wrapped__(*deepcopy(arguments), **keywords)


def assert_equal_rows(one: Ragged, other: Ragged) -> None:
    """Their arrays are equal, and have the same types."""
    assert one.values.dtype == other.values.dtype and np.array_equal(one.values, other.values)
    assert np.array_equal(one.offsets, other.offsets)


def assert_texts_are_equal(texts: list[str], switches: Normalisation, *, lines: bool, k: int) -> None:
    """These texts, their words and their windows of k characters are the same in C and in NumPy."""
    raw = some.documents([text.encode() for text in texts])
    made, expected = both_ways(normalise, raw, switches, lines=lines)
    assert_equal_rows(made.encoded, expected.encoded)
    assert_equal_rows(made.codepoints, expected.codepoints)
    assert (made.stride_offsets is None) == (expected.stride_offsets is None)
    assert expected.stride_offsets is None or np.array_equal(made.stride_offsets, expected.stride_offsets)
    assert_equal_rows(*both_ways(word_hashes, made, k))
    tokens, in_numpy = both_ways(char_tokens, made, Shingling(k=k, unit="char", seed=k))
    assert_equal_rows(tokens.tokens, in_numpy.tokens)
    assert np.array_equal(tokens.lengths, in_numpy.lengths)


@in_c
@given(
    st.lists(plain_texts, max_size=5),
    some.normalisations.filter(lambda switches: not (switches.nfkc or switches.strip_accents)),
    st.booleans(),
    st.sampled_from([1, 2, 3, 9, 40]),
)
@example(["xé", "\né", "\n\u2028é"], Normalisation(), True, 1)
@example(["x", "\ny", "\n"], Normalisation(), True, 1)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_of_utf8_is_done_in_c(texts, switches, lines, k):
    assert_texts_are_equal(texts, switches, lines=lines, k=k)


@in_c
@pytest.mark.parametrize(("keep_case", "lines"), [(False, True), (True, False)])
def test_no_character_is_taken_for_a_space_because_of_its_last_bits(keep_case, lines):
    """The texts hold the code points below U+21000 whose last 8 bits are whitespace, between spaces and line ends."""
    pages = [page for page in range(1, 0x210) if not 0xD8 <= page < 0xE0]
    texts = ["".join(f"x {chr(page << 8 | low)} \n{chr(page << 8 | low)}y" for low in some.LOW_BYTES) for page in pages]
    assert_texts_are_equal(texts, Normalisation(keep_case=keep_case), lines=lines, k=2)


@in_c
def test_characters_that_begin_with_any_byte_have_their_tokens_in_c():
    """Each text has two of the characters whose first bytes of UTF-8 are the same, three times."""
    begins = [*range(0, 0x800, 0x40), *range(0x800, 0xD800, 0x1000), *range(0x10000, 0x110000, 0x40000)]
    texts = [3 * f"{chr(begin + 0x2A)}{chr(begin + 0x2B)}" for begin in begins]
    assert_texts_are_equal(texts, Normalisation(keep_case=True), lines=False, k=2)


@in_c
@given(
    st.lists(st.tuples(st.sampled_from(some.EDGES), st.sampled_from([*LETTERS, *some.LOOKALIKES])), max_size=5),
    st.sampled_from(["a", "ab ", "é", " ", "\n", "日"]),
    st.booleans(),
    st.sampled_from([1, 8, 9, 64]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_texts_are_cut_right_between_the_blocks_of_kernels_in_c(runs, filler, lines, k):
    """Long runs of one string, each with another character after as many bytes as fit in some blocks."""
    text = "".join(" " + filler * (size // len(filler.encode())) + " " + character for size, character in runs)
    assert_texts_are_equal([text, text[1:], text[:-1]], Normalisation(), lines=lines, k=k)


@in_c
@pytest.mark.parametrize("size", some.EDGES)
def test_rows_as_long_as_words_and_blocks_are_right_in_c(size):
    draw = np.random.default_rng(size)
    row = draw.integers(0, 1 << 32, size, np.uint32)
    hashes = some.ragged([row, [], row[1:], row[:1]], np.uint32)
    for k in (1, 2, 9, size - 1, size, size + 1):
        made, expected = both_ways(tokens_of_units, hashes, Shingling(k=k, unit="word"))
        assert_equal_rows(made.tokens, expected.tokens)
    assert_equal_rows(*both_ways(multisets.token_sets, some.ragged([row % 7, row, row[::-1]], np.uint32)))
    for places in (1, 64, size):
        assert np.array_equal(*both_ways(fss.signatures, hashes, places))
    signatures, sides = draw.integers(0, 2, (3, size), np.uint32), np.indices((3, 3)).reshape(2, -1)
    assert np.array_equal(*both_ways(jaccard.estimates, signatures, *sides))
    keys = draw.integers(0, size, size).astype(np.uint64)
    assert np.array_equal(*both_ways(buckets.order_of_keys, keys))
    members = Ragged(draw.integers(0, size, size, np.int32), offsets_of(np.array([size])))
    assert_equal_rows(*both_ways(buckets.positions_of_members, members, size))


@in_c
@pytest.mark.parametrize("rows", [1, 63, 64, 65])
@pytest.mark.parametrize("size", [1, 63, 64, 65, 129])
def test_sets_whose_tokens_fill_the_words_of_a_bitmap_are_compared_right_in_c(size, rows):
    """Together the sets have this number of distinct tokens. Only pairs of few sets are looked up in bitmaps."""
    draw = np.random.default_rng(size)
    tokens = np.sort(draw.choice(1 << 32, size, replace=False).astype(np.uint32))
    sets = some.ragged([tokens, *(tokens[draw.random(size) < 0.7] for _ in range(rows + 100))], np.uint32)
    left, right = (side.reshape(-1) for side in np.meshgrid(np.arange(rows), np.arange(len(sets))))
    for pairs in ((left, right), (right, left)):
        assert np.array_equal(*both_ways(jaccard.overlaps, sets, *pairs))


@in_c
@pytest.mark.parametrize("seed", range(4))
def test_pairs_in_any_order_are_compared_right_in_c(seed, compiled):
    """Sets that share nothing, as many tokens as a table has cells, and spans of pairs that meet in one right set."""
    draw = np.random.default_rng(seed)
    tokens = draw.permutation(np.arange(1, 1 << 13, dtype=np.uint32) * np.uint32(0x9E3779B1))
    apart = [np.sort(tokens[at : at + 64]) for at in range(0, 127 * 64, 64)]
    sets = some.ragged([*apart, np.sort(tokens), [], tokens[:1]], np.uint32)
    left, right = np.indices((len(sets), len(sets))).reshape(2, -1)
    steps = np.repeat(np.arange(len(sets)), 64)[: 128 * 64], np.tile(np.arange(64), 128) + np.repeat([0, 63], 64 * 64)
    of_two = np.tile([0, 1], len(sets)), np.repeat(np.arange(len(sets)), 2)
    for one, other in (steps, steps[::-1], draw.permutation([left, right], axis=1), of_two):
        pairs = [np.ascontiguousarray(side) for side in (one, other)]
        out = np.full(len(one), -1)
        compiled.overlaps(sets.values, sets.offsets, *pairs, out)
        assert np.array_equal(out, jaccard.overlaps.__wrapped__(sets, *pairs))


@in_c
def test_words_of_all_lengths_at_all_places_are_hashed_in_c():
    """Words of up to 15 bytes go through the same steps, but not at the end of the data, and 64 bytes are one block."""
    every = ["." * before + "wordsthatarelong_"[:length] for length in range(1, 18) for before in range(66)]
    for rows in ([text.encode()] for text in every):
        assert_equal_rows(*both_ways(word_hashes, normalise(some.documents(rows), Normalisation()), 3))
    many = [" ".join(every).encode(), b"", " ".join([*every, "é"]).encode(), b"a " * 5000, b"x" * 64]
    assert_equal_rows(*both_ways(word_hashes, normalise(some.documents(many), Normalisation()), 3))


EDGES_OF_UTF8 = [
    *(point.to_bytes(3) for point in (0xE08080, 0xE09FBF, 0xE0A080, 0xED9FBF, 0xEDA080, 0xEDBFBF, 0xEE8080, 0xEFBFBF)),
    *(point.to_bytes(4) for point in (0xF0808080, 0xF08FBFBF, 0xF0908080, 0xF48FBFBF, 0xF4908080, 0xF5808080)),
    *(point.to_bytes(2) for point in (0xC080, 0xC1BF, 0xC280, 0xDFBF, 0xC27F, 0xC2C0)),
    *("Σ".encode(), "ΐ".encode(), b"\x80", b"\xc2", b"\xe0\xa0", b"\xf0\x90\x80"),
]
"""The first and the last code points of each length, those beside them, and those beside surrogates; and cut ones."""


@in_c
@given(st.binary(max_size=12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_not_utf8_is_left_to_numpy(data):
    assert_left_to_numpy(data)


@in_c
@pytest.mark.parametrize("data", EDGES_OF_UTF8)
def test_what_is_barely_not_utf8_is_left_to_numpy(data):
    assert_left_to_numpy(data)


def assert_left_to_numpy(data: bytes) -> None:
    """If some text is not UTF-8, it is left to NumPy, or else done in C."""
    for place in (data, b"a" * 20 + data, data + "é".encode()):
        made = import_module("simdocs.kernels.native.functions").normalise(some.documents([place]), Normalisation())
        assert (made is NotImplemented) == ("\ufffd" in data.decode(errors="replace"))


@pytest.mark.slow
def test_kernels_in_c_touch_no_memory_of_others(tmp_path):
    """All tests of kernels and of reading in C, with a build that looks at every access and every overflow."""
    quietly = partial(subprocess.run, check=False, capture_output=True, text=True)
    compiler = shutil.which("gcc") or pytest.skip("no gcc here")
    library = quietly([compiler, "-print-file-name=libasan.so"]).stdout.strip()
    if not Path(library).is_absolute():
        pytest.skip("no gcc with its sanitizers here")
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    for name in ("simdocs", "tests", "benchmarks", "pyproject.toml"):
        copy = shutil.copy if (ROOT / name).is_file() else partial(shutil.copytree, ignore=ignored)
        copy(ROOT / name, tmp_path / name)
    place = tmp_path / "simdocs" / "kernels" / "native"
    sanitizers = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    built = ["-shared", "-fPIC", "-I", sysconfig.get_path("include"), "-o", place / "compiled.abi3.so"]
    subprocess.run([compiler, *sanitizers, *place.glob("*.c"), *built], check=True)
    env = os.environ | {
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0",  # those of Python itself
        "SIMDOCS_KERNELS": "native",
    }
    of_both = [f"tests/kernels/{each}.py" for each in OF_BOTH if each != "test_kernel_contract"]
    tests = ["tests/test_native.py", *of_both, "tests/reading/test_small_files.py"]
    # The sanitizers themselves need address space.
    left_out = ("numpy", "statistics", "code_point", "threads_that_cannot_be_started")
    chosen = ["-k", " and ".join(f"not {name}" for name in left_out), "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = quietly([sys.executable, "-m", "pytest", "-q", *chosen, *tests], cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
