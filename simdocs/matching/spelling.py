"""The shingles of tokens: documents are read again, because artifacts have tokens alone."""

from __future__ import annotations

from contextlib import closing

from simdocs.corpora.containers.reopened import Reopened
from simdocs.matching.corpus import Corpus
from simdocs.model.ragged import Rows, Tokens
from simdocs.model.skipped import Skip
from simdocs.pipeline.reload import ReloadRequest, reload_texts
from simdocs.pipeline.shingling import spelled_shingles


def spellings(corpus: Corpus, rows: Rows, tokens: Tokens) -> tuple[dict[int, str], list[Skip]]:
    """The shingle of each of these tokens that these documents have, and the documents that cannot be read again.

    corpus: without token sets. One document is in memory at a time, and no more are read than are needed. Of two
    shingles with the same token, the first counts. ArtifactError: the directory of the documents is unknown.
    """
    wanted, found, skips = set(tokens.tolist()), dict[int, str](), list[Skip]()
    shingling = corpus.recipe.shingling
    with closing(Reopened()) as reader:
        for at in range(len(rows)):
            if len(found) == len(wanted):
                break
            ((_, source),) = corpus.sources(rows[at : at + 1])
            assert isinstance(source, ReloadRequest)
            texts, unread = reload_texts(source, [0], shingling, reader)
            skips += unread
            for _, text in texts:
                for shingle, token in spelled_shingles(text, shingling):
                    if token in wanted:
                        found.setdefault(token, shingle)
    return found, skips
