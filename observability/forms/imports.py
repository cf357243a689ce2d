"""What a person may ask to have imported: files that they send, or a path on this machine."""

from __future__ import annotations

import os
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile


class ManyFilesInput(forms.FileInput):
    """A field of a page that takes several files."""

    allow_multiple_selected = True


class ManyFiles(forms.FileField):
    """Any number of files; none is an empty list."""

    widget = ManyFilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[Any]]:
        """Each file of its own."""
        files = data if isinstance(data, list) else [data] if data else []
        return [super(ManyFiles, self).clean(file, initial) for file in files]


class ImportWanted(forms.Form):
    """A path, files, or both."""

    path = forms.CharField(required=False, max_length=4096, strip=True)
    uploads = ManyFiles(required=False, allow_empty_file=True)

    def clean_path(self) -> str:
        """The path, with `~` for the home folder, if something is there."""
        given: str = self.cleaned_data["path"]
        if not given:
            return ""
        path = os.path.expanduser(given)
        if not os.path.isabs(path):
            raise forms.ValidationError("Give a whole path: one that begins with / or ~.")
        if not os.path.exists(path):
            raise forms.ValidationError("There is no such file or folder.")
        return path

    def clean(self) -> dict[str, Any]:
        """Something must be asked for."""
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not cleaned.get("path") and not cleaned.get("uploads"):
            raise forms.ValidationError("Choose files, or give a path.")
        return cleaned
