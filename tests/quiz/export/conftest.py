"""Quizzes by the function that loads them."""

import pytest


@pytest.fixture
def quiz(request):
    return request.param()
