"""Elasticsearch clients, made from settings."""

import logging
import os
import ssl
from typing import Any

import msgspec

from edgar_search.engine.elasticsearch_py import AsyncElasticsearch, Serializer
from edgar_search.engine.nodes import WatchedNode, WatchedPool
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.addresses import es_addresses

# A bulk request waits for indexing, which a search never does.
BULK_TIMEOUT = 120.0
# So does what changes templates, indices and aliases: for the master, which does one at a time.
ADMINISTRATION_TIMEOUT = 120.0


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
    for addresses and an authority that cannot be used, and where credentials do not go together.
    """
    if settings.es_url is None:
        raise SettingsError("EDGAR_SEARCH_ES_URL is needed here")
    addresses = es_addresses(settings.es_url)
    options = _credentials(settings) | _authority(settings, addresses)
    # Its own spans have whole paths in them, and with these ids of accounts and hashes of keys.
    os.environ["OTEL_PYTHON_INSTRUMENTATION_ELASTICSEARCH_ENABLED"] = "false"
    # Its lines are one for each failure; ours are one for each change.
    logging.getLogger("elastic_transport.node_pool").setLevel(logging.ERROR)
    serializer = BytesSerializer()
    return AsyncElasticsearch(
        list(addresses),
        node_class=WatchedNode,
        node_pool_class=WatchedPool,
        # Requests beyond this number wait inside the client, and their time-out runs meanwhile.
        connections_per_node=settings.es_connections,
        request_timeout=settings.es_timeout,
        max_retries=0,
        retry_on_timeout=False,
        retry_on_status=(),
        serializers={"application/json": serializer, "application/x-ndjson": serializer},
        **options,
    )


def _credentials(settings: Settings) -> dict[str, Any]:
    if settings.es_api_key and settings.es_user:
        raise SettingsError("EDGAR_SEARCH_ES_API_KEY and EDGAR_SEARCH_ES_USER exclude each other")
    if settings.es_password and not settings.es_user:
        raise SettingsError("EDGAR_SEARCH_ES_PASSWORD: EDGAR_SEARCH_ES_USER is needed with it")
    if settings.es_api_key:
        return {"api_key": settings.es_api_key}
    if settings.es_user:
        return {"basic_auth": (settings.es_user, settings.es_password or "")}
    return {}


def _authority(settings: Settings, addresses: tuple[str, ...]) -> dict[str, Any]:
    path, name = settings.es_ca, "EDGAR_SEARCH_ES_CA"
    if path is None:
        return {}
    if not addresses[0].startswith("https:"):
        raise SettingsError(f"{name} is for addresses that begin with https://")
    try:
        path.read_bytes()
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
    except ssl.SSLError:
        raise SettingsError(f"{name}: {path} is no certificate in PEM") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise SettingsError(f"{name}: {path} cannot be read: {reason}") from None
    return {"ca_certs": str(path)}
