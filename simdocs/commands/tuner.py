"""What suits documents: tune counts similar pairs of a sample of them, and tries the options that it proposes."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from simdocs.advice import (
    CODE,
    LARGE,
    OF_A_CROWD,
    ShortTexts,
    Suitable,
    Threshold,
    best_threshold,
    in_words,
    is_code,
    is_crowd,
    suitable,
    template_fraction,
    threshold_at,
)
from simdocs.commands.resolve import Resolved, of_bands
from simdocs.commands.searching import facts_read, no_pair, read_in_words
from simdocs.commands.tune import Tune
from simdocs.engines.engine import Run
from simdocs.kernels.banding import least_probability, low_recall
from simdocs.matching.candidates import token_sets
from simdocs.matching.corpus import Corpus, check_root, read_corpus
from simdocs.matching.difference import difference
from simdocs.matching.measured_recall import PairSample, sample_pairs, twentieths
from simdocs.matching.verify import Verifier
from simdocs.model.artifact import Artifact, BandIndex, Shingles
from simdocs.model.comparison import Tuning
from simdocs.model.documents import WITHOUT_TOKENS
from simdocs.model.figures import STEPS, counted, found_by
from simdocs.model.ragged import Ragged, Rows
from simdocs.model.result import NAME, NUMBER, PLAIN, SIMILARITY, Table, table_head
from simdocs.names import command_line
from simdocs.options.recipes import OF_BANDS, IndexRecipe
from simdocs.pipeline.again import outdated_warnings, reload_texts
from simdocs.pipeline.boilerplate import with_common_tokens
from simdocs.pipeline.reading import files_of
from simdocs.reading.decode import looking_like
from simdocs.reading.read_tasks import sampled

SAMPLED = 20_000
"""Documents that are read at most. If there are more, this many are drawn at random."""

_COUNTED, _LOOKED_AT = 1000, 30
"""Documents whose tokens are counted to find a template, and whose texts are looked at to recognise program code."""

_LEFT = 30
"""A template is left out only if half the documents keep at least this many tokens."""

_ALREADY_FOUND = 0.15
"""The proposed threshold is lowered by so much, to find what is found without the proposal."""

_LEAST_SHOWN, _SHOWN, _READ = 0.3, 24, 1 << 20
"""No example is shown of less similar pairs. Of the difference of its texts, unless they have more than _READ bytes,
_SHOWN characters of each are shown."""


class Judged(NamedTuple):
    """Documents under one recipe, the shortest of them, and a sample of the pairs of different texts among them."""

    corpus: Corpus
    recipe: IndexRecipe
    verifier: Verifier
    firsts: Rows
    sample: PairSample
    short: ShortTexts | None


def plan_of(options: Tune) -> Resolved[Tune]:
    """What is judged. An index has its own bands only if no option is about bands."""
    return of_bands(options, own=bool(options.differ(OF_BANDS)))


_BANDS = table_head(similarity=SIMILARITY, probability=SIMILARITY, pairs=NUMBER)
CURVE = _BANDS.but(PLAIN, document=NAME, other=NAME, jaccard=SIMILARITY, difference=NAME)


def tuned(options: Tune, run: Run) -> Tuning:
    """What the bands that were asked for find, with the options that suit the documents, if there are any."""
    plan = plan_of(options)
    check_root(plan.intake.root)
    tuner = Tuner(options, plan, run) if options.ways() else None
    asked = None if tuner is None else tuner.judged({}, run)
    recipe = plan.recipe if asked is None else asked.recipe
    banding, cut = recipe.banding, recipe.banding.cut
    advice, following = list(low_recall(banding, recipe.sketching.num_perm)), ""
    every, texts, near, documents = 0, 0, 0, None
    counts, examples = list[int](), dict[int, tuple[bytes, bytes, float, str]]()
    if tuner is not None and asked is not None:
        run.skipped.warnings += outdated_warnings(run, plan.artifact)
        documents, sample, texts = asked.corpus.documents, asked.sample, len(asked.firsts)
        changes = tuner.proposed(asked)
        if changes is not None and np.count_nonzero(documents.facts["flags"] & WITHOUT_TOKENS == 0) > 1:
            following = next_call(options, plan.artifact, changes, again=bool(advice))
        advice += tuner.advice
        every = tuner.every if tuner.times > 1 else len(documents)
        counts = list(map(round, sample.counts.tolist())) if len(sample.similarity) else []
        near = round(float(sample.weight[sample.similarity >= banding.threshold].sum()))
        examples = dict(tuner.examples(asked))
    facts: dict[str, Any] = {
        **({"documents": 0} if documents is None else facts_read(documents)),
        "skipped": run.skipped.counts,
        "threshold": banding.threshold,
        **cut._asdict(),
        "probability": least_probability(banding.threshold, *cut),
        "texts": texts,
        "of_documents": every,
        "similar": near,
        "parameters": recipe.as_dict(),
        "seconds": None,
        "looks_like": {} if documents is None else dict(looking_like(documents)),
        "advice": advice,
        "next": following,
    }
    rows = [
        (at / STEPS, cut.chance(at / STEPS), counts[at] if counts else None, *examples.get(at, (None,) * 4))
        for at in range(STEPS + 1)
    ]

    def lines(_seconds: float, _verbose: bool) -> Iterator[str]:
        if documents is not None:
            drawn = f", drawn at random from {every:,}" if every > len(documents) else ""
            yield f"{read_in_words(documents, run.skipped)}{drawn}; {counted(texts, 'different text')}"
        yield found_by(cut.bands, cut.rows, banding.threshold, facts["probability"])
        if counts:
            yield f"about {counted(near, 'pair')} of different texts with a similarity of {banding.threshold:g} or more"
        elif documents is not None:
            yield no_pair(documents, run.skipped, "distribution of similarities")
        yield from advice

    return Tuning(
        Table.of(CURVE, rows),
        banding,
        tuple(counts),
        following,
        facts=facts,
        lines=lines,
        documents=documents,
        skipped=run.skipped,
        # People who do not see the summary want to know the command that comes next, too.
        notes=(f"next: {following}",) if following else (),
        advice=advice,
    )


class Tuner:
    """Judges documents as was asked, and then with the options that suit them.

    advice: lines that say why other options suit them. every: how many documents there are. times: how many times as
    many as were drawn; 1 if all are read.
    """

    def __init__(self, options: Tune, plan: Resolved[Tune], run: Run) -> None:
        self._options, self._plan, self._run = options, plan, run
        self.advice = list[str]()
        self._found = plan.intake.found
        if plan.artifact is None:
            limit, recipe = plan.intake.walking.max_size, plan.recipe
            files = files_of(plan.intake, run)
            self._found, self.every = sampled(files, limit, recipe.sequences, SAMPLED, recipe.shingling.seed)
        else:
            self.every = plan.artifact.n_documents
        self.times = max(1.0, self.every / SAMPLED)

    def judged(self, changes: Mapping[str, Any], run: Run) -> Judged:
        """The documents, or those that were drawn of them, with these options changed, and a sample of their pairs."""
        plan = plan_of(self._options.filled(**changes)) if changes else self._plan
        intake, recipe = with_common_tokens(replace(plan.intake, found=self._found), plan.recipe, run)
        corpus, seed = read_corpus(intake, recipe, run), recipe.shingling.seed
        if len(corpus) > SAMPLED:
            corpus = corpus.select(np.sort(np.random.default_rng(seed).choice(len(corpus), SAMPLED, replace=False)))
        firsts, _ = corpus.documents.distinct_texts()
        verifier = Verifier(corpus, recipe.banding.threshold, self._run)
        short = ShortTexts.of(corpus.documents, recipe.shingling.unit)
        return Judged(corpus, recipe, verifier, firsts, sample_pairs(verifier, firsts, seed, self.times), short)

    def proposed(self, asked: Judged) -> dict[str, Any] | None:
        """The options that suit the documents better, with advice that says why; None: none can be proposed."""
        highest, shingling = asked.recipe.banding.threshold, asked.recipe.shingling
        now, better, changes = self._suited(asked, {})
        fraction = self._fraction(asked, LARGE)
        if fraction is None and is_crowd(now.sample, len(now.corpus), better.threshold, highest):
            fraction = self._fraction(asked, OF_A_CROWD)
            if fraction is None:
                self.advice.append(
                    f"most of the pairs between {better.threshold:g} and {highest:g} are of documents that may share"
                    f" only a template: the threshold is not lowered"
                )
                better = better._replace(threshold=highest)
        if fraction is not None:
            changes = {"ignore_common": fraction}
            now, better, changes = self._suited(self.judged(changes, self._run.again()), changes)
        counts = now.sample.counts
        is_program = better.threshold > CODE and is_code(self._some_texts(asked))
        best = best_threshold(counts, CODE if is_program else better.threshold, highest)
        if is_program and not best.is_clear:
            best = threshold_at(counts, CODE)
        is_short = better.threshold < highest
        if is_short and not best.is_clear:
            self.advice.append(
                f"no gap separates the pairs of these short texts: {best.near:,.0f} are within 0.05 of {best.value:g},"
                f" and {best.found:,.0f} above. In names and titles a single word decides, which simdocs does not weigh"
            )
            return None
        found = self._with_what_was_found(asked, now, best)
        if found is None:
            self.advice = []
            return {}
        if found.value != highest:
            changes["threshold"] = found.value
        if now.short is not None and (is_short or "k" in changes):
            self.advice.append(in_words(now.short, shingling, better._replace(threshold=found.value)))
        elif is_program and "threshold" in changes:
            self.advice.append(f"most of these texts are program code: --threshold {found.value:g} finds more copies")
        elif "threshold" in changes:
            at_first = threshold_at(counts, highest)
            self.advice.append(
                f"about {at_first.near:,.0f} pairs are within 0.05 of the threshold {highest:g}, and {found.near:,.0f}"
                f" of {found.value:g}: --threshold {found.value:g} finds about {found.found - at_first.found:,.0f} more"
            )
        return changes

    def _suited(self, judged: Judged, changes: dict[str, Any]) -> tuple[Judged, Suitable, dict[str, Any]]:
        """The documents with the k that suits their lengths, the threshold that does, and the changes with this k."""
        shingling, threshold = judged.recipe.shingling, self._plan.recipe.banding.threshold
        as_asked, artifact = Suitable(shingling.k, threshold, 1.0), self._plan.artifact
        better = as_asked if judged.short is None else suitable(judged.short, shingling, threshold)
        if better.k != shingling.k and artifact is not None:
            remedy = f"build it again from its documents with -k {better.k}"
            self.advice.append(f"{artifact.name} cannot change -k: {remedy}")
            better = as_asked
        if better.k == shingling.k:
            return judged, better, changes
        changes = {**changes, "k": better.k}
        return self.judged(changes, self._run.again()), better, changes

    def _fraction(self, asked: Judged, large: float) -> float | None:
        """The fraction that leaves out a template of the documents; None if they have none, or signatures fix it."""
        rows = np.flatnonzero(asked.corpus.documents.facts["flags"] & WITHOUT_TOKENS == 0)
        if not (self._plan.artifact is None or isinstance(self._plan.artifact, Shingles)) or len(rows) < 2:
            return None
        if len(rows) > _COUNTED:
            rows = np.sort(np.random.default_rng(asked.recipe.shingling.seed).choice(rows, _COUNTED, replace=False))
        sets = Ragged.concat([sets for _, sets in token_sets(asked.verifier, rows)], np.uint32)
        found = template_fraction(sets, large)
        if found is None:
            return None
        fraction, share = found
        # Two documents that share nothing else have this similarity. If it is enough, they are versions of one text.
        if share / (2 - share) >= asked.recipe.banding.threshold or np.median(sets.lengths) * (1 - share) < _LEFT:
            return None
        self.advice.append(
            f"{share:.0%} of the tokens of a document, on average, are in more than {fraction:.0%} of all documents, so"
            f" they may share a template: --ignore-common {fraction:g} leaves it out"
        )
        return fraction

    def _with_what_was_found(self, asked: Judged, now: Judged, best: Threshold) -> Threshold | None:
        """A threshold that also finds the pairs that are found without the proposal; None if it had to be too low.

        Pairs that are far below it had only a template in common.
        """
        if now is asked or now.recipe.shingling.k > asked.recipe.shingling.k:
            return best
        sample = asked.sample
        found = np.flatnonzero(sample.similarity >= asked.recipe.banding.threshold)
        similarity = now.verifier.exact_jaccard(sample.left[found], sample.right[found])
        lost = similarity[(similarity < best.value) & (similarity >= best.value - _ALREADY_FOUND)]
        if not len(lost):
            return best
        lower = threshold_at(now.sample.counts, math.floor(float(lost.min()) * STEPS) / STEPS)
        return None if lower.is_on_slope else lower

    def _texts(self, judged: Judged, rows: Rows) -> Iterator[bytes]:
        """Yield the texts of these documents that can be read again, as UTF-8."""
        judged.corpus.copy(rows, self._run, texts=True)
        for _, request in judged.corpus.readings(rows):
            texts, _ = reload_texts(request, judged.recipe.shingling)
            yield from (text for _, text in texts)

    def _some_texts(self, judged: Judged) -> list[str]:
        dice = np.random.default_rng(judged.recipe.shingling.seed)
        rows = np.sort(dice.permutation(judged.firsts)[:_LOOKED_AT])
        rows = rows[judged.corpus.facts(rows)["size"] <= _READ]
        return [text.decode("utf-8", "replace") for text in self._texts(judged, rows)]

    def examples(self, judged: Judged) -> Iterator[tuple[int, tuple[bytes, bytes, float, str]]]:
        """Yield the least similar pair of each twentieth: its names, its similarity and its difference in short."""
        sample = judged.sample
        order = np.lexsort((sample.right, sample.left, sample.similarity))
        steps, first = np.unique(twentieths(sample.similarity[order]), return_index=True)
        for step, place in zip(steps.tolist(), order[first].tolist(), strict=True):
            pair = np.array([sample.left[place], sample.right[place]])
            if step < _LEAST_SHOWN * STEPS:
                continue
            is_long, short = judged.corpus.facts(pair)["size"].max() > _READ, ""
            if not is_long and len(texts := list(self._texts(judged, pair))) == 2:
                short = difference(texts[0], texts[1], judged.recipe.shingling, "words").in_short(_SHOWN)
            a, b = judged.corpus.printed_names(pair)
            yield step, (a, b, float(sample.similarity[place]), short)


_BY_HAND = ("bands", "rows", "rule")
"""Options that were chosen for a threshold, and are chosen again if it changes."""

_MOST_NAMES = 20
"""More documents than this are not named in a call."""


def next_call(options: Any, artifact: Artifact | None, changes: Mapping[str, Any], *, again: bool) -> str:
    """The call of dedupe with these changes; empty if the documents cannot be read a second time.

    options: those of tune. again: bands and rows are to be chosen again, for the recall.
    """
    named = (*options.documents, options.files_from, options.files0_from)
    if options.texts is not None or b"-" in named or not all(isinstance(name, bytes) for name in options.documents):
        return ""
    left_out = {"summary_json", "jobs", *(_BY_HAND if again or "threshold" in changes else ())}
    if isinstance(artifact, BandIndex):  # it has its bands
        left_out |= {*OF_BANDS} - {"threshold"}
    each = (one.name for one in options.differ(tuple(options.options)) if not one.shell)
    given = {name: _words(getattr(options, name)) for name in each if name not in left_out}
    names = list(map(os.fsdecode, options.documents))
    return command_line("dedupe", names if len(names) <= _MOST_NAMES else ["DOCS"], given | dict(changes))


def _words(value: Any) -> Any:
    """The value of an option as it stands on a command line."""
    if isinstance(value, tuple):
        return tuple(map(_words, value))
    return os.fsdecode(value) if isinstance(value, bytes) else getattr(value, "name", value)
