"""A process that prints one document, or joins printed ones; the only user of both PDF libraries.

It is a program of its own, `python -m`, which reads a job from standard input and writes the PDF to
standard output. A document is a stranger's, and the library that lays it out is written in C++: so
the process has no network where the system allows that, writes no file, and ends itself at a limit
of CPU or memory.
"""

import html
import io
import re
import sys
from enum import IntEnum
from math import ceil

import msgspec
from msgspec import Struct

from edgar_search.document.process_bounds import allow_seconds, bound_this_process

# The slowest of 50 real reports takes 2 s of CPU and 100 MB.
CPU_SECONDS = 20
MOST_PDF_BYTES = 134_217_728
# References in a document are resolved against this address; only those below it are served.
BASE = "submission:/"
# Pictures with more pixels are left out: each takes four bytes when unpacked.
MOST_PIXELS = 40_000_000


class Page(Struct, tag="page", frozen=True):
    """A document to print, with the images of its submission by name.

    `footer` is printed on each page.
    """

    body: bytes
    file_name: str
    form_type: str
    content_type: str
    title: str
    footer: str
    images: dict[str, bytes] = {}


class Copy(Struct, tag="copy", frozen=True):
    """A PDF that was filed, to be rewritten so that it can be joined."""

    body: bytes


class Join(Struct, tag="join", frozen=True):
    """PDFs to join into one, each with the title of its bookmark."""

    title: str
    parts: list[tuple[str, bytes]]


PrintJob = Page | Copy | Join


class Ending(IntEnum):
    """The exit status of a process that made no PDF; a signal means that it met a limit."""

    UNREADABLE = 3
    TOO_LARGE = 4


# Today's reports make tables inline, and the end of a page would cut a row of such a table.
_STYLE = r"""
@page { size: letter; margin: 0.6in 0.5in; font: 7pt sans-serif; color: #777;
  @bottom-center { content: "%s" } @bottom-right { content: counter(page) } }
table[style*="inline-table"] { display: table !important }
[style*="text-align:center"] > table[style*="inline-table"] { margin: 0 auto !important }
[style*="text-align:right"] > table[style*="inline-table"] { margin-left: auto !important }
tr { break-inside: avoid }
img { max-width: 100%%; max-height: 8.2in; object-fit: contain }
ix\:header { display: none }
pre { font-family: monospace; white-space: pre-wrap; margin: 0 }
pre + pre { break-before: page }
"""
# The width of a page between its margins, in points, and of a character, in units of the font size.
_WIDTH_POINTS, _CHARACTER = 540, 0.605
_MOST_POINTS, _MOST_COLUMNS = 10.0, 132
# The length of line that decides the font size: of 200 lines, one may be longer.
_LONGEST = 0.995
_PAGE_TAG = re.compile(r"^[ \t]*<PAGE>[ \t]*\d*[ \t]*$", re.IGNORECASE | re.MULTILINE)


def page_html(page: Page) -> str:
    """Return the HTML to lay out: the document's own, or a frame around its text or picture."""
    if page.content_type.startswith("image/"):
        return f'<img src="{html.escape(page.file_name)}">'
    # Imported here, since only prints with text of a filing need it.
    from edgar_search.edgar.document import Document
    from edgar_search.edgar.envelope import decode_bytes, plain_text
    from edgar_search.text.document_text import searched_kind, text_of
    from edgar_search.text.versions import DocumentKind

    size = len(page.body)
    document = Document(
        "", 1, page.form_type, "", page.file_name, page.body, None, 0, size, (0, size)
    )
    kind, source = searched_kind(document), decode_bytes(page.body)
    match kind or page.content_type:
        case DocumentKind.HTML | "text/html":
            return source
        case DocumentKind.XML | DocumentKind.SCHEDULE:
            assert kind is not None
            return prose_html(text_of(kind, source))
        case DocumentKind.PLAIN:
            return text_html([plain_text(page_source) for page_source in _PAGE_TAG.split(source)])
    return text_html([source])


def text_html(pages: list[str]) -> str:
    """Lay out plain text in a monospaced font, so small that nearly all lines of tables fit."""
    lines = sorted(len(line.expandtabs()) for page in pages for line in page.splitlines())
    longest = lines[ceil(len(lines) * _LONGEST) - 1] if lines else 1
    width = min(max(longest, 1), _MOST_COLUMNS)
    size = min(_MOST_POINTS, _WIDTH_POINTS / (_CHARACTER * width))
    shown = [page_text.strip("\r\n") for page_text in pages]
    opening = f'<pre style="font-size:{size:.2f}pt">'
    return "".join(
        f"{opening}{html.escape(page_text)}\n</pre>" for page_text in shown if page_text.strip()
    )


def prose_html(text: str) -> str:
    """Lay out lines of labels and values."""
    return f'<pre style="font:9.5pt sans-serif">{html.escape(text)}</pre>'


def style(footer: str) -> str:
    """Return the printer's own style, with a text in each page's footer."""
    # Any other character might end the text within the style.
    text = "".join(
        character if character.isalnum() or character in " .,-()" else f"\\{ord(character):06x} "
        for character in footer
    )
    return _STYLE % text


def pixels(image: bytes) -> int:
    """Return the number of pixels that a PNG, GIF or JPEG declares; 0 for other files."""
    if image.startswith(b"\x89PNG"):
        width, height = image[16:20], image[20:24]
    elif image.startswith(b"GIF8"):
        width, height = image[7:5:-1], image[9:7:-1]
    else:
        at = 2
        while image.startswith(b"\xff\xd8") and at + 9 < len(image) and image[at] == 0xFF:
            # Frames have the codes C0 to CF, except for three codes of tables.
            if 0xC0 <= image[at + 1] <= 0xCF and image[at + 1] not in (0xC4, 0xC8, 0xCC):
                height, width = image[at + 5 : at + 7], image[at + 7 : at + 9]
                break
            at += 2 + int.from_bytes(image[at + 2 : at + 4])
        else:
            return 0
    return int.from_bytes(width) * int.from_bytes(height)


def make_pdf(job: PrintJob) -> bytes:
    """Make the PDF of a job; raises the libraries' errors."""
    match job:
        case Page():
            return _print(job)
        case Copy():
            return _join([("", job.body)], "")
    return _join(job.parts, job.title)


def _print(page: Page) -> bytes:
    import plutoprint

    class Images(plutoprint.ResourceFetcher):
        """Fetches everything outside the document's own text."""

        def fetch_url(self, url: str) -> plutoprint.ResourceData:
            """Return the submission's image with this name.

            Any other address gives an empty image.
            """
            inside = url.startswith(BASE)
            image = page.images.get(url.removeprefix(BASE).lower(), b"") if inside else b""
            return plutoprint.ResourceData(b"" if pixels(image) > MOST_PIXELS else image)

    book = plutoprint.Book(
        plutoprint.PAGE_SIZE_LETTER,
        plutoprint.PAGE_MARGINS_NARROW,
        plutoprint.MEDIA_TYPE_PRINT,
    )
    book.custom_resource_fetcher = Images()
    book.load_html(page_html(page), style(page.footer), "", BASE)
    book.set_metadata(plutoprint.PDF_METADATA_TITLE, page.title)
    book.set_metadata(plutoprint.PDF_METADATA_CREATOR, "edgar-search")
    stream = io.BytesIO()
    book.write_to_pdf_stream(stream)
    return stream.getvalue()


def _join(parts: list[tuple[str, bytes]], title: str) -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter()
    for name, body in parts:
        first = len(writer.pages)
        for page in PdfReader(io.BytesIO(body)).pages:
            writer.add_page(page)
        if name and len(writer.pages) > first:
            writer.add_outline_item(title=name, page_number=first)
    if title:
        writer.add_metadata({"/Title": title, "/Creator": "edgar-search"})
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def main() -> int:
    """Run the job on standard input; return 0, or an Ending."""
    bound_this_process()
    allow_seconds(CPU_SECONDS)
    job = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=PrintJob)
    try:
        pdf = make_pdf(job)
    except MemoryError:
        return Ending.TOO_LARGE
    except Exception:
        # The libraries raise all kinds of errors for a document that they cannot read.
        return Ending.UNREADABLE
    if len(pdf) > MOST_PDF_BYTES:
        return Ending.TOO_LARGE
    sys.stdout.buffer.write(pdf)
    return 0


if __name__ == "__main__":
    sys.exit(main())
