"""Every parameter, declared once: a field of a group, with the values that it takes, its default and its help.

The command line, the Python API, the checks of manifests, the reference and the man pages derive from the groups. The
families name their members in a table each; a member's implementation is imported when it is first used.
"""

from __future__ import annotations

from collections.abc import Mapping

from simdocs.parameters import answers, recipes, texts
from simdocs.parameters.declaration import Group, Parameter, in_order

EVERY_GROUP: tuple[type[Group], ...] = (
    *(texts.Naming, texts.Walking, texts.Sequences, texts.Rereading, texts.OnlyChanged, texts.Normalisation),
    *(recipes.Shingling, recipes.StopWords, recipes.SeveralShinglings),
    *(recipes.Sketching, recipes.OwnFunctions, recipes.Ignoring, recipes.Templates, recipes.Containing),
    recipes.BandingRequest,
    *(answers.Grouping, answers.Comparing, answers.Sampling, texts.Known, texts.Updating, answers.Target),
    *(
        answers.DedupeAnswer,
        answers.PairsAnswer,
        answers.RowOutputs,
        answers.Reporting,
        answers.ShowAnswer,
        answers.QueryAnswer,
        answers.CompareAnswer,
    ),
    *(recipes.Measuring, texts.PassageAnswer, texts.Acting, answers.Running, answers.Presentation, answers.Summarising),
)
"""Every group that has parameters."""

_declared: dict[str, Parameter] = {}
for _group in EVERY_GROUP:
    _declared |= {name: declared for name, declared in _group.parameters.items() if name not in _declared}

PARAMETERS: Mapping[str, Parameter] = in_order(_declared)
"""Every parameter by name, in the order in which help lists them. Of equal names, the first is in it."""
