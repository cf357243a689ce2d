"""What was read and how to have more read."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from observability.demo import load_demo, remove_demo
from observability.forms.imports import ImportWanted
from observability.queries.places import looked_in
from observability.queries.sources import sources as read_sources
from observability.services.imports import log_folders
from observability.services.jobs import begin_import
from observability.services.uploads import keep_uploads

MOST_SENT_MB: Final = settings.MOST_SENT // 2**20


@require_GET
def sources(request: HttpRequest) -> HttpResponse:
    """Files by source, lines set aside, records not understood, and how to connect an agent."""
    return _shown(request, ImportWanted())


@require_GET
def jobs(request: HttpRequest) -> HttpResponse:
    """Imports begun here; the page asks again while one is running."""
    return render(request, "partials/jobs.html", {"page": read_sources()})


@require_POST
def imports(request: HttpRequest) -> HttpResponse:
    """Have files or a folder imported."""
    form = ImportWanted(request.POST, request.FILES)
    if not form.is_valid():
        return _shown(request, form, status=400)
    path, files = form.cleaned_data["path"], form.cleaned_data["uploads"]
    begin_import(paths=[*([path] if path else []), *keep_uploads(files=files)])
    return redirect(f"{reverse('sources')}#imports")


@require_POST
def look_again(request: HttpRequest) -> HttpResponse:
    """Import what stands in the usual folders."""
    begin_import(paths=[str(folder.path) for folder in log_folders() if folder.path.is_dir()])
    return redirect(f"{reverse('sources')}#imports")


@require_POST
def demo(request: HttpRequest) -> HttpResponse:
    """Load the demo conversations, or remove them."""
    if request.POST.get("action") == "remove":
        remove_demo()
    else:
        load_demo(timezone.now())
    return redirect("overview")


def _shown(request: HttpRequest, form: ImportWanted, status: int = 200) -> HttpResponse:
    page = {"page": read_sources(), "places": looked_in(log_folders()), "form": form, "most_mb": MOST_SENT_MB}
    return render(request, "observability/sources.html", page, status=status)
