"""The searchable text of a document."""

import re

from edgar_search.edgar.envelope import decode_bytes, plain_text
from edgar_search.edgar.media_type import has_html_tags
from edgar_search.edgar.submission import Document
from edgar_search.text.columns import BULLETS
from edgar_search.text.forms import form_text
from edgar_search.text.html import html_text
from edgar_search.text.html_pages import PAGE_END, read_pages, with_page_ends
from edgar_search.text.line_ends import LineEnds
from edgar_search.text.page_breaks import in_reading_order
from edgar_search.text.versions import TEXT_VERSIONS, DocumentKind, TextVersion
from edgar_search.text.words import normalise, normalise_spaced
from edgar_search.text.xml import xml_text

# Listed in the filing, but not searchable. "XML" is the type of files for EDGAR's viewer: R1.htm,
# FilingSummary.xml, report.css; EDGAR's own forms have the form as their type.
_TYPES = frozenset({"EXCEL", "GRAPHIC", "JSON", "PDF", "XML", "ZIP"})
_XBRL_TYPES = re.compile(r"EX-10[01](?:$|\.)", re.IGNORECASE)
_EXTENSIONS = frozenset(
    "bmp css gif jpeg jpg js json pdf png svg tif tiff xls xlsm xlsx xsd xsl zip".split()
)
_VIEWER_PAGE = re.compile(r"R[0-9]+\.(?:htm|html|xml)", re.IGNORECASE)
# XBRL instances, schemas and linkbases, and the viewer's files, by root element.
_ROOTS = frozenset(
    {"definitionandreference", "filingsummary", "instancereport", "linkbase", "schema", "xbrl"}
)
_HTML_EXTENSIONS = frozenset({"htm", "html", "xhtml"})

# First bytes of binary files, which are not always uuencoded.
_MAGICS = (b"%PDF-", b"PK\x03\x04", b"GIF8", b"\x89PNG", b"\xff\xd8\xff")
_SNIFFED = 2048
_BOM = b"\xef\xbb\xbf"
_NAME = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)")


def searched_kind(document: Document) -> DocumentKind | None:
    """Return the format of the document's text, or None if it is not searchable.

    The body takes precedence over the file name: an inline XBRL report may be called .xml and HTML
    .txt.
    """
    if not may_be_searched(document):
        return None
    body = document.body
    if body.startswith(_MAGICS):
        return None
    kind = _kind(document, body)
    if kind is DocumentKind.HTML:
        return kind
    return None if _XBRL_TYPES.match(document.form_type) else kind


def text_version(document: Document) -> TextVersion | None:
    """Return the format and version of the document's text, or None if it is not searchable."""
    kind = searched_kind(document)
    return TEXT_VERSIONS[kind] if kind else None


def may_be_searched(document: Document) -> bool:
    """Return True if the document's name, type and first line allow it; fast for any size."""
    return not (
        document.form_type.upper() in _TYPES
        or _extension(document) in _EXTENSIONS
        or _VIEWER_PAGE.fullmatch(document.file_name) is not None
        or document.is_uuencoded
    )


def _kind(document: Document, body: bytes) -> DocumentKind | None:
    extension = _extension(document)
    root = root_element(body)
    if root == "html":
        return DocumentKind.HTML
    if _declares_xml(body) or document.wrapper or extension == "xml":
        return None if root in _ROOTS else DocumentKind.XML
    if document.form_type.upper().startswith("EX-27"):
        return DocumentKind.SCHEDULE
    if extension in _HTML_EXTENSIONS or has_html_tags(body):
        return DocumentKind.HTML
    return DocumentKind.PLAIN


def _declares_xml(body: bytes) -> bool:
    return body[:_SNIFFED].lstrip(_BOM + b" \t\r\n").startswith(b"<?xml")


def _extension(document: Document) -> str:
    return document.file_name.lower().rpartition(".")[2]


def root_element(body: bytes) -> str | None:
    """Return the first element's local name in lower case, or None if text comes first."""
    at = len(_BOM) if body.startswith(_BOM) else 0
    while True:
        at = _skip_blanks(body, at)
        for opening, closing in ((b"<?", b"?>"), (b"<!--", b"-->"), (b"<!", b">")):
            if body.startswith(opening, at):
                end = body.find(closing, at + len(opening))
                break
        else:
            match = _NAME.match(body, at)
            return match[1].decode().lower() if match else None
        if end < 0:
            return None
        at = end + len(closing)


def _skip_blanks(body: bytes, at: int) -> int:
    while at < len(body) and body[at] in b" \t\r\n":
        at += 1
    return at


_EMPTY_LINES = re.compile("\n\n\n+")
_PAGE_SIGN = "\0"  # never in text from HTML; on a line of its own
_PAGE_LINE = re.compile(rf"\n[ \v]*{PAGE_END}[ \v{PAGE_END}]*(?=\n)\n?")


def searchable_text(document: Document) -> str | None:
    """Return the document's text as it is indexed; None if it is listed but not searched.

    Lines end at "\\n" and paragraphs are one blank line apart. White space within a line is one
    blank, or one CELL_SEPARATOR between the cells of a table row, even of an empty cell; tables in
    plain text keep their blanks as filed. A document without any text gives None too. Never raises.
    """
    kind = searched_kind(document)
    if kind is None:
        return None
    return text_of(kind, decode_bytes(document.body)) or None


def text_of(kind: DocumentKind, body: str) -> str:
    """Return the text in the decoded body of a document of this format, or ""."""
    if "\r" in body:
        body = body.replace("\r\n", "\n").replace("\r", "\n")
    match kind:
        case DocumentKind.HTML:
            return read_pages(laid_out_html(body)).text
        case DocumentKind.XML:
            form = form_text(body)
            return finished_text(xml_text(body) if form is None else form.text)
        case DocumentKind.SCHEDULE:
            return finished_text(plain_text(body, schedule=True))
        case DocumentKind.PLAIN:
            return _with_paragraphs(plain_document_text(body))


def laid_out_html(body: str) -> str:
    """Return the text of HTML as it is laid out, with a line of PAGE_END between pages."""
    if "\r" in body:
        body = body.replace("\r\n", "\n").replace("\r", "\n")
    text = html_text(body).replace(_PAGE_SIGN, " ")
    # A sign that `normalise` keeps, so that one call is enough for all pages.
    text = readable(normalise(_PAGE_LINE.sub(f"\n{_PAGE_SIGN}\n", text)))
    text = text.replace(_PAGE_SIGN, f"\n{PAGE_END}\n")
    return _EMPTY_LINES.sub("\n\n", with_page_ends(text))


def finished_text(raw: str) -> str:
    """Return `raw` in its indexed form: line ends, words and paragraphs are normalised."""
    if "\r" in raw:
        raw = raw.replace("\r\n", "\n").replace("\r", "\n")
    return _with_paragraphs(readable(normalise(raw)))


def _with_paragraphs(text: str) -> str:
    return _EMPTY_LINES.sub("\n\n", text).strip("\n")


_TABLE = re.compile("(</?table>)", re.IGNORECASE)
# EDGAR's tags between the rows of a table, as in `edgar_search.edgar.envelope`.
_TAG = re.compile(r"</?(?:PAGE|CAPTION|S|C|FN|F[0-9]{1,2}|R)>", re.IGNORECASE)
# White space at the beginning of a line, and repeated tabs, do not separate cells.
_INDENT = re.compile(r"(?m)^[ \t]+|(?<=\t)[ \t]+")


def plain_document_text(body: str) -> str:
    """Return the text of a document without markup.

    Between <TABLE> and </TABLE> blanks stay as filed, so that figures line up with their headings
    in a monospaced font; elsewhere a run of blanks becomes one. Sentences interrupted by a page
    break and words hyphenated at line ends are joined.
    """
    body = in_reading_order(body)
    line_ends = LineEnds(body)
    pieces: list[str] = []
    inside = False
    for place, piece in enumerate(_TABLE.split(body)):
        if place % 2:
            inside = piece[1] != "/"
        elif inside:
            pieces.append(normalise_spaced(_TAG.sub(lambda tag: " " * len(tag[0]), piece)))
        else:
            text = line_ends.joined(plain_text(piece))
            pieces.append(readable(normalise(_INDENT.sub("", text) if "\t" in text else text)))
    return "\n".join(pieces)


# Rulers and leaders, each with a character they all contain and its replacement. None of these
# characters occurs in a word except a single full stop. The patterns begin with that character,
# because searching for it is many times as fast.
_RULERS = (
    ("----", re.compile("----++"), "---"),
    ("====", re.compile("====++"), "==="),
    ("....", re.compile(r"\.\.\.\.++"), "..."),
    (". . . .", re.compile(r"\. \. \. \.(?>(?: \.)*)"), "..."),
    ("- - - -", re.compile("- - - -(?>(?: -)*)"), "---"),
)
# A line of rulers only, one for each column.
_RULED_LINE = re.compile(r"\n\t*(---|===)(?>(?:[ \t]++\1)+)(?=\n)")
# Beside a letter or digit, and possibly beside a non-ASCII character, it belongs to a word; so does
# an apostrophe after a Hebrew letter.
_LINE_TO_SIGN = re.compile(r"____++(?![0-9A-Za-z\x80-\U0010ffff])")
_MAY_BE_OF_WORD = re.compile(r"[0-9A-Za-z\x80-\U0010ffff]|(?<=[\x80-\U0010ffff])'")

# A bullet in a line or cell of its own.
_BULLET = re.compile(rf"\n([{BULLETS}])(?:\t|\n++)(?=[^\t\n\0])")


def readable(text: str) -> str:
    """Shorten what separates the words of a normalised text, without changing the words.

    Rulers and leaders become three characters, and a bullet in a line or cell of its own is put
    before its text. The text begins and ends with a "\\n".
    """
    text = f"\n{text}\n"
    ruled = False
    for sign, ruler, short in _RULERS:
        if sign[0] in text and sign in text:
            text = ruler.sub(short, text)
            ruled = True
    if ruled:
        text = _RULED_LINE.sub(r"\n\1", text)
    if "_" in text and "____" in text:
        text = _LINE_TO_SIGN.sub(_shorten, text)
    if not text.isascii():
        text = _BULLET.sub(r"\n\1 ", text)
    return text


def _shorten(line: re.Match[str]) -> str:
    return line[0] if _MAY_BE_OF_WORD.match(line.string, line.start() - 1) else "___"
