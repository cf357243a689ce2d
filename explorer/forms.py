"""What an address of the context explorer may ask for."""

from __future__ import annotations

from django import forms


class ContextForm(forms.Form):
    """A request of a run, an item to read, and a server whose deferred tools are all shown."""

    run = forms.CharField(required=False, max_length=400)
    request = forms.IntegerField(required=False, min_value=1, max_value=10**9)
    item = forms.CharField(required=False, max_length=400)
    server = forms.CharField(required=False, max_length=400)
