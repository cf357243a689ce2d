"""Wiring only: settings, URLs, Celery, the ccweb command."""

__version__ = "0.1.0"
