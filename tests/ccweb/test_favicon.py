from __future__ import annotations

from django.test import Client


def test_the_icon_is_found_where_browsers_look_for_it(client: Client) -> None:
    answer = client.get("/favicon.ico")
    assert (answer.status_code, answer["Location"]) == (302, "/static/icon.svg")
