"""Assignment 01: right submissions of every style earn all."""

import pytest

from autograder.suite.numpy_self_attention.variants import VARIANTS

ID = "01_numpy_self_attention"


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_an_accepted_variant_earns_all(graded, variant):
    result = graded(ID, variant.source)
    assert result.score == 100, [e for e in result.exercises if e.score < e.max_score]
