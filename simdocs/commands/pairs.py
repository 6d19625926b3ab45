"""pairs: which pairs of documents are similar?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simdocs.options.answers import Deciding, Drawn, Searching
from simdocs.options.declaration import flags, option
from simdocs.options.sources import DOCS, Banded, every_pair
from simdocs.options.values import FLAG, UNITS_OF_SIZE

if TYPE_CHECKING:
    from simdocs.commands.resolve import Resolved
    from simdocs.engines.run import Run
    from simdocs.matching.corpus import Corpus
    from simdocs.model.deduplication import SimilarPairs


def of_containment(options: Pairs) -> str:
    """Signatures and bands say nothing about containment."""
    useless = options.differ(("recall", "rule", "bands", "rows", "verify"))
    if options.measure == "containment" and useless:
        return f"--measure containment and {flags(useless)} cannot be combined: every pair is compared exactly"
    return ""


class Pairs(Banded, Deciding, Searching, Drawn):
    """Find all pairs of similar documents.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. They may also be one artifact:
    X.shingles, X.signatures or X.index. Each pair is listed with its exact Jaccard similarity, and the similarity that
    the signatures suggest. Identical texts are listed as a chain: the first with the second, the second with the third.
    Only the first of them is paired with other texts, unless --all-copies is given. With --measure containment, the
    pairs are listed of which one document contains most of the other.
    """

    command = "pairs"
    takes = DOCS
    examples = (
        "simdocs pairs docs/",
        "simdocs pairs docs/ --unit word --threshold 0.6 -o pairs.tsv",
        "simdocs pairs docs.index --changed",
        "simdocs pairs docs/ --measure containment",
        "find . -name '*.txt' -print0 | simdocs pairs --files0-from - --format jsonl",
    )
    usual = ("threshold", "unit", "k", "include", "measure", "exact", "all_copies", "output", "format", "exit_code")
    upstream = ("shingles", "signatures", "index")
    without = frozenset(("against",))
    rules = (every_pair, of_containment)

    measure: str = Searching.options["measure"].but(
        help="What is compared with the threshold. With containment, every pair is found as with --exact."
    )
    max_memory: int | None = Searching.options["max_memory"].but(
        help="With --exact or --measure containment, refuse to begin if more than SIZE of memory is needed."
        f" {UNITS_OF_SIZE}"
    )
    all_copies: bool = option(FLAG, default=False, help="Also list all pairs of identical texts.")


def answer(options: Pairs, run: Run) -> SimilarPairs:
    """Every pair of similar documents.

    UsageError: options contradict an artifact, or no bands reach the recall. InputError, ArtifactError: documents or an
    artifact cannot be opened.
    """
    from simdocs.commands.resolve import of_search
    from simdocs.commands.searching import read_documents

    plan = of_search(options, run.delivery.outputs)
    plan = replace(plan, intake=replace(plan.intake, with_digests=False))
    return paired(plan, read_documents(plan, run, linked=False), run)


def paired(plan: Resolved[Pairs], corpus: Corpus, run: Run) -> SimilarPairs:
    """The pairs of documents that were read. If they are taken in blocks, they are not held for the result."""
    from simdocs.advice.template_advice import CrowdWatch
    from simdocs.commands import searching
    from simdocs.commands.blocks import PrintedNames, names_of_pairs, shown_pairs
    from simdocs.matching.self_join import SelfJoin
    from simdocs.matching.similar_pairs import PairCollector, PairsLeftOut, similar_pairs
    from simdocs.model.answers import Block
    from simdocs.model.deduplication import SimilarPairs
    from simdocs.model.groups import NestedPairs
    from simdocs.model.groups import Pairs as FoundPairs
    from simdocs.model.search_result import NESTED, PAIRS

    options, take = plan.options, run.delivery.take
    documents, changed = searching.given_documents(plan, corpus), searching.changed_ones(plan, corpus)
    watch = CrowdWatch(len(corpus), run, joinable=searching.is_joinable(plan))
    join = SelfJoin(searching.verifier_of(plan, corpus, run), plan.cut, options.max_memory)
    chain = None if options.all_copies else PairsLeftOut(join, changed)
    printed = PrintedNames(run.skipped)
    kind, head = (NestedPairs, NESTED) if options.measure == "containment" else (FoundPairs, PAIRS)
    if take is not None:
        take(Block(head, []))
    held, found, collector = [kind.empty()], 0, PairCollector(len(corpus))
    for pairs in similar_pairs(join, all_copies=options.all_copies, changed=changed):
        wanted = pairs if changed is None else pairs.with_any(changed)
        found += len(wanted)
        if chain is not None:
            chain.add(pairs, len(wanted))
        collector.add(pairs)
        if take is None:
            held.append(wanted)
        else:
            for block in shown_pairs(corpus, wanted, head, printed):
                take(block)
    every = kind.concat(held)
    run.skipped.warnings += searching.warnings(plan, run)
    return SimilarPairs(
        documents=documents,
        pairs=every.renumbered(corpus.given_rows),
        names=names_of_pairs(corpus, every),
        comparison=searching.comparison_of(plan, corpus, documents, run),
        found=found,
        left_out=0 if chain is None else chain.count,
        advice=watch.advice + searching.advice(plan, documents, collector.graph(), corpus),
    )
