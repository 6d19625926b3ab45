"""What suits documents: tune judges a sample of them, also with the options that it proposes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simdocs.advice.example_pairs import crowd_below, example_pairs, family_of_pairs
from simdocs.advice.similarity_advice import (
    FARTHEST,
    OF_A_CROWD,
    Advice,
    Suits,
    common_advice,
    length_of_signatures,
    many_similar,
    similarity_advice,
)
from simdocs.advice.suitability import ShortTexts, Suitable, in_words, next_larger_k, suitable
from simdocs.commands.next_call import BANDS_AGAIN, built_again, fixed_in, next_call
from simdocs.commands.resolve import Resolved, of_bands
from simdocs.commands.tune import Tune, tuned
from simdocs.corpora.file_list import FileList
from simdocs.corpora.read_tasks import sampled
from simdocs.engines.run import Run
from simdocs.kernels.banding import low_recall
from simdocs.kernels.pair_totals import total
from simdocs.matching import sampled_pairs
from simdocs.matching.corpus import Corpus
from simdocs.matching.exact_join import token_sets
from simdocs.matching.preparing import prepare
from simdocs.matching.sampled_pairs import sample_pairs
from simdocs.matching.verify import Verifier, outdated_warnings
from simdocs.model.artifact import Shingles
from simdocs.model.documents import WITHOUT_TOKENS
from simdocs.model.ragged import Floats, Ragged, Rows, TextNumbers
from simdocs.model.tuning import BandChoice, CorpusFacts, CurvePoint, PairSample, Tuning
from simdocs.options.recipes import OF_BANDS, IndexRecipe
from simdocs.pipeline.boilerplate import with_common_tokens
from simdocs.pipeline.prepare import files_of

SAMPLED = 20_000
"""Documents that are read at most. If there are more, this many are drawn at random."""

_COUNTED = 1000
"""Documents whose tokens are counted to find a template."""

_LEFT = 30
"""A template is left out only if half the documents keep at least this many tokens."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Documents under one recipe: a sample of their pairs, and what its bands find.

    firsts: (M,) the first row of each distinct text.
    """

    corpus: Corpus
    recipe: IndexRecipe
    firsts: Rows
    sample: PairSample
    facts: CorpusFacts
    choices: tuple[BandChoice, ...]
    curve: tuple[CurvePoint, ...]

    @property
    def chosen(self) -> BandChoice:
        """The bands of the recipe."""
        return next(choice for choice in self.choices if choice.chosen)


def plan_of(options: Tune) -> Resolved[Tune]:
    """What is judged. An index has its own bands only if no option is about bands."""
    return of_bands(options, own=bool(options.differ(OF_BANDS)))


class Tuner:
    """Judges documents as was asked, and then with the options that are advised, until nothing more is advised."""

    def __init__(self, options: Tune, plan: Resolved[Tune], run: Run) -> None:
        self._options, self._plan, self._run = options, plan, run
        self._found: FileList | None = None
        self._advice: list[Advice] = []
        self._changes: dict[str, Any] = {}
        self._of_short: tuple[int, ShortTexts, Suitable] | None = None  # Which advice is about lengths, and from what.
        self._has_crowd = False
        if plan.artifact is None:
            intake, limit = plan.intake, plan.intake.walking.max_size
            files = files_of(intake, run)
            self._found, self._every = sampled(files, limit, plan.recipe.sequences, SAMPLED, plan.recipe.shingling.seed)
        else:
            self._every = plan.artifact.n_documents

    def tuning(self) -> Tuning:
        """The choices as asked for, and the advice."""
        run, plan = self._run, self._plan
        asked = self._judged(*self._ready(plan, run))
        run.skipped.warnings += outdated_warnings(run, plan.artifact)
        advised = self._follow(asked)
        cut, changes = asked.recipe.banding, self._changes
        lines = [each.line for each in self._advice]
        if changes.keys() - OF_BANDS and advised is not asked:
            lines.append(_with_these_options(advised))
        lines += built_again(plan.artifact, self._advice)
        if low := tuple(low_recall(cut, asked.recipe.sketching.num_perm)):
            lines, changes = [*low, *lines], {BANDS_AGAIN: None} | changes
        about, threshold = (advised.corpus, advised.firsts, advised.sample), advised.recipe.banding.threshold
        family = () if self._has_crowd else tuple(family_of_pairs(*about, max(0.0, threshold - FARTHEST)))
        shown = tuple(example_pairs(*about, threshold, run))
        following = ""
        if np.count_nonzero(asked.corpus.documents.facts["flags"] & WITHOUT_TOKENS == 0) > 1:
            following, more = next_call(self._options, plan.artifact, changes)
            lines += more
        return tuned(
            *(asked.choices, asked.curve, asked.recipe, run.skipped),
            advice=(*lines, *family),
            corpus=asked.facts,
            documents=asked.corpus.documents,
            following=following,
            examples=shown,
        )

    @property
    def _times(self) -> float:
        """How many times as many documents there are as were drawn; 1 if all are read."""
        return max(1.0, self._every / SAMPLED)

    def _ready(self, plan: Resolved[Tune], run: Run) -> tuple[Corpus, IndexRecipe]:
        """The documents of a plan, or those that were drawn of them, and its recipe."""
        intake = plan.intake if self._found is None else replace(plan.intake, found=self._found)
        intake, recipe = with_common_tokens(intake, plan.recipe, run)
        corpus = prepare(intake, recipe, run)
        if len(corpus) > SAMPLED:
            random = np.random.Generator(np.random.PCG64(recipe.shingling.seed))
            rows = np.sort(random.choice(len(corpus), SAMPLED, replace=False))
            corpus = corpus.select(rows)
        return corpus, recipe

    def _judged(self, corpus: Corpus, recipe: IndexRecipe) -> Judged:
        """The documents under a recipe, judged by a sample of all pairs of different texts."""
        firsts, _ = corpus.documents.distinct_texts()
        threshold, documents = recipe.banding.threshold, len(corpus)
        verifier = Verifier(corpus, threshold, self._run)

        def compare(left: TextNumbers, right: TextNumbers) -> Floats:
            return verifier.exact_jaccard(firsts[left], firsts[right])

        drawn = sample_pairs(corpus.signatures.rows(firsts), compare, recipe.shingling.seed, self._run.progress)
        sample = drawn.of_all(self._times)
        known = sample if len(sample.random) else None
        all_documents = self._every if self._times > 1 else documents
        facts = sampled_pairs.corpus_facts(sample, len(firsts), threshold, all_documents)
        choices, curve = sampled_pairs.choices(recipe, known), sampled_pairs.curve(recipe.banding, known)
        return Judged(
            corpus=corpus,
            recipe=recipe,
            firsts=firsts,
            sample=sample,
            facts=facts,
            choices=tuple(choices),
            curve=tuple(curve),
        )

    def _with(self, changes: dict[str, Any]) -> tuple[Corpus, IndexRecipe]:
        """The same documents with these options as well. What is skipped was reported before."""
        self._changes |= changes
        given: dict[str, Any] = dict(self._changes)
        if {"threshold", "num_perm"} & given.keys():
            given |= dict.fromkeys(("bands", "rows", "rule"))
        plan = plan_of(self._options.filled(**given))
        return self._ready(plan, self._run.again())

    def _advise(self, advice: Advice) -> bool:
        """Add advice. Return whether it can be followed without another artifact."""
        self._advice.append(advice)
        return bool(advice.change) and not fixed_in(self._plan.artifact, advice.change)

    def _follow(self, asked: Judged) -> Judged:
        """The documents with the options that are advised, in this order: k, without a template, threshold, K."""
        corpus, recipe = self._of_lengths(asked.corpus, asked.recipe, asked.recipe)
        if len(asked.corpus.documents) > 1:
            corpus, recipe = self._without_template(asked, corpus, recipe)
        now = asked if recipe is asked.recipe else self._judged(corpus, recipe)
        now = self._without_crowd(self._of_similarities(now, asked.recipe), asked)
        texts = round(now.facts.texts * self._times)
        threshold = now.recipe.banding.threshold
        for each in length_of_signatures(
            *(texts, now.chosen, now.recipe.banding.recall),
            lambda cut: total(now.sample, sampled_pairs.false_candidates(cut, threshold)),
        ):
            if self._advise(each):
                self._changes |= each.change
        return now

    def _of_lengths(self, corpus: Corpus, recipe: IndexRecipe, asked: IndexRecipe) -> tuple[Corpus, IndexRecipe]:
        """The documents with the k and the threshold that suit their lengths. asked: the recipe at first."""
        shingling, threshold = recipe.shingling, recipe.banding.threshold
        short = ShortTexts.of(corpus.documents, shingling.unit)
        if short is None:
            return corpus, recipe
        better = suitable(short, shingling, threshold)
        changes: dict[str, Any] = {} if better.k == shingling.k else {"k": better.k}
        if better.threshold < threshold:
            changes["threshold"] = better.threshold
        if not changes:
            return corpus, recipe
        if self._of_short is not None:  # One line about lengths is enough: that on what a template leaves of them.
            del self._advice[self._of_short[0]]
            self._of_short = None
        if not self._advise(Advice(in_words(short, asked.shingling, better), self._changes | changes)):
            return corpus, recipe
        self._of_short = len(self._advice) - 1, short, better
        return self._with(changes)

    def _settle(self, threshold: float, why: str, asked: IndexRecipe) -> Judged:
        """The documents with another threshold than variants of short texts reach; the line on lengths names it."""
        assert self._of_short is not None
        place, short, better = self._of_short
        better = better._replace(threshold=threshold)
        line = in_words(short, asked.shingling, better, kept=asked.banding.threshold, why=why)
        self._advice[place] = Advice(line, dict(self._advice[place].change) | {"threshold": threshold})
        return self._judged(*self._with({"threshold": threshold}))

    def _without_crowd(self, now: Judged, asked: Judged) -> Judged:
        """The documents without their template, if a threshold lowered for short texts adds mostly a crowd.

        If no fraction separates the template from the rest, they keep the threshold that was asked for.
        """
        highest = asked.recipe.banding.threshold
        if self._of_short is None or now.recipe.banding.threshold >= highest:
            return now
        lowered = self._of_short[2].threshold
        for why in crowd_below(now.corpus, now.firsts, now.sample, lowered, highest):
            self._has_crowd = True
            before = self._advice, self._changes, self._of_short
            if "ignore_common" not in self._changes:
                self._advice, self._changes, self._of_short = [], {}, None
                corpus, recipe = self._without_template(asked, asked.corpus, asked.recipe, OF_A_CROWD)
                if recipe is not asked.recipe:
                    return self._of_similarities(self._judged(corpus, recipe), asked.recipe)
            self._advice, self._changes, self._of_short = before
            return self._settle(highest, why, asked.recipe)
        return now

    def _of_similarities(self, now: Judged, asked: IndexRecipe) -> Judged:
        """The documents with the k and the threshold that suit their similarities. asked: the recipe at first."""
        shingling = now.recipe.shingling
        short = ShortTexts.of(now.corpus.documents, shingling.unit)
        least = 1.0 if short is None else short.least(shingling.k)
        suits = Suits(next_larger_k(short, shingling), least, asked.banding.threshold)
        found = self._about_similarities(now, suits)
        if any("k" in each.change for each in found):
            before = dict(self._changes)
            with_k = self._judged(*self._with({"k": suits.larger_k}))
            if (with_k.facts.typical or 0.0) <= (now.facts.typical or 0.0) / 2:
                self._advise(found[0])
                return self._of_similarities(with_k, asked)
            self._changes = before  # They have a text in common that is longer than any k.
            found = self._about_similarities(now, suits._replace(larger_k=None))
        changes: dict[str, Any] = {}
        for each in found:
            if each.why and self._of_short is not None:
                now = self._settle(each.change["threshold"], each.why, asked)
            elif self._advise(each):
                changes |= each.change
        return self._judged(*self._with(changes)) if changes else now

    def _about_similarities(self, now: Judged, suits: Suits) -> list[Advice]:
        """Advice from similarities. If one family has most of the pairs near the threshold, it chooses no threshold."""
        found = list(similarity_advice(now.facts, now.curve, now.chosen, now.recipe.shingling, suits))
        least = max(0.0, now.recipe.banding.threshold - FARTHEST)
        if any(family_of_pairs(now.corpus, now.firsts, now.sample, least)):
            return [each for each in found if each.change.get("threshold", 1.0) >= now.recipe.banding.threshold]
        return found

    def _without_template(
        self, asked: Judged, corpus: Corpus, recipe: IndexRecipe, *large: float
    ) -> tuple[Corpus, IndexRecipe]:
        """The documents without a template that a sample of them shares; as they are, if signatures fix the tokens."""
        if not (self._plan.artifact is None or isinstance(self._plan.artifact, Shingles)):
            return corpus, recipe
        rows = np.flatnonzero(corpus.documents.facts["flags"] & WITHOUT_TOKENS == 0)
        if len(rows) > _COUNTED:
            rows = np.sort(np.random.default_rng(recipe.shingling.seed).choice(rows, _COUNTED, replace=False))
        verifier = Verifier(corpus, recipe.banding.threshold, self._run)
        for each in common_advice(Ragged.concat([sets for _, sets in token_sets(verifier, rows)], np.uint32), *large):
            before = dict(self._changes)
            without, of_rest = self._with(dict(each.change))
            facts = without.documents.facts
            if many_similar(asked.facts) and np.median(facts["count"] - facts["ignored"]) < _LEFT:
                self._changes = before  # What they share is their text, and not a template.
                continue
            self._advise(each)
            return self._of_lengths(without, of_rest, asked.recipe)
        return corpus, recipe


def _with_these_options(judged: Judged) -> str:
    """How many pairs are similar with other options than those that were asked for."""
    pairs, threshold = judged.facts.similar.value, judged.recipe.banding.threshold
    return f"with these options, about {pairs:,.0f} pairs of different texts are similar at {threshold:g}"
