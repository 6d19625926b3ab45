"""pairs: which pairs of documents are similar."""

from __future__ import annotations

from dataclasses import replace

from simdocs.advice.template_advice import CrowdWatch
from simdocs.commands.blocks import PrintedNames, names_of_pairs, shown_pairs
from simdocs.commands.dedupe import (
    advice,
    changed_ones,
    comparison_of,
    given_documents,
    is_joinable,
    read_documents,
    search_warnings,
    verifier_of,
)
from simdocs.commands.resolve import Resolved, resolve
from simdocs.engines.run import Run
from simdocs.matching.candidates.self_join import SelfJoin
from simdocs.matching.corpus import Corpus
from simdocs.matching.similar_pairs import PairCollector, PairsLeftOut, similar_pairs
from simdocs.model.answers import Block, Delivery
from simdocs.model.deduplication import SimilarPairs
from simdocs.model.groups import NestedPairs, Pairs
from simdocs.model.search_result import NESTED, PAIRS
from simdocs.parameters.recipes import SignatureRecipe
from simdocs.requests.searching import PairsRequest

_Plan = Resolved[PairsRequest, SignatureRecipe]


def answer(request: PairsRequest, run: Run, delivery: Delivery) -> SimilarPairs:
    """The pairs that a request asks for."""
    plan = resolve(request, delivery.outputs)
    plan = replace(plan, intake=replace(plan.intake, with_digests=False))
    return find_pairs(plan, read_documents(plan, run), run, delivery)


def find_pairs(plan: _Plan, corpus: Corpus, run: Run, delivery: Delivery) -> SimilarPairs:
    """Every pair of near-duplicates. delivery: if it takes them in blocks, they are not held for the result."""
    documents, changed, all_copies = (
        given_documents(plan, corpus),
        changed_ones(plan, corpus),
        plan.request.answer.all_copies,
    )
    watch = CrowdWatch(len(corpus), run, joinable=is_joinable(plan))
    join = SelfJoin(verifier_of(plan, corpus, run), plan.cut, plan.request.comparing.max_memory)
    chain = None if all_copies else PairsLeftOut(join, changed)
    printed = PrintedNames(run.skipped)
    kind, head = (NestedPairs, NESTED) if plan.request.comparing.measure == "containment" else (Pairs, PAIRS)
    if delivery.take is not None:
        delivery.take(Block(head, []))
    held, found, collector = [kind.empty()], 0, PairCollector(len(corpus))
    for pairs in similar_pairs(join, all_copies=all_copies, changed=changed):
        wanted = pairs if changed is None else pairs.with_any(changed)
        found += len(wanted)
        if chain is not None:
            chain.add(pairs, len(wanted))
        collector.add(pairs)
        if delivery.take is None:
            held.append(wanted)
        else:
            for block in shown_pairs(corpus, wanted, head, printed):
                delivery.take(block)
    every = kind.concat(held)
    run.skipped.warnings += search_warnings(plan, run)
    return SimilarPairs(
        documents=documents,
        pairs=every.renumbered(corpus.given_rows),
        names=names_of_pairs(corpus, every),
        comparison=comparison_of(plan, corpus, documents, run),
        found=found,
        left_out=0 if chain is None else chain.count,
        advice=watch.advice + advice(plan, documents, collector.graph(), corpus),
    )
