"""Plans: how many calls a month and a second an account may make, and how many at once."""

import logging
import time
from collections.abc import Mapping

from msgspec import Struct

from edgar_search.errors import BadRequest, SettingsError
from edgar_search.settings import Settings

_log = logging.getLogger(__name__)

# A plan that accounts are on and that nobody knows is a line in the log so often, in seconds.
_REPORT_SECONDS = 3_600.0
# Stands for "no limit" in the setting.
NO_LIMIT = "-"
# The value of a list setting that allows nothing.
NOTHING = "none"
# More than anybody means, and fewer than a counter can hold.
MAX_DIGITS = 15
_FORM = (
    "NAME=CALLS A MONTH/CALLS A SECOND, or that and /SEARCHES AT ONCE,"
    " as in pro=50000/50/4, where - is no limit"
)


class Plan(Struct, frozen=True):
    """`calls` are a calendar month's (UTC), `rate` is a second's; None is without limit.

    `searches` of an account may run at once in each worker.
    """

    name: str
    calls: int | None
    rate: int | None
    searches: int | None = None


FREE = Plan("free", calls=1_000, rate=10, searches=2)
UNLIMITED = Plan("unlimited", calls=None, rate=None)


class Plans:
    """The plans of an installation, by name."""

    def __init__(self, plans: Mapping[str, Plan], default: Plan, changes: tuple[str, ...]) -> None:
        self._plans = plans
        self._reported: dict[str, float] = {}
        self.default = default
        # To these plans the users of an account may change it themselves.
        self.changes = changes

    @classmethod
    def from_settings(cls, settings: Settings) -> "Plans":
        """The built-in plans and the operator's; SettingsError names the variable."""
        plans = {plan.name: plan for plan in (FREE, UNLIMITED)}
        own = [_parsed(text) for text in _items(settings.plans)]
        for plan in own:
            if [other.name for other in own].count(plan.name) > 1:
                raise SettingsError(f"EDGAR_SEARCH_PLANS: {plan.name} is there twice")
        plans |= {plan.name: plan for plan in own}
        changes = () if settings.plan_changes == NOTHING else tuple(_items(settings.plan_changes))
        for name, variable in [
            (settings.default_plan, "DEFAULT_PLAN"),
            (settings.pages_plan, "PAGES_PLAN"),
            *((name, "PLAN_CHANGES") for name in changes),
        ]:
            if name not in plans:
                raise SettingsError(
                    f"EDGAR_SEARCH_{variable}: {name} is no plan; plans are {', '.join(plans)}"
                )
        return cls(plans, plans[settings.default_plan], changes)

    def __contains__(self, name: str) -> bool:
        return name in self._plans

    def check(self, name: str) -> None:
        """BadRequest unless there is a plan of this name."""
        if name not in self:
            raise BadRequest(f"plan: {name} is no plan; plans are {', '.join(self._plans)}")

    def named(self, name: str) -> Plan:
        """The plan of this name; the default, and a line in the log, where it is not known here."""
        plan = self._plans.get(name)
        if plan is None:
            self._report(name)
            return self.default
        return plan

    def all(self) -> list[Plan]:
        """All plans, the built-in ones first."""
        return list(self._plans.values())

    def _report(self, name: str) -> None:
        now = time.monotonic()
        if now - self._reported.get(name, float("-inf")) >= _REPORT_SECONDS:
            self._reported[name] = now
            _log.warning(
                "accounts are on the plan %s, which EDGAR_SEARCH_PLANS does not have here: they"
                " have the limits of %s",
                name,
                self.default.name,
            )


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _parsed(text: str) -> Plan:
    name, equals, limits = text.partition("=")
    numbers = limits.split("/")
    named = name.strip() and name.strip().isprintable()
    if not (named and equals and len(numbers) in (2, 3)):
        raise SettingsError(f"EDGAR_SEARCH_PLANS: {text} is no plan; its form is {_FORM}")
    return Plan(name.strip(), *(_limit(text, number.strip()) for number in numbers))


def _limit(text: str, number: str) -> int | None:
    if number == NO_LIMIT:
        return None
    if not (number.isascii() and number.isdecimal()) or len(number) > MAX_DIGITS or int(number) < 1:
        raise SettingsError(f"EDGAR_SEARCH_PLANS: {text} is no plan; its form is {_FORM}")
    return int(number)
