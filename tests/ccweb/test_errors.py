from __future__ import annotations

import pytest
from django.test import Client
from django.urls import path

from ccweb.urls import urlpatterns as site


def fail(request: object) -> None:
    raise ValueError


urlpatterns = [*site, path("fails", fail)]


def test_what_is_not_there_is_said_on_a_page_of_the_site(client: Client, db: None) -> None:
    answer = client.get("/nowhere/")

    assert answer.status_code == 404
    assert "There is no such page" in answer.content.decode()


@pytest.mark.urls(__name__)
def test_a_fault_of_ours_is_said_without_its_details() -> None:
    answer = Client(raise_request_exception=False).get("/fails")

    assert answer.status_code == 500
    assert "Something went wrong here" in answer.content.decode()
    assert "ValueError" not in answer.content.decode()


def test_a_foreign_host_is_told_nothing_but_that() -> None:
    answer = Client().get("/", headers={"Host": "evil.example"})

    assert answer.status_code == 400
    assert "evil.example" not in answer.content.decode()
