"""The keys of an issuer: fetched rarely, kept while it is away, never waited for in vain."""

import asyncio
import logging
import time

import pytest

from edgar_search.access.tokens import issuer_keys
from edgar_search.access.tokens.bearer import Tokens
from edgar_search.errors import Unavailable
from edgar_search.http_client import HttpClient
from tests.support.issuer import DISCOVERY, KEYS, Answer, Issuer, answer, key_list, private_key
from tests.support.waiting import until
from tests.unit.sign_in.asking import Clock, is_unavailable, is_valid, unknown, was_asked

pytestmark = pytest.mark.anyio


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


async def test_132_unknown_key_shares_a_fetch_that_is_under_way(
    tokens: Tokens, issuer: Issuer, clock: Clock
) -> None:
    assert await is_valid(tokens, issuer.token())
    issuer.open.clear()
    clock.now += issuer_keys.REFRESH_AGE + 1
    assert await is_valid(tokens, issuer.token())
    waiting = [asyncio.create_task(is_valid(tokens, unknown(issuer, n))) for n in range(3)]
    await asyncio.sleep(0)
    issuer.open.set()
    assert await asyncio.gather(*waiting) == [False] * 3
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
