from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from explorer.queries import observations as module
from explorer.queries.observations import gather, observations
from harness.accounting.fit import Observation
from harness.accounting.refit import built_in
from observability.models import Conversation, Request, Run
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db


def seen(scene: Scene) -> list[Observation]:
    scene.store()
    return observations(Run.objects.get())


def step() -> Scene:
    """Two requests with a call and its result between them."""
    return Scene().append("user", "Hello").ask(100).call("Read", "{}", "some text here").ask(260, read=100)


def test_a_step_whose_text_is_known_is_used() -> None:
    [found] = seen(step())
    assert (found.reported, found.text, found.call, found.calls) == (160, 3, 1, 1)


@pytest.mark.parametrize(
    "change",
    [
        lambda scene: scene.append("thinking", None, hidden_chars=900),
        lambda scene: scene.append("media", None, chars=0, media_bytes=90_000),
        lambda scene: scene.append("tool_call", "{}", label="Read", call="unanswered"),
        lambda scene: scene.append("user", None, chars=400),
        lambda scene: scene.append("user", "Hello", hidden_chars=90),
        lambda scene: scene.rewrite("So far."),
        lambda scene: scene.system("New"),
        lambda scene: scene.resident("Read"),
        lambda scene: scene.append("user", "Hello").activate("Read"),
    ],
    ids=[
        "hidden thinking",
        "media",
        "no result",
        "text not kept",
        "hidden text",
        "rewrite",
        "replaced",
        "other tools",
        "loaded tool",
    ],
)
def test_a_step_that_is_not_wholly_known_is_left_out(change: Callable[[Scene], object]) -> None:
    scene = Scene().system("Old").ask(100).call("Read", "{}", "some text here")
    change(scene)
    assert [each for each in seen(scene.ask(400, read=100)) if not each.whole] == []


def test_the_same_step_without_any_of_that_is_used() -> None:
    scene = Scene().system("Old").ask(100).call("Read", "{}", "some text here")
    assert len(seen(scene.ask(400, read=100))) == 1


def test_a_step_without_the_model_s_own_part_is_left_out() -> None:
    assert seen(Scene().append("user", "Hello").ask(100).append("user", "some text").ask(200, read=100)) == []


def test_a_step_to_another_model_or_to_less_is_left_out() -> None:
    scene = Scene().ask(100).append("assistant", "Hello").ask(200, read=100, model="claude-sonnet-5")
    assert seen(scene.append("assistant", "No").ask(150, read=150, model="claude-sonnet-5")) == []


def test_a_snapshot_that_is_written_after_the_first_response_is_not_growth() -> None:
    scene = (
        Scene()
        .append("user", "Hello")
        .ask(100)
        .system("You are careful.")
        .append("assistant", "Go on")
        .ask(400, read=100)
    )
    assert seen(scene) == []


def test_an_output_that_the_provider_counted_stands_for_the_model_s_own_part() -> None:
    step().store()
    Request.objects.filter(ordinal=1).update(output=90)
    [found] = observations(Run.objects.get())
    assert (found.output, found.text, found.call, found.calls, found.answers) == (90, 3, 0, 0, 1)


@pytest.mark.parametrize(
    "told",
    [{"output": 25}, {"output": 90, "output_recorded": False}, {"output": 110, "reasoning": 20}],
    ids=["less than was written", "not recorded", "with reasoning"],
)
def test_a_placeholder_or_hidden_reasoning_is_no_count_of_the_output(told: dict[str, object]) -> None:
    step().store()
    Request.objects.filter(ordinal=1).update(**told)
    [found] = observations(Run.objects.get())
    assert (found.output, found.call, found.calls) == (0, 1, 1)


def test_a_step_whose_output_is_far_more_than_the_log_has_of_it_is_left_out() -> None:
    step().store()
    Request.objects.filter(ordinal=1).update(output=5_000)
    assert observations(Run.objects.get()) == []


def test_a_first_prompt_that_is_all_in_the_log_is_used_whole() -> None:
    scene = whole().store()
    first = scene.compose(1)
    [found] = [each for each in observations(Run.objects.get()) if each.whole]
    assert found.reported == 10_000
    assert built_in("claude-4.7").predicted(found) == pytest.approx(first.account.parts.tokens, abs=20)


@pytest.mark.parametrize("lacking", ["system", "tools", "history", "text"])
def test_a_first_prompt_that_lacks_anything_is_not_used(lacking: str) -> None:
    scene = Scene()
    if lacking != "system":
        scene.system("You are careful.")
    if lacking != "tools":
        scene.resident("Read")
    scene.append("user", None if lacking == "text" else "Hello", chars=5).ask(900).store()
    if lacking == "history":
        Conversation.objects.update(resumed=True)
    assert observations(Run.objects.get()) == []


def provided(scene: Scene, prefix: str) -> None:
    """The requests of a scene have ids of a provider."""
    scene.store()
    run = Run.objects.get(uid=scene.run, conversation__uid=scene.conversation)
    for request in Request.objects.filter(run=run):
        Request.objects.filter(pk=request.pk).update(message_id=f"{prefix}-{request.ordinal}")


def grown(name: str, model: str) -> Scene:
    return (
        Scene(name, model=model)
        .append("user", "Hello")
        .ask(100)
        .append("assistant", "Hello yourself")
        .ask(260, read=100)
    )


def test_observations_are_gathered_by_family() -> None:
    provided(grown("one", "claude-opus-4-5"), "one")
    provided(grown("two", "gpt-5.6"), "two")
    provided(grown("three", "acme-coder-2"), "three")
    assert {family: len(found) for family, found in gather().items()} == {"claude-3": 1, "claude-4.7": 0, "openai": 1}


def test_the_demo_and_counts_that_no_provider_signed_are_left_out() -> None:
    grown("scripted", "claude-opus-5").store()
    provided(grown("demo", "claude-opus-5"), "demo")
    Conversation.objects.filter(uid="demo").update(demo=True)
    assert gather()["claude-4.7"] == []


def test_only_so_many_of_the_newest_runs_are_looked_at() -> None:
    for name in ("one", "two", "three"):
        provided(grown(name, "claude-opus-5"), name)
    assert len(gather(2)["claude-4.7"]) == 2


def test_only_the_newest_requests_of_a_long_run_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OF_A_RUN", 2)
    scene = Scene().append("user", "Hello").ask(100)
    for number in range(2, 6):
        scene.append("assistant", "some text here").ask(100 * number, read=100 * number - 100)
    assert len(seen(scene)) == 2


def queries(requests: int) -> int:
    scene = Scene(f"of {requests}").append("user", "Hello").ask(100)
    for number in range(2, requests + 1):
        scene.append("assistant", "some text here").ask(100 * number, read=100 * number - 100)
    scene.store()
    run = Run.objects.select_related("conversation").get(conversation__uid=scene.conversation)
    assert len(observations(run)) == requests - 1
    with CaptureQueriesContext(connection) as captured:
        observations(run)
    return len(captured)


def test_a_longer_run_takes_no_more_queries() -> None:
    assert queries(20) == queries(10)
