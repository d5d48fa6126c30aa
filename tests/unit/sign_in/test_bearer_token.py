"""The header `Authorization`, and accounts made of identities."""

import re

import pytest

from edgar_search.access.tokens.bearer import account_id, bearer_token
from edgar_search.errors import InvalidBearerToken, NoBearerToken, Unauthorized


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer  ", " Bearer"])
def test_token_follows_the_scheme_in_any_case(scheme: str) -> None:
    assert bearer_token([f"{scheme} a.b-_~+/c=="]) == "a.b-_~+/c=="


@pytest.mark.parametrize(
    "values", [[], [""], ["Bearer"], ["Bearer "], ["Basic dXNlcg=="], ["Bearerabc"], ["a.b.c"]]
)
def test_139_without_a_token_the_challenge_is_bare(values: list[str]) -> None:
    with pytest.raises(NoBearerToken) as caught:
        bearer_token(values)
    assert (caught.value.status, caught.value.challenge) == (401, "Bearer")


@pytest.mark.parametrize(
    "values",
    [
        ["Bearer a.b.c", "Bearer a.b.c"],
        ["Bearer a.b.c", "Basic dXNlcg=="],
        ["Bearer a.b.c d"],
        ["Bearer a.b.c, Basic dXNlcg=="],
        ["Bearer \ta.b.c"],
        ["Bearer a=b"],
        ["Bearer ä.b.c"],
        ["Bearer a\x00b"],
    ],
)
def test_139_what_can_be_no_token_is_an_invalid_one(values: list[str]) -> None:
    with pytest.raises(InvalidBearerToken) as caught:
        bearer_token(values)
    assert (caught.value.status, caught.value.challenge) == (401, 'Bearer error="invalid_token"')
    assert "a.b" not in str(caught.value)


def test_both_refusals_are_one_kind_of_error() -> None:
    assert {NoBearerToken.__base__, InvalidBearerToken.__base__} == {Unauthorized}


def test_account_is_a_hash_of_160_bits() -> None:
    account = account_id("https://issuer.example", "somebody")
    assert re.fullmatch(r"user-[0-9a-f]{40}", account)
    assert account == account_id("https://issuer.example", "somebody")


def test_accounts_of_different_identities_differ() -> None:
    pairs = [("ab", "c"), ("a", "bc"), ("abc", ""), ('a","b', "c"), ("a", 'b","c'), ("AB", "c")]
    assert len({account_id(*pair) for pair in pairs}) == len(pairs)


def test_subject_may_be_of_any_script() -> None:
    assert account_id("https://issuer.example", "søren") != account_id(
        "https://issuer.example", "soren"
    )
