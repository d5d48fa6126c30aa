"""The addresses that may be kept."""

import pytest

from edgar_search.errors import BadRequest
from edgar_search.web.auth.saved_links import checked_url


@pytest.mark.parametrize(
    "url",
    [
        "https://www.sec.gov/Archives/edgar/data/1/2.htm?a=b#c",
        "http://localhost:8000",
        "HTTPS://EXAMPLE.COM/",
        "http://[::1]:80/x",
        "https://例え.jp/東京",
        "https://example.com/a%20b",
    ],
)
def test_address_with_a_host_is_taken_as_it_is(url: str) -> None:
    assert checked_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "www.sec.gov",
        "//www.sec.gov/",
        "/local",
        "https:",
        "https://",
        "https:///path",
        "https://:80/",
        "ftp://example.com/",
        "javascript:alert(1)",
        "javascript://example.com/%0aalert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "https://example.com:port/",
        "https://example.com:99999/",
        "https://[::1/",
        "https://exa mple.com/",
        "https://example.com/a b",
        "https://good.example\\@bad.example/",
        'https://example.com/"><script>',
    ],
)
def test_other_address_is_refused(url: str) -> None:
    with pytest.raises(BadRequest) as refused:
        checked_url(url)
    assert str(refused.value) == (
        "`url` must be an address with http or https and a host, of up to 2000 characters"
    )
