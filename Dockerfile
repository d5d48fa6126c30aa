# The service and the loader, for an Elasticsearch that runs elsewhere: docker-compose.yml has one.

# Parts by name: docs/operations.md lists them. `pdf` has no wheel for ARM.
ARG EXTRAS=object-store,redis,mcp,pdf

FROM python:3.11-slim AS build
ARG EXTRAS
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE NOTICE ./
COPY index_templates index_templates
COPY ingest ingest
COPY samples samples
COPY src src
RUN pip wheel --no-cache-dir --constraint constraints.txt --wheel-dir /wheels ".[$EXTRAS]"

FROM python:3.11-slim
ARG EXTRAS
# PDFs are printed in these.
RUN apt-get update && apt-get install -y --no-install-recommends fonts-liberation \
    && rm -rf /var/lib/apt/lists/*
# The account that everything runs as. Its number is fixed, so that volumes keep their owner.
RUN useradd --system --uid 10001 --home-dir /var/lib/edgar-search --create-home edgar-search
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels "edgar-search[$EXTRAS]"
ENV EDGAR_SEARCH_HOME=/var/lib/edgar-search PYTHONUNBUFFERED=1
USER edgar-search
WORKDIR /var/lib/edgar-search
EXPOSE 8000
# Liveness only: a container that cannot reach Elasticsearch must not be ended for it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import http.client, sys; c = http.client.HTTPConnection('127.0.0.1', 8000, timeout=4); c.request('GET', '/health/live'); sys.exit(c.getresponse().status != 200)"]
CMD ["edgar-search", "serve", "--host", "0.0.0.0"]
