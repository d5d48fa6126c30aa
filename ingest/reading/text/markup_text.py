"""HTML to text, by the fastest way that is safe for it."""

import re

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from ingest.reading.text.html_tags import HIDDEN
from ingest.reading.text.ordinary_html import ordinary_html_text
from ingest.reading.text.stripped_html import is_costly, stripped_text
from ingest.reading.text.table_rows import (
    CELL,
    ROW,
    TABLE,
    TABLE_END,
    with_rows,
    without_marks,
)

# Elements whose content is no text, and which reach to the document's end if they have none.
_SWALLOWING = re.compile(r"<(/?)(title|style|script|textarea)\b", re.IGNORECASE)
_TABLE_TAG = re.compile(r"<(/?)(?i:(t)able|t(r)|t[dh])\b[^<>]*+>")


def html_text(html: str) -> str:
    """Return the visible text of `html`, a line for each block and each row of a table.

    Never raises for bad HTML.
    """
    html = without_marks(html)
    text = ordinary_html_text(html)
    if text and not text.isspace():
        return text
    html = _with_ends_apart(_with_comments_closed(html))
    if is_costly(html):
        return stripped_text(html)
    text = tree_text(html)
    if not text.strip() and (at := _unclosed(html)) is not None:
        text = tree_text(f"{html[: at + 1]}unclosed-{html[at + 1 :]}")
    return text


def _unclosed(html: str) -> int | None:
    """Return where an element begins that has no end and hides all the rest, if there is one."""
    opened: dict[str, int] = {}
    for match in _SWALLOWING.finditer(html):
        if match[1]:
            opened.pop(match[2].lower(), None)
        else:
            opened.setdefault(match[2].lower(), match.start())
    return min(opened.values(), default=None)


def tree_text(html: str) -> str:
    """Return the text of `html` by a tree of its elements; it has no marks of tables."""
    text = extract_plain_text(
        HTMLTree.parse(_with_marks(html)),
        preserve_formatting=True,
        main_content=False,
        form_fields=True,  # without it the words of labels and buttons would be lost
        list_bullets=False,  # neither bullets nor numbers stand in the document
        alt_texts=False,
        links=False,
        skip_elements=HIDDEN,
    )
    return with_rows(str(text))


def _with_marks(html: str) -> str:
    """Return `html` with marks for its tables, where a tree keeps them in their place.

    What stands in a table or row outside of its cells goes before the table, so that the mark of a
    row is in its first cell. In the tree itself they could be put anywhere, at seven times the time
    of the tree. A mark that comes to stand in an attribute or a script is in no text.
    """
    row = ""

    def marked(tag: re.Match[str]) -> str:
        nonlocal row
        closing, table, is_row = tag.groups()
        if table:
            row = ""
            return f"{tag[0]}{TABLE_END}" if closing else f"{TABLE}{tag[0]}"
        if is_row:
            row = ROW
            return tag[0]
        if closing:
            return tag[0]
        begun, row = row, ""
        return f"{tag[0]}{begun}{CELL}"

    return _TABLE_TAG.sub(marked, html)


def _with_comments_closed(html: str) -> str:
    """Return `html` without the openings of comments that would hide all the rest of it."""
    last = html.rfind("<!--")
    if last < 0 or html.find("-->", last) >= 0:
        return html
    closed = html.rfind("-->", 0, last) + 3 if "-->" in html else 0
    return html[:closed] + html[closed:].replace("<!--", "")


def _with_ends_apart(html: str) -> str:
    """Return `html` with a line end behind each end of a document, where one is not the last."""
    end = "</html>" if (at := html.find("</html>")) >= 0 else "</HTML>"
    at = at if at >= 0 else html.find(end)
    if at < 0 or not html[at + len(end) :].strip():
        return html
    return html.replace(end, f"{end}\n")
