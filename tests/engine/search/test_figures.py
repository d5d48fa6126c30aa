"""Conditions on figures, each filing by filing as plain Python decides them."""

import operator
import random
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import NamedTuple

import pytest

from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.made_up_xbrl import MadeUpFact, report, report_facts

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
SEED, FILINGS, CONDITIONS = 48, 200, 40
ITEMS = {
    "us-gaap:Revenues": "revenue",
    "us-gaap:NetIncomeLoss": "net_income",
    "us-gaap:Assets": "total_assets",
    "us-gaap:Liabilities": "total_liabilities",
    "us-gaap:StockholdersEquity": "equity",
    "us-gaap:NetCashProvidedByUsedInOperatingActivities": "cash_from_operations",
}
RATIOS = {
    "net_margin": ("net_income", "revenue"),
    "return_on_equity": ("net_income", "equity"),
    "liabilities_to_assets": ("total_liabilities", "total_assets"),
}
ABOVE = ("cash_from_operations", "total_liabilities")
DIVISORS = ("revenue", "total_assets", "equity", "net_income")
COMPARE: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
Figures = dict[str, Fraction]


class Decided(NamedTuple):
    """A condition, and the reports for which it holds."""

    text: str
    holds: Callable[[Figures], bool]


def made_report(chance: random.Random) -> tuple[list[MadeUpFact], Figures]:
    """Facts of a report with some of the items, small amounts that often agree, and the figures."""
    facts, figures = [], {}
    for fact in report_facts(2023):
        item = ITEMS.get(fact.concept)
        if item is None:
            facts.append(fact)
        elif chance.random() < 0.85:
            amount = chance.randint(0 if item != "net_income" else -9, 9)
            facts.append(fact._replace(value=f"{amount}000000"))
            suffix = "" if fact.end == date(2023, 12, 31) else "_previous"
            figures[f"{item}{suffix}"] = Fraction(amount * 10**6)
    return facts, figures


def decided(chance: random.Random) -> Decided:
    """A condition of any kind."""
    sign = chance.choice(list(COMPARE))
    first = chance.choice(list(ITEMS.values()))
    above, divisor = chance.choice(ABOVE), chance.choice(DIVISORS)
    number, factor = chance.randint(-9, 9), chance.choice(["0.5", "0.9", "1.1", "-1", "2"])
    quotient = chance.choice(["0", "0.5", "1", "2"])

    def compared(left: Fraction, right: Fraction) -> bool:
        return COMPARE[sign](left, right)

    def divided(above: str, below: str) -> Callable[[Figures], bool]:
        return lambda has: (
            above in has
            and has.get(below, 0) != 0
            and compared(has[above] / has[below], Fraction(quotient))
        )

    def changed(has: Figures) -> bool:
        now, before = has.get(first), has.get(f"{first}_previous")
        if now is None or not before:
            return False
        return compared((now - before) / abs(before), Fraction(number, 10))

    before = f"{first}_previous"
    ratio = chance.choice(list(RATIOS))
    return chance.choice(
        [
            Decided(
                f"{first}{sign}{number}m",
                lambda has: first in has and compared(has[first], Fraction(number * 10**6)),
            ),
            Decided(
                f"{first} {sign} previous*{factor}",
                lambda has: (
                    first in has
                    and before in has
                    and compared(has[first], has[before] * Fraction(factor))
                ),
            ),
            Decided(
                f"{above}{sign}{divisor}",
                lambda has: above in has and divisor in has and compared(has[above], has[divisor]),
            ),
            Decided(f"{above}/{divisor}{sign}{quotient}", divided(above, divisor)),
            Decided(f"{ratio}{sign}{float(quotient) * 100}%", divided(*RATIOS[ratio])),
            Decided(f"{first}_change{sign}{number * 10}%", changed),
        ]
    )


@pytest.fixture(scope="module")
def reports(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Figures]:
    """The figures of loaded reports; two more are in another currency, and of another form."""
    chance = random.Random(SEED)
    files: dict[str, bytes] = {}
    figures = {}
    for place in range(FILINGS):
        number = f"0009990080-24-{place:06d}"
        facts, figures[number] = made_report(chance)
        text = "granite" if place % 2 else "marble"
        files |= report(number, f"{9_990_100 + place:010d}", facts, date(2024, 2, 1), text=text)
    day = date(2024, 2, 1)
    euros = [fact._replace(unit="EUR") for fact in report_facts(2023) if "/" not in fact.unit]
    files |= report("0009990080-24-000900", "0009990090", euros, day, text="granite")
    files |= report("0009990080-24-000901", "0009990091", report_facts(2023), day, "8-K")
    load_now(settings, tmp_path_factory.mktemp("files"), files)
    return figures


async def found(client: Client, **parameters: str) -> set[str]:
    reply = await client.get("/v1/search", limit="100", **parameters)
    items = reply["items"]
    for offset in range(100, reply["total_count"], 100):
        more = await client.get("/v1/search", limit="100", offset=str(offset), **parameters)
        items += more["items"]
    assert len(items) == reply["total_count"]
    return {each["accnum"] for each in items}


@pytest.mark.long
async def test_conditions_hold_for_the_filings_for_which_plain_python_says_so(
    client: Client, reports: dict[str, Figures]
) -> None:
    chance = random.Random(SEED + 1)
    print("seed", SEED)
    for _ in range(CONDITIONS):
        each = decided(chance)
        expected = {number for number, has in reports.items() if each.holds(has)}
        assert await found(client, figures=each.text) == expected, each.text
    one, two = decided(chance), decided(chance)
    both = {number for number, has in reports.items() if one.holds(has) and two.holds(has)}
    assert await found(client, figures=f"{one.text},{two.text}") == both


@pytest.mark.long
async def test_conditions_join_words_facets_and_currency(
    client: Client, reports: dict[str, Figures]
) -> None:
    rising = {n for n, has in reports.items() if has.get("revenue", 0) >= 5 * 10**6}
    odd = {number for number in rising if int(number[-6:]) % 2}

    assert await found(client, query="granite", figures="revenue>=5m") == odd
    facets = await client.get("/v1/facets", figures="revenue>=5m", by="form_type")
    assert facets["total_count"] == len(rising)
    assert await found(client, figures="revenue>=5m", currency="eur") == {"0009990080-24-000900"}
    everywhere = await found(client, figures="revenue>=5m", currency="any")
    assert everywhere == rising | {"0009990080-24-000900"}
    assert await found(client, figures="revenue>=5m", form_type="8-K") == set()
