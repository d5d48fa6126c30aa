"""`edgar-search statements`, `facts` and `screen` over a loaded report."""

import argparse
import json
from collections.abc import Callable
from datetime import date

import pytest

from edgar_search.commands.financials import run_facts, run_statements
from edgar_search.commands.options import (
    add_facts_options,
    add_screen_options,
    add_statements_options,
)
from edgar_search.commands.screens import run as run_screen
from edgar_search.settings import Settings
from tests.support.loading import load_now
from tests.support.made_up_xbrl import report, report_facts

pytestmark = [pytest.mark.any_engine, pytest.mark.shared_installation]


@pytest.fixture(scope="module")
def cik(
    settings: Settings, tmp_path_factory: pytest.TempPathFactory, new_number: Callable[[], str]
) -> str:
    """The CIK of a company with one report."""
    number = new_number()
    cik = f"00087{number[-5:]}"
    folder = tmp_path_factory.mktemp("reports")
    load_now(settings, folder, report(number, cik, report_facts(2023), date(2024, 2, 1)))
    return cik


def options(add: Callable[[argparse.ArgumentParser], None], *words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add(parser)
    return parser.parse_args(words)


def test_statements_are_tables_with_the_signs_that_are_shown(
    settings: Settings, cik: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = options(add_statements_options, cik, "--statement", "income_statement")
    assert run_statements(settings, given) == 0
    head, _, title, columns, _, sales, cost, *_ = capsys.readouterr().out.splitlines()
    assert head.startswith("MOSS QUARRIES CORP, 10-K of 2024-02-01, ")
    assert title == "STATEMENTS OF INCOME"
    assert columns.split() == ["2023-01-01..2023-12-31", "2022-01-01..2022-12-31"]
    assert sales.split() == ["Sales", "of", "slate", "50,000,000", "50,000,000"]
    assert cost.split() == ["Cost", "of", "slate", "-30,000,000", "-30,000,000"]


def test_facts_are_printed_in_three_forms(
    settings: Settings, cik: str, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = {}
    for form in ("text", "csv", "jsonl"):
        words = ("--cik", cik, "--concept", "EarningsPerShareBasic", "--format", form, "--all")
        assert run_facts(settings, options(add_facts_options, *words)) == 0
        printed[form] = capsys.readouterr().out.splitlines()
    assert [line.split()[-2:] for line in printed["text"][1:]] == [["0.70", "USD/shares"]] * 2
    assert printed["csv"][0].startswith("cik,name,accnum,")
    assert ",0.70,USD/shares,2,2023-01-01,2023-12-31," in printed["csv"][1]
    assert json.loads(printed["jsonl"][0], parse_float=str)["value"] == "0.70"


def test_screens_are_printed_in_three_forms(
    settings: Settings, cik: str, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = {}
    for form in ("text", "csv", "jsonl"):
        words = ("--cik", cik, "--figures", "revenue>1m", "--columns", "company,revenue,net_margin")
        given = options(
            add_screen_options, *words, "--format", form, *(("--all",) * (form != "text"))
        )
        assert run_screen(settings, given) == 0
        out = capsys.readouterr()
        printed[form] = out.out.splitlines()
        assert out.err.endswith("edgar-search: 1 of 1\n")
    head, row = printed["text"]
    assert head.split() == ["accnum", "company", "revenue", "net_margin"]
    assert row.split()[1:] == ["MOSS", "QUARRIES", "CORP", "50,000,000", "0.1400"]
    assert printed["csv"][0].startswith('"document_id","accnum","company","revenue"')
    assert ",50000000," in printed["csv"][1]
    cells = json.loads(printed["jsonl"][0])["cells"]
    assert cells["revenue"]["sources"][0]["item"] == "revenue"


def test_lines_of_statements_are_rows(
    settings: Settings, cik: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (cik, "--statement", "balance_sheet", "--format", "jsonl")
    assert run_statements(settings, options(add_statements_options, *words)) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["value"] for row in rows if row["concept"] == "us-gaap:Assets"] == [100_000_000] * 2
