# The service and the loader, for an Elasticsearch that runs elsewhere: docker-compose.yml has one.
# A pip that needs settings here gets them as a secret, of which nothing stays in the image:
# docker build --secret id=pip,src=$HOME/.config/pip/pip.conf .

# Parts by name: docs/operations.md lists them. `pdf`, the last one, has wheels for x86-64 only, and is
# left out elsewhere.
ARG EXTRAS=object-store,redis,mcp,pdf

FROM python:3.11-slim AS build
ARG EXTRAS
RUN apt-get update && apt-get install -y --no-install-recommends binutils
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE NOTICE ./
COPY deploy/image deploy/image
COPY index_templates index_templates
COPY ingest ingest
COPY samples samples
COPY src src
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    [ "$(uname -m)" = x86_64 ] || EXTRAS=${EXTRAS%,pdf} \
    && python -m venv --without-pip /opt/edgar-search \
    && pip --python /opt/edgar-search/bin/python install --no-cache-dir \
       --constraint constraints.txt ".[$EXTRAS]" \
    && python deploy/image/shrink.py /opt/edgar-search/lib

FROM python:3.11-slim
# PDFs are printed in these.
RUN apt-get update && apt-get install -y --no-install-recommends fonts-liberation \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
# The account that everything runs as. Its numbers are fixed, so that volumes keep their owner.
RUN groupadd --gid 10001 edgar-search && useradd --system --uid 10001 --gid 10001 \
    --home-dir /var/lib/edgar-search --create-home edgar-search
COPY --from=build /opt/edgar-search /opt/edgar-search
ENV PATH=/opt/edgar-search/bin:$PATH EDGAR_SEARCH_HOME=/var/lib/edgar-search PYTHONUNBUFFERED=1
USER edgar-search
WORKDIR /var/lib/edgar-search
EXPOSE 8000
# Liveness only: a container that cannot reach Elasticsearch must not be ended for it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import http.client, sys; c = http.client.HTTPConnection('127.0.0.1', 8000, timeout=4); c.request('GET', '/health/live'); sys.exit(c.getresponse().status != 200)"]
CMD ["edgar-search", "serve", "--host", "0.0.0.0"]
