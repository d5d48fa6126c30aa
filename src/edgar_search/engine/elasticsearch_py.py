"""Elasticsearch's own client library, imported without its optional dependencies.

If they are installed, it imports them for a serializer and for nodes that nothing here uses: 47 MB
and a third of a second of CPU in every process that starts.
"""

import sys

_LEFT_OUT = frozenset({"pyarrow", "httpx", "requests"}) - sys.modules.keys()
for _name in _LEFT_OUT:
    # None makes an import fail as if the library were not installed.
    sys.modules[_name] = None  # type: ignore[assignment]
try:
    from elastic_transport import (
        AiohttpHttpNode,
        ApiResponse,
        BaseNode,
        ConnectionTimeout,
        NodePool,
        SerializationError,
        Serializer,
        TlsError,
        TransportError,
    )
    from elastic_transport import ConnectionError as NodeConnectionError
    from elasticsearch import ApiError, AsyncElasticsearch, UnsupportedProductError
finally:
    for _name in _LEFT_OUT:
        del sys.modules[_name]

__all__ = [
    "AiohttpHttpNode",
    "ApiError",
    "ApiResponse",
    "AsyncElasticsearch",
    "BaseNode",
    "ConnectionTimeout",
    "NodeConnectionError",
    "NodePool",
    "SerializationError",
    "Serializer",
    "TlsError",
    "TransportError",
    "UnsupportedProductError",
]
