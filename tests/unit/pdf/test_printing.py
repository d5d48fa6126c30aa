"""PDFs of documents: what is laid out, what is fetched, and the bounds of the process."""

import asyncio
import io
import socket
import struct
import zlib
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

pytest.importorskip("plutoprint", reason="the extra `pdf` is not installed")
pypdf = pytest.importorskip("pypdf")

from edgar_search.document import pdf  # noqa: E402
from edgar_search.document.pdf import NotPrintableError, run_job  # noqa: E402
from edgar_search.document.print_process import (  # noqa: E402
    Copy,
    Join,
    Page,
    make_pdf,
    page_html,
    pixels,
    style,
)
from tests.support.waiting import until  # noqa: E402

pytestmark = pytest.mark.anyio


def png(width: int, height: int, says: int | None = None) -> bytes:
    """Return a black picture, which may say that it is `says` pixels wide."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = struct.pack(">IIBBBBB", says or width, says or height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\0" * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def page(body: str, name: str = "slate.htm", kind: str = "text/html", **images: bytes) -> Page:
    named = {name.replace("_", "."): image for name, image in images.items()}
    return Page(body.encode(), name, "10-K", kind, "Slate 10-K", "Slate Mining", named)


def read(body: bytes) -> Any:
    return pypdf.PdfReader(io.BytesIO(body))


def text(body: bytes) -> str:
    return "\n".join(each.extract_text() for each in read(body).pages)


def test_html_is_laid_out_as_filed_with_a_footer() -> None:
    made = make_pdf(
        page("<?xml version='1.0'?><html><body><p>Grey slate — 1,234</p></body></html>")
    )
    assert text(made).split("\n")[:1] == ["Grey slate — 1,234"]
    assert "Slate Mining" in text(made)
    assert read(made).metadata.title == "Slate 10-K"


def test_plain_text_keeps_its_columns_and_its_pages() -> None:
    table = "<TABLE>\n<S>    <C>\nRevenue    12\nCosts       7\n</TABLE>"
    made = make_pdf(page(f"First & foremost\n<PAGE>\n{table}", "slate.txt", "text/plain"))
    assert len(read(made).pages) == 2
    assert "First & foremost" in read(made).pages[0].extract_text()
    shown = page_html(page(f"{table}\n" + "x" * 132, "slate.txt", "text/plain"))
    assert "\nRevenue    12\nCosts       7\n" in shown
    assert "font-size:6.76pt" in shown


def test_xml_of_forms_is_printed_as_it_is_read() -> None:
    body = "<?xml version='1.0'?><slate><depth>12 feet</depth></slate>"
    assert "12 feet" in page_html(page(body, "slate.xml", "application/xml"))
    assert "&lt;" not in page_html(page(body, "slate.xml", "application/xml"))


def test_hidden_tables_stay_hidden() -> None:
    made = make_pdf(page('<table style="display:none"><tr><td>secret</table><p>open'))
    assert "secret" not in text(made)


def test_footer_ends_no_style() -> None:
    footer = 'A"} body { display: none } \\ \n<b>é'
    made = make_pdf(Page(b"<p>slate", "s.htm", "", "text/html", "", footer))
    assert "slate" in text(made)
    assert '"}' not in style(footer)


@pytest.mark.parametrize(
    ("image", "number"),
    [
        (png(3, 5), 15),
        (b"GIF89a\x03\x01\x02\x00", 259 * 2),
        (b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x0b\x08\x00\x05\x01\x00\x01", 5 * 256),
        (b"\xff\xd8\xff\xe0\x00\x00", 0),
        (b"\xff\xd8\xff\xe0\xff\xff" * 50, 0),
        (b"plain", 0),
        (b"", 0),
    ],
)
def test_pixels_that_an_image_says_it_has(image: bytes, number: int) -> None:
    assert pixels(image) == number


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


async def test_only_images_of_the_submission_are_shown_and_nothing_is_asked(
    listener: socket.socket,
) -> None:
    remote = f"http://127.0.0.1:{listener.getsockname()[1]}"
    body = (
        f'<link rel="stylesheet" href="{remote}/a.css"><style>@import "{remote}/b.css";'
        f"@font-face {{ font-family: f; src: url({remote}/f.ttf) }} p {{ font-family: f;"
        f" background: url({remote}/c.png) }}</style>"
        f'<meta http-equiv="refresh" content="0;url={remote}">'
        '<p>slate <img src="OWN.png"><img src="other.png"><img src="file:///etc/hostname">'
        f'<img src="{remote}/own.png"><svg><image href="{remote}/d.png"/></svg>'
        f'<object data="{remote}/e"></object><iframe src="{remote}/g"></iframe>'
        f'<script src="{remote}/h.js"></script><script>document.write("ran")</script>'
        '<iframe src="file:///etc/passwd"></iframe>'
    )
    made = await run_job(page(body, own_png=png(4, 4)))
    shown = [image for each in read(made).pages for image in each["/Resources"].get("/XObject", [])]
    assert len(shown) == 1
    assert "slate" in text(made)
    assert "ran" not in text(made) and "root:" not in text(made)
    with pytest.raises(BlockingIOError):
        listener.accept()


async def test_a_picture_that_says_it_is_huge_is_left_out() -> None:
    made = await run_job(page('<p>slate <img src="own.png">', own_png=png(1, 1, says=50_000)))
    assert "slate" in text(made)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<b>" * 100_000 + "x", id="100,000 nested elements"),
        pytest.param("<div>" * 100_000 + "x", id="100,000 nested boxes", marks=pytest.mark.long),
        pytest.param(
            "<table>" + "<tr><td>1<td>2<td>3" * 300_000, id="endless rows", marks=pytest.mark.long
        ),
    ],
)
async def test_hostile_documents_end_at_the_bounds(body: str) -> None:
    with pytest.raises(NotPrintableError) as refusal:
        await run_job(page(body))
    assert str(refusal.value) == "it needs more than 20 s of a core or 1 GB of memory"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<table><tr>" + "<td colspan=65534>x" * 200, id="endless columns"),
        pytest.param('<img src="data:image/png;base64,%s">', id="a huge picture inside"),
        pytest.param('<div style="width:99999999px">x', id="a wide box"),
        pytest.param("<style>" + "a{" * 50_000, id="nested rules"),
        pytest.param("<a href='" + "x" * 1_000_000 + "'>x", id="a long address"),
        pytest.param("\udcff\x00<\x01 <![CDATA[ <!-- <table><caption>", id="no HTML"),
    ],
)
async def test_hostile_documents_are_printed_or_refused(body: str) -> None:
    body = body.replace("%s", b64encode(png(1, 1, says=30_000)).decode())
    made = Page(body.encode("utf-8", "surrogatepass"), "x.htm", "", "text/html", "", "")
    try:
        assert (await run_job(made)).startswith(b"%PDF")
    except NotPrintableError as refusal:
        assert str(refusal).startswith("it needs more than")


async def test_a_filed_pdf_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(NotPrintableError) as refusal:
        await run_job(Copy(b"%PDF-1.4 cut off"))
    assert str(refusal.value) == "it cannot be read"


async def test_joined_pdfs_have_bookmarks() -> None:
    one, two = make_pdf(page("<p>one")), make_pdf(page('<p style="break-after:page">two<p>three'))
    made = read(await run_job(Join("Slate", [("10-K", one), ("EX-99 <&>", two)])))
    assert [(mark.title, made.get_destination_page_number(mark)) for mark in made.outline] == [
        ("10-K", 0),
        ("EX-99 <&>", 1),
    ]
    assert made.metadata.title == "Slate"


async def test_a_job_that_is_cancelled_leaves_no_process() -> None:
    work = asyncio.ensure_future(run_job(page("<div>" * 100_000)))
    own = psutil.Process()

    def printing() -> list[psutil.Process]:
        return [child for child in own.children() if "print_process" in str(child.cmdline())]

    async def has_begun() -> bool:
        return printing() != []

    await until(has_begun)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert printing() == []


async def test_the_process_has_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGAR_SEARCH_ES_PASSWORD", "slate")
    asked = {}
    start = asyncio.create_subprocess_exec

    async def recorded(*command: str, **options: object) -> object:
        asked.update(options)
        return await start(*command, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", recorded)
    await run_job(page("<p>slate"))
    environment = asked["env"]
    assert isinstance(environment, dict)
    assert [name for name in environment if "EDGAR" in name] == []


async def test_no_fonts_are_found_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    empty = tmp_path / "fonts.conf"
    empty.write_text('<?xml version="1.0"?><fontconfig></fontconfig>')
    assert await pdf.has_fonts()
    monkeypatch.setenv("FONTCONFIG_FILE", str(empty))
    assert not await pdf.has_fonts()
