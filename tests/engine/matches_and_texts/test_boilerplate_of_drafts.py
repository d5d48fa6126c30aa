"""A quote of a draft that 5,000 documents have."""

from typing import Any

import pytest

from edgar_search.document.quotes import check_quote
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.stopwatch import stopwatch
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
BOILERPLATE = "Pursuant to its requirements the registrant has caused this report to be signed."
# Three ways to find documents for a quote, and three documents of each.
MOST_READ = 9
# It takes a few tenths.
MOST_SECONDS = 5.0


@pytest.fixture(scope="module", autouse=True)
def loaded(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    document = MadeUpDocument(f"{BOILERPLATE}\n", "EX-99", "e.htm")
    filings = (
        MadeUp(
            f"0009991710-22-{number:06}",
            (MadeUpEntity("0009991711", "KILN CORP"),),
            (document,) * 500,
            "8-K",
        )
        for number in range(1, 11)
    )
    files = {f"{each.accession_number}.txt": txt(each) for each in filings}
    load_now(settings, tmp_path_factory.mktemp("files"), files)


@pytest.mark.parametrize(
    ("words", "verdict"),
    [(BOILERPLATE, "exact"), (BOILERPLATE.replace("caused", "forbidden"), "altered")],
    ids=["as filed", "altered"],
)
async def test_of_5_000_documents_with_a_quote_a_few_are_read(
    client: Client, monkeypatch: pytest.MonkeyPatch, words: str, verdict: str
) -> None:
    read = []

    async def noted(*given: Any, **more: Any) -> Any:
        read.append(given)
        return await check_quote(*given, **more)

    monkeypatch.setattr("edgar_search.api.quote.check_quote", noted)
    async with stopwatch() as watch:
        reply = await client.http.post("/v1/check_draft", json={"text": f'"{words}"'})
    assert watch.seconds < MOST_SECONDS
    assert [claim["verdict"] for claim in reply.json()["claims"]] == [verdict]
    assert len(read) <= MOST_READ
