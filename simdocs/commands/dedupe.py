"""dedupe: which documents are near-duplicates of which kept one?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from simdocs.model.figures import counted, size
from simdocs.model.result import AT_ONCE, GROUPED, NAME, NAMES, NUMBER, SIMILARITY, Table, table_head
from simdocs.names import display_name
from simdocs.options.answers import ANSWER, NUL, ROW_OUTPUTS, Drawn, Grouping, Searching, names_with_nul
from simdocs.options.declaration import flags, option
from simdocs.options.families import LISTS
from simdocs.options.sources import DOCS, Banded, every_pair
from simdocs.options.values import choice, path_name

if TYPE_CHECKING:
    from simdocs.commands.resolve import Resolved
    from simdocs.commands.row_outputs import RowDrafts
    from simdocs.engines.engine import Run
    from simdocs.matching.corpus import Corpus
    from simdocs.matching.groups import Decision
    from simdocs.model.documents import Documents
    from simdocs.model.groups import Deduplication, Members, SavedAnswer
    from simdocs.model.ragged import Mask, Rows

    Plan = Resolved["Dedupe"]

GROUPS = table_head(GROUPED, kept=NAME, duplicate=NAME, jaccard=SIMILARITY, estimate=SIMILARITY)
MEMBERS = table_head(document=NAME, group=NUMBER, kept=NAME, jaccard=SIMILARITY)


_ALL_COLUMNS = "with all columns, in the format of PATH's suffix. Several files, or a directory, make a directory."


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
    rules = (every_pair, names_with_nul)

    output: bytes | None = Drawn.options["output"].but(help=f"{ANSWER} If it ends in .answer, it is for simdocs act.")
    list: str | None = option(
        choice(LISTS), help="List names, or all documents with their groups.", metavar="WHAT", shell=True
    )
    kept_rows: bytes | None = option(
        path_name(),
        help=f"Write the rows that are kept to PATH, {_ALL_COLUMNS} Rows that could not be compared are kept.",
        metavar="PATH",
    )
    removed_rows: bytes | None = option(
        path_name(), help=f"Write the rows that are duplicates to PATH, {_ALL_COLUMNS}", metavar="PATH"
    )
    flagged_rows: bytes | None = option(
        path_name(),
        help=f"Write all rows to PATH with the columns duplicate_of, similarity and group, and {_ALL_COLUMNS}",
        metavar="PATH",
    )
    nul: bool = NUL

    def _check(self) -> Iterator[str]:
        yield from super()._check()
        if self.cluster == "components" and (useless := self.differ(("against", "max_candidates"))):
            yield f"--cluster {self.cluster} and {flags(useless)} cannot be combined"
        if self.changed and self.against is not None:
            yield "--changed and --against cannot be combined"
        piped = [each for each in self.differ(ROW_OUTPUTS) if getattr(self, each.name) == b"-"]
        if len(piped) > 1:
            yield f"{flags(piped)} cannot be combined: only one of them can go to standard output"
        elif piped and self.is_wanted and self.path is None:
            yield "rows and the answer cannot both go to standard output: add -o PATH for the answer"

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

    plan, rows = with_row_outputs(of_search(options), run)
    return grouped(plan, read_documents(plan, run, linked=True), run, rows)


def grouped(plan: Plan, corpus: Corpus, run: Run, rows: RowDrafts | None = None) -> Deduplication:
    """The groups of documents that were read. rows: where the rows of their files are written."""
    from simdocs.advice import keep_of_lines, watch_for_a_crowd
    from simdocs.commands import searching
    from simdocs.matching.groups import SelfJoin, decide
    from simdocs.model.groups import Deduplication
    from simdocs.model.ragged import distinct

    options = plan.options
    documents, changed = searching.given_and_changed(plan, corpus)
    run.skipped.warnings += keep_of_lines(documents, options.keep)
    crowd = watch_for_a_crowd(len(corpus), run, joinable=plan.banding is not None and plan.known is None)
    verifier, grouping = searching.verifier_of(plan, corpus, run), Grouping.of(options.fields())
    if plan.known is not None:
        from simdocs.matching.against_index import decide_against

        decision = decide_against(plan.known, verifier, grouping)
    else:
        decision = decide(SelfJoin(verifier, plan.cut, options.max_memory), grouping)
    if changed is not None:
        decision = decision.with_changed(changed)
    corpus.signatures.release()

    def kept_now() -> Rows:
        # Names that are drawn are those of documents that are still there.
        return kept if run.draw is None else decision.kept()

    def duplicates() -> Rows:
        return distinct(decision.pairs.right) if run.draw is None else decision.duplicates()

    compared, names = decision.corpus, searching.names_for(run, documents, plan.known)
    table = Table(GROUPS, lambda: searching.pair_rows(compared, decision.pairs, names))
    members = partial(_members, decision, len(documents))
    lists = {
        "kept": Table(NAMES, lambda: searching.name_rows(compared, kept_now(), names)),
        "duplicates": Table(NAMES, lambda: searching.name_rows(compared, duplicates(), names)),
        "groups": Table(MEMBERS, lambda: searching.group_rows(compared, members(kept_now()), names)),
    }
    if run.draw is not None:
        run.draw(table if options.list is None else lists[options.list])
    written = () if rows is None else rows.write(decision, documents, run)
    kept = decision.kept_and_found()
    given_kept = compared.given_rows(kept)
    run.skipped.warnings += [*searching.warnings(plan, run), *_nothing_new(plan, decision, documents)]
    advice = (*crowd, *searching.advice(plan, documents, decision.found, compared))
    found = _facts_found(decision, len(kept))
    for one in written:
        counts = {"rows": one.rows, "files": one.files, "files_lost": one.files_lost}
        found[one.parameter] = {"path": display_name(one.path), **counts}
    after = [one.in_words() for one in written]
    summary = searching.summary_of(plan, corpus, documents, run, found, advice, _outcome, after=after)

    def save() -> SavedAnswer:
        from simdocs.commands.saving import saved

        return saved(decision, plan.intake, plan.known, documents, summary["facts"], given_kept)

    return Deduplication(
        table,
        decision.pairs.renumbered(compared.given_rows),
        given_kept,
        written,
        save,
        lists=lists,
        is_found=len(decision.pairs) > 0,
        **summary,
    )


def _members(decision: Decision, given_documents: int, kept: Rows) -> Members:
    """The documents that were judged, with their groups, in the order in which they were given.

    kept: the rows of those that are kept. The rows of an index to compare against come after the documents that were
    given, and so do the groups of its documents.
    """
    import numpy as np

    from simdocs.model.groups import Members

    given = decision.corpus.given_rows(np.arange(len(decision.corpus)))
    members = Members.of(decision.pairs.renumbered(decision.corpus.given_rows), given[kept]).below(given_documents)
    order = np.argsort(given, kind="stable")
    row, of_kept = (order[np.searchsorted(given[order], rows)] for rows in (members.row, members.kept))
    return members._replace(row=row, kept=of_kept)


def _facts_found(decision: Decision, kept: int) -> dict[str, Any]:
    """What was found, as values that JSON has: also the bytes of the duplicates, how many of them are files, and the
    bytes that deleting these would free. kept: the number of documents that are kept.

    Deleting a link, or a file that has other names, frees nothing. It is not known of files that were named themselves,
    nor of those of an artifact, whether they have others.
    """
    import numpy as np

    from simdocs.model.documents import NAMED

    corpus, duplicates, largest = decision.corpus, decision.pairs.right, decision.largest
    found: dict[str, Any] = {"duplicates": len(duplicates), "groups": decision.groups, "kept": kept}
    found |= dict.fromkeys(("duplicate_bytes", "duplicate_files", "freed_bytes"), 0)
    for at in range(0, len(duplicates), AT_ONCE):  # each takes some 300 bytes then
        rows = duplicates[at : at + AT_ONCE]
        facts = corpus.facts(rows)
        whole: Mask = (facts["container"] == 0) & (facts["inode"] != 0)
        alone = whole
        if corpus.met is not None:
            met = corpus.met[rows]
            alone = whole & ((met["links"] == 1) | (met["walked"] == NAMED))
        found["duplicate_bytes"] += int(facts["size"].sum())
        found["duplicate_files"] += int(whole.sum())
        found["freed_bytes"] += int(facts["file_size"][alone].sum())
    if largest is not None:
        (name,) = corpus.printed_names(np.array([largest[0]]))
        found["largest_group"] = {"kept": display_name(name), "duplicates": largest[1]}
    return found


def with_row_outputs(plan: Plan, run: Run) -> tuple[Plan, RowDrafts | None]:
    """The plan with the files of its documents, and drafts of the outputs of their rows; None if none is wanted."""
    given = {name: os.fsdecode(path) for name in ROW_OUTPUTS if (path := getattr(plan.options, name)) is not None}
    run.skipped.keeps_rows = "kept_rows" in given or "flagged_rows" in given
    if not given:
        # Only a saved answer needs them, which is not drawn.
        return (plan if run.draw is None else replace(plan, intake=replace(plan.intake, with_digests=False))), None
    from simdocs.commands.row_outputs import RowDrafts
    from simdocs.pipeline.reading import files_of

    if plan.intake.artifact is None:
        plan = replace(plan, intake=replace(plan.intake, found=files_of(plan.intake, run)))
    return plan, RowDrafts(given, plan.intake, plan.recipe.sequences, plan.intake.outputs, run.publishing)


def _outcome(facts: Mapping[str, Any], seconds: float) -> list[str]:
    """The line about what was found."""
    found, took = facts["duplicates"], f"in {seconds:.2f} s"
    if not found:
        return [f"no duplicates, {took}"]
    duplicates = f"{counted(found, 'duplicate')} of {counted(facts['groups'], 'document')}"
    kept = f"{facts['kept']:,} {'new or changed ones kept' if 'changed' in facts else 'kept'}"
    return [f"{duplicates}, {kept}, {took}; {_space(facts)}"]


def _space(facts: Mapping[str, Any]) -> str:
    """The space that deleting the duplicates would free, and the size of their text if it differs."""
    text, freed = f"{size(facts['duplicate_bytes'])} of text", size(facts["freed_bytes"])
    if not facts["duplicate_files"]:
        return f"the duplicates have {text}"
    if facts["duplicate_files"] < facts["duplicates"]:
        return f"deleting those that are files frees {freed}, all duplicates have {text}"
    same = facts["freed_bytes"] == facts["duplicate_bytes"]
    return f"deleting the duplicates frees {freed}" + ("" if same else f", they have {text}")


def _nothing_new(plan: Plan, decision: Decision, documents: Documents) -> Iterator[str]:
    """Yield a warning if all documents are in the index that they are compared with, so that none was compared."""
    if plan.known is not None and len(documents) and len(decision.known) == len(documents):
        every = "the document" if len(documents) == 1 else f"all {len(documents):,} documents"
        yield (
            f"nothing was compared: the index of --against has {every} already, so compare documents before"
            " you add them to it"
        )
