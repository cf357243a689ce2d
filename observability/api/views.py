"""The API's views: parse, one query or one service call, answer."""

from __future__ import annotations

from typing import Any, cast

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.exceptions import NotFound
from rest_framework.generics import ListAPIView
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request as ApiRequest
from rest_framework.response import Response
from rest_framework.views import APIView

from harness.runlog import AnyEvent
from observability.api import shapes
from observability.api.body import EventsParser
from observability.models import Conversation, Request
from observability.queries import api_rows
from observability.queries.report import report
from observability.services.events import store_events

ERRORS = {"4XX": shapes.ErrorShape}


class Pages(PageNumberPagination):
    """Pages of 50 rows; `page_size` asks for up to 500."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 500


class Events(APIView):
    """Run-log events in."""

    parser_classes = [EventsParser]

    @extend_schema(
        operation_id="events_create",
        request={"application/x-ndjson": OpenApiTypes.BINARY},
        responses={200: shapes.Accepted, **ERRORS},
    )
    def post(self, request: ApiRequest) -> Response:
        """Store run-log events, one a line.

        All of them or none are stored, and the answer comes after the commit. Sending the same
        events again changes nothing. The body may be packed (`Content-Encoding: gzip`).
        """
        events = cast(list[AnyEvent], request.data or [])
        stored = store_events(events, source="api")
        new = {name: getattr(stored, name) for name in shapes.NEW}
        return Response({"events": len(events), "new": new})


class Conversations(ListAPIView[Conversation]):
    """Conversations, the one with the latest activity first."""

    serializer_class = shapes.ConversationShape
    pagination_class = Pages

    @extend_schema(
        parameters=[shapes.ConversationQuery], responses={200: shapes.ConversationShape(many=True), **ERRORS}
    )
    def get(self, request: ApiRequest, *args: Any, **kwargs: Any) -> Response:
        """List conversations."""
        return super().get(request, *args, **kwargs)

    def get_queryset(self) -> Any:
        """Those that the query asks for."""
        query = shapes.ConversationQuery(data=self.request.query_params)
        query.is_valid(raise_exception=True)
        return api_rows.conversations(query.validated_data)


class OneConversation(APIView):
    """A conversation and its runs."""

    @extend_schema(operation_id="conversation_retrieve", responses={200: shapes.ConversationDetail, **ERRORS})
    def get(self, request: ApiRequest, uid: str) -> Response:
        """Show a conversation."""
        return Response(shapes.ConversationDetail(conversation_or_404(uid)).data)


class Requests(ListAPIView[Request]):
    """The requests that belong to a conversation, run by run in their order."""

    serializer_class = shapes.RequestShape
    pagination_class = Pages

    @extend_schema(responses={200: shapes.RequestShape(many=True), **ERRORS})
    def get(self, request: ApiRequest, *args: Any, **kwargs: Any) -> Response:
        """List a conversation's requests."""
        return super().get(request, *args, **kwargs)

    def get_queryset(self) -> Any:
        """Those of the conversation in the URL."""
        return api_rows.requests(conversation_or_404(self.kwargs["uid"]))


class Report(APIView):
    """The report's rows, the same that `manage.py report --json` prints."""

    @extend_schema(
        operation_id="report_list",
        parameters=[shapes.ReportQuery],
        responses={200: shapes.ReportShape(many=True), **ERRORS},
    )
    def get(self, request: ApiRequest) -> Response:
        """Show requests, tokens by bucket, cache rate and cost by one dimension."""
        query = shapes.ReportQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        return Response([row.as_json() for row in report(query.validated_data["by"])])


class Tools(APIView):
    """The figures of every tool, the same that the tools page shows."""

    @extend_schema(
        operation_id="tools_list",
        parameters=[shapes.ToolQuery],
        responses={200: shapes.ToolShape(many=True), **ERRORS},
    )
    def get(self, request: ApiRequest) -> Response:
        """List tools with what they cost, the dearest first, all in one answer."""
        query = shapes.ToolQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        return Response(shapes.ToolShape(api_rows.tools(query.validated_data), many=True).data)


class Docs(SpectacularSwaggerSplitView):
    """A page to read and try the API, under the site's own policy: no inline script or style."""

    template_name = "observability/api.html"
    url_name = "api-schema"


class Nowhere(APIView):
    """Whatever else is asked for: the API answers in its own shape."""

    @extend_schema(exclude=True)
    def get(self, request: ApiRequest, rest: str = "") -> Response:
        """Always 404."""
        raise NotFound("There is no such address in this API.")

    post = put = patch = delete = get


def conversation_or_404(uid: str) -> Conversation:
    """The conversation of that uid."""
    try:
        return api_rows.conversation(uid)
    except Conversation.DoesNotExist as error:
        raise NotFound("There is no conversation of that uid.") from error
