"""Run by itself: Django takes its settings once a process.

On standard input a JSON list of `[problem XML, response]`; on standard output the share of points that Open edX's
own grader gives each.
"""

import gettext
import json
import logging
import sys
import types
from unittest.mock import MagicMock

import django
from django.conf import settings

# What the grader imports imports fs, which still asks setuptools for a module that it no longer has.
sys.modules.setdefault("pkg_resources", types.SimpleNamespace(declare_namespace=lambda name: None))
logging.disable(logging.CRITICAL)
settings.configure(CACHES={"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}, STATIC_URL="/")
django.setup()

from xblocks_contrib.problem.capa.capa_problem import LoncapaProblem, LoncapaSystem  # noqa: E402  (after the settings that it reads)

FIELD = "1_2_1"  # the only field of problem 1
SYSTEM = LoncapaSystem(
    ajax_url="",
    anonymous_student_id="student",
    cache=None,
    can_execute_unsafe_code=lambda: False,
    get_python_lib_zip=lambda: None,
    DEBUG=False,
    i18n=gettext.NullTranslations(),
    render_template=lambda name, context: "<div/>",
    resources_fs=None,
    seed=0,
    xqueue=None,
)


def share(xml: str, response: str | list[str]) -> float:
    problem = LoncapaProblem(xml, "1", SYSTEM, MagicMock(), seed=1)
    problem.get_html()  # a problem that can't be shown can't be answered
    return float(problem.grade_answers({FIELD: response}).get_npoints(FIELD))


if __name__ == "__main__":
    json.dump([share(xml, response) for xml, response in json.load(sys.stdin)], sys.stdout)
