"""The answers of compare: the measures of two texts, the similarities of several, and a trace of how MinHash works."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import combinations, compress
from typing import Any

import numpy as np

from simdocs.commands.compare import Compare
from simdocs.commands.ignoring import permutations_of, tokens_of_templates, with_items
from simdocs.commands.resolve import banding_of, resolved, shingling_of
from simdocs.errors import UnreachableRecallError, UsageError
from simdocs.kernels import jaccard
from simdocs.kernels.characters import is_utf8
from simdocs.kernels.normalise import normalise
from simdocs.kernels.permutation import slots
from simdocs.matching.difference import difference
from simdocs.matching.measures import (
    NO_EDITS,
    are_shorter_than_a_shingle,
    edit_measures,
    shingle_measures,
    signature_measures,
    token_sets,
)
from simdocs.model.comparison import MOST_CELLS, Comparison, Difference, SimilarityMatrix
from simdocs.model.documents import OTHER_ENCODING
from simdocs.model.figures import percentage
from simdocs.model.ragged import Array, Floats, Mask, Ragged, Tokens, distinct, joined
from simdocs.model.result import KEYED, NAME, NUMBER, PLAIN, SIMILARITY, VALUE, Look, Result, Row, Table, table_head
from simdocs.names import display_name, name_to_text, text_to_name
from simdocs.options.families import UNITS, edited_units
from simdocs.options.recipes import Bands, Sequences, Sketching
from simdocs.options.sources import files_beside, names_of
from simdocs.pipeline.signing import signing_of, spelled_shingles
from simdocs.reading.decode import as_bytes, as_utf8
from simdocs.reading.single_text import read_single_document, refuse_fifo_twice

_MAIN = frozenset({"jaccard", "containment_a", "containment_b", "edit_distance", "estimate"})
"""The measures that a table shows to people who do not ask for all of them."""

_MEASURES, _NOTES = table_head(KEYED, measure=NAME, value=VALUE), table_head(note=NAME)
_PASSAGES = table_head(passage=NAME, a=NAME, b=NAME)
_TRACED_PAIRS = table_head(a=NAME, b=NAME, agree=NUMBER, estimate=SIMILARITY, jaccard=SIMILARITY)

_NAMED = 3
"""Names in a note."""

_ORDER = (
    *("a", "b", "unit", "k", "shingles_a", "shingles_b", "intersection", "union", "jaccard", "distance"),
    *("bag_jaccard", "bag_distance", "containment_a", "containment_b", "overlap", "cosine", "angle"),
    *("edit_unit", "lcs", "edit_distance", "edit_similarity", "num_perm", "estimate", "standard_error"),
    *("bands", "rows", "equal_bands", "probability", "threshold", "similar"),
)
"""All measures, in the order in which they are shown. docs/output.md says what they are."""


class ComparedTexts:
    """Texts to compare, and how they are compared.

    options: what was asked, without an option that is undecided.
    names: their names, as they were given or as str.
    texts: their bytes as UTF-8.
    shingling: how they become tokens.
    ignored: the tokens that are left out.
    sketching: how signatures are computed, with functions that are stated for the shingles of these texts.
    """

    def __init__(self, options: Compare) -> None:
        """Read the texts. UsageError: an option cannot be used. InputError: a text or another file cannot be read."""
        sequences = Sequences.of(options.fields())
        if options.texts is not None:
            names, given = names_of(options.names, len(options.texts))
            self.names: list[Any] = [given.get(name, name_to_text(name)) for name in names]
            self.texts = [as_utf8(as_bytes(text))[0] for text in options.texts]
        else:
            refuse_fifo_twice([*options.documents, *files_beside(options)])
            self.names = list(map(name_to_text, options.documents))
            self.texts = [read_single_document(name, options.max_size, sequences) for name in options.documents]
        self.options = resolved(options, None)
        self.shingling = shingling_of(self.options.fields())
        self.ignored = tokens_of_templates(self.options.template, self.shingling)
        permutations = [] if options.permutation_file is None else permutations_of(options.permutation_file)
        sketching = Sketching.of(self.options.fields()).with_own_functions(options.functions, permutations)
        self.sketching = with_items(sketching, self.spelled_tokens(), permutations) if sketching.is_own else sketching

    @cached_property
    def sets(self) -> Ragged:
        """The token set of each text: Ragged uint32."""
        return token_sets(self.texts, self.shingling, self.ignored)

    @cached_property
    def similarity(self) -> Floats:
        """The Jaccard similarity of each two texts: float64 (N, N)."""
        left, right = np.triu_indices(len(self.sets), 1)
        similarity = np.diag((self.sets.lengths > 0).astype(np.float64))
        similarity[left, right] = similarity[right, left] = jaccard.exact(self.sets, left, right)
        return similarity

    @property
    def is_found(self) -> bool:
        """Whether two different texts are similar."""
        return bool((self.similarity[np.triu_indices(len(self.sets), 1)] >= self.options.threshold).any())

    @property
    def bands(self) -> Bands:
        """The bands and rows that were asked for. UsageError: none fulfil it.

        A few own functions may reach no recall, and then each place is a band.
        """
        try:
            return banding_of(self.options, self.sketching).cut
        except UnreachableRecallError:
            if not self.sketching.is_own:
                raise
            return Bands(self.sketching.num_perm, 1)

    def spelled_tokens(self) -> dict[int, str]:
        """The shingle of each token of these texts, in the order in which the texts have them first."""
        spelled = dict[int, str]()
        for text in self.texts:
            for shingle, token in spelled_shingles(text, self.shingling):
                spelled.setdefault(token, shingle)
        return spelled

    def notes(self) -> Iterator[str]:
        """Yield notes on texts that match nothing or only the same text, and on texts that may not match a copy."""
        names = self.names
        if bare := [name for name, same in zip(names, self.similarity.diagonal().tolist(), strict=True) if not same]:
            have, match = ("this text has", "it matches") if len(bare) == 1 else ("these texts have", "they match")
            yield f"{_named(bare)}: {have} no shingles to compare, so {match} nothing"
        short = dict.fromkeys(compress(names, are_shorter_than_a_shingle(self.texts, self.sets, self.shingling)))
        if short and not (self.similarity[np.triu_indices(len(self.sets), 1)] == 1).any():
            are, match = ("this text is", "it matches") if len(short) == 1 else ("these texts are", "they match")
            yield f"{_named(short)}: {are} shorter than a shingle, so {match} only the same text"
        if len(names) == 2 and self.similarity[0, 1] < 1 and not any(map(bytes.isascii, self.texts)):
            switches = self.shingling.normalisation.but(nfkc=True)
            left, right = (normalise(joined([text]), switches).data for text in self.texts)
            if np.array_equal(left, right):
                yield "these texts differ only in their Unicode form, such as NFC and NFD: --nfkc makes them the same"
        invalid = dict.fromkeys(compress(names, (not is_utf8(text) for text in self.texts)))
        if 0 < len(invalid) < len(set(names)):
            yield f"{_named(invalid)} {'is' if len(invalid) == 1 else 'are'} not UTF-8: {OTHER_ENCODING}"


def _named(names: Iterable[Any]) -> str:
    """The first of these names."""
    shown = [display_name(text_to_name(str(name))) for name in names]
    more = f" and {len(shown) - _NAMED:,} more" if len(shown) > _NAMED else ""
    return ", ".join(shown[:_NAMED]) + more


def similarity_matrix(compared: ComparedTexts) -> SimilarityMatrix:
    """The similarities of several texts, as a table with a column for each."""
    names, similarity = compared.names, compared.similarity
    columns = dict.fromkeys(map(str, range(1, len(names) + 1)), SIMILARITY)
    each = enumerate(zip(names, similarity.tolist(), strict=True), 1)
    head = table_head(number=NUMBER, document=NAME).but(PLAIN, **columns)
    table = Table.of(head, ((number, name, *row) for number, (name, row) in each))
    return SimilarityMatrix(table, names, similarity, notes=compared.notes(), is_found=compared.is_found)


def comparison(
    compared: ComparedTexts, marked: str | None, in_common: Result | None, *, with_edits: bool, with_sentence: bool
) -> Comparison:
    """Two texts by every measure.

    marked: the units by which their difference is marked; None: it is not. in_common: the passages that both have, for
    a page. with_sentence: whether the sentence is part of the summary, because no drawing has it.
    UsageError: no bands fulfil what was asked.
    """
    (a, b), shingling, threshold = compared.texts, compared.shingling, compared.options.threshold
    similarity, decided_by = float(compared.similarity[0, 1]), "bag_jaccard" if shingling.multiset else "jaccard"
    shingles = shingle_measures(a, b, shingling, compared.ignored)
    edits = edit_measures(a, b, shingling) if with_edits else NO_EDITS
    signatures = signature_measures(compared.sets, shingling.seed, compared.sketching, compared.bands, similarity)
    found = None if marked is None else difference(a, b, shingling, marked)
    names = dict(zip("ab", compared.names, strict=True))
    decided = {"threshold": threshold, "similar": "yes" if compared.is_found else "no"}
    of_both = {**names, **shingles, **edits, **signatures, **decided}
    measures = {name: of_both[name] for name in _ORDER}
    notes = list(compared.notes())
    if too_long := list(_too_long((edits["edit_unit"] or "") if with_edits else None, shingling.unit, found)):
        so = "; ".join(what for _, what in too_long)
        notes.append(f"the texts are too long and different ({too_long[0][0]}): {so}")
    sameness = _sameness(*(text.decode("utf-8", "surrogateescape") for text in (a, b))) if similarity == 1 else ""
    verdict = _verdict(compared, measures, sameness)

    def drawn(look: Look) -> Iterator[Table]:
        """The measures, then the passages and the notes, if the difference was asked for."""
        yield _table(measures, decided_by, look)
        if found is not None and not look.for_people:
            yield Table.of(_PASSAGES, found.rows())
            yield Table.of(_NOTES, ((note,) for note in notes))

    return Comparison(
        _table(measures, decided_by, Look(nested=False)),
        measures=measures,
        similarity=similarity,
        difference=found,
        sameness=sameness,
        verdict=verdict,
        in_common=in_common,
        drawn=drawn,
        lines=lambda _seconds, verbose: verdict if with_sentence and verbose else (),
        notes=[*notes, *(() if in_common is None else in_common.notes)],
        is_found=compared.is_found if in_common is None else in_common.is_found,
    )


_MOSTLY = 0.8
"""The share of a text from which on a comparison says that it is in the other text, whatever the similarity."""


def _sameness(a: str, b: str) -> str:
    """A phrase that both texts are the same, perhaps except for case and spaces; empty if anything else differs."""
    if a == b:
        return "the same text"
    words_a, words_b = a.split(), b.split()
    if list(map(str.casefold, words_a)) != list(map(str.casefold, words_b)):
        return ""
    which = (("case", words_a != words_b), ("spaces", a.casefold() != b.casefold()))
    return f"the same text, except for {' and '.join(name for name, differs in which if differs)}"


def _verdict(compared: ComparedTexts, measures: Mapping[str, Any], sameness: str) -> tuple[str, ...]:
    """A sentence on how similar two texts are, and whether they are near-duplicates at the threshold.

    If most of only one of them is in the other, a second one says so.
    """
    threshold, similarity = compared.options.threshold, float(compared.similarity[0, 1])
    said, more, multiset = f"{percentage(similarity, threshold)} alike", list[str](), compared.shingling.multiset
    of_a, of_b = measures["containment_a"] or 0.0, measures["containment_b"] or 0.0
    if not multiset and min(of_a, of_b) < _MOSTLY <= max(of_a, of_b):
        names = [display_name(text_to_name(str(name))) for name in compared.names]
        inner, outer = names if of_a >= of_b else names[::-1]
        share = "All" if max(of_a, of_b) == 1 else percentage(max(of_a, of_b), 1.0)
        more.append(f"{share} of {inner} is in {outer}")
    if sameness:
        said = f"{sameness[0].upper()}{sameness[1:]}"
    elif multiset:
        said += ", repeated shingles counted"
    return f"{said}: {'' if compared.is_found else 'not '}near-duplicates at {threshold:g}", *more


def _table(measures: Mapping[str, Any], decided_by: str, look: Look) -> Table:
    """The measures of both texts; for people the main ones, unless they want all."""
    main = _MAIN | {decided_by}
    rows = [item for item in measures.items() if look.verbose or not look.for_people or item[0] in main]
    return Table.of(_MEASURES, rows)


def _too_long(edited: str | None, unit: str, found: Difference | None) -> Iterator[tuple[str, str]]:
    """Yield pairs of phrases: what there is too much of, and what was done instead.

    edited: the unit of the edit distance; empty if there is none, and None if nobody asked.
    """
    units, pairs = edited_units(unit), f"more than {MOST_CELLS:,} pairs of"
    if edited is not None and not edited:
        yield f"{pairs} {UNITS[units[-1]].plural}", "there is no edit distance"
    elif edited is not None and edited != units[0]:
        yield f"{pairs} {UNITS[units[0]].plural}", f"the edit distance is of {UNITS[edited].plural}"
    if found is not None and found.coarser:
        yield found.excess, f"they are compared {found.coarser}"


_MOST_VALUES = 10**6
"""The largest number of values in a trace, one for each row, document and hash function."""

_CHANGED, _INFINITY = "*", "∞"


def slot_trace(compared: ComparedTexts) -> SimilarityMatrix:
    """How the signatures of texts are computed, row by row.

    A row of the table has the number of a shingle, the shingle, a document, whether it has the shingle, and its slots
    after it (None: infinity); or, without a document, the values of the hash functions. Rows are in the order of the
    texts, or with own functions in that of their numbers. UsageError: the table would have more than a million numbers.
    """
    sets, similarity, sketching = compared.sets, compared.similarity, compared.sketching
    tokens_there, num_perm, seed = distinct(sets.values), sketching.num_perm, compared.shingling.seed
    values = len(tokens_there) * (len(sets) + 1) * num_perm
    if values > _MOST_VALUES:
        raise UsageError(
            f"--trace would print {values:,} values, and at most {_MOST_VALUES:,} are printed:"
            f" {len(tokens_there):,} shingles of {len(sets):,} texts, and {num_perm:,} hash functions: use shorter"
            " texts, or a smaller --num-perm"
        )
    own = zip(sketching.item_tokens, sketching.items, strict=True)
    spelled = dict(own) if sketching.is_own else compared.spelled_tokens()
    tokens = np.fromiter(spelled, np.uint32, len(spelled))
    tokens = tokens[np.isin(tokens, tokens_there)]
    members = np.column_stack([np.isin(tokens, sets[row]) for row in range(len(sets))])
    sign, names = signing_of(sketching), compared.names
    alone = Ragged(tokens, np.arange(len(tokens) + 1))
    hashes, signatures = (sign(each, num_perm, seed) for each in (alone, sets))
    functions = {f"h{number + 1}": NUMBER for number in range(num_perm)}
    head = table_head(row=NUMBER, shingle=NAME, document=NAME, has=NUMBER).but(PLAIN, **functions)
    shingles = [spelled[token] for token in tokens.tolist()]
    rows = partial(_trace_rows, names, shingles, members, hashes, slots(hashes, members))

    def drawn(look: Look) -> Iterator[Table]:
        yield Table.of(head, rows(marked=look.for_people))
        if look.holds_all:
            signed = zip(names, signatures.tolist(), strict=True)
            yield Table.of(table_head(signature=NAME).but(PLAIN, **functions), ((name, *row) for name, row in signed))
            yield Table.of(_TRACED_PAIRS, _traced_pairs(names, members, signatures, similarity))

    found, notes = compared.is_found, compared.notes()
    table = Table.of(head, rows(marked=False))
    return SimilarityMatrix(table, names, similarity, drawn=drawn, notes=notes, is_found=found)


def _trace_rows(
    names: Sequence[Any], shingles: Sequence[str], members: Mask, hashes: Tokens, after: Array, *, marked: bool
) -> Iterator[Row]:
    """Yield for each shingle the values of the hash functions, and then the slots of each document.

    members: bool (R, N), which document has which shingle. hashes: uint32 (R, K). after: uint32 (R, N, K), the slots,
    which have no meaning before the document's first shingle. marked: for people, slots that changed are marked,
    infinity has its sign, and nothing is repeated.
    """
    infinite: list[int | None] = [None] * hashes.shape[1]
    before, reached = [infinite] * len(names), np.logical_or.accumulate(members, axis=0).tolist()
    each = zip(shingles, hashes.tolist(), members.tolist(), after.tolist(), reached, strict=True)
    for number, (shingle, values, has, filled, begun) in enumerate(each, 1):
        yield number, shingle, None, None, *values
        for at, name in enumerate(names):
            now = filled[at] if begun[at] else infinite
            if marked:
                yield None, None, name, int(has[at]), *map(_shown, now, before[at])
            else:
                yield number, shingle, name, int(has[at]), *now
            before[at] = now


def _shown(slot: int | None, was: int | None) -> str:
    return f"{_CHANGED if slot != was else ''}{_INFINITY if slot is None else slot}"


def _traced_pairs(names: Sequence[Any], members: Mask, signatures: Tokens, similarity: Floats) -> Iterator[Row]:
    """Yield both names of each pair, the number and fraction of equal places, and the exact similarity."""
    for left, right in combinations(range(len(names)), 2):
        empty = not members[:, [left, right]].any(axis=0).all()
        agree = 0 if empty else int((signatures[left] == signatures[right]).sum())
        yield names[left], names[right], agree, agree / signatures.shape[1], float(similarity[left, right])
