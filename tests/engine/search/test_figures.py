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
SEED, FILINGS, CONDITIONS = 48, 80, 40
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
    """Return a condition of any kind."""
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
    return {item["accnum"] for item in items}


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


async def test_reports_are_looked_up_by_figures(
    client: Client, reports: dict[str, Figures]
) -> None:
    rising = {n for n, has in reports.items() if has.get("revenue", 0) >= 5 * 10**6}

    whole = await client.get("/v1/lookup", figures="revenue>=5m")
    assert whole["response_details"]["filings_found"] == len(rising)
    numbers = [each["accnum"] for each in whole["filings"]]
    assert numbers == sorted(rising, reverse=True)
    walked, cursor = [], "*"
    while cursor:
        query = {"figures": "revenue>=5m", "limit": "30"} if cursor == "*" else {}
        page = await client.get("/v1/lookup", **query, cursor=cursor)
        walked += [each["accnum"] for each in page["filings"]]
        cursor = page["next_cursor"]
    assert walked == numbers


@pytest.mark.parametrize("order", ["", ":asc"])
@pytest.mark.parametrize("figure", ["revenue", "net_income_change"])
async def test_documents_are_sorted_by_a_figure_or_a_change(
    client: Client, reports: dict[str, Figures], figure: str, order: str
) -> None:
    def amount(has: Figures) -> Fraction | None:
        if figure == "revenue":
            return has.get("revenue")
        now, before = has.get("net_income"), has.get("net_income_previous")
        return (now - before) / abs(before) if now is not None and before else None

    amounts = {number: amount(has) for number, has in reports.items()}
    found, cursor = [], "*"
    while cursor:
        query = {"form_type": "10-K", "figures": "total_assets!=-1", "sort": f"{figure}{order}"}
        query = {**query, "limit": "60"} if cursor == "*" else {}
        page = await client.get("/v1/search", **query, cursor=cursor)
        found += [amounts[each["accnum"]] for each in page["items"]]
        cursor = page["next_cursor"]
    having = sum("total_assets" in has for has in reports.values())
    assert len(found) == having
    known = [each for each in found if each is not None]
    assert known == sorted(known, reverse=not order)
    assert found[: len(known)] == known and len(known) < having


async def test_ranges_of_a_figure_are_conditions_that_find_their_documents(
    client: Client, reports: dict[str, Figures]
) -> None:
    reply = await client.get("/v1/facets", form_type="10-K", by="revenue,form_type")

    ranges = reply["facets"]["revenue"]["values"]
    assert sum(each["count"] for each in ranges) == sum("revenue" in h for h in reports.values())
    for each in ranges:
        assert len(await found(client, figures=each["value"])) == each["count"], each
    assert len(ranges) == 5
    assert list(reply["facets"]) == ["revenue", "form_type"]


async def test_an_answer_counts_the_reports_that_the_default_currency_leaves_out(
    client: Client, reports: dict[str, Figures]
) -> None:
    said = (
        "figures: one more report meets the conditions in other currencies than USD;"
        " `currency=any` finds them too"
    )

    assert said in (await client.get("/v1/search", figures="revenue>=5m"))["warnings"]
    assert said in (await client.get("/v1/facets", figures="revenue>=5m"))["warnings"]
    usd = await client.get("/v1/search", figures="revenue>=5m", currency="usd")
    assert said not in usd["warnings"]


async def test_an_answer_counts_the_reports_without_a_figure_of_the_conditions(
    client: Client, reports: dict[str, Figures]
) -> None:
    figures = "net_income>-9,total_liabilities/revenue<1"
    needed = ("net_income", "total_liabilities", "revenue")
    without = [
        n for n, has in reports.items() if not set(needed) <= has.keys() or not has["revenue"]
    ]
    text = "left out, without a figure of the conditions or with zero as divisor"

    said = (await client.get("/v1/search", figures=figures, form_type="10-K"))["warnings"]
    assert said[-1] == f"figures: {len(without)} reports are {text}"
    odd = [number for number in without if int(number[-6:]) % 2]
    said = (await client.get("/v1/facets", figures=figures, query="granite"))["warnings"]
    assert said[-1] == f"figures: {len(odd)} reports are {text}"
    assert "warnings" not in await client.get("/v1/search", figures="revenue>1", currency="eur")


async def test_a_currency_that_no_report_has_is_named(
    client: Client, reports: dict[str, Figures]
) -> None:
    reply = await client.get("/v1/search", figures="revenue>1", currency="zzz")
    assert reply["warnings"] == ["currency: no report here has figures in ZZZ"]
    screen = await client.get("/v1/screen", cik="9990100", currency="zzz")
    assert screen["warnings"] == reply["warnings"]


@pytest.mark.parametrize(
    ("path", "parameters", "error"),
    [
        (
            "/v1/search",
            {"figures": "revenue>0", "sort": "revenu"},
            "`sort`: no figure is `revenu`; the nearest are `revenue`",
        ),
        (
            "/v1/search",
            {"figures": "revenue>0", "sort": "revenue", "group_by": "filing"},
            "`sort=revenue` is of documents",
        ),
        (
            "/v1/export",
            {"figures": "revenue>0", "sort": "revenue", "what": "filings"},
            "`sort` must be newest or oldest with `what=filings`",
        ),
        (
            "/v1/facets",
            {"figures": "revenue>0", "by": "revenu"},
            "not `revenu`; the nearest figure is `revenue`",
        ),
    ],
)
async def test_what_is_not_a_figure_is_refused(
    client: Client, path: str, parameters: dict[str, str], error: str
) -> None:
    response = await client.http.get(path, params=parameters)
    assert response.status_code == 400
    assert error in response.json()["error"]
