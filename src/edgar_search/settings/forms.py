"""Settings that are texts of a certain form; the description is what is told of a wrong one."""

from typing import Annotated

from msgspec import Meta

# Elasticsearch takes lower case only in index names; the other marks would clash with our own.
_PREFIX_FORM = "a small letter, then small letters, digits, _ and -, 60 characters at most"
Prefix = Annotated[
    str, Meta(pattern=r"^[a-z][a-z0-9_-]*\Z", max_length=60, description=_PREFIX_FORM)
]
HeapSize = Annotated[
    str,
    Meta(pattern=r"^[1-9][0-9]*[mg]\Z", description="a number and m or g, such as 512m or 4g"),
]
EdgarAddress = Annotated[
    str,
    Meta(pattern=r"^https?://[^/?#]+\Z", description="http:// or https:// and a host, no path"),
]
RateStorage = Annotated[
    str,
    Meta(
        pattern=r"^(memory|rediss?://.+)\Z",
        description="memory, or redis://HOST:PORT/DB, or rediss://HOST:PORT/DB",
    ),
]
MetricsToken = Annotated[
    str,
    Meta(
        min_length=16,
        pattern=r"^[!-~]+\Z",
        description="16 characters of ASCII or more, without spaces",
    ),
]
