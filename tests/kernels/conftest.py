"""All tests of kernels run twice: with those in NumPy, and with those in C."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from simdocs.kernels.native import is_installed, using


@pytest.fixture(autouse=True, scope="module", params=["numpy", "native"])
def kernels(request: pytest.FixtureRequest) -> Iterator[str]:
    """The kernels that are in use."""
    if request.param == "native" and not is_installed():
        pytest.skip("the kernels in C are not installed")
    with using(request.param):
        yield request.param
