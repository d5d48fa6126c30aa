"""Rules about users: how they are written, and whom they admit."""

from typing import Any

import pytest

from edgar_search.access.tokens.user_rules import UserRules
from edgar_search.errors import Forbidden, SettingsError
from edgar_search.settings import Settings


def admits(rules: str, claims: dict[str, Any]) -> bool:
    try:
        UserRules.from_settings(Settings(oidc_users=rules)).admit(claims, whole=True)
    except Forbidden:
        return False
    return True


@pytest.mark.parametrize(
    ("rules", "claims", "admitted"),
    [
        ("", {}, True),
        ("sub=a", {"sub": "a"}, True),
        ("sub=a", {"sub": "A"}, False),
        ("sub=a|b", {"sub": "b"}, True),
        ("sub=a; tid=t", {"tid": "t"}, True),
        ("sub=a; tid=t", {}, False),
        ("groups=x", {"groups": ["w", "x"]}, True),
        ("groups=x", {"groups": "x"}, True),
        ("groups=x", {"groups": {"x": True}}, False),
        ("groups=x", {"groups": [["x"]]}, False),
        ("realm_access.roles=x", {"realm_access": {"roles": ["x"]}}, True),
        ("realm_access.roles=x", {"realm_access": ["roles"]}, False),
        ("https://e.example/groups=x", {"https://e.example/groups": ["x"]}, True),
        ("email_domain=e.example", {"email": "a@E.example", "email_verified": True}, True),
        ("email_domain=@E.example", {"email": "a@e.example", "email_verified": "true"}, True),
        ("email_domain=e.example", {"email": "a@e.example", "email_verified": False}, False),
        ("email_domain=e.example", {"email": "a@e.example"}, False),
        ("email_domain=e.example", {"email": "a@x.e.example", "email_verified": True}, False),
        ("email_domain=e.example", {"email": "a@e.example@x", "email_verified": True}, False),
        ("email_domain=e.example", {"email": "@e.example", "email_verified": True}, False),
        ("email_domain=e.example", {"email": ["a@e.example"], "email_verified": True}, False),
        ("email=a@e.example", {"email": "a@e.example", "email_verified": True}, True),
        ("email=a@e.example", {"email": "a@e.example", "email_verified": False}, False),
        ("email=a@e.example", {"email": "a@e.example"}, False),
    ],
)
def test_rules_admit_by_claims(rules: str, claims: dict[str, Any], admitted: bool) -> None:
    assert admits(rules, claims) is admitted


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"oidc_users": "analysts"}, "EDGAR_SEARCH_OIDC_USERS: `analysts` is not a rule"),
        ({"oidc_users": "groups="}, "EDGAR_SEARCH_OIDC_USERS: `groups=` is not a rule"),
        ({"oidc_users": "=x"}, "EDGAR_SEARCH_OIDC_USERS: `=x` is not a rule"),
        ({"oidc_users": " ; "}, "EDGAR_SEARCH_OIDC_USERS: ` ; ` has no rule"),
        ({"oidc_plans": "groups=x"}, "EDGAR_SEARCH_OIDC_PLANS: `groups=x` names no plan"),
        ({"oidc_plans": "x:free"}, "EDGAR_SEARCH_OIDC_PLANS: `x` is not a rule"),
        ({"oidc_plans": "a=b:gold"}, "EDGAR_SEARCH_OIDC_PLANS: `gold` is not a plan"),
    ],
)
def test_rule_that_cannot_be_read_is_named(given: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        UserRules.from_settings(Settings(**given))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("claims", "of_a_sign_in", "of_a_token"),
    [
        ({"groups": ["a"]}, "unlimited", "unlimited"),
        ({"groups": ["b"], "hd": "e.example"}, "small", "small"),
        ({"groups": [], "hd": "else.example", "sub": "y"}, "free", "free"),
        ({"hd": "e.example"}, "small", None),
        ({"groups": ["b"]}, "free", None),
        ({}, "free", None),
    ],
)
def test_first_rule_that_admits_gives_the_plan_unless_a_claim_before_it_lacks(
    claims: dict[str, Any], of_a_sign_in: str, of_a_token: str | None
) -> None:
    settings = Settings(
        plans="small=1/10", oidc_plans="groups=a:unlimited; hd=e.example:small; sub=x:free"
    )
    rules = UserRules.from_settings(settings)
    plans = [rules.admit(claims, whole=whole) for whole in (True, False)]
    assert plans == [of_a_sign_in, of_a_token]


@pytest.mark.parametrize(
    ("claims", "plan"),
    [
        ({"email": "a@e.example", "email_verified": True}, "unlimited"),
        ({"email": "a@e.example", "email_verified": False}, "free"),
        ({"email": "a@e.example"}, None),
        ({"email_verified": True}, None),
    ],
)
def test_rule_by_address_gives_no_plan_to_a_token_without_one(
    claims: dict[str, Any], plan: str | None
) -> None:
    settings = Settings(oidc_plans="email_domain=e.example:unlimited")
    assert UserRules.from_settings(settings).admit(claims, whole=False) == plan


@pytest.mark.parametrize("whole", [True, False])
def test_without_rules_about_plans_the_plan_stays(whole: bool) -> None:
    assert UserRules.from_settings(Settings()).admit({}, whole=whole) is None
