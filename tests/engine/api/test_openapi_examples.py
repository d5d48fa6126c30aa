"""The examples of the OpenAPI document are what the service answers over the samples.

`EDGAR_SEARCH_TEST_EXAMPLES=write` writes the file of examples instead of comparing it.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from edgar_search.access.tokens.bearer import account_id
from edgar_search.access.tokens.local_issuer import ISSUER
from edgar_search.alerts.notifications import Notifications, document_notice
from edgar_search.api.media_types import JSON_LINES
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.user_items import DocumentMatch
from edgar_search.web import openapi
from edgar_search.web.openapi.routes import EXAMPLES
from tests.support.api_examples import CREATED_KEY, DATA, USER, Json, examples
from tests.support.asking import Client
from tests.support.loading import Loads
from tests.support.made_up_xbrl import report_of_examples
from tests.support.samples import load_samples
from tests.support.users import Users, serving_users

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
# Whose things are shown; nobody else has this name.
SUBJECT = "of the examples"
FILE = Path(openapi.__path__[0]) / EXAMPLES


@pytest.fixture
async def samples(engine: Engine, made_settings: Settings, loads: Loads) -> None:
    await load_samples(engine, made_settings)
    await loads(report_of_examples())
    await engine.refresh("entities")


def _match(number: int) -> DocumentMatch:
    """One of the samples as it was when it matched."""
    return DocumentMatch(
        related_company_names=["QUILLFEATHER PAPER MILLS CORP"],
        ciks=["0009990101"],
        accnum="0009990101-25-000004",
        filename="qlfp-20241231.htm",
        filing_date="2025-03-06",
        form_type="10-K",
        snippet="a <mark>material</mark> <mark>weakness</mark>",
        score=0.5,
        document_id=f"0009990101-25-000004-{number}",
    )


async def notified(engine: Engine) -> None:
    """Two notifications of the user."""
    account = account_id(ISSUER, SUBJECT)
    notices = [document_notice(account, "t", _match(number)) for number in (1, 2)]
    await Notifications(engine).notify(notices)
    await engine.refresh("user_items")


@pytest.fixture
async def users(made_settings: Settings) -> AsyncIterator[Users]:
    """Users of a service that has webhooks."""
    async with serving_users(structs.replace(made_settings, secrets_key="k" * 32)) as users:
        yield users


@pytest.mark.usefixtures("samples")
async def test_examples_are_answers_over_the_samples(
    client: Client, users: Users, engine: Engine
) -> None:
    user = users.named(SUBJECT)
    await notified(engine)

    async def of_data(method: str, path: str, parameters: Json) -> Any:
        sent = {"json": parameters} if method == "POST" else {"params": parameters}
        reply = await client.http.request(method, path, **sent)  # type: ignore[arg-type]
        assert reply.status_code == 200, reply.text
        if reply.headers["content-type"].startswith(JSON_LINES):
            return [json.loads(line) for line in reply.text.splitlines()]
        return reply.json()

    async def listed(area: str, parameters: Json) -> Json:
        answer = await user.get(area, **parameters)
        while area == "history/get" and not answer["total_count"]:
            await asyncio.sleep(0.1)
            answer = await user.get(area, **parameters)
        return answer

    async def of_user(method: str, path: str, parameters: Json) -> Any:
        area = path.removeprefix("/auth/")
        if method == "GET":
            return await listed(area, parameters)
        if method == "DELETE":
            status, answer = await user.ask("DELETE", area, **parameters)
            assert status == 200, answer
            return answer
        answer = await user.post(area, parameters)
        if f"{method} {path}" == CREATED_KEY:
            await client.http.get("/v1/search?query=paper", headers={"X-API-Key": answer["key"]})
        return answer

    found = await examples(of_data, list(DATA.items())) | await examples(of_user, list(USER))
    if os.environ.get("EDGAR_SEARCH_TEST_EXAMPLES") == "write":
        FILE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    assert json.loads(FILE.read_text()) == found
