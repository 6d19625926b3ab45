"""The first two stages, shingle and signature: from documents to tokens, and from these to signatures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b, sha256
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdocs.engines.engine import Run, SharedRows, WorkerState, untold
from simdocs.kernels import fracminhash, fss, multisets, permutation
from simdocs.kernels.characters import depends_on_context, is_utf8
from simdocs.kernels.multisets import leave_out
from simdocs.kernels.normalise import normalise
from simdocs.kernels.shinglers import SHINGLERS, normalised_texts, text_tokens
from simdocs.model.artifact import Artifact, Shingles
from simdocs.model.documents import EMPTY, IGNORED, INVALID, SHORT, Documents
from simdocs.model.ragged import (
    NO_TOKENS,
    STRIDE,
    Array,
    BlockPlaces,
    GrowingArray,
    Index,
    Keys,
    Mask,
    Ragged,
    Rows,
    Texts,
    Tokens,
    batches,
    count_true_in_rows,
    joined,
    row_blocks,
)
from simdocs.model.skipped import Skip, Skipped
from simdocs.options.hash_functions import OWN_SCHEMES, values_of
from simdocs.options.recipes import Recipe, Shingling, SignatureRecipe, Sketching
from simdocs.pipeline.reading import Intake, Read, Reading, read_task
from simdocs.reading.read_tasks import ToRead

if TYPE_CHECKING:
    from simdocs.reading.unchanged import Earlier

_TAKEN_AT_ONCE = 1 << 20
"""Tokens that are taken over at once."""

_NORMALISED, _HASHED = 0.2, 0.7
"""The measured shares of the time from a text to its signature that have passed after these two steps."""


class Shingled(NamedTuple):
    """The tokens of some documents of a batch.

    places: the places of the documents in the batch, ascending.
    texts: their normalised texts.
    tokens: in text order, or as multisets.
    lengths: the number of units of each text.
    """

    places: BlockPlaces
    texts: Texts
    tokens: Ragged
    lengths: NDArray[np.int64]


def normalised(raws: Sequence[bytes], shingling: Shingling) -> Iterator[tuple[BlockPlaces, Texts]]:
    """Yield the normalised texts of documents, given as UTF-8 bytes, with the places of the documents.

    Texts in ASCII come first, then those whose characters are mapped one by one: a batch is normalised as fast as the
    slowest of its texts. At most a batch is yielded at once, though the texts may be much larger than the compressed
    files they come from.
    """
    alone = not depends_on_context(shingling.normalisation)
    slow = np.array([0 if raw.isascii() else 2 - (alone and is_utf8(raw)) for raw in raws])
    sizes = _sizes(raws)
    for alike in (np.flatnonzero(slow == degree) for degree in range(3)):
        for cut in batches(sizes[alike]):
            places = alike[cut.start : cut.stop]
            raw = joined([raws[place] for place in places.tolist()])
            yield places, normalise(raw, shingling.normalisation, lines=shingling.by_lines)


def _sizes(raws: Sequence[bytes]) -> Index:
    return np.fromiter(map(len, raws), np.int64, len(raws))


def shingled(raws: list[bytes], shingling: Shingling, tell: Callable[[float], None] = untold) -> Iterator[Shingled]:
    """Yield the tokens of documents, given as UTF-8 bytes, in the parts in which they are normalised.

    raws: a text that is normalised alone is replaced by an empty one, so that a large one is not held any longer.
    tell: is called with the share of the work that is done, for progress within a large document.
    """
    sizes, before = _sizes(raws), 0
    total = int(sizes.sum()) or 1
    for places, texts in normalised(raws, shingling):
        size = int(sizes[places].sum())
        if len(places) == 1:
            raws[int(places[0])] = b""
        tell((before + _NORMALISED * size) / total)
        tokens, lengths = SHINGLERS[shingling.unit].shingles(texts, shingling)
        if shingling.multiset:
            tokens = multisets.token_multisets(tokens, shingling.seed)
        tell((before + _HASHED * size) / total)
        yield Shingled(places, texts, tokens, lengths)
        before += size


def hold(part: Shingled, digests: Keys, shingling: Shingling, shared: SharedRows) -> None:
    """Hold the tokens of some documents until they are compared, if they take less memory than the texts.

    digests: of the texts, (n, 2).
    """
    tokens = part.tokens
    if tokens.values.nbytes <= part.texts.encoded.values.nbytes:
        held = Ragged(np.ascontiguousarray(tokens.values).view(np.uint8), tokens.offsets * tokens.values.itemsize)
        shared.put(_keys(digests, shingling), held)
    else:
        shared.pass_by(len(tokens))


def held_tokens(digests: Keys, shingling: Shingling, shared: SharedRows) -> tuple[Index, Ragged]:
    """Which of the documents whose texts have these digests, (n, 2), are held; and their tokens, in the same order."""
    rows = shared.get(_keys(digests, shingling))
    places = [place for place, row in enumerate(rows) if row is not None]
    return np.array(places, np.int64), Ragged.from_rows(
        [row.view(np.uint32) for row in rows if row is not None], np.uint32
    )


def _keys(digests: Keys, shingling: Shingling) -> Keys:
    """The keys by which the tokens of texts are held: others for each shingling."""
    return digests ^ np.frombuffer(blake2b(f"{shingling}".encode(), digest_size=16).digest(), np.uint64)


def row_digests(rows: Ragged) -> Array:
    """The first 16 bytes of the SHA-256 of each row's bytes in memory, as two numbers for each row: (N, 2) uint64."""
    view = np.ascontiguousarray(rows.values).view(np.uint8).data
    ends = (rows.offsets * rows.values.itemsize).tolist()
    digests = b"".join(sha256(view[a:b]).digest()[:16] for a, b in pairwise(ends))
    return np.frombuffer(digests, "<u8").reshape(len(rows), 2)


def same_texts(texts: Ragged, facts: NDArray[np.void]) -> Mask:
    """Whether each normalised text, as UTF-8, has the digest in these facts (n,)."""
    same: Mask = (row_digests(texts) == facts["digest"]).all(axis=1)
    return same


def record_texts(facts: NDArray[np.void], part: Shingled, k: int) -> None:
    """Write digests, lengths and flags into the facts of the documents."""
    facts["length"][part.places] = part.lengths
    facts["digest"][part.places] = row_digests(part.texts.encoded)
    empty, short = part.lengths == 0, part.lengths < k
    facts["flags"][part.places] |= np.where(empty, EMPTY, np.where(short, SHORT, 0)).astype(np.uint32)
    points = part.texts.codepoints
    if part.texts.stride_offsets is not None:
        # This is a mask, because the positions of very many invalid bytes would take much memory.
        escaped = points.values >= 0xDC80
        for at in range(0, len(escaped), STRIDE):
            escaped[at : at + STRIDE] &= points.values[at : at + STRIDE] <= 0xDCFF
        facts["flags"][part.places[count_true_in_rows(escaped, points.offsets) > 0]] |= INVALID


def record_sets(facts: NDArray[np.void], places: BlockPlaces, sets: Ragged) -> None:
    """Write the number of tokens of each set and its digest into the facts of the documents at these places."""
    facts["count"][places] = sets.lengths
    facts["set_digest"][places] = row_digests(sets)


def record_ignored(facts: NDArray[np.void], places: BlockPlaces, left: Index) -> None:
    """Write how many tokens of each set are left out into the facts of the documents at these places.

    left: how many tokens are left of each set. The sizes of the sets are in the facts.
    """
    counts = facts["count"][places]
    facts["ignored"][places] = counts - left
    facts["flags"][places] |= np.where((counts > 0) & (left == 0), IGNORED, 0).astype(np.uint32)


def shingle_task(task: ToRead, worker: WorkerState, recipe: Recipe) -> tuple[Read, Ragged]:
    """Read the documents of a task. Return them without their texts, and their token sets."""
    read = read_task(task, recipe.sequences)
    row_of = np.empty(len(read.raws), np.int64)
    parts, done = [], 0
    for part in shingled(read.raws, recipe.shingling, worker.tell):
        record_texts(read.facts, part, recipe.shingling.k)
        row_of[part.places] = done + np.arange(len(part.places))
        done += len(part.places)
        parts.append(multisets.token_sets(part.tokens))
    sets = Ragged.concat(parts, np.uint32).take(row_of)
    record_sets(read.facts, np.arange(len(row_of)), sets)
    read.raws = []
    return read, sets


def shingle(reading: Reading, take: Callable[[Ragged], None]) -> Documents:
    """Shingle files, and return the documents that could be read, in row order. The others are skipped.

    take: is called with their token sets, batch by batch, in the same order.
    """
    for made, taken, old in reading.in_order(partial(shingle_task, recipe=reading.recipe), "shingling"):
        if made is None:
            assert old is not None
            for some in token_sets(reading.reused, old[taken], _TAKEN_AT_ONCE):
                take(some)
            continue
        sets = made
        if old is not None:
            known = np.flatnonzero(old >= 0)
            earlier = token_sets(reading.reused, old[known], _TAKEN_AT_ONCE)
            order = np.arange(len(old))
            order[known] = len(old) + np.arange(len(known))
            sets = Ragged.concat([sets, *earlier], np.uint32).take(order)
        take(sets.take(taken))
    return reading.documents()


def token_sets(artifact: Artifact, rows: Rows, at_once: int) -> Iterator[Ragged]:
    """Yield the token sets of these documents of an artifact, in blocks of about `at_once` tokens."""
    tokens, offsets = artifact["tokens"], artifact["offsets"].all()
    begins = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
    for begin, stop in pairwise([*begins.tolist(), len(rows)]):
        run = offsets[rows[begin] : rows[begin] + stop - begin + 1]
        for at, end in row_blocks(run - run[0], at_once):
            yield Ragged(tokens.cut(int(run[at]), int(run[end])), run[at : end + 1] - run[at])
            tokens.release()  # or else all that was read before would stay in memory


_SHOWN = 1 << 12
"""Shingles of a text that are decoded at once."""


def spelled_shingles(raw: bytes, shingling: Shingling) -> Iterator[tuple[str, int]]:
    """Yield each shingle of one text, in text order, with its token. raw: UTF-8."""
    texts = normalised_texts(joined([raw]), shingling)
    shingler = SHINGLERS[shingling.unit]
    units = shingler.units(texts, shingling)
    layout = shingler.layout(texts, units, shingling)
    tokens = text_tokens(texts, shingling)
    if shingling.multiset:
        tokens = multisets.token_multisets(tokens, shingling.seed)
    for at in range(0, len(tokens.values), _SHOWN):
        firsts, sizes = layout.firsts[at : at + _SHOWN], layout.sizes[at : at + _SHOWN]
        first, stop = int(firsts[0]), int((firsts + sizes).max())
        spans = texts.byte_spans(units.starts[first:stop], units.stops[first:stop])
        decoded = [
            texts.data[a : a + n].tobytes().decode("utf-8", "surrogateescape")
            for a, n in zip(*(span.tolist() for span in spans), strict=True)
        ]
        found = tokens.values[at : at + _SHOWN].tolist()
        for begin, size, token in zip((firsts - first).tolist(), sizes.tolist(), found, strict=True):
            yield shingler.separator.join(decoded[begin : begin + size]), token


Scheme: TypeAlias = Callable[[Ragged, int, int], Tokens]
"""Returns the signatures of N documents, (N, num_perm) uint32, from their tokens, num_perm and the seed."""

SIGNATURES: dict[str, Scheme] = {"fss": fss.signatures, "permutation": permutation.signatures}
"""The implementations of SCHEMES in options/families.py."""


def signing_of(sketching: Sketching) -> Scheme:
    """The scheme that these parameters choose.

    The signatures of a scheme with own functions depend on neither num_perm nor seed. Its items are known.
    """
    if sketching.scheme not in OWN_SCHEMES:
        return SIGNATURES[sketching.scheme]
    tokens = np.array(sketching.item_tokens, np.uint32)
    order = np.argsort(tokens)
    known = tokens[order]
    values = np.array(values_of(sketching), np.uint32).reshape(sketching.num_perm, len(tokens)).T[order]

    return lambda tokens, _num_perm, _seed: permutation.table_signatures(tokens, known, values)


_STORED_AT_ONCE = 1 << 18
"""Tokens of an artifact that are signed at once."""


def sign_task(
    task: ToRead,
    worker: WorkerState,
    *,
    recipe: Recipe,
    sketching: Sketching,
    ignored: Tokens,
    with_sets: bool,
    with_digests: bool = True,
    compared: bool = False,
    sketched: bool = False,
) -> tuple[Read, tuple[Tokens, Ragged | None]]:
    """Read, shingle and sign the documents of a task, without the ignored tokens. Return signatures and sketches.

    with_sets: record the facts of their token sets, too, as is always done if tokens are ignored.
    with_digests: as in `read_task`.
    compared: hold tokens for the comparison, as far as there is room.
    sketched: return their sketches, too, which needs their sets.
    """
    read = read_task(task, recipe.sequences, with_digests=with_digests)
    shingling = recipe.shingling
    out = np.empty((len(read.raws), sketching.num_perm), np.uint32)
    signing = signing_of(sketching)
    places, below = [np.empty(0, np.int64)], list[Ragged]()
    for part in shingled(read.raws, shingling, worker.tell):
        record_texts(read.facts, part, shingling.k)
        tokens = part.tokens
        if compared and worker.shared is not None:
            hold(part, read.facts["digest"][part.places], shingling, worker.shared)
        if with_sets or len(ignored):
            tokens = multisets.token_sets(tokens)
            record_sets(read.facts, part.places, tokens)
            tokens = leave_out(tokens, ignored)
            record_ignored(read.facts, part.places, tokens.lengths)
        if sketched:
            places.append(part.places)
            below.append(fracminhash.sketches(tokens))
        out[part.places] = signing(tokens, sketching.num_perm, shingling.seed)
    read.raws = []
    order = np.argsort(np.concatenate(places))
    return read, (out, Ragged.concat(below, np.uint32).take(order) if sketched else None)


def _sign_sets(
    sets: Ragged, _state: WorkerState, sketching: Sketching, ignored: Tokens, seed: int, *, sketched: bool
) -> tuple[Tokens, Index, Ragged]:
    """Signatures without the ignored tokens, the number of tokens left of each set, and the sketches."""
    left = leave_out(sets, ignored)
    below = fracminhash.sketches(left) if sketched else left.take(np.empty(0, np.int64))
    return signing_of(sketching)(left, sketching.num_perm, seed), left.lengths, below


def signed(
    intake: Intake,
    recipe: SignatureRecipe,
    run: Run,
    *,
    with_sets: bool,
    compared: bool = False,
    earlier: Earlier | None = None,
    sketches: list[Ragged] | None = None,
) -> tuple[Documents, Tokens]:
    """The documents of an intake, in row order, and their signatures.

    with_sets: record facts of the token sets, too.
    compared: hold tokens for the comparison, as in `sign_task`.
    earlier: the artifact from which unchanged files are taken over.
    sketches: collects the sketches of all documents, some at a time; those of documents taken over are empty.
    """
    sketching, artifact = recipe.sketching, intake.artifact
    signatures = GrowingArray(np.uint32, sketching.num_perm)
    work: Callable[..., Any]
    if artifact is None:
        reading = Reading(intake, recipe, run, earlier)
        work = partial(
            sign_task,
            recipe=recipe,
            sketching=sketching,
            ignored=intake.ignored,
            with_sets=with_sets,
            with_digests=intake.with_digests,
            compared=compared,
            sketched=sketches is not None,
        )
        for made, taken, old in reading.in_order(work, "reading"):
            if made is not None:
                rows, below = made
            else:
                assert old is not None
                rows, below = np.empty((len(old), sketching.num_perm), np.uint32), None
            if old is not None:
                known, column = np.flatnonzero(old >= 0), reading.reused["signatures"]
                column.release()  # or else all that was read before would stay in memory
                rows[known] = column.rows(old[known])
            signatures.add(rows if len(taken) == len(rows) else rows[taken])
            if sketches is not None:
                none = Ragged(NO_TOKENS, np.zeros(len(taken) + 1, np.int64))
                sketches.append(none if below is None else below.take(taken))
        documents = reading.documents()
        reading.refuse_unusable(documents)
        return documents, signatures.all()
    documents = artifact.documents
    if not isinstance(artifact, Shingles):
        return documents, np.asarray(artifact["signatures"].all())
    every, lengths = np.arange(len(documents)), [np.empty(0, np.int64)]
    seed, sketched = recipe.shingling.seed, sketches is not None
    work = partial(_sign_sets, sketching=sketching, ignored=intake.ignored, seed=seed, sketched=sketched)
    for rows, left, below in run.engine.map(work, token_sets(artifact, every, _STORED_AT_ONCE)):
        signatures.add(rows)
        lengths.append(left)
        if sketches is not None:
            sketches.append(below)
        run.progress("signing", len(signatures), len(documents))
    facts = documents.facts.copy()
    record_ignored(facts, every, np.concatenate(lengths))
    return replace(documents, facts=facts), signatures.all()


def report_ignored(documents: Documents, prefix: bytes, skipped: Skipped) -> None:
    """Report each document with no tokens left, and warn if no document has any.

    prefix: the path that is put before their names so that they work in the working directory.
    """
    rows = np.flatnonzero(documents.facts["flags"] & IGNORED)
    skipped.extend(Skip("ignored", documents.raw_name(row), root=prefix) for row in rows.tolist())
    if len(rows) > 1 and len(rows) + documents.flagged(EMPTY) == len(documents):
        skipped.warnings.append(
            f"all tokens of all {len(rows):,} documents are left out, so none is similar to another: see"
            f" --ignore-common and --template"
        )
