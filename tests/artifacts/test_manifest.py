"""Manifests: decoding returns what was encoded, for any parameters."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from simdocs.artifacts.formats import FORMATS
from simdocs.artifacts.manifest import Manifest, decoded
from simdocs.options.recipes import MAX_NUM_PERM, Banding, Containing, Ignoring, Sketching
from tests import strategies as some

SHARES = st.floats(0, 1, exclude_min=True) | st.just(1)
CHECKSUM = st.text("0123456789abcdef", min_size=32, max_size=32)


@st.composite
def manifests(draw: Any) -> Manifest:
    form = draw(st.sampled_from(list(FORMATS.values())))
    shingling = some.shingling(
        unit=draw(some.one_of("unit")),
        k=draw(st.integers(1, 1000)),
        language=draw(some.one_of("language")),
        multiset=draw(st.booleans()),
        seed=draw(some.seeds),
        normalisation=draw(some.normalisations),
    )
    sketching = Sketching(scheme=draw(some.one_of("scheme")), num_perm=draw(st.integers(1, MAX_NUM_PERM)))
    bands = draw(st.integers(1, sketching.num_perm))
    rows = draw(st.integers(1, sketching.num_perm // bands))
    banding = Banding(
        threshold=draw(SHARES), recall=draw(SHARES), rule=draw(some.one_of("rule")), bands=bands, rows=rows
    )
    # Fields of options that are not UTF-8 hold lone surrogates.
    any_text = st.text(st.characters(exclude_categories=()))
    sequences = some.sequences(
        text_field=tuple(draw(st.lists(any_text, min_size=1, max_size=3))),
        id_field=draw(any_text),
        input_format=draw(st.none() | some.one_of("input_format")),
        delimiter=draw(st.none() | st.sampled_from(";\t|")),
        no_header=draw(st.booleans()),
        plain=draw(st.booleans()),
    )
    ignoring = Ignoring(ignore_common=draw(SHARES), template_digest=draw(CHECKSUM), ignored_digest=draw(CHECKSUM))
    groups = {"sequences": sequences, "shingling": shingling, "sketching": sketching}
    groups |= {"ignoring": ignoring, "banding": banding, "containing": Containing(containment=draw(st.booleans()))}
    groups = {name: groups[name] for name in form.parameter_groups}
    recipe = form.recipe_type(**groups, unicode=draw(st.text(max_size=9)))
    lengths = {letter: draw(st.integers(0, (1 << 47) - 1)) for letter in "NTCIS"}
    lengths |= {"M": draw(st.integers(0, lengths["N"]))}
    lengths |= {"N+1": lengths["N"] + 1, "H": draw(st.integers(0, (1 << 47) - 1))}
    lengths |= {"F": draw(st.integers(min(1, lengths["N"]), lengths["N"]))}
    lengths |= {"K": sketching.num_perm, "B": bands}
    shapes = {array.name: tuple(lengths[letter] for letter in array.shape) for array in form.arrays}
    checksums = {array.name: draw(st.lists(CHECKSUM, max_size=3)) for array in form.arrays}
    return Manifest(form, recipe, draw(CHECKSUM), shapes, checksums)


@given(manifests())
def test_a_decoded_manifest_equals_the_encoded_one(manifest):
    data = manifest.encoded()
    assert decoded(data, "it") == manifest
    assert decoded(data, "it").encoded() == data
    assert json.loads(data)["rows"] == manifest.rows
    assert data.isascii()
    assert data.endswith(b"\n}\n")
