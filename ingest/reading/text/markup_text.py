"""HTML and XML to text."""

import re
from html import unescape
from xml.parsers import expat

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from ingest.reading.text.html_tags import HIDDEN
from ingest.reading.text.ordinary_html import ordinary_html_text
from ingest.reading.text.stripped_html import is_costly, stripped_text
from ingest.reading.text.tag_brackets import are_of_tags

# Elements whose content is no text, and which reach to the document's end if they have none.
_SWALLOWING = re.compile(r"<(/?)(title|style|script|textarea)\b", re.IGNORECASE)


class _RefusedXmlError(Exception):
    """The XML declares entities or attributes, which may cost without bound."""


def html_text(html: str) -> str:
    """Return the visible text of `html`, a line for each block; never raises for bad HTML."""
    text = ordinary_html_text(html)
    if text and not text.isspace():
        return text
    html = _with_ends_apart(_with_comments_closed(html))
    if is_costly(html):
        return stripped_text(html)
    text = _extracted(html)
    if not text.strip() and (at := _unclosed(html)) is not None:
        text = _extracted(f"{html[: at + 1]}unclosed-{html[at + 1 :]}")
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


def _extracted(html: str) -> str:
    text = extract_plain_text(
        HTMLTree.parse(html),
        preserve_formatting=True,
        main_content=False,
        form_fields=True,  # without it the words of labels and buttons would be lost
        list_bullets=False,  # neither bullets nor numbers stand in the document
        alt_texts=False,
        links=False,
        skip_elements=HIDDEN,
    )
    return str(text)


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


def xml_text(xml: str) -> str:
    """Return the text of the elements of `xml`, one space between two; attributes are no text.

    What is no well-formed XML, or declares entities or attributes, is read as a browser would.
    """
    data = xml.strip("\ufeff \t\r\n").encode("utf-8", errors="replace")
    try:
        if _is_ordinary_xml(data):
            return _ordinary_xml_text(data)
        pieces: list[str] = []
        _xml_parser(pieces, len(data)).Parse(data, True)
    except (expat.ExpatError, _RefusedXmlError):
        return html_text(xml.replace("<", " <"))
    return _joined(pieces)


def _is_ordinary_xml(data: bytes) -> bool:
    """Whether brackets are of tags alone, and there are no declarations, comments and the like."""
    # One instruction may stand at the beginning, where it is in no text.
    return are_of_tags(data) and not any(data.find(each, 1) >= 0 for each in (b"<!", b"<?", b"&#"))


def _ordinary_xml_text(data: bytes) -> str:
    """Return what stands between the tags of ordinary XML, in which all entities are XML's own.

    A parser without handlers only says whether it is well-formed, in a quarter of the time that it
    takes to be given the texts. Raises ExpatError.
    """
    expat.ParserCreate("utf-8").Parse(data, True)
    text = unescape(_joined(data.decode().replace(">", "<").split("<")[0::2]))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _joined(pieces: list[str]) -> str:
    return " ".join([stripped for piece in pieces if (stripped := piece.strip())])


def _xml_parser(pieces: list[str], size: int) -> expat.XMLParserType:
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.buffer_size = max(1, size)  # so that no text, however long, comes in two pieces
    # Without handlers for the elements the texts of neighbours would come in one piece.
    parser.StartElementHandler = _ignore
    parser.EndElementHandler = _ignore
    parser.CharacterDataHandler = pieces.append
    parser.EntityDeclHandler = _refuse_declaration
    parser.AttlistDeclHandler = _refuse_declaration
    return parser


def _ignore(*_: object) -> None:
    pass


def _refuse_declaration(*_: object) -> None:
    raise _RefusedXmlError
