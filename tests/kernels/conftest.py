"""Tests of kernels that have two versions run twice: with those in NumPy, and with those in C."""

from __future__ import annotations

from collections.abc import Iterator
from unittest import mock

import pytest

from simdocs.kernels import native

OF_BOTH = (
    "test_kernel_contract",
    "test_normalise",
    "test_murmur",
    "test_shinglers",
    "test_multisets",
    "test_fss",
    "test_buckets",
    "test_jaccard",
)
"""Modules about functions that have two versions. The others need not run twice."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Choose the kernels for each module of tests."""
    both = metafunc.definition.path.stem in OF_BOTH
    metafunc.parametrize("kernels", ["numpy", "native"] if both else ["auto"], indirect=True, scope="module")


@pytest.fixture(autouse=True, scope="module")
def kernels(request: pytest.FixtureRequest) -> Iterator[str]:
    """The kernels that are in use."""
    if request.param == "native" and not native.is_installed():
        pytest.skip("the kernels in C are not installed")
    if request.param == "auto":
        yield "auto"
        return
    with mock.patch.object(native, "_chosen", request.param):
        yield request.param
