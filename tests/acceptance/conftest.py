"""The whole service over the real corpus: loaded once for the run, by the command."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.filings import StoredPassage
from tests.acceptance.service import Service, command, last_line_json, serving
from tests.acceptance.submissions import File, every_file
from tests.oracle.texts import Texts
from tests.support.engines import installation

TICKERS = "reference/company_tickers.2026.json.gz"
EXCHANGES = "reference/company_tickers_exchange.2026.json.gz"
_PAGE = 5_000


class _PassageHit(Struct):
    source: StoredPassage = field(name="_source")
    sort: list[Any]


@pytest.fixture(scope="session")
def settings(engine_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The installation that has the corpus; `engine_settings` removes it."""
    return installation(engine_settings, "corpus", tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def first_load(settings: Settings, corpus: Path) -> dict[str, Any]:
    """The summary of the first load of all filings."""
    finished = command(settings, "ingest.cli", "load", str(corpus / "filings"))
    assert finished.returncode == 0, finished.stderr
    return last_line_json(finished)


@pytest.fixture(scope="session")
def files(corpus: Path) -> list[File]:
    """Every submission as its file says."""
    return list(every_file(corpus))


@pytest.fixture(scope="session")
def service(settings: Settings, corpus: Path, first_load: dict[str, Any]) -> Iterator[Service]:
    """The service over the corpus, with tickers."""
    paths = [str(corpus / TICKERS), str(corpus / EXCHANGES)]
    tickers = command(settings, "ingest.cli", "tickers", *paths)
    assert tickers.returncode == 0, tickers.stderr
    created = command(
        settings,
        "edgar_search.cli",
        "keys",
        "create",
        "--name",
        "acceptance",
        *("--plan", "unlimited"),
    )
    assert created.returncode == 0, created.stderr
    with serving(settings, created.stdout.splitlines()[-1]) as running:
        yield running


@pytest.fixture(scope="session")
def texts(settings: Settings, first_load: dict[str, Any]) -> Texts:
    """The text of every searchable document, from its passages."""
    return Texts(asyncio.run(_stored_texts(settings)))


async def _stored_texts(settings: Settings) -> dict[str, str]:
    pieces: dict[str, dict[int, str]] = defaultdict(dict)
    body: dict[str, Any] = {"size": _PAGE, "sort": [{"document_id": "asc"}, {"number": "asc"}]}
    engine = Engine.from_settings(settings)
    try:
        while hits := (await engine.search("passages", body, _PassageHit)).hits.hits:
            for passage in (hit.source for hit in hits):
                pieces[passage.document_id][passage.number] = passage.text
            body["search_after"] = hits[-1].sort
    finally:
        await engine.close()
    return {key: "".join(each[n] for n in range(len(each))) for key, each in pieces.items()}
