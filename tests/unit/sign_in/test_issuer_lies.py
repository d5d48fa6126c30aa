"""An issuer that answers what is not true, or nothing that could be."""

import itertools

import pytest

from edgar_search.access.tokens.bearer import Tokens
from edgar_search.errors import Unavailable
from tests.support.issuer import DISCOVERY, KEYS, Answer, Issuer, answer
from tests.unit.sign_in.asking import Clock, is_unavailable, is_valid, unknown

pytestmark = pytest.mark.anyio

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
