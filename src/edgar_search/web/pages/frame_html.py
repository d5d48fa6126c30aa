"""The page in the frame that shows a document in its own layout; in a reading room only."""

import gzip
from collections.abc import Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import urlencode

from edgar_search.document.filed_layout import part_html
from edgar_search.document.filed_view import Anchored, FiledView, Marked
from edgar_search.web.pages.links import address

_GZIP_LEVEL = 4


def frame_bytes(
    view: FiledView,
    body: bytes,
    number: int,
    marks: Sequence[Marked],
    anchors: Sequence[Anchored],
    look: "Look",
    packed: bool,
) -> bytes:
    """Return the page of a part with its marks; `packed` compresses it with gzip."""
    content = part_html(view, body, number, marks, anchors, look.nonce, look)
    page = frame_page(view, number, content, look.nonce, look.here).encode()
    return gzip.compress(page, _GZIP_LEVEL) if packed else page


def frame_page(view: FiledView, number: int, shown: str, nonce: str, here: str) -> str:
    """Return the page in the frame.

    Browsers render it as they render the filed document.
    """
    doctype = view.doctype if view.is_html else "<!doctype html>"
    return (
        f'{doctype}<html lang="en"><head><meta charset="utf-8"><title>The document as filed</title>'
        f"<style>{_STYLE.replace('$', nonce)}</style></head><body>"
        f"{_beside(here, number, 'previous', nonce) if number else ''}"
        f'<div class="{nonce}f{"" if view.is_html else f" {nonce}t"}">{shown}</div>'
        f"{_beside(here, number + 2, 'next', nonce) if number + 1 < len(view.parts) else ''}"
        "</body></html>"
    )


def _beside(here: str, part: int, which: str, nonce: str) -> str:
    place = escape(f"{here}{'&' if '?' in here else '?'}part={part}")
    return f'<p class="{nonce}p"><a target="_top" href="{place}">The {which} part</a></p>'


# `$` is the nonce, so that filed elements have none of these classes. The style of a filed link
# comes from its inner element, and overrides these.
_STYLE = """
html{background:#fff;color:#000;color-scheme:light}
body{margin:1rem;overflow-wrap:break-word}
img{max-width:100%;height:auto}
.$t{font:13px/1.4 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.$t pre{font:inherit;margin:0}
.$m{background:#ffef9f;color:#1d1c1a;position:relative;z-index:1;scroll-margin-block:40vh}
.$m:target{background:#ffc94d;outline:2px solid #ffc94d}
.$s{scroll-margin-top:1rem}
.$l{color:inherit;text-decoration:none}
.$l>span{color:LinkText;text-decoration:underline}
.$n{color:inherit;text-decoration:underline dotted #67635b;text-underline-offset:.2em}
.$n:hover,.$n:focus{background:#e6eefa;outline:2px solid #1b4b8a}
.$n:focus::after{content:attr(title);position:fixed;left:0;right:0;bottom:0;z-index:2;padding:.5rem
 1rem;background:#1d1c1a;color:#fff;font:14px/1.4 system-ui,sans-serif;text-align:left;
 white-space:normal;text-indent:0}
.$f{position:relative;isolation:isolate}
.$p{font:14px/1.4 system-ui,sans-serif;margin:1rem 0;position:relative;z-index:1}
@media(max-width:30rem){.$t{font-size:10px}}
"""


class Look(NamedTuple):
    """The tags of marks, sections, numbers and links.

    `cik` is the company whose series numbers link to, or "" if unknown; `here` is the address of
    the page.
    """

    nonce: str
    cik: str
    here: str

    def mark(self, name: str, again: bool) -> tuple[str, str]:
        """Return the tags of a match, or of the beginning of a section."""
        if name.startswith("s"):
            return f'<a class="{self.nonce}s" id="{self.nonce}-{name}">', "</a>"
        identity = "" if again else f' id="{self.nonce}-{name}"'
        return f'<mark class="{self.nonce}m"{identity}>', "</mark>"

    def number(self, concept: str, said: str) -> tuple[str, str]:
        """Return the tags of a link to the series of a concept; its title describes the number."""
        if not self.cik:
            return f'<span class="{self.nonce}n" title="{escape(said)}">', "</span>"
        place = escape(address(f"/company/{self.cik}", concept=concept) + "#figures")
        return (
            f'<a class="{self.nonce}n" target="_top" href="{place}" title="{escape(said)}">',
            "</a>",
        )

    def link(self, part: int, anchor: str) -> tuple[str, str]:
        """Return the tags of a link to a position in another part."""
        parameters = urlencode({"part": part + 1, "anchor": anchor})
        place = escape(f"{self.here}{'&' if '?' in self.here else '?'}{parameters}")
        return f'<a class="{self.nonce}l" target="_top" href="{place}">', "</a>"
