"""Assignment 02: right answers of every style earn all points."""

import pytest

from autograder.suite.torch_self_attention.variants import VARIANTS


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_an_accepted_variant_earns_all(graded, variant):
    result = graded("02_torch_self_attention", variant.source)
    assert (result.score, result.notes) == (100.0, ()), [e for e in result.exercises if e.score < e.max_score]
