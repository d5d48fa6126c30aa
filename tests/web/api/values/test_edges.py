"""Values at the edges of what can be read: each is answered or refused, none is a fault."""

from urllib.parse import unquote

import httpx
import pytest

pytestmark = pytest.mark.anyio
NUMBERS = {
    "/v1/lookup?sic=1&limit=": "`limit` must be a whole number from 1 to 1000",
    "/v1/search?query=a&limit=": "`limit` must be a whole number from 1 to 100",
    "/v1/search?query=a&offset=": "`offset` must be a whole number of at least 0",
    "/v2/entity_lookup?from=": "`from` must be a whole number from 0 to 10000",
    "/v2/filing_lookup?to=": "`to` must be a whole number from 0 to 10000",
    "/v2/fulltext_search?query=a&from=": "`from` must be a whole number from 0 to 10000",
    "/auth/favorites/get?limit=": "`limit` must be a whole number from 1 to 200",
    "/auth/history/get?offset=": "`offset` must be a whole number from 0 to 10000",
    "/auth/alert_triggers/test?query=a&limit=": "`limit` must be a whole number from 1 to 200",
}
DAYS = [
    "/v1/lookup?sic=1&from_date={}&to_date={}",
    "/v1/lookup?sic=1&from_date={}",
    "/v1/lookup?sic=1&to_date={}",
    "/v1/search?query=a&from_date={}&to_date={}",
    "/v1/search?query=a&from_date={}",
    "/v1/search?query=a&to_date={}",
    "/v1/coverage?from_date={}&to_date={}",
    "/v1/coverage?to_date={}",
    "/v2/filing_lookup?date_from={}&date_to={}",
    "/v2/filing_lookup?date_from={}",
    "/v2/fulltext_search?query=a&date_to={}",
    "/auth/history/get?from_date={}&to_date={}",
    "/auth/history/get?from_date={}",
    "/auth/history/get?to_date={}",
]
EDGES = [
    "0001-01-01",
    "9999-12-31",
    "0001-01-01T00:00:00%2B23:59",
    "9999-12-31T23:59:60-23:59",
    "%1e2024-01-31%1f",
]


@pytest.mark.parametrize("blank", ["%1c", "%1d", "%1e", "%1f", "%20", "%C2%85", "%E3%80%80"])
@pytest.mark.parametrize("target", NUMBERS)
async def test_number_is_trimmed_of_every_blank(
    client: httpx.AsyncClient, target: str, blank: str
) -> None:
    replies = [await client.get(target + text) for text in (f"{blank}3", f"3{blank}")]
    assert [(reply.status_code, reply.json().get("error")) for reply in replies] == [
        (200, None)
    ] * 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("9" * 5_000, "9" * 40 + "..."),
        ("-" + "9" * 5_000, "-" + "9" * 39 + "..."),
        ("3%00", "3\0"),
        ("%07", "\a"),
        ("%EF%BC%93", "\uff13"),
    ],
    ids=["long", "long and negative", "with a zero byte", "bell", "wide"],
)
@pytest.mark.parametrize("target", NUMBERS)
async def test_what_is_no_number_within_the_bounds_is_refused(
    client: httpx.AsyncClient, target: str, text: str, shown: str
) -> None:
    reply = await client.get(target + text)
    expected = {"error": f"{NUMBERS[target]}, not `{shown}`"}
    assert (reply.status_code, reply.json()) == (400, expected)


@pytest.mark.parametrize("day", EDGES)
@pytest.mark.parametrize("target", DAYS)
async def test_first_and_last_day_are_days(
    client: httpx.AsyncClient, target: str, day: str
) -> None:
    reply = await client.get(target.replace("{}", day))
    if target.startswith("/v1/lookup") and "T" in day:
        expected = f" must be a date in the format YYYY-MM-DD, not `{unquote(day)}`"
        assert (reply.status_code, reply.json()["error"].partition("_date`")[2]) == (400, expected)
    else:
        assert (reply.status_code, reply.json().get("error")) == (200, None)


async def test_expiry_at_the_end_of_time_is_an_expiry(client: httpx.AsyncClient) -> None:
    body = {"name": "a", "expires_at": "9999-12-31T23:59:59.999999Z"}
    reply = await client.post("/auth/api_keys/create", json=body)
    assert (reply.status_code, reply.json().get("error")) == (201, None)


async def test_expiry_at_the_beginning_of_time_is_past(client: httpx.AsyncClient) -> None:
    body = {"name": "a", "expires_at": "0001-01-01T00:00:00Z"}
    reply = await client.post("/auth/api_keys/create", json=body)
    assert (reply.status_code, reply.json()) == (
        400,
        {"error": "expires_at: must be in the future"},
    )


@pytest.mark.parametrize(
    "body", [b'{"id":"a","overlap_seconds":' + b"9" * n + b"}" for n in (20, 5_000)]
)
async def test_number_of_any_length_in_a_body_is_refused(
    client: httpx.AsyncClient, body: bytes
) -> None:
    reply = await client.post("/auth/api_keys/rotate", content=body)
    assert reply.status_code == 400
