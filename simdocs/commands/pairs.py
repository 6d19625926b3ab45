"""pairs and passages: which pairs of documents are similar, and which passages occur in several?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simdocs.model.figures import counted
from simdocs.model.result import GROUPED, NAME, SIMILARITY, table_head
from simdocs.options.answers import Deciding, Drawn, Searching
from simdocs.options.declaration import flags, switch
from simdocs.options.recipes import MIN_PASSAGE, TEMPLATE, SignatureRecipe, Sketching
from simdocs.options.sources import DOCS, Banded, OfTokens, every_pair
from simdocs.options.values import UNITS_OF_SIZE

if TYPE_CHECKING:
    from simdocs.commands.resolve import Resolved
    from simdocs.engines.engine import Run
    from simdocs.matching.corpus import Corpus
    from simdocs.model.groups import SimilarPairs
    from simdocs.model.result import Result


PAIRS = table_head(GROUPED, document=NAME, other=NAME, jaccard=SIMILARITY, estimate=SIMILARITY)
NESTED = PAIRS.but(GROUPED, containment=SIMILARITY, contained=NAME)


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
    rules = (every_pair,)

    measure: str = Searching.options["measure"].but(
        help="What is compared with the threshold. With containment, every pair is found as with --exact."
    )
    max_memory: int | None = Searching.options["max_memory"].but(
        help="With --exact or --measure containment, refuse to begin if more than SIZE of memory is needed."
        f" {UNITS_OF_SIZE}"
    )
    all_copies: bool = switch("Also list all pairs of identical texts.")

    def _check(self) -> Iterator[str]:
        yield from super()._check()
        useless = self.differ(("recall", "rule", "bands", "rows", "verify"))
        if self.measure == "containment" and useless:
            yield f"--measure containment and {flags(useless)} cannot be combined: every pair is compared exactly"


def answer(options: Pairs, run: Run) -> SimilarPairs:
    """Every pair of similar documents.

    UsageError: options contradict an artifact, or no bands reach the recall. InputError, ArtifactError: documents or an
    artifact cannot be opened.
    """
    from simdocs.commands.resolve import of_search
    from simdocs.commands.searching import read_documents

    plan = of_search(options)
    plan = replace(plan, intake=replace(plan.intake, with_digests=False))
    return paired(plan, read_documents(plan, run, linked=False), run)


def paired(plan: Resolved[Pairs], corpus: Corpus, run: Run) -> SimilarPairs:
    """The pairs of documents that were read. If they are drawn, they are not held for the result."""
    from simdocs.advice import watch_for_a_crowd
    from simdocs.commands import searching
    from simdocs.commands.searching import names_for, pair_rows
    from simdocs.kernels.grouping import PairGraph
    from simdocs.matching.groups import SelfJoin
    from simdocs.matching.similar_pairs import PairsLeftOut, similar_pairs
    from simdocs.model.groups import NestedPairs, SimilarPairs
    from simdocs.model.groups import Pairs as FoundPairs
    from simdocs.model.result import Table

    options = plan.options
    documents, changed = searching.given_and_changed(plan, corpus)
    crowd = watch_for_a_crowd(len(corpus), run, joinable=plan.banding is not None)
    join = SelfJoin(searching.verifier_of(plan, corpus, run), plan.cut, options.max_memory)
    chain = None if options.all_copies else PairsLeftOut(join, changed)
    names = names_for(run, documents)
    kind, head = (NestedPairs, NESTED) if options.measure == "containment" else (FoundPairs, PAIRS)
    held, count, graph = [kind.empty()], 0, PairGraph(len(corpus))

    def found() -> Iterator[FoundPairs]:
        nonlocal count
        for pairs in similar_pairs(join, all_copies=options.all_copies, changed=changed):
            wanted = pairs if changed is None else pairs.with_any(changed)
            count += len(wanted)
            if chain is not None:
                chain.add(pairs, len(wanted))
            graph.add(pairs.left, pairs.right, pairs.score < 1)
            yield wanted

    if run.draw is None:
        held += found()
    else:
        run.draw(Table(head, lambda: (rows for pairs in found() for rows in pair_rows(corpus, pairs, names))))
    every = kind.concat(held)
    run.skipped.warnings += searching.warnings(plan, run)
    advice = (*crowd, *searching.advice(plan, documents, graph, corpus))
    found_now = {"pairs": count, "pairs_left_out": 0 if chain is None else chain.count}
    summary = searching.summary_of(plan, corpus, documents, run, found_now, advice, _outcome)
    return SimilarPairs(
        "pairs",
        Table(head, lambda: pair_rows(corpus, every, names)),
        every.renumbered(corpus.given_rows),
        is_found=count > 0,
        **summary,
    )


def _outcome(facts: Mapping[str, Any], seconds: float) -> Iterator[str]:
    kind, least = "similar pair", ""
    if facts["measure"] == "containment":
        kind, least = "pair", f" with a containment of {facts['threshold']:g} or more"
    yield f"{counted(facts['pairs'], kind)}{least}, in {seconds:.2f} s"
    if facts["pairs_left_out"]:
        yield (
            f"identical texts are listed as a chain, which leaves out {counted(facts['pairs_left_out'], 'pair')}"
            f" (--all-copies lists every pair)"
        )


class Passages(OfTokens, Drawn):
    """Find passages that occur in several documents.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. Such passages are boilerplate,
    or quotes that went from one to another. Each place of each passage is listed. First come the passages that take
    most text beside their first place. Texts are compared after they were normalised.
    """

    command = "passages"
    takes = DOCS
    without = frozenset(("multiset", "seed"))
    examples = (
        "simdocs passages docs/",
        "simdocs passages docs/ --unit word --min-passage 30",
        "simdocs passages docs/ --unit line -o passages.tsv",
        "simdocs passages docs/ --template form.txt",
    )
    usual = ("unit", "k", "include", "min_passage", "template", "output", "format", "exit_code", "verbose")

    template: tuple[bytes, ...] = TEMPLATE
    min_passage: int | None = MIN_PASSAGE
    exit_code: bool = Searching.options["exit_code"].but()


def passages(options: Passages, run: Run) -> Result:
    """The passages that occur in several documents.

    UsageError: a shingle has more units than the shortest passage. InputError: documents cannot be opened. OutputError:
    there is no room for temporary files.
    """
    from simdocs.commands.ignoring import leaving_out
    from simdocs.commands.repeated import repeated
    from simdocs.commands.resolve import of_documents

    plan = of_documents(options)
    recipe = SignatureRecipe(**plan.recipe.fields(), sketching=Sketching())
    intake, recipe = leaving_out(options, plan.intake, recipe, None)
    return repeated(replace(plan, intake=intake, recipe=recipe), run)
