"""Strategies for forged artifacts: arrays, parameters and run.json are changed, and the checksums are made to match."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from simdocs.artifacts.formats import FORMATS
from simdocs.model.documents import FIELDS, FILE_FIELDS
from simdocs.options.declaration import Group
from tests import strategies as some
from tests.cli.forged import Arrays, signed_anew
from tests.commands.building import opened

WAYS = ("one", "run", "run", "all", "all", "exchange", "copy", "sort", "reverse", "longer", "shorter")


class Change(NamedTuple):
    """A change of an array, or of a field of its records: what is done, from where to where (as shares of its length),
    and with which value (or the share at which one is found)."""

    array: str
    field: str
    what: str
    begin: float
    end: float
    value: int | float


class Forgery(NamedTuple):
    """What is forged of an artifact: values of arrays, parameters by name, and the bytes of run.json if they are."""

    changes: Sequence[Change]
    recipe: Mapping[str, Any]
    run: bytes | None


SHARES = st.sampled_from([0.0, 1.0]) | st.floats(0, 1)

VALUES = st.sampled_from(
    [
        0,
        0,
        1,
        -1,
        2,
        7,
        8,
        9,
        10,
        ord("#"),
        ord("/"),
        1 << 16,
        1 << 20,
        1 << 31,
        (1 << 32) - 1,
        1 << 40,
        (1 << 63) - 1,
        -(1 << 63),
    ]
)

PARAMETERS = {
    "unit": some.members("unit"),
    "k": [1, 2, 1000],
    "language": some.members("language")[:2],
    "ignore_stop_words": [False, True],
    "stop_word_list": ["", "the a", " ", "!", "x" * 999, "\0", "\ud800", "\udcff"],
    "multiset": [False, True],
    "seed": [0, 1, (1 << 32) - 1],
    "nfkc": [False, True],
    "mask_digits": [False, True],
    "text_field": [("text",), ("id", "text"), ("",), ("x" * 999,), ("\ud800",), ("\udcff",), (), ("text",) * 99],
    "id_field": ["id", "text"],
    "input_format": [None, *some.members("input_format")],
    "delimiter": [None, ";", "\t", '"', "", "é", "\0"],
    "no_header": [False, True],
    "plain": [False, True],
    "scheme": some.members("scheme"),
    "num_perm": [1, 64, 127],
    "threshold": [1e-300, 0.5, 1.0],
    "recall": [1e-9, 0.5, 1.0],
    "rule": some.members("rule"),
    "bands": [1, 2, 16, 64],
    "rows": [1, 2, 128],
    "containment": [False, True],
    "unicode": ["1.0.0", "", "x" * 99],
}
"""Values of the parameters in a manifest. An artifact with some of them is refused."""

ROOTS: list[Any] = [None, "", "/", ".", "docs", "..", "\0", "\ud800", "\udcff", "x" * 5000, 1, [], {}, True, 1e999]

RUNS = [
    *(b"", b"{}", b"[]", b"null", b"{", b"\xff", b"\0" * 99, b"[" * 100_000, b'{"root":' * 100_000),
    *(b'{"root": NaN, "skipped": NaN}', b'{"root": ".", "root": 1}', b'{"start": 1%s}' % (b"0" * 5000)),
    *(b'{"root": "docs", "%s": %s1%s}' % (key, b"[" * 900, b"]" * 900) for key in (b"skipped", b"start", b"command")),
    b'{"root": "docs", "skipped": %s1%s}' % (b'{"a":' * 300, b"}" * 300),
    *(json.dumps({"root": root, "command": [1, None, "\x1b[31m"], "skipped": [1]}).encode() for root in ROOTS),
]
"""The contents of run.json, which has no checksum."""


def forgeries(kind: str) -> st.SearchStrategy[Forgery]:
    """Return forgeries of an artifact of this kind: mostly of one to three arrays."""
    places = [(array.name, "") for array in FORMATS[kind].arrays if not array.dtype.names]
    of_records = {"documents": FIELDS, "files": FILE_FIELDS}
    places += [(array, name) for array, about in of_records.items() for name, *_ in about]
    one = st.builds(
        lambda place, *rest: Change(*place, *rest),
        st.sampled_from(places),
        st.sampled_from(WAYS),
        SHARES,
        SHARES,
        VALUES | SHARES,
    )
    changes = st.lists(one, min_size=1, max_size=3)
    recipe = st.sampled_from(list(PARAMETERS)).flatmap(
        lambda name: st.sampled_from(PARAMETERS[name]).map(lambda value: {name: value})
    )
    nothing: st.SearchStrategy[Any] = st.just({})
    return st.one_of(
        st.builds(Forgery, changes, nothing, st.none()),
        st.builds(Forgery, changes, nothing, st.none()),
        st.builds(Forgery, st.just(()) | changes, recipe, st.none()),
        st.builds(Forgery, st.just(()) | changes, nothing, st.sampled_from(RUNS)),
    )


def forge(path: Path, forgery: Forgery) -> None:
    """Forge an artifact, with checksums that match."""

    def change(arrays: Arrays) -> None:
        for each in forgery.changes:
            _change(arrays, each)
        if "num_perm" in forgery.recipe and "signatures" in arrays:
            arrays["signatures"] = np.ascontiguousarray(arrays["signatures"][:, : forgery.recipe["num_perm"]])
        if "bands" in forgery.recipe and "band_keys" in arrays:
            for name in ("band_keys", "band_rows"):
                arrays[name] = np.resize(arrays[name], (forgery.recipe["bands"], arrays[name].shape[1]))

    if forgery.recipe:
        recipe = with_parameters(opened(path).recipe, forgery.recipe)
        signed_anew(path, change, recipe=recipe)
    else:
        signed_anew(path, change)
    if forgery.run is not None:
        (path / "run.json").write_bytes(forgery.run)


def with_parameters(recipe: Any, parameters: Mapping[str, Any]) -> Any:
    """Return the recipe with other values of these parameters, in whatever group they are."""
    changed = {}
    for name, value in recipe.fields().items():
        if isinstance(value, Group):
            changed[name] = with_parameters(value, parameters)
        elif name in parameters:
            changed[name] = parameters[name]
    return recipe.but(**changed)


def _change(arrays: Arrays, change: Change) -> None:
    name, field, what, begin, end, value = change
    if what in ("longer", "shorter"):
        _resize(arrays, name, longer=what == "longer", share=begin)
        return
    whole = arrays[name][field] if field else arrays[name]
    flat = np.ascontiguousarray(whole).reshape(-1)
    if not len(flat):
        return
    at, to = sorted((int(begin * (len(flat) - 1)), int(end * (len(flat) - 1))))
    if isinstance(value, float):
        number = flat[int(value * (len(flat) - 1))]
    else:
        number = np.array(value % (1 << 64), np.uint64).astype(flat.dtype)
    if what == "exchange":
        flat[[at, to]] = flat[[to, at]]
    elif what in ("sort", "reverse"):
        flat[at : to + 1] = np.sort(flat[at : to + 1]) if what == "sort" else flat[at : to + 1][::-1].copy()
    else:
        cut = {"one": slice(at, at + 1), "run": slice(at, to + 1), "all": slice(None), "copy": slice(at, at + 1)}[what]
        flat[cut] = flat[to] if what == "copy" else number
    whole[...] = flat.reshape(whole.shape)


def _resize(arrays: Arrays, name: str, *, longer: bool, share: float) -> None:
    """Make an array longer or shorter, with all others that have the same length."""
    form = next(form for form in FORMATS.values() if {array.name for array in form.arrays} == set(arrays))
    shapes = {array.name: array.shape for array in form.arrays}
    letter = "N" if shapes[name][0] == "N+1" else shapes[name][0 if shapes[name][-1] == "K" else -1]
    length = next(arrays[other].shape[shape.index(letter)] for other, shape in shapes.items() if letter in shape)
    places = np.arange(2 * length) % max(length, 1) if longer else np.arange(int(share * length))
    for other, shape in shapes.items():
        if letter in shape:
            arrays[other] = np.ascontiguousarray(np.take(arrays[other], places, shape.index(letter)))
        elif letter == "N" and shape == ("N+1",):
            offsets = arrays[other]
            arrays[other] = np.append(offsets[: len(places) + 1], np.full(max(0, len(places) - length), offsets[-1]))
