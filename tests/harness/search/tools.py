"""A small catalogue for the tests of the search."""

from __future__ import annotations

from typing import Final

from harness.tools import ToolSpec


def tool(name: str, description: str = "", group: str = "", server: str = "", **keys: str) -> ToolSpec:
    """A tool whose arguments are strings; each keyword is one, with its description."""
    properties = {key: {"type": "string", "description": text} for key, text in keys.items()}
    schema = {"type": "object", "properties": properties, "required": list(keys)[:1]}
    return ToolSpec(name=name, description=description, input_schema=schema, group=group, server=server)


OFFICE: Final = (
    tool("assign_ticket", "Give a ticket to a person of the team.", "Tickets and projects", ticket="The ticket's key"),
    tool("createTicket", "Open a new ticket for a bug or a wish.", "Tickets and projects", summary="One line"),
    tool("list_sprints", "The sprints of a board.", "Tickets and projects", board="Which board"),
    tool(
        "send_mail", "Send a letter to an address.", "Mail", "post", to="Who gets it", attachment="A PDF or a picture"
    ),
    tool("search_mail", "Find letters by sender, subject or date.", "Mail", "post", subject="What it is about"),
    tool("weather_forecast", "How warm and wet the next days will be.", "World", city="Where"),
    tool("airquality", "Particles and ozone at a place.", "World", station="Which station"),
)
