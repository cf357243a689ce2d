from __future__ import annotations

import pytest

from observability.queries.scope import project_choices
from tests.factories import a_conversation, a_project

pytestmark = pytest.mark.django_db


def test_beside_real_conversations_the_demo_s_projects_are_no_choice() -> None:
    a_conversation(project=a_project(key="/real", name="real"))
    a_conversation(project=a_project(key="/demo", name="demo"), demo=True)
    assert [choice.title for choice in project_choices(None, demo=False)] == ["real"]
    assert [choice.title for choice in project_choices(None)] == ["demo", "real"]
