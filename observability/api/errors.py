"""One shape for every error of the API: {"error": {"code", "message", "line"}}."""

from __future__ import annotations

from typing import Any

from rest_framework import status
from rest_framework.exceptions import APIException
from rest_framework.response import Response
from rest_framework.views import exception_handler

from observability.errors import RejectedEvents


class TooLarge(APIException):
    """A body over the limit; reading stopped there."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"


def body(code: str, message: str, line: int | None = None) -> dict[str, Any]:
    """The body of an answer that is an error. `line` is the line of the request's body at fault, from 1."""
    return {"error": {"code": code, "message": message, "line": line}}


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """The answer to an exception; None for one that is not about the request."""
    if isinstance(error, RejectedEvents):
        return Response(body("invalid_event", str(error), error.line), status=status.HTTP_400_BAD_REQUEST)
    answer = exception_handler(error, context)
    if answer is None:
        return None
    detail = error.detail if isinstance(error, APIException) else None
    code = getattr(detail, "code", None) or ("not_found" if answer.status_code == 404 else "invalid")
    answer.data = body(code, _sentence(detail) if detail else "Not found.")
    return answer


def _sentence(detail: Any) -> str:
    """What a person reads: details of several fields become one sentence."""
    if isinstance(detail, dict):
        return " ".join(f"{name}: {_sentence(value)}" for name, value in detail.items())
    if isinstance(detail, list):
        return " ".join(_sentence(value) for value in detail)
    return str(detail)
