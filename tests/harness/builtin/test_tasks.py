from __future__ import annotations

from tests.harness.builtin.conftest import Work


def test_a_list_is_written_and_a_step_is_done(work: Work) -> None:
    work("task_list", tasks=[{"title": "look"}, {"title": "act"}])
    assert work.text("task_update", number=1, status="done", note="3 files") == "1. [x] look (3 files)\n2. [ ] act"


def test_each_run_has_a_list_of_its_own(work: Work) -> None:
    work("task_list", run="main", tasks=[{"title": "look"}])
    assert work("task_list", run="child").text == "The list is empty."
    assert work("task_list", run="main").text == "1. [ ] look"


def test_a_step_that_is_not_there_is_told(work: Work) -> None:
    assert work.fault("task_update", number=1, status="done") == (
        "number: there is no step 1; there is no list yet; task_list makes one"
    )


def test_two_steps_in_progress_are_pointed_out(work: Work) -> None:
    tasks = [{"title": each, "status": "in_progress"} for each in "ab"]
    assert "Steps 1 and 2 are in progress" in work.text("task_list", tasks=tasks)
