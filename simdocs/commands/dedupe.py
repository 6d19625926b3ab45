"""dedupe: which documents are near-duplicates of which kept one?"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from simdocs.options.answers import ANSWER, NUL, ROW_OUTPUTS, Drawn, Grouping, Searching, names_with_nul
from simdocs.options.declaration import flags, option
from simdocs.options.families import CLUSTERS, LISTS
from simdocs.options.sources import DOCS, Banded, every_pair
from simdocs.options.values import choice, path_name

if TYPE_CHECKING:
    from simdocs.commands.resolve import Resolved
    from simdocs.commands.row_outputs import RowDrafts
    from simdocs.corpora.stamp import FileId
    from simdocs.engines.run import Run
    from simdocs.matching.corpus import Corpus
    from simdocs.matching.groups import Decision
    from simdocs.model.answers import Block
    from simdocs.model.deduplication import ComponentFacts, Deduplication
    from simdocs.model.documents import Documents
    from simdocs.model.groups import Pairs
    from simdocs.model.ragged import Mask, Rows
    from simdocs.model.saved_answer import SavedAnswer

    Plan = Resolved["Dedupe"]


_ALL_COLUMNS = "with all columns, in the format of PATH's suffix. Several files, or a directory, make a directory."


def of_components(options: Dedupe) -> str:
    """A component has one kept document, and no limit of candidates."""
    useless = options.differ(("against", "max_candidates"))
    if CLUSTERS[options.cluster].by_chains and useless:
        return f"--cluster {options.cluster} and {flags(useless)} cannot be combined"
    return ""


def of_one_index(options: Dedupe) -> str:
    """What has changed is about one index."""
    return "--changed and --against cannot be combined" if options.changed and options.against is not None else ""


def rows_once(options: Dedupe) -> str:
    """Standard output takes the rows of one output, or the answer."""
    piped = [each for each in options.differ(ROW_OUTPUTS) if getattr(options, each.name) == b"-"]
    if len(piped) > 1:
        return f"{flags(piped)} cannot be combined: only one of them can go to standard output"
    if piped and options.is_wanted and options.path is None:
        return "rows and the answer cannot both go to standard output: add -o PATH for the answer"
    return ""


class Dedupe(Banded, Grouping, Searching, Drawn):
    """Find near-duplicates among documents.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. They may also be one artifact:
    X.shingles, X.signatures or X.index. Of each group of near-duplicates one document is kept. Every other one is
    listed with the kept document, their exact Jaccard similarity, and the similarity that their signatures suggest.
    Documents without near-duplicates are not listed. The guide (simdocs help guide) helps to choose the options.
    """

    command = "dedupe"
    takes = DOCS
    examples = (
        "simdocs dedupe docs/",
        "simdocs dedupe docs/ --list duplicates -0 | xargs -0 -r ls -l",
        "simdocs dedupe docs/ --unit word --threshold 0.9 -o duplicates.tsv",
        "simdocs dedupe data/ --kept-rows clean/",
        "simdocs dedupe today/ --against archive.index --list kept",
        "find . -name '*.txt' -print0 | simdocs dedupe --files0-from - --format jsonl",
    )
    without = frozenset(("measure",))
    usual = ("threshold", "unit", "k", "include", "keep", "against", "list", "output", "kept_rows")
    upstream = ("shingles", "signatures", "index")
    of_paths = (*Banded.of_paths, *ROW_OUTPUTS)
    rules = (of_components, every_pair, of_one_index, rows_once, names_with_nul)

    output: bytes | None = Drawn.options["output"].but(help=f"{ANSWER} If it ends in .answer, it is for simdocs act.")
    list: str | None = option(
        choice(LISTS), default=None, help="List names, or all documents with their groups.", metavar="WHAT", shell=True
    )
    kept_rows: bytes | None = option(
        path_name(),
        default=None,
        help=f"Write the rows that are kept to PATH, {_ALL_COLUMNS} Rows that could not be compared are kept.",
        metavar="PATH",
    )
    removed_rows: bytes | None = option(
        path_name(), default=None, help=f"Write the rows that are duplicates to PATH, {_ALL_COLUMNS}", metavar="PATH"
    )
    flagged_rows: bytes | None = option(
        path_name(),
        default=None,
        help=f"Write all rows to PATH with the columns duplicate_of, similarity and group, and {_ALL_COLUMNS}",
        metavar="PATH",
    )
    nul: bool = NUL

    @property
    def is_wanted(self) -> bool:
        """Whether the answer itself is wanted: not if rows are written and no option is about the answer."""
        return not self.differ(ROW_OUTPUTS) or bool(self.differ(("list", "output", "format", "header")))


def answer(options: Dedupe, run: Run) -> Deduplication:
    """The groups, or the list of names that was asked for.

    UsageError: options contradict an artifact, or no bands reach the recall. InputError, ArtifactError: documents or an
    artifact cannot be opened.
    """
    from simdocs.commands.resolve import of_search
    from simdocs.commands.searching import read_documents

    plan, rows = with_row_outputs(of_search(options, run.delivery.outputs), run)
    return grouped(plan, read_documents(plan, run, linked=True), run, rows)


def grouped(plan: Plan, corpus: Corpus, run: Run, rows: RowDrafts | None = None) -> Deduplication:
    """The groups of documents that were read. rows: where the rows of their files are written."""
    import numpy as np

    from simdocs.advice.template_advice import CrowdWatch, keep_of_lines
    from simdocs.commands import searching
    from simdocs.commands.blocks import given_names_of, names_of_pairs
    from simdocs.matching.groups import decide
    from simdocs.matching.self_join import SelfJoin
    from simdocs.model.deduplication import Deduplication
    from simdocs.model.groups import Pairs

    delivery = run.delivery
    documents, changed = searching.given_documents(plan, corpus), searching.changed_ones(plan, corpus)
    run.skipped.warnings += keep_of_lines(documents, plan.options.keep)
    watch = CrowdWatch(len(corpus), run, joinable=searching.is_joinable(plan))
    verifier, grouping = searching.verifier_of(plan, corpus, run), Grouping.of(plan.options.fields())
    if plan.known is not None:
        from simdocs.matching.against_index import decide_against

        decision = decide_against(plan.known, verifier, grouping)
    else:
        decision = decide(SelfJoin(verifier, plan.cut, plan.options.max_memory), grouping)
    if changed is not None:
        decision = decision.with_changed(changed)
    corpus.signatures.release()
    if delivery.take is not None:
        for block in _blocks(decision, plan.options.list, documents, run):
            delivery.take(block)
    written = () if rows is None else rows.write(decision, documents, run)
    compared, pairs, largest = decision.corpus, decision.pairs, decision.largest
    kept = compared.given_rows(decision.kept_and_found())
    run.skipped.warnings += [*searching.warnings(plan, run), *_nothing_new(plan, decision, documents)]
    duplicate_bytes, duplicate_files, freed_bytes = _freed(compared, pairs.right)
    comparison = searching.comparison_of(plan, corpus, documents, run)
    named = delivery.take is None and delivery.is_wanted and not delivery.look.as_file

    def save() -> SavedAnswer:
        from simdocs.commands.saving import saved

        return saved(decision, plan.intake, plan.known, documents, comparison, kept)

    return Deduplication(
        documents=documents,
        pairs=pairs.renumbered(compared.given_rows),
        names=names_of_pairs(compared, pairs if named else Pairs.empty()),
        comparison=comparison,
        kept=kept,
        groups=decision.groups,
        known=len(decision.known),
        against_index=plan.known is not None,
        largest=None if largest is None else (compared.printed_names(np.array([largest[0]]))[0], largest[1]),
        duplicate_bytes=duplicate_bytes,
        duplicate_files=duplicate_files,
        freed_bytes=freed_bytes,
        unlike_lengths=_unlike_lengths(compared, pairs, plan.threshold),
        components=_component_facts(decision),
        advice=watch.advice + searching.advice(plan, documents, decision.found, compared),
        written=written,
        index_names=given_names_of(plan.known),
        save=save,
    )


def with_row_outputs(plan: Plan, run: Run) -> tuple[Plan, RowDrafts | None]:
    """The plan with the files of its documents, and drafts of the outputs of their rows; None if none is wanted."""
    options, delivery = plan.options, run.delivery
    given = {name: os.fsdecode(path) for name in ROW_OUTPUTS if (path := getattr(options, name)) is not None}
    run.skipped.keeps_rows = "kept_rows" in given or "flagged_rows" in given
    if not given:
        # Only a saved answer needs them, which is not taken in blocks.
        return (plan if delivery.take is None else replace(plan, intake=replace(plan.intake, with_digests=False))), None
    from simdocs.commands.row_outputs import RowDrafts
    from simdocs.pipeline.prepare import files_of, refuse_within

    if plan.intake.artifact is None:
        plan = replace(plan, intake=replace(plan.intake, found=files_of(plan.intake, run)))
    assert delivery.publishing is not None
    rows = RowDrafts(given, plan.intake, plan.recipe.sequences, delivery.outputs, delivery.publishing)
    refuse_within(given.values(), plan.intake)
    return plan, rows


def _blocks(decision: Decision, listing: str | None, given: Documents, run: Run) -> Iterator[Block]:
    """The answer: groups, or what is listed. given: the documents that were given."""
    from simdocs.commands.blocks import PrintedNames, group_blocks, name_blocks, shown_pairs
    from simdocs.model.answers import NAMES, Block
    from simdocs.model.search_result import GROUPS

    printed = PrintedNames(run.skipped)
    if listing is None:
        yield Block(GROUPS, [])
        yield from shown_pairs(decision.corpus, decision.pairs, GROUPS, printed)
    elif listing == "groups":
        yield from group_blocks(decision, len(given), printed)
    else:
        yield Block(NAMES, [])
        rows = decision.duplicates() if listing == "duplicates" else decision.kept()
        yield from name_blocks(decision.corpus, rows, printed)


_LOOKED_AT = 1 << 13
"""Duplicates whose files are looked at together: their names and facts are Python objects then."""


def _freed(corpus: Corpus, duplicates: Rows) -> tuple[int, int, int]:
    """The bytes of these duplicates, how many of them are files, and the bytes that deleting these would free."""
    from simdocs.names import path_from

    size, files, freed = 0, 0, 0
    names_left: dict[FileId, int] = {}
    for at in range(0, len(duplicates), _LOOKED_AT):
        rows = duplicates[at : at + _LOOKED_AT]
        facts = corpus.facts(rows)
        whole: Mask = (facts["container"] == 0) & (facts["inode"] != 0)
        alone: Mask = whole & (False if corpus.met is None else corpus.met["links"][rows] == 1)
        size += int(facts["size"].sum())
        files += int(whole.sum())
        freed += int(facts["file_size"][alone].sum())
        others = rows[whole & ~alone]
        for _, request in corpus.readings(others) if len(others) else ():
            for name, recorded in zip(request.names, request.facts["file_size"].tolist(), strict=True):
                freed += freed_by_deleting(path_from(request.root, name), recorded, names_left)
    return size, files, freed


def freed_by_deleting(path: bytes, recorded: int, names_left: dict[FileId, int]) -> int:
    """The bytes that deleting this name of a file frees: its size if no other name is left, as `ls -l` shows it.

    A symbolic link frees nothing. recorded: the size when it was read, which counts if it has no status now.
    names_left: how many names each file with several has left; is changed.
    """
    from simdocs.corpora.stamp import file_id

    try:
        status = os.lstat(path)
    except OSError:
        return recorded
    left = status.st_nlink - 1
    if left:  # only these are remembered: most files have one name
        left = names_left[file_id(status)] = names_left.get(file_id(status), status.st_nlink) - 1
    return status.st_size if stat.S_ISREG(status.st_mode) and not left else 0


def _unlike_lengths(corpus: Corpus, pairs: Pairs, threshold: float) -> int:
    """The number of duplicates whose texts are many times as long as those of their kept documents, or as short."""
    from simdocs.kernels.jaccard import unlike_lengths

    count = 0
    for at in range(0, len(pairs), _LOOKED_AT):
        left, right = (corpus.facts(rows[at : at + _LOOKED_AT])["length"] for rows in (pairs.left, pairs.right))
        count += int(unlike_lengths(left, right, threshold).sum())
    return count


def _component_facts(decision: Decision) -> tuple[ComponentFacts, ...] | None:
    """The facts of each component, the loosest first; None if there are no components."""
    import math

    from simdocs.model.deduplication import ComponentFacts

    found = decision.components
    if found is None:
        return None

    def rounded(value: float) -> float | None:
        return None if math.isnan(value) else round(float(value), 6)

    order = sorted(range(len(found.kept)), key=lambda at: (found.pairwise[at], found.kept[at]))
    return tuple(
        ComponentFacts(
            decision.corpus.printed_names(found.kept[at : at + 1])[0],
            int(found.size[at]),
            rounded(found.to_kept[at]),
            rounded(found.pairwise[at]),
            bool(found.complete[at]),
        )
        for at in order
    )


def _nothing_new(plan: Plan, decision: Decision, documents: Documents) -> Iterator[str]:
    """Yield a warning if all documents are in the index that they are compared with, so that none was compared."""
    if plan.known is not None and len(documents) and len(decision.known) == len(documents):
        every = "the document" if len(documents) == 1 else f"all {len(documents):,} documents"
        yield (
            f"nothing was compared: the index of --against has {every} already, so compare documents before"
            " you add them to it"
        )
