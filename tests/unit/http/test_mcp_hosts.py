"""Host and Origin of calls of `/mcp`, by the address that the service listens on."""

import pytest
from starlette.requests import Request

from edgar_search.errors import Forbidden
from edgar_search.settings import Settings
from edgar_search.web.mcp.endpoint import refuse_foreign


def request(server: str, **headers: str) -> Request:
    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "headers": given, "server": (server, 8000), "client": (server, 4000)}
    return Request(scope)


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST", "[::1]:8000"])
def test_service_on_loopback_is_called_by_its_names(host: str) -> None:
    refuse_foreign(request("127.0.0.1", host=host), Settings())


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "", "127.0.0.1.evil.example"]
)
def test_service_on_loopback_refuses_other_names(host: str) -> None:
    with pytest.raises(Forbidden, match="EDGAR_SEARCH_MCP_HOSTS"):
        refuse_foreign(request("127.0.0.1", host=host), Settings())


def test_public_service_has_any_name_unless_a_list_says_otherwise() -> None:
    refuse_foreign(request("203.0.113.7", host="filings.example"), Settings())
    # A proxy on this machine hands on the name by which it was called.
    handed_on = {"host": "filings.example", "x_forwarded_for": "198.51.100.4"}
    refuse_foreign(request("127.0.0.1", **handed_on), Settings())
    listed = Settings(mcp_hosts="filings.example, 127.0.0.1")
    refuse_foreign(request("203.0.113.7", host="filings.example:443"), listed)
    with pytest.raises(Forbidden):
        refuse_foreign(request("203.0.113.7", host="localhost"), listed)


def test_page_of_another_site_is_refused() -> None:
    own = {"host": "localhost:8000", "origin": "http://localhost:8000"}
    refuse_foreign(request("127.0.0.1", **own), Settings())
    other = own | {"origin": "http://localhost:9000"}
    with pytest.raises(Forbidden, match="EDGAR_SEARCH_MCP_ORIGINS"):
        refuse_foreign(request("127.0.0.1", **other), Settings())
    refuse_foreign(request("127.0.0.1", **other), Settings(mcp_origins="http://localhost:9000"))
