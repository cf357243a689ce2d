"""What an address of the context explorer may ask for."""

from __future__ import annotations

from django import forms

from explorer.page.reader import SCOPES, Asked
from explorer.queries.against import BEFORE


class ContextForm(forms.Form):
    """A request of a run, a server whose deferred tools are all shown, and what is open for reading.

    That is an item, or the pieces of a `kind` (of one of its rows, by `label` and `owner`), or a search for `q`.
    `against` is the number of a request to compare with, or "before". `totals` asks for sums over many runs.
    """

    run = forms.CharField(required=False, max_length=400)
    request = forms.IntegerField(required=False, min_value=1, max_value=10**9)
    item = forms.CharField(required=False, max_length=400)
    server = forms.CharField(required=False, max_length=400)
    kind = forms.CharField(required=False, max_length=40)
    label = forms.CharField(required=False, max_length=2_000, strip=False)
    owner = forms.CharField(required=False, max_length=2_000, strip=False)
    page = forms.IntegerField(required=False, min_value=1, max_value=10**9)
    q = forms.CharField(required=False, max_length=200)
    within = forms.ChoiceField(required=False, choices=list(SCOPES.items()))
    skip = forms.IntegerField(required=False, min_value=0, max_value=10**9)
    totals = forms.ChoiceField(required=False, choices=[("all", "all runs")])
    against = forms.RegexField(rf"^({BEFORE}|[1-9][0-9]{{0,8}})$", required=False)

    def kept(self) -> dict[str, str]:
        """What stays as it is when another request is looked at."""
        moving = ("run", "request", "page", "skip", "totals")
        return {name: self.data[name] for name in self.fields if name not in moving and self.data.get(name)}

    def to_read(self) -> Asked:
        """What is open for reading. A label that is there and empty is one, too."""
        asked = self.cleaned_data
        return Asked(
            item=asked["item"],
            kind=asked["kind"],
            label=asked["label"] if "label" in self.data else None,
            owner=asked["owner"] if "owner" in self.data else None,
            page=asked["page"] or 1,
            query=asked["q"],
            within=asked["within"] or "request",
            skip=asked["skip"] or 0,
        )
