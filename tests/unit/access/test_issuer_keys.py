"""The keys of an issuer: fetched rarely, kept while it is away, never waited for in vain."""

import asyncio
import itertools
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from edgar_search.access import issuer_keys
from edgar_search.access.tokens import Tokens
from edgar_search.errors import InvalidBearerToken, Unavailable
from edgar_search.http_client import HttpClient
from tests.issuer import DISCOVERY, KEYS, Answer, Issuer, answer, key_list, private_key

pytestmark = pytest.mark.anyio


class Clock:
    """Stands in for the module `time`."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(issuer_keys, "time", clock)
    return clock


@pytest.fixture
async def tokens(issuer: Issuer, http: HttpClient) -> AsyncIterator[Tokens]:
    tokens = Tokens(issuer.settings(), http)
    yield tokens
    await tokens.close()


async def is_valid(tokens: Tokens, token: str) -> bool:
    try:
        await tokens.verify(token)
    except InvalidBearerToken:
        return False
    return True


async def is_unavailable(tokens: Tokens, token: str) -> bool:
    try:
        await tokens.verify(token)
    except Unavailable:
        return True
    return False


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait for what goes on beside."""
    for _ in range(1_000):
        if await condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen within 10 seconds")


def was_asked(issuer: Issuer) -> Callable[[], Awaitable[bool]]:
    async def asked() -> bool:
        return issuer.asked == [DISCOVERY]

    return asked


def unknown(issuer: Issuer, number: int = 98) -> str:
    """A token of a key that the issuer does not publish."""
    return issuer.token(key=private_key(97), header={"kid": f"unknown-{number}"})


async def test_131_keys_are_fetched_once_for_ten_minutes(
    tokens: Tokens, issuer: Issuer, clock: Clock
) -> None:
    for _ in range(3):
        assert await is_valid(tokens, issuer.token())
        clock.now += issuer_keys.REFRESH_AGE / 3
    assert issuer.asked == [DISCOVERY, KEYS]


async def test_131_older_keys_are_fetched_again_beside_the_request(
    tokens: Tokens, issuer: Issuer, clock: Clock
) -> None:
    token = issuer.token()
    assert await is_valid(tokens, token)
    issuer.rotate()
    clock.now += issuer_keys.REFRESH_AGE + 1
    assert await is_valid(tokens, token)

    async def is_refused() -> bool:
        return not await is_valid(tokens, token)

    await until(is_refused)


async def test_131_new_key_is_fetched_when_its_first_token_comes(
    tokens: Tokens, issuer: Issuer
) -> None:
    assert await is_valid(tokens, issuer.token())
    issuer.rotate()
    assert await is_valid(tokens, issuer.token())
    assert issuer.fetches() == 2


async def test_131_withdrawn_key_is_refused_after_the_fetch(tokens: Tokens, issuer: Issuer) -> None:
    old = issuer.token()
    assert await is_valid(tokens, old)
    issuer.rotate()
    assert await is_valid(tokens, issuer.token())
    assert not await is_valid(tokens, old)


async def test_132_unknown_keys_cost_one_fetch_in_30_seconds(
    tokens: Tokens, issuer: Issuer, clock: Clock
) -> None:
    assert await is_valid(tokens, issuer.token())
    for number in range(100):
        clock.now += 0.29
        assert not await is_valid(tokens, unknown(issuer, number))
    assert issuer.fetches() == 2
    clock.now += 2
    assert not await is_valid(tokens, unknown(issuer))
    assert issuer.fetches() == 3


async def test_132_flood_of_unknown_keys_at_once_shares_a_fetch(
    tokens: Tokens, issuer: Issuer
) -> None:
    assert await is_valid(tokens, issuer.token())
    flood = [is_valid(tokens, unknown(issuer, number)) for number in range(200)]
    assert set(await asyncio.gather(*flood)) == {False}
    assert issuer.fetches() == 2


async def test_132_flood_costs_no_good_key(tokens: Tokens, issuer: Issuer) -> None:
    flood = [is_valid(tokens, unknown(issuer, number)) for number in range(200)]
    await asyncio.gather(*flood)
    assert await is_valid(tokens, issuer.token())


async def test_132_new_key_is_found_within_30_seconds_of_a_flood(
    tokens: Tokens, issuer: Issuer, clock: Clock
) -> None:
    assert await is_valid(tokens, issuer.token())
    assert not await is_valid(tokens, unknown(issuer))
    issuer.rotate()
    assert not await is_valid(tokens, issuer.token())
    clock.now += issuer_keys.COOLDOWN
    assert await is_valid(tokens, issuer.token())


async def test_first_requests_share_one_fetch(tokens: Tokens, issuer: Issuer) -> None:
    token = issuer.token()
    assert set(await asyncio.gather(*[is_valid(tokens, token) for _ in range(50)])) == {True}
    assert issuer.asked == [DISCOVERY, KEYS]


async def test_138_issuer_that_is_down_from_the_start_is_503(
    tokens: Tokens, issuer: Issuer
) -> None:
    token = issuer.token()
    issuer.stop()
    with pytest.raises(Unavailable, match="its issuer's keys could not be fetched") as caught:
        await tokens.verify(token)
    assert (caught.value.status, caught.value.retry_after) == (503, 5)
    issuer.start()


async def test_138_issuer_that_is_back_is_found_when_the_client_was_told_to_retry(
    tokens: Tokens, issuer: Issuer, clock: Clock
) -> None:
    issuer.stop()
    assert await is_unavailable(tokens, issuer.token())
    issuer.start()
    clock.now += Unavailable.retry_after
    assert await is_valid(tokens, issuer.token())


async def test_138_issuer_that_is_down_is_not_asked_by_every_request(
    tokens: Tokens, issuer: Issuer
) -> None:
    issuer.answers[DISCOVERY] = Answer(status=500)
    assert await is_unavailable(tokens, issuer.token())
    assert await is_unavailable(tokens, issuer.token())
    assert issuer.asked == [DISCOVERY]


async def test_131_keys_are_kept_while_the_issuer_is_down(
    tokens: Tokens, issuer: Issuer, clock: Clock
) -> None:
    assert await is_valid(tokens, issuer.token())
    issuer.stop()
    for _ in range(5):
        clock.now += 86_400
        assert await is_valid(tokens, issuer.token())
        await asyncio.sleep(0.02)
    assert not await is_valid(tokens, unknown(issuer))
    issuer.start()


async def test_131_issuer_that_is_down_is_tried_again_every_30_seconds_only(
    tokens: Tokens, issuer: Issuer, clock: Clock
) -> None:
    async def valid_and_tried(times: int) -> bool:
        assert await is_valid(tokens, issuer.token())
        return issuer.asked.count(DISCOVERY) == 1 + times

    assert await valid_and_tried(0)
    issuer.answers[DISCOVERY] = Answer(status=500)
    clock.now += issuer_keys.REFRESH_AGE + 1
    await until(lambda: valid_and_tried(1))
    clock.now += issuer_keys.COOLDOWN - 1
    for _ in range(10):
        assert await valid_and_tried(1)
        await asyncio.sleep(0.01)
    clock.now += 1
    await until(lambda: valid_and_tried(2))


async def test_137_slow_issuer_does_not_slow_requests_whose_key_is_known(
    tokens: Tokens, issuer: Issuer, clock: Clock
) -> None:
    assert await is_valid(tokens, issuer.token())
    issuer.open.clear()
    clock.now += issuer_keys.REFRESH_AGE + 1
    waiting = asyncio.create_task(is_valid(tokens, unknown(issuer)))
    began = time.perf_counter()
    for _ in range(20):
        assert await is_valid(tokens, issuer.token())
    assert time.perf_counter() - began < 1
    assert not waiting.done()
    issuer.open.set()
    assert not await waiting


async def test_138_slow_issuer_is_given_up(
    tokens: Tokens, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issuer_keys, "PATIENCE", 0.05)
    issuer.open.clear()
    assert await asyncio.wait_for(is_unavailable(tokens, issuer.token()), 5)


async def test_one_who_gives_up_does_not_end_the_fetch_of_the_others(
    tokens: Tokens, issuer: Issuer
) -> None:
    issuer.open.clear()
    gone = asyncio.create_task(is_valid(tokens, issuer.token()))
    waiting = asyncio.create_task(is_valid(tokens, issuer.token()))
    await until(was_asked(issuer))
    gone.cancel()
    issuer.open.set()
    assert await waiting


async def test_close_ends_a_fetch_under_way(issuer: Issuer, http: HttpClient) -> None:
    tokens = Tokens(issuer.settings(), http)
    issuer.open.clear()
    waiting = asyncio.create_task(tokens.verify(issuer.token()))
    await until(was_asked(issuer))
    await asyncio.wait_for(tokens.close(), 5)
    with pytest.raises(asyncio.CancelledError):
        await waiting


HTML = Answer(b"<!doctype html><title>Sign in</title>", headers={"Content-Type": "text/html"})
LIES: dict[str, tuple[str, Answer]] = {
    "discovery is a page": (DISCOVERY, HTML),
    "discovery is another issuer's": (
        DISCOVERY,
        answer({"issuer": "https://evil.example", "jwks_uri": "https://evil.example/keys"}),
    ),
    "discovery names no issuer": (DISCOVERY, answer({"jwks_uri": "https://evil.example/keys"})),
    "discovery is a list": (DISCOVERY, answer([])),
    "discovery is empty": (DISCOVERY, Answer()),
    "discovery is endless": (DISCOVERY, Answer(itertools.repeat(b" " * 65_536))),
    "discovery is of brackets": (DISCOVERY, Answer(b'{"other":' + b"[" * 200_000)),
    "discovery is elsewhere": (
        DISCOVERY,
        Answer(status=302, headers={"Location": "http://127.0.0.1:1/"}),
    ),
    "discovery is missing": (DISCOVERY, Answer(status=404)),
    "discovery fails": (DISCOVERY, Answer(status=500)),
    "keys are a page": (KEYS, HTML),
    "keys are endless": (KEYS, Answer(itertools.repeat(b" " * 65_536))),
    "keys are no list": (KEYS, answer({"keys": {"a": 1}})),
    "keys are null": (KEYS, answer(None)),
    "keys are none": (KEYS, answer({"keys": []})),
    "keys are of brackets": (KEYS, Answer(b'{"keys":[' + b"[" * 200_000)),
    "keys are not UTF-8": (KEYS, Answer(b'{"keys":["\xff"]}')),
    "keys fail": (KEYS, Answer(status=503)),
    "keys are elsewhere": (KEYS, Answer(status=307, headers={"Location": "http://127.0.0.1:1/"})),
    "answer is compressed wrongly": (
        KEYS,
        Answer(b"no gzip", headers={"Content-Encoding": "gzip"}),
    ),
}


@pytest.mark.parametrize(("path", "lie"), LIES.values(), ids=LIES)
async def test_138_issuer_that_lies_is_503_and_costs_no_key_in_memory(
    path: str, lie: Answer, tokens: Tokens, issuer: Issuer, clock: Clock
) -> None:
    issuer.answers[path] = lie
    assert await is_unavailable(tokens, issuer.token())
    del issuer.answers[path]
    clock.now += Unavailable.retry_after
    assert await is_valid(tokens, issuer.token())
    issuer.answers[path] = lie
    assert not await is_valid(tokens, unknown(issuer))
    assert await is_valid(tokens, issuer.token())


@pytest.mark.parametrize(
    "uri",
    [
        "http://keys.example/",
        "ftp://127.0.0.1/",
        "/keys",
        "",
        "https://",
        "https://u@h/",
        "http://[",
    ],
)
async def test_keys_are_not_fetched_from_where_others_could_change_them(
    uri: str, tokens: Tokens, issuer: Issuer
) -> None:
    issuer.answers[DISCOVERY] = answer({"issuer": issuer.name, "jwks_uri": uri})
    assert await is_unavailable(tokens, issuer.token())


async def test_failed_fetch_is_logged_without_the_token(
    tokens: Tokens, issuer: Issuer, caplog: pytest.LogCaptureFixture
) -> None:
    issuer.answers[KEYS] = Answer(status=500)
    token = issuer.token()
    with caplog.at_level(logging.WARNING):
        assert await is_unavailable(tokens, token)
    assert caplog.messages == [
        "the issuer's keys were not fetched: the issuer answered with status 500"
    ]
    assert token.split(".")[2] not in caplog.text


async def test_key_published_twice_with_different_values_works_for_both(
    tokens: Tokens, issuer: Issuer
) -> None:
    first, second = private_key(0), private_key(1)
    twin = {**second.as_dict(), "kid": first.kid}
    issuer.answers[KEYS] = answer(key_list(first, twin))
    assert await is_valid(tokens, issuer.token(key=first))
    assert await is_valid(tokens, issuer.token(key=second, header={"kid": first.kid}))
