"""The texts that compare was asked about: files, standard input, lines, texts in memory, documents of an artifact."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from simdocs.artifacts.formats import FORMATS
from simdocs.commands.ignoring import contradictory_files
from simdocs.commands.recorded_names import rows_named
from simdocs.commands.resolve import encoded_root, is_artifact, opened
from simdocs.corpora.decode import as_bytes, as_utf8
from simdocs.corpora.jsonl_lookup import LineReader
from simdocs.corpora.single_text import read_single_document, refuse_fifo_twice
from simdocs.errors import InputError, UsageError
from simdocs.matching.documents.corpus import Corpus
from simdocs.model.artifact import Artifact
from simdocs.model.columns import MemoryColumn
from simdocs.model.names import display_name
from simdocs.model.skipped import OF_UNVERIFIED
from simdocs.parameters import PARAMETERS
from simdocs.pipeline.reload import ReloadRequest, reload_texts
from simdocs.recipes import Recipe, Sequences, of_group
from simdocs.requests.compare_request import CompareRequest


@dataclass(frozen=True, slots=True)
class ComparedTexts:
    """Texts to compare: their names, and their bytes as UTF-8.

    artifact: where they are recorded, if they are.
    """

    names: list[bytes]
    texts: list[bytes]
    artifact: Artifact | None = None

    @property
    def recipe(self) -> Recipe | None:
        """How the artifact was made in which they are recorded."""
        return None if self.artifact is None else self.artifact.recipe


def compared_texts(request: CompareRequest) -> ComparedTexts:
    """Read the texts of a request.

    UsageError: parameters cannot be combined. InputError: a text cannot be read, or has changed since the artifact was
    built. ArtifactError: the artifact cannot be opened.
    """
    if request.texts is None and is_artifact(request.artifact):
        return _recorded(request)
    if problems := list(request.problems_beside_documents()):
        raise UsageError(*problems)
    if request.texts is not None:
        names = request.names if request.names is not None else [str(at) for at in range(len(request.texts))]
        return ComparedTexts([os.fsencode(name) for name in names], [_encoded(text) for text in request.texts])
    for later in request.documents[1:]:
        if is_artifact(later):
            problem = f"{display_name(later)} is an artifact: name it first, and then two of its documents"
            raise UsageError(problem)
    refuse_fifo_twice([*request.documents, *(request.template or ()), request.stop_words])
    limit = PARAMETERS["max_size"].default if request.max_size is None else request.max_size
    sequences = of_group(Sequences, request.given())
    paths: list[bytes] = list(request.documents)
    return ComparedTexts(paths, [read_single_document(path, limit, sequences) for path in paths])


def _encoded(text: str | bytes) -> bytes:
    return as_utf8(as_bytes(text))[0]


def _recorded(request: CompareRequest) -> ComparedTexts:
    """The documents of an artifact with these names."""
    artifact = opened(request.artifact, tuple(FORMATS))
    problems = [*request.problems_beside_artifact(), *contradictory_files(request, artifact)]
    names = [name for name in request.documents[1:] if isinstance(name, bytes)]
    if len(names) < 2:
        problems.append(f"{artifact.name} is an artifact: name two of its documents after it")
    if problems:
        raise UsageError(*problems)
    assert request.root is None or isinstance(request.root, bytes)
    root = encoded_root(request.root)
    corpus = Corpus.of_artifact(artifact, MemoryColumn(np.empty((0, 0), np.uint32)), None, root)
    rows = rows_named(corpus, names)
    source = corpus.source(rows)
    assert isinstance(source, ReloadRequest)
    with closing(LineReader()) as reader:
        found, skips = reload_texts(source, list(range(len(rows))), artifact.recipe.shingling, reader)
    for skip in skips:
        why = OF_UNVERIFIED.get(skip.detail, f"its text cannot be read again ({skip.detail})")
        raise InputError(f"{display_name(skip.shown_name)}: {why}: build {artifact.name} again")
    texts = dict(found)
    return ComparedTexts(corpus.printed_names(rows), [texts[place] for place in range(len(rows))], artifact)
