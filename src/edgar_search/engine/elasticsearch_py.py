"""Elasticsearch's own client library, imported without pyarrow.

Wherever pyarrow is installed, and exports as Parquet need it, the library imports it for a
serializer that nothing here uses: 38 MB and a fifth of a second in every process that starts.
"""

import sys

_LEFT_OUT = "pyarrow"
_is_new = _LEFT_OUT not in sys.modules
if _is_new:
    # To an import this says that there is no such library.
    sys.modules[_LEFT_OUT] = None  # type: ignore[assignment]
try:
    from elastic_transport import (
        AiohttpHttpNode,
        ApiResponse,
        BaseNode,
        NodePool,
        SerializationError,
        Serializer,
        TransportError,
    )
    from elastic_transport import ConnectionError as NodeConnectionError
    from elasticsearch import ApiError, AsyncElasticsearch, UnsupportedProductError
finally:
    if _is_new:
        del sys.modules[_LEFT_OUT]

__all__ = [
    "AiohttpHttpNode",
    "ApiError",
    "ApiResponse",
    "AsyncElasticsearch",
    "BaseNode",
    "NodeConnectionError",
    "NodePool",
    "SerializationError",
    "Serializer",
    "TransportError",
    "UnsupportedProductError",
]
