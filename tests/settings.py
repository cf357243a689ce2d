"""The site's settings, in a data folder of their own and on the database that this run is about."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp(prefix="ccweb-tests-"))
# As root, PostgreSQL runs as another user, who must be able to get to its files.
FOLDER.chmod(0o711)
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
os.environ["CCWEB_DATA_DIR"] = str(FOLDER / "data")
for name in (
    "CCWEB_FACTORS",
    "CCWEB_DEBUG",
    "CCWEB_SECURE",
    "CCWEB_ALLOWED_HOSTS",
    "CELERY_BROKER_URL",
    "DATABASE_URL",
):
    os.environ.pop(name, None)

from ccweb.settings import *  # noqa: E402, F403
from ccweb.settings import DATA_DIR, DATABASES  # noqa: E402

ON_POSTGRESQL = os.environ.get("CCWEB_TEST_ENGINE") == "postgresql"

if ON_POSTGRESQL:
    DATABASES["default"] = {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "postgres",
        "USER": "postgres",
        "HOST": str(FOLDER),  # where the socket will be, once a fixture has started the server
        "TEST": {"NAME": "test_ccweb"},
    }
else:
    # A file: what shares an SQLite database in memory locks differently.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
