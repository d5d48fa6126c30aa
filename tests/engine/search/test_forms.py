"""Searches for the words of codes find EDGAR's own forms."""

import pytest

from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.ownership_forms import FORM_4
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client, pytest.mark.any_engine]
NUMBER = "0009990090-25-000001"
FILING = MadeUp(
    NUMBER,
    (MadeUpEntity("0009990001", "MOSS & SONS", role="ISSUER"),),
    (MadeUpDocument(f"<XML>\n{FORM_4}</XML>\n", "4", "form4.xml"),),
    "4",
)


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The filing of a Form 4."""
    load_now(settings, tmp_path_factory.mktemp("files"), {"form4.txt": txt(FILING)})


@pytest.mark.parametrize(
    "query",
    [
        '"open market or private sale"',
        "insider selling",
        '"2,590 (1) shares of Common Stock at $182.00"',
        '"disposed of"',
        '"indirect, By trust"',
        "Vermont",
        '"sold in two lots"',
    ],
)
async def test_words_of_a_form_find_it(client: Client, query: str) -> None:
    assert await client.found(query) == [f"{NUMBER}-1"]
