"""Conditions on figures over the SEC's Financial Statement Data Sets, as pandas decides them."""

import operator
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.data_sets import data_sets, documented_figures, documented_items, submissions
from tests.support.engines import CHECKOUT
from tests.support.loading import load_now

# test_figures.py has the same of made-up reports.
pytestmark = [pytest.mark.anyio, pytest.mark.one_client, pytest.mark.long]
SEED, CONDITIONS, FILINGS = 48, 40, 300
COMPARE: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "!=": operator.ne,
}
DIVISORS = ("total_assets", "equity", "current_liabilities", "net_income")
RATIOS = {
    "liabilities_to_assets": ("total_liabilities", "total_assets"),
    "current_ratio": ("current_assets", "current_liabilities"),
    "cash_ratio": ("cash", "current_liabilities"),
    "return_on_assets": ("net_income", "total_assets"),
    "return_on_equity": ("net_income", "equity"),
}
# No quotient of one of these is stored.
NOT_AMOUNTS = ("eps_basic", "eps_diluted", "shares_basic", "shares_diluted")
Holds = Callable[["pd.Series[float]"], bool]


@pytest.fixture(scope="module")
def figures(
    corpus: Path, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> pd.DataFrame:
    """The figures of a sample of the filings, which are loaded."""
    if not (corpus / "xbrl" / "2009q3.zip").exists():
        pytest.skip(f"the data sets are absent: no folder {corpus / 'xbrl'}")
    data = data_sets(corpus)
    data = data._replace(sub=data.sub.sample(FILINGS, random_state=SEED))
    load_now(settings, tmp_path_factory.mktemp("files"), dict(submissions(data)))
    items = documented_items((CHECKOUT / "docs/api/financials.md").read_text())
    found = documented_figures(data, items)
    print(f"seed {SEED}: {len(found)} filings, {len(items)} items, {found.count().sum()} figures")
    return found


def condition(chance: random.Random, figures: pd.DataFrame) -> tuple[str, Holds]:
    """Return a condition of any kind, and what decides it for the figures of a filing."""
    sign = chance.choice(list(COMPARE))
    items = [name for name in figures if f"{name}_previous" in figures]
    item = chance.choice(items)
    before = f"{item}_previous"
    share = chance.choice(["-0.1", "0", "0.05", "0.5", "1", "1.1"])

    def compare(above: Fraction, below: Fraction) -> bool:
        return COMPARE[sign](above, below)

    def exact(has: "pd.Series[float]", *names: str) -> list[Fraction] | None:
        return None if has[list(names)].isna().any() else [Fraction(has[name]) for name in names]

    def divided(above: str, below: str, number: str) -> Holds:
        def holds(has: "pd.Series[float]") -> bool:
            found = exact(has, above, below)
            return bool(found and found[1] and compare(found[0] / found[1], Fraction(number)))

        return holds

    kind = chance.randrange(6)
    if kind == 0:
        number = (
            f"{figures[item].dropna().sample(1, random_state=chance.randrange(99)).iloc[0]:.15g}"
        )
        return (
            f"{item}{sign}{number}",
            lambda has: (
                (found := exact(has, item)) is not None and compare(found[0], Fraction(number))
            ),
        )
    if kind == 1:
        return (
            f"{item} {sign} previous*{share}",
            lambda has: (
                (found := exact(has, item, before)) is not None
                and compare(found[0], found[1] * Fraction(share))
            ),
        )
    if kind == 2:

        def changed(has: "pd.Series[float]") -> bool:
            found = exact(has, item, before)
            if not found or not found[1]:
                return False
            return compare((found[0] - found[1]) / abs(found[1]), Fraction(share))

        return f"{item}_change{sign}{float(share) * 100:g}%", changed
    if kind == 3:
        ratio = chance.choice(list(RATIOS))
        return f"{ratio}{sign}{share}", divided(*RATIOS[ratio], share)
    below = chance.choice(DIVISORS)
    above = chance.choice([each for each in items if each not in (below, *NOT_AMOUNTS)])
    if kind == 4:
        return f"{above}/{below}{sign}{share}", divided(above, below, share)
    return (
        f"{above}{sign}{below}",
        lambda has: (found := exact(has, above, below)) is not None and compare(*found),
    )


async def found(client: Client, figures: str) -> set[str]:
    numbers: set[str] = set()
    total = 1
    while len(numbers) < total:
        offset = str(len(numbers))
        reply = await client.get("/v1/search", figures=figures, limit="100", offset=offset)
        total = reply["total_count"]
        numbers |= {item["accnum"] for item in reply["items"]}
    return numbers


async def test_conditions_hold_for_the_filings_for_which_pandas_says_so(
    client: Client, figures: pd.DataFrame
) -> None:
    chance = random.Random(SEED)
    for _ in range(CONDITIONS):
        text, holds = condition(chance, figures)
        expected = set(figures.index[figures.apply(holds, axis=1)])
        assert await found(client, text) == expected, text
        print(f"{len(expected):4} {text}")


async def test_each_figure_is_that_of_the_documented_table(
    client: Client, figures: pd.DataFrame
) -> None:
    names = [name for name in figures if not name.endswith("_previous")]
    seen = 0
    for offset in range(0, len(figures), 200):
        reply = await client.get(
            "/v1/screen",
            columns=",".join(names),
            currency="any",
            form_family="10-K,10-Q",
            limit="200",
            offset=str(offset),
        )
        for row in reply["items"]:
            expected = figures.loc[row["accnum"], names].dropna()
            cells = {name: row["cells"][name]["value"] for name in names}
            assert {n: v for n, v in cells.items() if v is not None} == expected.to_dict()
            seen += 1
    assert seen > len(figures) * 0.9
