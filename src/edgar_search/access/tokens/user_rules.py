"""Rules about the claims of users' tokens: who may come in, and on which plan; pure."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from edgar_search.access.accounts import Plans
from edgar_search.errors import Forbidden, SettingsError
from edgar_search.settings import Settings

USERS, PLANS = "EDGAR_SEARCH_OIDC_USERS", "EDGAR_SEARCH_OIDC_PLANS"
EMAIL_DOMAIN = "email_domain"
_EXAMPLE = "groups=analysts; email_domain=example.com"


class Rule(NamedTuple):
    """A claim, and the values of which it must have one.

    The claim `email_domain` is derived from `email`. Both count only if `email_verified` is true:
    otherwise anyone who registers at the issuer could enter any address.
    """

    claim: str
    values: tuple[str, ...]

    def admits(self, claims: Mapping[str, Any]) -> bool:
        """Return True if these claims have one of the values."""
        if self.claim == EMAIL_DOMAIN:
            domain = _verified_domain(claims)
            return domain in {value.lower().removeprefix("@") for value in self.values}
        if self.claim == "email" and not is_verified(claims):
            return False
        claim = _claim(claims, self.claim)
        values = claim if isinstance(claim, list) else [claim]
        return any(isinstance(value, str) and value in self.values for value in values)

    def lacks(self, claims: Mapping[str, Any]) -> bool:
        """Return True if the claim of the rule is missing."""
        if self.claim in (EMAIL_DOMAIN, "email"):
            return lacks_email(claims)
        return _claim(claims, self.claim) is None


class PlanRule(NamedTuple):
    """The plan of users whom a rule admits."""

    rule: Rule
    plan: str


class UserRules(NamedTuple):
    """Rules for access and for plans.

    If `users` is empty, every user may come in. If there are rules for plans, a user whom none of
    them admits gets `default_plan`.
    """

    users: tuple[Rule, ...]
    plans: tuple[PlanRule, ...]
    default_plan: str
    whom_to_ask: str

    @classmethod
    def from_settings(cls, settings: Settings) -> "UserRules":
        """Read the rules of the settings; SettingsError names a wrong variable."""
        rules = cls(
            parse_rules(settings.oidc_users),
            parse_plan_rules(settings.oidc_plans),
            settings.default_plan,
            settings.sign_in_help,
        )
        all_plans = Plans.from_settings(settings)
        for plan in rules.plans:
            if plan.plan not in all_plans:
                raise SettingsError(f"{PLANS}: `{plan.plan}` is not a plan of EDGAR_SEARCH_PLANS")
        return rules

    def lack(self, claims: Mapping[str, Any]) -> bool:
        """Return True if a rule needs a claim that is missing here."""
        return any(
            rule.lacks(claims) for rule in (*self.users, *(plan.rule for plan in self.plans))
        )

    def are_undecided(self, claims: Mapping[str, Any]) -> bool:
        """Return True if a missing claim decides if the user may come in."""
        return not self._may_enter(claims) and any(rule.lacks(claims) for rule in self.users)

    def admit(self, claims: Mapping[str, Any], *, whole: bool) -> str | None:
        """Return the plan of a user with these claims; None leaves it unchanged.

        If these are not the `whole` claims of the user, the first rule about a missing claim leaves
        the plan unchanged, as if there were no rules. Raises Forbidden for a user who may not come
        in.
        """
        if not self._may_enter(claims):
            raise Forbidden(f"this user may not use this service; ask {self.whom_to_ask}")
        for rule, plan in self.plans:
            if rule.admits(claims):
                return plan
            if not whole and rule.lacks(claims):
                return None
        return self.default_plan if self.plans else None

    def _may_enter(self, claims: Mapping[str, Any]) -> bool:
        return not self.users or any(rule.admits(claims) for rule in self.users)


def parse_rules(text: str) -> tuple[Rule, ...]:
    """Parse rules such as `groups=analysts|lawyers; email_domain=example.com`.

    Raises SettingsError, which names the setting, for anything else.
    """
    rules = tuple(_rule(part, USERS) for part in _parts(text))
    if text and not rules:
        # An empty set of rules would admit everyone.
        raise SettingsError(f"{USERS}: `{text}` has no rule; expected a rule such as `{_EXAMPLE}`")
    return rules


def parse_plan_rules(text: str) -> tuple[PlanRule, ...]:
    """Parse rules with plans, such as `groups=analysts:unlimited; hd=example.com:free`.

    Raises SettingsError for anything else.
    """
    rules = []
    for part in _parts(text):
        rule, colon, plan = part.rpartition(":")
        if not colon or not plan.strip():
            raise SettingsError(
                f"{PLANS}: `{part}` names no plan; expected a rule, a colon and a plan, such as"
                " `groups=analysts:unlimited`"
            )
        rules.append(PlanRule(_rule(rule, PLANS), plan.strip()))
    return tuple(rules)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip()]


def _rule(text: str, setting: str) -> Rule:
    claim, _, value = text.partition("=")
    values = tuple(item.strip() for item in value.split("|") if item.strip())
    if not claim.strip() or not values:
        raise SettingsError(
            f"{setting}: `{text}` is not a rule; expected a claim and its values, such as"
            f" `{_EXAMPLE}`"
        )
    return Rule(claim.strip(), values)


def lacks_email(claims: Mapping[str, Any]) -> bool:
    """Return True if the claims lack an e-mail address or its verification."""
    return claims.get("email") is None or claims.get("email_verified") is None


def is_verified(claims: Mapping[str, Any]) -> bool:
    """Return True if the issuer has verified that the e-mail address is the user's."""
    # Some issuers write the flag as a text.
    return claims.get("email_verified") in (True, "true")


def _verified_domain(claims: Mapping[str, Any]) -> str | None:
    email = claims.get("email")
    if not isinstance(email, str) or not is_verified(claims):
        return None
    name, _, domain = email.rpartition("@")
    return domain.lower() if name else None


def _claim(claims: Mapping[str, Any], name: str) -> Any:
    """Return the claim with this name, or at this path (`realm_access.roles`)."""
    if name in claims:
        return claims[name]
    value: Any = claims
    for step in name.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value
