"""The requests that go to another node after one that failed."""

import pytest
from elastic_transport import (
    ApiResponseMeta,
    ConnectionError,
    ConnectionTimeout,
    HttpHeaders,
    NodeConfig,
)
from elasticsearch import ApiError

from edgar_search.engine.client import NotReached
from edgar_search.engine.requests import may_be_repeated, only_reads

NODE = NodeConfig("http", "127.0.0.1", 9200)
REFUSED = NotReached("")
CUT = ConnectionError("")


def reply(status: int, kind: str) -> ApiError:
    meta = ApiResponseMeta(status, "1.1", HttpHeaders(), 0.0, NODE)
    return ApiError("", meta, f'{{"error":{{"type":"{kind}"}}}}'.encode())


@pytest.mark.parametrize(
    ("error", "read", "write"),
    [
        (REFUSED, True, True),
        (CUT, True, False),
        (ConnectionTimeout(""), False, False),
        (reply(503, "search_phase_execution_exception"), True, False),
        (reply(503, "cluster_block_exception"), True, True),
        (reply(429, "es_rejected_execution_exception"), False, False),
        (reply(403, "cluster_block_exception"), False, False),
        (reply(400, "parsing_exception"), False, False),
    ],
)
def test_what_may_be_repeated(error: Exception, read: bool, write: bool) -> None:
    assert (may_be_repeated(error, True), may_be_repeated(error, False)) == (read, write)


@pytest.mark.parametrize(
    ("method", "path", "reads"),
    [
        ("POST", "/edgar-documents/_search", True),
        ("POST", "/_msearch", True),
        ("POST", "/edgar-tickers/_mget", True),
        ("POST", "/edgar-documents/_validate/query", True),
        ("POST", "/edgar-documents/_refresh", True),
        ("GET", "/edgar-api_keys/_doc/_search", True),
        ("POST", "/edgar-usage/_doc/a", False),
        ("POST", "/edgar-usage/_create/a", False),
        ("POST", "/_bulk", False),
        ("PUT", "/edgar-entities/_doc/a", False),
        ("POST", "/_aliases", False),
        ("DELETE", "/edgar-filings.all.v1", False),
    ],
)
def test_what_only_reads(method: str, path: str, reads: bool) -> None:
    assert only_reads(method, path) is reads
