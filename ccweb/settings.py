"""Settings, all of them. Each comes from the environment through a strict reader, with a default for one machine."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import Any

import dj_database_url
import platformdirs
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from ccweb import __version__
from ccweb.env import Env

env = Env()
BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = __version__

# Where the database and state live.
DATA_DIR = env.folder("CCWEB_DATA_DIR", Path(platformdirs.user_data_dir("ccweb")))
try:
    DATA_DIR.mkdir(parents=True, exist_ok=True)
except OSError as error:
    raise ImproperlyConfigured(f"CCWEB_DATA_DIR is {DATA_DIR}, which cannot be made: {error.strerror}.") from error


def secret_key(folder: Path) -> str:
    """The key from the environment, or one that is made once and kept beside the database."""
    given = env.secret("CCWEB_SECRET_KEY")
    if given:
        return given
    file, fresh = folder / "secret-key", folder / f"secret-key.{os.getpid()}"
    if not file.exists():
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(50))
        with contextlib.suppress(FileExistsError):  # another process was first
            os.link(fresh, file)
        fresh.unlink()
    return file.read_text()


def database(folder: Path) -> dict[str, Any]:
    """The database that DATABASE_URL names, or SQLite in the data folder."""
    url = env.secret("DATABASE_URL")
    try:
        config: dict[str, Any] = dict(dj_database_url.parse(url or f"sqlite:///{folder / 'ccweb.sqlite3'}"))
    except (ValueError, KeyError) as error:
        raise ImproperlyConfigured(f"DATABASE_URL cannot be read: {error}.") from error
    if config["ENGINE"] == "django.db.backends.sqlite3":
        config["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 60,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY;",
        }
    elif config["ENGINE"] == "django.db.backends.postgresql":
        config["CONN_MAX_AGE"] = 60
        config["CONN_HEALTH_CHECKS"] = True
    else:
        raise ImproperlyConfigured("DATABASE_URL must start with sqlite:// or postgres://.")
    return config


SECRET_KEY = secret_key(DATA_DIR)
DEBUG = env.flag("CCWEB_DEBUG", default=False)
DATABASES = {"default": database(DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Local mode serves this machine only and needs no login.
ALLOWED_HOSTS = env.words("CCWEB_ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])

# Behind a proxy that speaks HTTPS and says so in X-Forwarded-Proto.
SECURE = env.flag("CCWEB_SECURE", default=False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SECURE else None
SECURE_SSL_REDIRECT = SECURE
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if SECURE else 0
CSRF_COOKIE_SECURE = SECURE
# Whether subdomains and preload lists follow is for the owner of the domain to say, not for one site on it.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

# What is kept of the text of a log.
STORE_TEXT = env.choice("CCWEB_STORE_TEXT", ["full", "preview", "none"], "full")

# Prices of one's own, before the bundled ones; see docs/prices.md.
PRICES_FILE = env.file("CCWEB_PRICES", DATA_DIR / "prices.json")

# Factors of token counts that `manage.py fit_factors --write` fitted to this store; see docs/accounting.md.
FACTORS_FILE = env.place("CCWEB_FACTORS", DATA_DIR / "factors.json")

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "explorer",
    "observability",
]
MIDDLEWARE = [
    "ccweb.middleware.same_site_only",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "ccweb.urls"
WSGI_APPLICATION = "ccweb.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "context_processors": ["django.template.context_processors.request", "ccweb.context.site"],
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["django.template.loaders.filesystem.Loader", "django.template.loaders.app_directories.Loader"],
                )
            ],
        },
    }
]

# Only files of our own run or style a page.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
CSRF_COOKIE_SAMESITE = "Strict"
CSRF_COOKIE_HTTPONLY = True
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

# The most that one POST of events may hold, unpacked.
MAX_BODY = env.number("CCWEB_MAX_BODY_MB", 64, least=1, most=1024) * 1024 * 1024
# What the server takes of one request at all: files that a person sends may be longer than events.
MOST_SENT = 2 * MAX_BODY

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "observability.api.errors.handle",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "ccweb",
    "DESCRIPTION": "Run-log events in; conversations, requests and report out. For this machine only: no login.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# Without a broker, tasks run in the background of the one process.
CELERY_BROKER_URL = env.secret("CELERY_BROKER_URL")
if CELERY_BROKER_URL and not CELERY_BROKER_URL.startswith(("redis://", "rediss://", "redis+socket://")):
    raise ImproperlyConfigured("CELERY_BROKER_URL must start with redis://, rediss:// or redis+socket://.")
CELERY_TASK_ALWAYS_EAGER = not CELERY_BROKER_URL
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
# Seconds between two runs of a periodic task; without a broker, `ccweb.tick` keeps to the same list.
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    "requeue-lost": {"task": "observability.tasks.requeue_lost", "schedule": 60.0}
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "{levelname} {name}: {message}", "style": "{"}},
    # A request that waits for a thread is no news.
    "loggers": {"waitress.queue": {"level": "ERROR"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {
        "handlers": ["console"],
        "level": env.choice("CCWEB_LOG_LEVEL", ["DEBUG", "INFO", "WARNING", "ERROR"], "WARNING"),
    },
}
