"""A part of a document, from byte to byte, as HTML that stands alone."""

import html
import re

from resiliparse.parse.html import HTMLTree

from edgar_search.edgar.media_type import has_html_tags
from edgar_search.edgar.plain_text import decode_bytes, plain_text

# What a cut inside of a table left out; without it the parser would drop rows and cells.
_TABLE_PART = re.compile(r"<(/?)(table|thead|tbody|tfoot|tr|td|th)\b", re.IGNORECASE)
_OPENINGS = {"td": "<table><tr>", "th": "<table><tr>", "table": ""}


def section_content(body: bytes, start: int, end: int) -> str:
    """Return bytes `start` to `end` of a document's `body` as well-formed HTML; never raises.

    Of HTML the elements that the cut left open are closed, end tags without a beginning are left
    out, and everything else stays as filed. Plain text becomes one `<pre>`, without EDGAR's tags.
    """
    text = decode_bytes(body[max(start, 0) : max(end, 0)])
    if not has_html_tags(body):
        return f"<pre>{html.escape(plain_text(text), quote=False)}</pre>"
    inner = HTMLTree.parse(f"<body>{table_opening(text)}{text}").body
    return str(inner.html).removeprefix("<body>").removesuffix("</body>") if inner else ""


def table_opening(text: str) -> str:
    """Return what a cut inside of a table left out before `text`; "" where it left out nothing."""
    part = _TABLE_PART.search(text)
    if part is None:
        return ""
    name = part[2].lower()
    if part[1]:
        return "<table><tr><td>" if name in ("td", "th") else ""
    return _OPENINGS.get(name, "<table>")
