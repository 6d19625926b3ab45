"""Numbers as people read them, on both sides of where their wording changes."""

from __future__ import annotations

import pytest

from simdocs.model import figures

KNOWN = {
    "counted": "1 copy|0 copies|1,000 pairs",
    "size": "0 bytes|1 byte|1,023 bytes|1 KiB|999 KiB|1,000 KiB|1,023 KiB|1 MiB|1.5 GiB|5,120 GiB",
    "shown_probability": "0.0000|<0.0001|0.0001|0.9855|0.9999|>0.9999|1.0000",
    "least_percentage": "98.55%|19.00%|99.99%|100%",
    "percentage": "0%|100%|50.0%|80.0%|79.996%|99.996%|0.04%|100.000000%",
    "figure": "12|10|9.4|3|0.12|1,234|0|0.001|< 0.001",
    "at_least": "at least 98.55% of pairs at 0.8, more above|at least 100% of pairs at 0.8"
    "|at least 99.00% of pairs at 1",
    "found_by": "1 band of 2 rows finds at least 100% of pairs at 1|2 bands of 1 row find at least 100% of pairs at 1",
}
GIVEN = {
    "counted": [(1, "copy", "copies"), (0, "copy", "copies"), (1000, "pair")],
    "size": [0, 1, 1023, 1024, 999 << 10, 1000 << 10, 1023 << 10, 1 << 20, 3 << 29, 5 << 40],
    "shown_probability": [0.0, 0.00009, 0.0001, 0.98553, 0.9999, 0.99991, 1.0],
    "least_percentage": [0.98559, 0.19, 0.999998, 1.0],
    "percentage": [(at, 0.8) for at in (0, 1, 0.5, 0.8, 0.79996, 0.99996, 0.0004, 1 - 1e-10)],
    "figure": [12.4, 9.5, 9.4, 3, 0.12345, 1234, 0, 0.001, 0.0009],
    "at_least": [(0.985542, 0.8), (1.0, 0.8), (0.99, 1.0)],
    "found_by": [(1, 2, 1.0, 1.0), (2, 1, 1.0, 1.0)],
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_number_is_worded_as_known(name):
    worded = getattr(figures, name)
    assert [worded(*each) if isinstance(each, tuple) else worded(each) for each in GIVEN[name]] == KNOWN[name].split(
        "|"
    )
