"""Figures of a loaded report, on its main document alone."""

from datetime import date

import pytest
from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from tests.support.loading import Loads
from tests.support.made_up_xbrl import report, report_facts

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.usefixtures("made_settings")]
CIK, NUMBER = "0009990080", "0009990080-24-000001"


class Source(Struct):
    figures: dict[str, float] = {}
    currency: str | None = None


class Hit(Struct):
    id: str = field(name="_id")
    source: Source = field(name="_source")


async def test_the_main_document_has_the_figures_of_the_report(
    engine: Engine, loads: Loads
) -> None:
    await loads(report(NUMBER, CIK, report_facts(2023, 2, 3), date(2024, 2, 1)))

    found = await engine.search("documents", {"query": {"match_all": {}}}, Hit)

    (main,) = found.hits.hits
    assert (main.id, main.source.currency) == (f"{NUMBER}-1", "USD")
    assert main.source.figures == {
        "revenue": 100e6,
        "revenue_previous": 150e6,
        "cost_of_revenue": 60e6,
        "cost_of_revenue_previous": 90e6,
        "net_income": 14e6,
        "net_income_previous": 21e6,
        "eps_basic": 0.7,
        "eps_basic_previous": 0.7,
        "cash": 40e6,
        "cash_previous": 60e6,
        "total_assets": 200e6,
        "total_assets_previous": 300e6,
        "total_liabilities": 120e6,
        "total_liabilities_previous": 180e6,
        "equity": 80e6,
        "equity_previous": 120e6,
        "cash_from_operations": 18e6,
        "cash_from_operations_previous": 27e6,
        "cash_from_investing": -8e6,
        "cash_from_investing_previous": -12e6,
        "cash_from_financing": -4e6,
        "cash_from_financing_previous": -6e6,
        "change_in_cash": 6e6,
        "change_in_cash_previous": 9e6,
    }
