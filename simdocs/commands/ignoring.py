"""The tokens that are left out: the tokens of its templates, or the same as an artifact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from simdocs.artifacts.manifest import differences
from simdocs.artifacts.npy import damaged
from simdocs.errors import ArtifactError, InputError, ParametersError
from simdocs.kernels.ignored_tokens import digest_of
from simdocs.model.artifact import Artifact
from simdocs.model.ragged import Tokens
from simdocs.names import display_name
from simdocs.options.declaration import Options
from simdocs.options.recipes import MOST_STOP_WORDS, Shingling, SignatureRecipe
from simdocs.options.texts import Sequences, Walking
from simdocs.pipeline.boilerplate import template_tokens
from simdocs.pipeline.prepare import Intake

_COMMENT = "#|"
"""The signs that begin a comment. No word has them, and the lists of Snowball have comments after |."""


def stop_word_list(name: bytes) -> str:
    """The distinct words in this file, sorted, with spaces between them.

    InputError: the list cannot be used. UsageError: the file has many texts.
    """
    from simdocs.reading.single_text import read_single_document

    shown = display_name(name)
    data = read_single_document(name, Walking().max_size, Sequences())
    if len(data) > MOST_STOP_WORDS:
        problem = f"this list of stop words has {len(data):,} bytes, and {MOST_STOP_WORDS:,} are allowed"
        raise InputError(f"{shown}: {problem}: leave out comments and rare words")
    try:
        lines = data.decode().splitlines()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{shown}, line {line}: this list is not in UTF-8: convert it first, for instance with iconv"
        ) from None
    for sign in _COMMENT:
        lines = [line.partition(sign)[0] for line in lines]
    words = sorted({word for line in lines for word in line.split()})
    if not any(map(str.isalnum, "".join(words))):
        raise InputError(f"{shown}: this list has no words: give one word on each line")
    return " ".join(words)


def contradictory_stop_words(name: bytes, artifact: Artifact) -> Iterator[str]:
    """Yield a message if another list was given than the artifact has. InputError: it cannot be used."""
    theirs, remedy = artifact.recipe.shingling.stop_word_list, "rebuild it, or leave the option out"
    if not theirs:
        yield f"{artifact.name} was built without --stop-words: {remedy}"
    elif theirs != stop_word_list(name):
        yield f"{artifact.name} was built with other --stop-words than {display_name(name)}: {remedy}"


def leaving_out(
    options: Options, intake: Intake, recipe: SignatureRecipe, decided_by: Artifact | None
) -> tuple[Intake, SignatureRecipe]:
    """The intake and the recipe with the tokens that are left out. Common tokens of documents are not known yet.

    decided_by: the artifact that decides it, if it is not one of token sets. InputError: a template cannot be used.
    """
    if decided_by is not None and isinstance(decided_by.recipe, SignatureRecipe):
        return replace(intake, ignored=ignored_of(decided_by)), recipe
    tokens = tokens_of_templates(getattr(options, "template", ()), recipe.shingling)
    digest = digest_of(tokens)
    ignoring = recipe.ignoring.but(template_digest=digest, ignored_digest=digest)
    return replace(intake, ignored=tokens), recipe.but(ignoring=ignoring)


def contradictory_files(options: Options, artifact: Artifact) -> Iterator[str]:
    """Yield a message for each file that was named and that has other contents than that of the artifact.

    InputError, UsageError: a file cannot be used.
    """
    if templates := getattr(options, "template", ()):
        yield from _contradictory_templates(templates, artifact)
    if (name := getattr(options, "stop_words", None)) is not None:
        yield from contradictory_stop_words(name, artifact)
    if (name := getattr(options, "permutation_file", None)) is not None:
        from simdocs.commands.own_functions import contradictory_permutations

        yield from contradictory_permutations(name, artifact)


def _contradictory_templates(templates: Sequence[bytes], artifact: Artifact) -> Iterator[str]:
    if not isinstance(artifact.recipe, SignatureRecipe):
        return
    ours = digest_of(tokens_of_templates(templates, artifact.recipe.shingling))
    theirs, option = artifact.recipe.ignoring.template_digest, "--template"
    remedy = "rebuild it, or leave the option out"
    if not theirs:
        yield f"{artifact.name} was built without {option}: {remedy}"
    elif theirs != ours:
        names = ", ".join(map(display_name, templates))
        yield f"{artifact.name} was built with another {option} ({theirs}) than {names} ({ours}): {remedy}"


def refuse_other_tokens(artifact: Artifact, index: Artifact) -> None:
    """Raise ParametersError or ArtifactError if an artifact cannot be compared with an index.

    They must have the same parameters of shingles and signatures, as far as the artifact has any, and leave out the
    same tokens.
    """
    shared = ["shingling"]
    if isinstance(artifact.recipe, SignatureRecipe):
        shared += ["sketching", "ignoring"]
    found = differences(artifact.recipe, index.recipe, shared)
    if found.keys() == {"ignored_digest"}:
        raise ArtifactError(
            f"{artifact.name}: leaves out other tokens than {index.name}, because common tokens depend on the"
            f" documents: give the documents or their .shingles, from which the tokens of {index.name} are left out"
        )
    if found:
        of_items = {"items", "item_tokens"}  # as long as everything else that differs
        raise ParametersError(
            artifact.name, index.name, {name: found[name] for name in found if name not in of_items} or found
        )


def tokens_of_templates(templates: Sequence[bytes], shingling: Shingling) -> Tokens:
    """The tokens of these files of templates. InputError, UsageError: a template cannot be used."""
    return template_tokens([_text(name, shingling) for name in templates], shingling)


def _text(name: bytes, shingling: Shingling) -> bytes:
    """A template as UTF-8. InputError, UsageError: it is not one text, or cannot be read, or has no tokens."""
    from simdocs.reading.single_text import read_single_document

    text = read_single_document(name, Walking().max_size, Sequences())
    if not len(template_tokens([text], shingling)):
        problem = "this template is empty, so it has no tokens"
        raise InputError(f"{display_name(name)}: {problem}: give the text that documents share")
    return text


def ignored_of(artifact: Artifact) -> Tokens:
    """The tokens that an artifact leaves out. ArtifactError: they are not those that its manifest names."""
    ignored, recipe = artifact.ignored, artifact.recipe
    assert isinstance(recipe, SignatureRecipe)
    if digest_of(ignored) != recipe.ignoring.ignored_digest:
        raise damaged(f"{artifact.name}/ignored.npy", "it does not have the digest in manifest.json")
    return ignored
