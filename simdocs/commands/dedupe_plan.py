"""What a request to dedupe amounts to: with which documents and parameters, and by which candidates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from simdocs.commands.artifact_hints import explain_no_index
from simdocs.commands.ignoring import leaving_out, refuse_other_tokens
from simdocs.commands.resolve import (
    KnownDocuments,
    banding_of,
    contradictions_with,
    encoded_root,
    intake_of,
    opened_index,
    opened_shingles,
    signature_recipe,
)
from simdocs.errors import UnreachableRecallError, mention
from simdocs.model.artifact import Artifact
from simdocs.model.numbering import Rows
from simdocs.parameters import PARAMETERS
from simdocs.pipeline.prepare import Intake
from simdocs.recipes import SEQUENCES, Banding, Bands, Grouping, IndexRecipe, SignatureRecipe, of_group
from simdocs.requests.search_requests import DedupeRequest


@dataclass(frozen=True, slots=True)
class DedupePlan:
    """What is done: with what, and every parameter that decides the answer.

    banding: how candidates are found; None: by an exact join. measure: what is compared with the threshold. known: an
    index whose documents are always kept. chosen_now: whether the bands were chosen for this run. changed: the
    documents of the index (in the intake) that are new or changed, if only pairs with one of them are wanted.
    most_memory: the bytes that an exact join may take; None: what there is. explain: whether it is said why documents
    are kept or duplicates.
    """

    intake: Intake
    recipe: SignatureRecipe
    banding: Banding | None
    grouping: Grouping
    threshold: float
    measure: str = "jaccard"
    known: KnownDocuments | None = None
    chosen_now: bool = True
    changed: Rows | None = None
    most_memory: int | None = None
    explain: bool = False

    @property
    def cut(self) -> Bands | None:
        """The bands by which candidates are found, if there are any."""
        return None if self.banding is None else self.banding.cut

    @property
    def is_joinable(self) -> bool:
        """Whether an exact join, which was not asked for, would answer the same question."""
        return self.banding is not None and self.known is None


def plan_dedupe(request: DedupeRequest, outputs: Sequence[str | None] = ()) -> DedupePlan:
    """What a request amounts to.

    UsageError: it contradicts an artifact, or no bands reach the recall. ParametersError: an artifact and the index to
    compare against were made with different parameters. ArtifactError: changed documents are wanted, and there is no
    index, or it does not say which they are.
    """
    known = _known(request)

    def find_contradictions(artifact: Artifact | None) -> Iterator[str]:
        yield from contradictions_with(artifact, request, ("threshold",))
        yield from contradictions_with(None if known is None else known.index, request, ("threshold", *SEQUENCES))

    intake = intake_of(request, outputs, find_contradictions)
    artifact = intake.artifact
    fixed = None if artifact is None else artifact.recipe
    if known is not None:
        index = known.index.recipe
        if artifact is not None:
            refuse_other_tokens(artifact, known.index)
            sequences = artifact.recipe.sequences
        else:
            given = request.given()
            sequences = replace(index.sequences, **{name: given[name] for name in SEQUENCES if name in given})
        fixed = replace(index, sequences=sequences)
    recipe = signature_recipe(request, fixed)
    intake, recipe = leaving_out(request, intake, recipe, artifact if known is None else known.index)
    grouping, measure = of_group(Grouping, request.given()), request.measure or PARAMETERS["measure"].default
    if measure == "containment":  # signatures say little about it
        grouping = replace(grouping, exact=True)
    if isinstance(fixed, IndexRecipe):
        banding: Banding | None = fixed.banding
    else:
        banding = None if grouping.exact else _banding_of(request, recipe.sketching.num_perm)
    threshold = request.threshold or _threshold_of(fixed, request)
    chosen_now = not isinstance(fixed, IndexRecipe)
    changed = opened_index(artifact).news(renamed=bool(request.renamed)) if request.changed else None
    banding = None if grouping.exact else banding
    more = request.max_memory, bool(request.explain)
    return DedupePlan(intake, recipe, banding, grouping, threshold, measure, known, chosen_now, changed, *more)


def _banding_of(request: DedupeRequest, num_perm: int) -> Banding:
    """The bands that serve what was asked. UnreachableRecallError: none do, but an exact join would."""
    try:
        return banding_of(request, num_perm)
    except UnreachableRecallError as error:
        raise error.or_else(f"{mention('exact')} to find every pair") from None


def _threshold_of(fixed: object, request: DedupeRequest) -> float:
    """The threshold when none is given: that of the index, or the default."""
    if isinstance(fixed, IndexRecipe):
        return fixed.banding.threshold
    default = request.parameter("threshold").default
    assert isinstance(default, float)
    return default


def _known(request: DedupeRequest) -> KnownDocuments | None:
    if request.against is None:
        return None
    sets = None if request.shingles is None else opened_shingles(request.shingles)
    assert request.root is None or isinstance(request.root, bytes)
    explain_no_index(request.against)
    return KnownDocuments(opened_index(request.against), sets, encoded_root(request.root))
