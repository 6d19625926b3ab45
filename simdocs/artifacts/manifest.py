"""The manifest of an artifact: its format and parameters, and what each of its files must hold."""

from __future__ import annotations

import functools
import hashlib
import json
import types
import typing
from collections.abc import Collection, Mapping
from itertools import chain
from typing import Any, NamedTuple
from unicodedata import unidata_version

import numpy as np

from simdocs.artifacts.formats import BLOCK, FORMATS, ArtifactFormat
from simdocs.artifacts.npy import checksum
from simdocs.errors import ArtifactError, ParametersError
from simdocs.model.artifact import damaged
from simdocs.model.documents import Documents
from simdocs.names import MANIFEST
from simdocs.options.declaration import Group, GroupType
from simdocs.options.hash_functions import OWN_SCHEMES, refuse_contradiction
from simdocs.options.recipes import MOST_STOP_WORDS, RECORDED, IndexRecipe, Recipe, SignatureRecipe

AnyRecipe = typing.TypeVar("AnyRecipe", bound=Recipe)


class Manifest(NamedTuple):
    """The contents of manifest.json.

    made_from: see the function `made_from`
    shapes, checksums: by the name of the array
    """

    format: ArtifactFormat
    recipe: Recipe
    made_from: str
    shapes: Mapping[str, tuple[int, ...]]
    checksums: Mapping[str, list[str]]

    @property
    def rows(self) -> int:
        """The number of documents."""
        return self.shapes["documents"][0]

    @property
    def lengths(self) -> dict[str, int]:
        """The length that each letter in the shapes of the format stands for."""
        each = ((array.shape, self.shapes[array.name]) for array in self.format.arrays)
        return {letter: length for letters, shape in each for letter, length in zip(letters, shape, strict=True)}

    def encoded(self) -> bytes:
        """Return the bytes of manifest.json. Equal manifests have equal bytes."""
        form = self.format
        body: dict[str, Any] = {
            "format": form.name,
            "version": form.version,
            "rows": self.rows,
            "made_from": self.made_from,
            "unicode": self.recipe.unicode,
            "parameters": {group: getattr(self.recipe, group).as_dict() for group in form.parameter_groups},
            "block": BLOCK,
            "arrays": {
                array.name: {
                    "file": array.file,
                    "dtype": array.dtype.descr if array.dtype.names else array.dtype.str,
                    "shape": list(self.shapes[array.name]),
                    "checksums": self.checksums[array.name],
                }
                for array in form.arrays
            },
        }
        return _with_checksum(body)


def _with_checksum(body: dict[str, Any]) -> bytes:
    text = json.dumps(body, indent=1)
    return (json.dumps(body | {"checksum": checksum(text.encode())}, indent=1) + "\n").encode()


def decoded(data: bytes, name: str) -> Manifest:
    """Return the manifest in these bytes. name: the name of the artifact, for messages.

    ArtifactError: it is damaged, or has another version.
    """
    where = f"{name}/{MANIFEST}"
    if not data:
        raise damaged(where, "an empty file (an interrupted write?)")
    try:
        body = json.loads(data)
        whole = {key: value for key, value in body.items() if key != "checksum"}
        if _with_checksum(whole) != data:
            raise damaged(where, "it does not match its own checksum")
        form = _format(whole, name)
        manifest = _of(whole, form, name)
    except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError):
        raise damaged(where, "it is not a manifest of simdocs") from None
    if manifest.encoded() != data:
        raise damaged(where, "it does not describe an artifact of simdocs")
    return manifest


def _format(body: dict[str, Any], name: str) -> ArtifactFormat:
    form = next((form for form in FORMATS.values() if form.name == body["format"]), None)
    if form is None:
        raise ArtifactError(
            f"{name}: has a kind that this simdocs does not know ({str(body['format'])[:60]!r}): upgrade simdocs"
        )
    if body["version"] != form.version:
        version = str(int(body["version"]))[:20]
        problem = f"{name}: has format version {version}, but this simdocs reads version {form.version}"
        if body["version"] > form.version:
            raise ArtifactError(f"{problem}: upgrade simdocs")
        raise ArtifactError(problem, "build it again")
    return form


def _of(body: dict[str, Any], form: ArtifactFormat, name: str) -> Manifest:
    recipe = recipe_of(form.recipe_type, body["parameters"], str(body["unicode"]), name)
    arrays = body["arrays"]
    shapes = {array.name: tuple(int(length) for length in arrays[array.name]["shape"]) for array in form.arrays}
    _agree(form, shapes, recipe)
    checksums = {array.name: list(arrays[array.name]["checksums"]) for array in form.arrays}
    return Manifest(form, recipe, str(body["made_from"]), shapes, checksums)


def recipe_of(kind: type[AnyRecipe], values: Mapping[str, Any], unicode: str, name: str) -> AnyRecipe:
    """A recipe from the JSON objects of its groups. name: what has them, for messages.

    ArtifactError: a unit, scheme, ... is not known here. ValueError, LookupError, TypeError, AttributeError: the
    objects have other fields, types or values.
    """
    recipe = group_of(kind, {**values, "unicode": unicode}, name)
    if len(recipe.shingling.stop_word_list.encode()) > MOST_STOP_WORDS:  # a surrogate alone is not a character
        raise ValueError
    if isinstance(recipe, SignatureRecipe) and (recipe.sketching.is_own or len(recipe.sketching.as_dict()) > _DRAWN):
        refuse_contradiction(recipe.sketching)
    if isinstance(recipe, IndexRecipe) and recipe.banding.bands * recipe.banding.rows > recipe.sketching.num_perm:
        raise ValueError
    return recipe


def group_of(kind: type[GroupType], values: Mapping[str, Any], name: str) -> GroupType:
    """A group of parameters from its JSON object. The errors are those of `recipe_of`."""
    group: GroupType = _group(kind, values)
    _in_range(group, name)
    return group


def _agree(form: ArtifactFormat, shapes: Mapping[str, tuple[int, ...]], recipe: Recipe) -> None:
    """Raise ValueError unless each letter in the format's shapes stands for a single number, and a possible one."""
    lengths = {"N": shapes["documents"][0]}
    if isinstance(recipe, SignatureRecipe):
        lengths["K"] = recipe.sketching.num_perm
    if isinstance(recipe, IndexRecipe):
        lengths["B"] = recipe.banding.bands
    for array in form.arrays:
        if len(array.shape) != len(shapes[array.name]):
            raise ValueError
        for letter, length in zip(array.shape, shapes[array.name], strict=True):
            expected = lengths["N"] + 1 if letter == "N+1" else lengths.setdefault(letter, length)
            if length != expected or not 0 <= length < 1 << 48:
                raise ValueError
    if not min(1, lengths["N"]) <= lengths["F"] <= lengths["N"]:  # every document has a file, and every file documents
        raise ValueError
    if lengths.get("M", 0) > lengths["N"]:
        raise ValueError


_DRAWN = len(("scheme", "num_perm"))
"""Fields of a scheme whose hash functions are drawn."""


def _in_range(group: Group, name: str) -> None:
    """Raise ValueError for a value out of range, and ArtifactError for a unit, scheme, ... that is not known here."""
    for parameter, value in group.flattened():
        declared = RECORDED.get(parameter, group.options.get(parameter))
        is_own = parameter == "scheme" and value in OWN_SCHEMES
        if declared is None or value is None or is_own:  # the version of Unicode; what was not given
            continue
        values = declared.values
        try:
            values.check(value)
        except ValueError:
            if not values.family:
                raise
            raise ArtifactError(
                f"{name}: made with {parameter} {value[:60]!r}, which this simdocs does not know: upgrade simdocs"
            ) from None


_hints = functools.cache(typing.get_type_hints)


def _group(kind: Any, values: Mapping[str, Any]) -> Any:
    """A group of parameters from its JSON object. TypeError: it has other fields, or other types."""
    hints = _hints(kind)
    made: dict[str, Any] = {}
    for name in kind.defaults:
        hint = hints[name]
        if typing.get_origin(hint) is tuple:
            absent = kind.defaults[name] == () and values.get(name, []) == []
            made[name] = () if absent else _listed(values[name], typing.get_args(hint)[0])
            continue
        value = values[name]
        if isinstance(hint, type) and issubclass(hint, Group):
            made[name] = _group(hint, value)
            continue
        allowed = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
        if type(value) not in allowed and not (float in allowed and type(value) is int):
            raise TypeError
        made[name] = value
    return kind(**made)


def _listed(value: Any, kind: type) -> tuple[Any, ...]:
    """The values in a JSON array. TypeError: it is none, is empty, or holds anything else."""
    if type(value) is not list or not value or any(type(each) is not kind for each in value):
        raise TypeError
    return tuple(value)


def differences(first: Recipe, second: Recipe, groups: Collection[str]) -> dict[str, tuple[object, object]]:
    """Return the parameters in which two recipes differ, with both values: those of these groups, and unicode."""
    known, other = (
        dict(chain(*(getattr(recipe, group).flattened() for group in groups), [("unicode", recipe.unicode)]))
        for recipe in (first, second)
    )
    return {name: (value, other[name]) for name, value in known.items() if value != other[name]}


def refuse_other_unicode(recipe: Recipe, name: str) -> None:
    """Raise ParametersError if the artifact was made with other Unicode tables than this Python has."""
    if recipe.unicode != unidata_version:
        raise ParametersError(name, "this Python", {"unicode": (recipe.unicode, unidata_version)})


def made_from(documents: Documents, recipe: Recipe) -> str:
    """Return a hash of the documents' names and token sets and of the shingling parameters, in hexadecimal.

    Artifacts of the same documents and shingling have the same hash.
    """
    known = hashlib.sha256(json.dumps([recipe.shingling.as_dict(), recipe.unicode]).encode())
    for array in (documents.names.offsets, documents.names.values, documents.facts["set_digest"]):
        known.update(np.ascontiguousarray(array).view(np.uint8).data)
    return known.hexdigest()[:32]
