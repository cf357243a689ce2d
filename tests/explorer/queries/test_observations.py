from __future__ import annotations

import pytest

from explorer.queries.observations import observations
from harness.accounting.fit import Observation
from observability.models import Run
from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db


def seen(scene: Scene) -> list[Observation]:
    scene.store()
    return observations(Run.objects.get())


def test_a_step_whose_text_is_known_is_used() -> None:
    [step] = seen(Scene().append("user", "Hello").ask(100).call("Read", "{}", "some text here").ask(260))
    assert (step.reported, step.text, step.call, step.calls) == (160, 3, 1, 1)


@pytest.mark.parametrize(
    "change",
    [
        lambda scene: scene.append("thinking", None, hidden_chars=900),
        lambda scene: scene.append("media", None, chars=0, media_bytes=90_000),
        lambda scene: scene.append("tool_call", "{}", label="Read", call="unanswered"),
        lambda scene: scene.append("user", None, chars=400),
        lambda scene: scene.rewrite("So far."),
        lambda scene: scene.system("New"),
    ],
    ids=["hidden thinking", "media", "no result", "text not kept", "rewrite", "replaced"],
)
def test_a_step_that_is_not_wholly_known_is_left_out(change) -> None:
    scene = Scene().system("Old").ask(100)
    change(scene)
    assert seen(scene.ask(400)) == []


def test_a_step_to_another_model_or_to_less_is_left_out() -> None:
    assert seen(Scene().ask(100).append("user", "Hello").ask(200, model="claude-sonnet-5").ask(150)) == []
