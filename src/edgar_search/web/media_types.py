"""What form of an answer a client would rather have (RFC 9110, section 12.5.1)."""

import re
from collections.abc import Iterator, Sequence

JSON, PLAIN = "application/json", "text/plain"
JSON_LINES = "application/x-ndjson"
_QUALITY = re.compile(r"[01](\.[0-9]{0,3})?", re.ASCII)


def preferred(accept: str, offered: Sequence[str]) -> str:
    """The one of the offered media types that the header wants most, of equals the first.

    A header that is absent, malformed, or wants none of them gets the first.
    """
    wanted = dict(_ranges(accept))
    return max(offered, key=lambda offer: _quality(wanted, offer))


def _ranges(accept: str) -> Iterator[tuple[str, float]]:
    for item in accept.split(","):
        name, *parameters = (part.strip().lower() for part in item.split(";"))
        quality = next((each[2:] for each in parameters if each.startswith("q=")), "1")
        if _QUALITY.fullmatch(quality):
            yield name, float(quality)


def _quality(wanted: dict[str, float], offer: str) -> float:
    for media_range in (offer, offer.partition("/")[0] + "/*", "*/*"):
        if media_range in wanted:
            return wanted[media_range]
    return 0.0
