from __future__ import annotations

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from ccweb.middleware import same_site_only

HERE = "http://127.0.0.1:8000"


def status(method: str, **headers: str) -> int:
    """What a request from a browser gets."""
    request = RequestFactory(HTTP_HOST="127.0.0.1:8000").generic(method, "/", headers=headers)
    return answer(request).status_code


def answer(request: HttpRequest) -> HttpResponse:
    return same_site_only(lambda request: HttpResponse("in"))(request)


@pytest.mark.parametrize("site", ["same-origin", "none"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_our_own_pages_and_the_address_bar_come_in(site: str, method: str) -> None:
    assert status(method, **{"Sec-Fetch-Site": site, "Origin": HERE}) == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_another_sites_script_stays_out(site: str, method: str) -> None:
    assert status(method, **{"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}) == 403


def test_a_link_on_another_site_may_be_followed() -> None:
    assert status("GET", **{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}) == 200


def test_a_form_on_another_site_stays_out() -> None:
    assert status("POST", **{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}) == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:3000", "https://127.0.0.1:8000", "null"])
def test_an_old_browser_on_another_site_stays_out(origin: str) -> None:
    assert status("POST", Origin=origin) == 403


def test_an_old_browser_on_our_site_comes_in() -> None:
    assert status("POST", Origin=HERE) == 200


def test_a_program_that_is_no_browser_comes_in() -> None:
    assert status("POST") == 200


@pytest.mark.parametrize("path", ["/healthz", "/static/css/tokens.css", "/api/v1/schema/"])
def test_a_foreign_host_is_a_bad_request(path: str) -> None:
    assert Client().get(path, headers={"Host": "evil.example"}).status_code == 400
