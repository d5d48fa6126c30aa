"""Elasticsearch clients, made from settings."""

import logging
import os
from typing import Any

import msgspec

from edgar_search.engine.elasticsearch_py import AsyncElasticsearch, Serializer
from edgar_search.engine.nodes import FIRST_WAIT, LONGEST_WAIT, WatchedNode, WatchedPool
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.addresses import es_addresses

# A bulk request waits for indexing, which a search never does.
BULK_TIMEOUT = 120.0


class BytesSerializer(Serializer):
    """Encodes with msgspec and leaves replies as bytes, for the engine to decode into a type.

    Decoding a 24 kB reply into Structs takes 20 us, into dicts by the standard library 70.
    """

    mimetype = "application/json"

    def dumps(self, data: Any) -> bytes:
        return data if isinstance(data, bytes) else msgspec.json.encode(data)

    def loads(self, data: bytes) -> bytes:
        return data


def make_client(settings: Settings) -> AsyncElasticsearch:
    """A client for the nodes of `settings.es_url`, for the event loop that uses it first.

    It retries nothing: the engine and the loader know what may be repeated. Raises SettingsError
    for addresses that cannot be used, and where credentials do not go together.
    """
    if settings.es_url is None:
        raise SettingsError("EDGAR_SEARCH_ES_URL is needed here")
    if settings.es_api_key and settings.es_user:
        raise SettingsError("EDGAR_SEARCH_ES_API_KEY and EDGAR_SEARCH_ES_USER exclude each other")
    options: dict[str, Any] = {}
    if settings.es_api_key:
        options["api_key"] = settings.es_api_key
    elif settings.es_user:
        options["basic_auth"] = (settings.es_user, settings.es_password or "")
    if settings.es_ca:
        options["ca_certs"] = str(settings.es_ca)
    # Its own spans have whole paths in them, and with these ids of accounts and hashes of keys.
    os.environ["OTEL_PYTHON_INSTRUMENTATION_ELASTICSEARCH_ENABLED"] = "false"
    # Its lines are one for each failure; ours are one for each change.
    logging.getLogger("elastic_transport.node_pool").setLevel(logging.ERROR)
    serializer = BytesSerializer()
    return AsyncElasticsearch(
        list(es_addresses(settings.es_url)),
        node_class=WatchedNode,
        node_pool_class=WatchedPool,
        dead_node_backoff_factor=FIRST_WAIT,
        max_dead_node_backoff=LONGEST_WAIT,
        # Requests beyond this number wait inside the client, and their time-out runs meanwhile.
        connections_per_node=settings.es_connections,
        request_timeout=settings.es_timeout,
        max_retries=0,
        retry_on_timeout=False,
        retry_on_status=(),
        serializers={"application/json": serializer, "application/x-ndjson": serializer},
        **options,
    )
