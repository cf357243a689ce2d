"""The tools of the demo beside the harness's own: those of six servers of an invented company.

One line a tool: its name, what it does, its parameters. `*` marks a parameter that is required,
`[]` a list, `#` a number, `?` yes or no, and `=a,b` a choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from harness.catalogue import Catalogue
from harness.tools import ToolSpec

SERVERS: Final = """
# Tickets and projects @ tracker
create_ticket | Create a ticket in a project. Returns its key. Set `parent` to make it a part of a larger one. The project's template is used where no body is given. | project* title* body priority=low,normal,high,urgent assignee labels[] parent due_on
get_ticket | Read a ticket with its fields, its history and the links to other tickets. | key* history? comments?
search_tickets | Search tickets with filters that are joined by AND. Returns keys and titles, 50 a page. | project text assignee state=open,doing,review,done labels[] page#
update_ticket | Change fields of a ticket. Fields that are left out stay as they are. | key* title body priority=low,normal,high,urgent assignee labels[] due_on
move_ticket | Move a ticket to another state of its project's workflow. Fails where the workflow has no such step. | key* state*=open,doing,review,done comment
comment_ticket | Add a comment to a ticket. People who watch it are told. | key* body* internal?
link_tickets | Link two tickets. | key* other* kind*=blocks,duplicates,relates
list_projects | List the projects that you may see, with their keys and leads. | text page#
list_sprints | List the sprints of a project with their dates and goals. | project* state=open,done page#
plan_sprint | Put tickets into a sprint, in the order given. | sprint* keys[]*
log_work | Note the time spent on a ticket. | key* minutes#* day note
# Memory and knowledge @ notes
search_pages | Search the knowledge base by meaning. Returns titles, places and the passages that fit. | query* space limit#
get_page | Read a page of the knowledge base as Markdown. | page* version#
create_page | Create a page in a space. Links to tickets and people are recognised. | space* title* body* parent
update_page | Write a new version of a page. Give the version that you read, so that no change of someone else is lost. | page* body* version#* note
list_spaces | List the spaces of the knowledge base. | text
add_note | Note a fact for later conversations about this project. | text* labels[]
forget_note | Remove a note that is no longer true. | note* reason
# Databases and metrics @ metrics
run_query | Run a read-only SQL query against the reporting replica. Stops after 30 seconds; returns at most 1,000 rows. | sql* database*=orders,people,events limit#
explain_query | Show how the database would run a query, with measured times where `measure` is set. | sql* database*=orders,people,events measure?
list_tables | List tables with their columns, sizes and last analysis. | database*=orders,people,events text
query_series | Read a time series, such as a latency or an error rate, at the resolution given. | name* since* until step service
list_alerts | List alerts, the newest first. | state=firing,silenced,resolved service since
silence_alert | Silence an alert for some time. Everyone on call is told who did it and why. | alert* minutes#* reason*
get_dashboard | Read a dashboard: its panels with their queries and present values. | dashboard* since
list_traces | Find slow or failed traces of a service. | service* since* slower_than# failed?
get_trace | Read a trace as a tree of spans with their times. | trace*
# Browser @ browser
open_tab | Open a page in a new tab and wait until it has loaded. | url* width# height#
click | Click an element, found by its text or its role. | tab* target* double?
type_text | Type text into a field. | tab* target* text* submit?
read_tab | Read what is on the page as an outline of its roles and texts. | tab* whole?
take_picture | Take a picture of the page or of one element. | tab* target whole?
run_script | Run a script in the page and return its value as JSON. | tab* script*
list_requests | List the network requests of a tab with their states and times. | tab* failed?
close_tab | Close a tab. | tab*
# Calendar and mail @ mailroom
list_events | List events of a calendar between two times. | calendar* since* until* text
create_event | Create an event and invite people. Free times are not checked: use `find_times`. | calendar* title* since* until* people[] place note
find_times | Find times at which all of some people are free. | people[]* minutes#* since* until* limit#
send_mail | Send a message. Drafts it only where `draft` is set. | to[]* subject* body* copy[] draft?
search_mail | Search messages. | text* sender since limit#
# Deployment @ deploy
list_releases | List releases of a service with what they changed. | service* page#
start_release | Roll out a version of a service to an environment, in steps. Needs an approval for production. | service* version* environment*=test,stage,production steps#
get_release | Read how far a release has come and what its checks say. | release*
roll_back | Go back to the version before. | service* environment*=test,stage,production reason*
list_flags | List feature flags with who they are on for. | service text
set_flag | Switch a feature flag on or off for a share of the users. | flag* environment*=test,stage,production percent#*
read_logs | Read log lines of a service, the newest last. | service* environment*=test,stage,production text since until limit#
restart_service | Restart the instances of a service one by one. | service* environment*=test,stage,production
"""

MEANING: Final = {
    "path": "Path from the top of the project.",
    "offset": "First line to read, counted from 1.",
    "limit": "How many to return at most.",
    "page": "Which page of results to return, or the page to read.",
    "project": "Key of the project, such as LANT.",
    "key": "Key of the ticket, such as LANT-412.",
    "assignee": "Name of the person; leave out for nobody.",
    "labels": "Labels, in small letters.",
    "due_on": "Day on which it is due, as YYYY-MM-DD.",
    "since": "Start of the time asked for, as RFC 3339 or as an age such as 2h.",
    "until": "End of the time asked for; now where it is left out.",
    "service": "Name of the service, such as lantern-web.",
    "database": "Which database to ask.",
    "environment": "Where to do it.",
    "body": "Text in Markdown.",
    "tab": "Number of the tab, as returned by open_tab.",
    "target": "The element: its visible text, or role and name.",
    "people": "Mail addresses.",
    "query": "What is looked for, in plain words.",
    "reason": "Why, in one sentence; it is kept in the log.",
    "sql": "One SELECT statement.",
}


def office(without: tuple[str, ...] = ()) -> Catalogue:
    """The tools of the servers, less those of some."""
    return Catalogue(tool for tool in _tools() if tool.server not in without)


def _tools() -> Iterator[ToolSpec]:
    group = server = ""
    for row in SERVERS.strip().splitlines():
        if row.startswith("# "):
            group, server = row[2:].split(" @ ")
            continue
        name, text, parameters = row.split(" | ")
        yield ToolSpec(name=name, description=text, input_schema=_schema(parameters), group=group, server=server)


def _schema(parameters: str) -> dict[str, Any]:
    words = parameters.split()
    return {
        "type": "object",
        "properties": dict(_property(word) for word in words),
        "required": [word.split("=")[0].rstrip("*#?[]") for word in words if "*" in word],
        "additionalProperties": False,
    }


def _property(word: str) -> tuple[str, dict[str, Any]]:
    shape, _, choices = word.partition("=")
    name = shape.rstrip("*#?[]")
    schema: dict[str, Any] = {"type": "string"}
    if "[]" in shape:
        schema = {"type": "array", "items": {"type": "string"}}
    elif "#" in shape:
        schema = {"type": "integer", "minimum": 0}
    elif "?" in shape:
        schema = {"type": "boolean", "default": False}
    if choices:
        schema["enum"] = choices.split(",")
    return name, {**schema, "description": MEANING.get(name, f"The {name.replace('_', ' ')}.")}
