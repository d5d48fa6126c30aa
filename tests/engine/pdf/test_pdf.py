"""PDFs of loaded documents and filings, by the API and by pages."""

import asyncio
import io
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

pytest.importorskip("plutoprint", reason="the extra `pdf` is not installed")
pypdf = pytest.importorskip("pypdf")

from edgar_search.document import pdf  # noqa: E402
from edgar_search.document.print_process import Page, make_pdf  # noqa: E402
from tests.support.asking import Client  # noqa: E402
from tests.support.loading import Loads  # noqa: E402
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt  # noqa: E402

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.any_engine,
    pytest.mark.shared_installation,
    pytest.mark.one_client,
    pytest.mark.usefixtures("made_settings"),
]
PDF = "/v2/pdf"
HTML = '<html><body><h1>Slate</h1><p>Twelve feet of slate. <img src="pit.gif"></body></html>'
FILED = make_pdf(Page(b"<p>Filed as it is", "a.htm", "", "text/html", "", ""))


def uuencoded(name: str, body: bytes) -> str:
    import binascii

    lines = [
        binascii.b2a_uu(body[at : at + 45]).decode("ascii").rstrip("\n")
        for at in range(0, len(body), 45)
    ]
    return "\n".join([f"begin 644 {name}", *lines, "`", "end"])


def filing(number: str, *more: MadeUpDocument) -> bytes:
    documents = (
        MadeUpDocument(HTML, "10-K", "slate.htm", "Annual report"),
        MadeUpDocument("PLAIN\n<PAGE>\nEND", "EX-99", "terms.txt"),
        MadeUpDocument(f"<PDF>\n{uuencoded('kept.pdf', FILED)}\n</PDF>", "EX-99.2", "kept.pdf"),
        MadeUpDocument(uuencoded("pit.gif", b"GIF89a"), "GRAPHIC", "pit.gif"),
        MadeUpDocument("<html><body>R1</body></html>", "XML", "R1.htm"),
        *more,
    )
    entity = MadeUpEntity("0009990123", "Slate & Sons")
    return txt(MadeUp(number, (entity,), documents, "10-K", date(2024, 2, 1)))


@pytest.fixture
async def number(loads: Loads, new_number: Callable[[], str]) -> str:
    """The accession number of a filing with documents of each kind."""
    number = new_number()
    table = "<b>" * 100_000 + "x"
    await loads({"slate.txt": filing(number, MadeUpDocument(table, "EX-99.3", "deep.htm"))})
    return number


async def asked(client: Client, **parameters: Any) -> Any:
    return await client.http.post(PDF, json=parameters)


def pages(body: bytes) -> list[str]:
    return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(body)).pages]


async def test_document_is_printed_and_a_filed_pdf_is_as_filed(client: Client, number: str) -> None:
    html = await asked(client, document_id=f"{number}-1")
    assert (html.status_code, html.headers["content-type"]) == (200, "application/pdf")
    assert html.headers["content-disposition"] == f'attachment; filename="{number}-1.pdf"'
    (page,) = pages(html.content)
    assert "Twelve feet of slate." in page
    assert f"Slate & Sons, 10-K of 2024-02-01, {number}" in page
    assert len(pages((await asked(client, document_id=f"{number}-2")).content)) == 2
    assert (await asked(client, document_id=f"{number}-3")).content == FILED
    viewer = await client.http.get(PDF, params={"document_id": f"{number}-5"})
    assert "R1" in pages(viewer.content)[0]


async def test_filing_has_its_documents_for_reading_each_with_a_bookmark(
    client: Client, number: str
) -> None:
    reply = await asked(client, accession_number=number.replace("-", ""))
    assert reply.status_code == 200
    made = pypdf.PdfReader(io.BytesIO(reply.content))
    assert [(mark.title, made.get_destination_page_number(mark)) for mark in made.outline] == [
        ("10-K Annual report", 0),
        ("EX-99 terms.txt", 1),
        ("EX-99.2 kept.pdf", 3),
        ("EX-99.3 deep.htm", 4),
    ]
    texts = pages(reply.content)
    assert "Filed as it is" in texts[3]
    assert f"EX-99.3 deep.htm ({number}-6) is not in this PDF: it needs more than" in " ".join(
        texts[4].split()
    )


async def test_refusals(client: Client, number: str) -> None:
    one = "exactly one of `document_id` and `accession_number` must be given"
    both = {"document_id": f"{number}-1", "accession_number": number}
    deep = f"{number}-6"
    for parameters, status, message in (
        ({}, 400, one),
        (both, 400, one),
        ({"document_id": f"{number}-77"}, 404, f"there is no document {number}-77"),
        (
            {"accession_number": "0009990123-99-000001"},
            404,
            "there is no filing 0009990123-99-000001",
        ),
        (
            {"document_id": deep},
            400,
            f"`document_id` {deep} cannot be printed: it needs more than 20 s of a core or 1 GB of"
            " memory",
        ),
    ):
        reply = await asked(client, **parameters)
        assert (reply.status_code, reply.json()) == (status, {"error": message})


async def test_without_the_extra_or_fonts_it_says_what_to_add(
    client: Client, number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, "is_installed", lambda package: package != "pypdf")
    reply = await asked(client, document_id=f"{number}-1")
    assert reply.status_code == 404
    assert "it needs the extra edgar-search[pdf]; run `" in reply.json()["error"]


async def test_a_second_pdf_of_an_account_waits_a_while_for_its_turn(
    client: Client, number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def waiting(job: object) -> bytes:
        begun.set()
        await go_on.wait()
        return b"%PDF"

    monkeypatch.setattr(pdf, "run_job", waiting)
    monkeypatch.setattr(pdf.Printer, "require", lambda _: asyncio.sleep(0))
    first = asyncio.ensure_future(asked(client, document_id=f"{number}-1"))
    await begun.wait()
    monkeypatch.setattr(pdf, "WAIT", 0.01)
    second = await asked(client, document_id=f"{number}-2")
    assert (second.status_code, second.headers["retry-after"]) == (503, "5")
    go_on.set()
    assert (await first).content == b"%PDF"
    monkeypatch.setattr(pdf, "SECONDS", 0.01)
    go_on.clear()
    late = await asked(client, document_id=f"{number}-1")
    assert (late.status_code, late.headers["retry-after"]) == (503, "30")
    # The place is free again after both ends.
    go_on.set()
    monkeypatch.setattr(pdf, "SECONDS", 50)
    assert (await asked(client, document_id=f"{number}-2")).status_code == 200
