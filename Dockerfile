# One image for web, worker and beat: see docker-compose.yml.
FROM python:3.11-slim-bookworm

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /app

COPY requirements/run.txt requirements/run.txt
RUN pip install --require-hashes -r requirements/run.txt

COPY manage.py ./
COPY ccweb ccweb
COPY explorer explorer
COPY harness harness
COPY observability observability
COPY templates templates
COPY static static

RUN useradd --system --uid 10001 --home-dir /data --create-home ccweb
USER ccweb
ENV CCWEB_DATA_DIR=/data
VOLUME /data
EXPOSE 8000

HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["python", "-m", "ccweb", "run", "--host", "0.0.0.0", "--port", "8000", "--no-watch"]
