"""Profiles of Hypothesis: the same examples every time, and many more of them with `make test-slow`.

`--hypothesis-profile=explore` draws new examples. `make fuzz` does so, too, in rounds.
"""

from hypothesis import HealthCheck, settings

from tests.amounts import SHORT_EXAMPLES

_LARGE_INPUTS = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "same", derandomize=True, deadline=None, max_examples=SHORT_EXAMPLES, suppress_health_check=_LARGE_INPUTS
)
settings.register_profile(
    "thorough", derandomize=True, deadline=None, max_examples=300, suppress_health_check=_LARGE_INPUTS
)
settings.register_profile("explore", deadline=None, max_examples=2000, suppress_health_check=_LARGE_INPUTS)
settings.register_profile("fuzz", deadline=None, max_examples=300, print_blob=True, suppress_health_check=_LARGE_INPUTS)
settings.load_profile("same")
