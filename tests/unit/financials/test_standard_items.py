"""Standard items of statements that are modelled on those of large companies."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

import pytest

from edgar_search.edgar.submission import parse_submission
from edgar_search.stored.financials import StoredFact
from ingest.reading.financials import read_financials
from tests.support.made_up_xbrl import (
    MadeUpFact,
    MadeUpLine,
    MadeUpRole,
    documents,
    instance,
)
from tests.support.submissions import MadeUp, MadeUpEntity, txt

CIK = "0009990080"
END, START = date(2023, 12, 31), date(2023, 1, 1)
SHEET = {"Assets": 1000, "LiabilitiesAndStockholdersEquity": 1000}
INCOME = {"NetIncomeLoss": 50, "EarningsPerShareBasic": 1}
FLOWS = {
    f"NetCashProvidedByUsedIn{name}Activities": 70
    for name in ("Operating", "Investing", "Financing")
}
Amounts = Mapping[str, int | Mapping[str, int]]
PRODUCTS = "srt:ProductOrServiceAxis"


class Filing(NamedTuple):
    """Lines above the usual ones by concept; a mapping has amounts of members only."""

    sheet: Amounts = {}
    income: Amounts = {}
    flows: Amounts = {}
    note: Amounts = {}
    sums: Sequence[tuple[str, str, float]] = ()
    labels: Mapping[str, str] = {}
    note_title: str = "DEBT (Details)"
    axis: str = PRODUCTS
    cover: Mapping[str, int] = {}


def name(concept: str) -> str:
    return concept if ":" in concept else f"us-gaap:{concept}"


def read(filing: Filing) -> tuple[dict[str, StoredFact], dict[str, str]]:
    """Return the items of the year by their names, and why others are absent."""
    parts: tuple[tuple[str, Amounts, bool], ...] = (
        ("0002 - Statement - BALANCE SHEETS", {**filing.sheet, **SHEET}, True),
        ("0004 - Statement - INCOME", {**filing.income, **INCOME}, False),
        ("0006 - Statement - CASH FLOWS", {**filing.flows, **FLOWS}, False),
        (f"0040 - Disclosure - {filing.note_title}", filing.note, False),
    )
    facts, roles = [], []
    for place, (definition, amounts, is_sheet) in enumerate(parts):
        lines = []
        for concept, amount in amounts.items():
            start = None if is_sheet or concept.endswith(("Current", "Payable")) else START
            unit = "USD/shares" if "PerShare" in concept else "USD"
            label = filing.labels.get(concept, concept)
            if isinstance(amount, int):
                facts.append(MadeUpFact(name(concept), str(amount), END, start, unit, "0"))
            else:
                lines += [MadeUpLine(filing.axis, "Axis"), *(MadeUpLine(m, m) for m in amount)]
                facts += [
                    MadeUpFact(name(concept), str(each), END, start, unit, "0", ((filing.axis, m),))
                    for m, each in amount.items()
                ]
            lines.append(MadeUpLine(name(concept), label))
        sums = [(name(total), name(part), weight) for total, part, weight in filing.sums]
        roles.append(MadeUpRole(definition, f"moss:Part{place}Abstract", lines, sums))
    for member, shares in filing.cover.items():
        members = (("us-gaap:StatementClassOfStockAxis", member),) if member else ()
        cover = "dei:EntityCommonStockSharesOutstanding"
        facts.append(
            MadeUpFact(cover, str(shares), date(2024, 1, 31), None, "shares", "0", members)
        )
    xbrl = documents(instance(facts, cik=CIK), roles)
    made = MadeUp("0009990080-24-000001", (MadeUpEntity(CIK, "MOSS"),), xbrl, "10-K", END)
    found = read_financials(parse_submission(txt(made)), 10**9)
    assert found.problem is None
    assert found.statements is not None
    items = {fact.local_name: fact for fact in found.facts if fact.taxonomy == "standard"}
    return items, found.statements.absent_items


CONTRACTS = "RevenueFromContractWithCustomerExcludingAssessedTax"
INCLUDING = "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest"


@pytest.mark.parametrize(
    ("filing", "item", "value", "rule"),
    [
        # A note's revenues of joint ventures beside the only line of the statement.
        (Filing(income={CONTRACTS: 900}, note={"Revenues": 20}), "revenue", "900", "line"),
        # Net sales, and membership income, of a retailer.
        (
            Filing(
                income={CONTRACTS: 900, "moss:Membership": 5, "Revenues": 905},
                sums=[("Revenues", CONTRACTS, 1), ("Revenues", "moss:Membership", 1)],
            ),
            "revenue",
            "905",
            "line",
        ),
        # The filer's total is tagged as a part usually is, and the other way round.
        (
            Filing(income={"Revenues": 900, CONTRACTS: 950}, sums=[(CONTRACTS, "Revenues", 1)]),
            "revenue",
            "950",
            "line",
        ),
        (
            Filing(
                income={"OtherSalesRevenueNet": 3, "moss:AllRevenues": 303},
                labels={"moss:AllRevenues": "Total revenues and other income"},
            ),
            "revenue",
            "303",
            "label",
        ),
        (
            Filing(income={"Revenues": {"us-gaap:ProductMember": 7, "us-gaap:ServiceMember": 5}}),
            "revenue",
            "12",
            "sum_of_members",
        ),
        # Products and services.
        (
            Filing(income={"CostOfGoodsSold": 40, "CostOfServices": 20}),
            "cost_of_revenue",
            "60",
            "sum_of_lines",
        ),
        (
            Filing(
                income={"CostOfGoodsSold": 40, "CostOfServices": 20, "CostOfRevenue": 60},
                labels={"CostOfRevenue": "Total costs"},
            ),
            "cost_of_revenue",
            "60",
            "line",
        ),
        (
            Filing(
                income={"Revenues": 90, "CostOfGoodsSold": 40, "moss:Fees": 9, "GrossProfit": 41},
                sums=[
                    ("GrossProfit", "Revenues", 1),
                    ("GrossProfit", "CostOfGoodsSold", -1),
                    ("GrossProfit", "moss:Fees", -1),
                ],
            ),
            "cost_of_revenue",
            "49",
            "calculation",
        ),
        # Notes already paid are in a note only.
        (
            Filing(
                sheet={"CommercialPaper": 6, "LongTermDebtCurrent": 9, "LiabilitiesCurrent": 30},
                note={"ShortTermBorrowings": 500, "NotesPayableCurrent": 700},
            ),
            "short_term_debt",
            "15",
            "sum_of_lines",
        ),
        (
            Filing(
                sheet={"NotesAndLoansPayable": 4, "LongTermDebtCurrent": 5, "LiabilitiesCurrent": 9}
            ),
            "short_term_debt",
            "9",
            "sum_of_lines",
        ),
        (
            Filing(
                sheet={"moss:BankLoans": 4, "LongTermDebtCurrent": 5, "LiabilitiesCurrent": 9},
                labels={"moss:BankLoans": "Loans payable"},
            ),
            "short_term_debt",
            "9",
            "sum_of_lines",
        ),
        (
            Filing(
                sheet={"DebtCurrent": {"moss:FinanceMember": 50, "moss:MotorsMember": 3}},
                axis="us-gaap:StatementBusinessSegmentsAxis",
            ),
            "short_term_debt",
            "53",
            "sum_of_members",
        ),
        (
            Filing(sheet={"LongTermDebtAndCapitalLeaseObligations": 8}),
            "long_term_debt",
            "8",
            "line",
        ),
        (
            Filing(sheet={"LiabilitiesCurrent": 1, "NotesPayable": 8, "SeniorNotes": 5}),
            "long_term_debt",
            "13",
            "sum_of_lines",
        ),
        (
            Filing(sheet={"IndefiniteLivedTrademarks": 6, "OtherIntangibleAssetsNet": 2}),
            "intangibles",
            "8",
            "sum_of_lines",
        ),
        (Filing(sheet={"CashAndDueFromBanks": 8}), "cash", "8", "line"),
        (
            Filing(sheet={INCLUDING: 40, "MinorityInterest": 3}),
            "equity",
            "37",
            "sum_of_lines",
        ),
        (
            Filing(
                sheet={"StockholdersEquity": 40, "MinorityInterest": 3},
                sums=[("StockholdersEquity", "MinorityInterest", 1)],
            ),
            "equity",
            "37",
            "sum_of_lines",
        ),
        (
            Filing(sheet={"StockholdersEquity": 37, "MinorityInterest": 3, INCLUDING: 40}),
            "equity",
            "37",
            "line",
        ),
        (Filing(sheet={INCLUDING: 40}), "equity", "40", "line"),
        (
            Filing(
                flows={
                    "DepreciationAmortizationAndAccretionNet": 5,
                    "AmortizationOfIntangibleAssets": 2,
                }
            ),
            "depreciation_amortization",
            "7",
            "sum_of_lines",
        ),
        (
            Filing(
                flows={"moss:WearAndTear": 5, "AmortizationOfFinancingCosts": 1},
                labels={
                    "moss:WearAndTear": "Depreciation, amortization, and other",
                    "AmortizationOfFinancingCosts": "Amortization of debt costs",
                },
            ),
            "depreciation_amortization",
            "5",
            "line",
        ),
        (
            Filing(
                flows={
                    "RepaymentsOfLongTermDebt": 5,
                    "RepaymentsOfShortTermDebtMaturingInMoreThanThreeMonths": 2,
                    "ProceedsFromRepaymentsOfOtherDebt": 100,
                }
            ),
            "debt_repaid",
            "7",
            "sum_of_lines",
        ),
        (
            Filing(income={"ResearchAndDevelopmentExpenseExcludingAcquiredInProcessCost": 5}),
            "research_and_development",
            "5",
            "line",
        ),
        (
            Filing(note={"ResearchAndDevelopmentExpense": 5}),
            "research_and_development",
            "5",
            "note",
        ),
        (
            Filing(cover={"us-gaap:CommonClassAMember": 70, "us-gaap:CommonClassBMember": 30}),
            "shares_outstanding",
            "100",
            "sum_of_members",
        ),
        (
            Filing(sheet={"CommonStockSharesOutstanding": 100}, cover={"": 5000}),
            "shares_outstanding",
            "5000",
            "cover",
        ),
        (
            Filing(flows={"PaymentsToAcquireProductiveAssets": 30}),
            "free_cash_flow",
            "40",
            "sum_of_lines",
        ),
        # Payments and costs that are tagged as they are shown, in brackets.
        (
            Filing(flows={"PaymentsToAcquireProductiveAssets": -30}),
            "capital_expenditure",
            "30",
            "line",
        ),
        (
            Filing(flows={"PaymentsToAcquireProductiveAssets": -30}),
            "free_cash_flow",
            "40",
            "sum_of_lines",
        ),
        (Filing(income={"InterestExpense": -9}), "interest_expense", "9", "line"),
        (Filing(income={"IncomeTaxExpenseBenefit": -9}), "income_tax", "-9", "line"),
        # A company's own loans beside its current maturities.
        (
            Filing(
                sheet={
                    "moss:Loans": 60,
                    "LongTermDebtCurrent": 4,
                    "LiabilitiesCurrent": 90,
                },
                labels={"moss:Loans": "Loans and notes payable"},
            ),
            "short_term_debt",
            "64",
            "sum_of_lines",
        ),
        # Inventories of two kinds, without a total.
        (
            Filing(
                sheet={
                    "InventoryFinishedGoodsAndWorkInProcess": 9,
                    "InventoryPartsAndComponents": 2,
                }
            ),
            "inventory",
            "11",
            "sum_of_lines",
        ),
        (
            Filing(
                income={
                    "InterestExpenseDebt": 40,
                    "InterestExpenseLesseeAssetsUnderCapitalLease": 6,
                }
            ),
            "interest_expense",
            "46",
            "sum_of_lines",
        ),
        (
            Filing(
                income={"moss:Pretax": 7},
                labels={"moss:Pretax": "Income/(Loss) before income taxes"},
            ),
            "income_before_tax",
            "7",
            "label",
        ),
        # A line that says both is a difference, and no part of a sum.
        (
            Filing(
                flows={"ProceedsFromRepaymentsOfShortTermDebt": -5, "moss:Proceeds": 8},
                labels={
                    "ProceedsFromRepaymentsOfShortTermDebt": "Proceeds from (Repayments of) Debt",
                    "moss:Proceeds": "Proceeds from issuance of other debt",
                },
            ),
            "debt_issued",
            "8",
            "line",
        ),
        # Marketable securities are short-term where the sheet lists them among current assets.
        (
            Filing(
                sheet={
                    "OtherShortTermInvestments": 3,
                    "MarketableSecurities": 4,
                    "AssetsCurrent": 20,
                    "LongTermInvestments": 5,
                }
            ),
            "short_term_investments",
            "7",
            "sum_of_lines",
        ),
        # Costs of products are all costs of a company whose other revenues are royalties.
        (
            Filing(
                income={
                    "SalesRevenueGoodsNet": 90,
                    "RoyaltyRevenue": 9,
                    "Revenues": 99,
                    "CostOfGoodsSold": 30,
                },
                labels={"CostOfGoodsSold": "Cost of products sold", "RoyaltyRevenue": "Royalties"},
            ),
            "cost_of_revenue",
            "30",
            "line",
        ),
    ],
)
def test_item_is_what_the_statement_says(filing: Filing, item: str, value: str, rule: str) -> None:
    items, absent = read(filing)
    assert item not in absent
    assert (items[item].value, items[item].rule) == (value, rule)


@pytest.mark.parametrize(
    ("filing", "item", "reason"),
    [
        (Filing(note={"Revenues": 20}), "revenue", "no line of the income statement is it"),
        # One member is no whole, members of other tellings are no parts, nor are those of two axes.
        (Filing(sheet={"Goodwill": {"moss:NorthMember": 1}}), "goodwill", "no line of the balance"),
        (
            Filing(
                income={"Revenues": {"moss:AsReportedMember": 7, "moss:RestatedMember": 5}},
                axis="srt:RestatementAxis",
            ),
            "revenue",
            "no line of the income statement",
        ),
        (
            Filing(
                note={"ResearchAndDevelopmentExpense": 5},
                note_title="EQUITY METHOD INVESTMENTS (Details)",
            ),
            "research_and_development",
            "no line of the income statement",
        ),
        (
            Filing(income={"GeneralAndAdministrativeExpense": 5}),
            "selling_general_administrative",
            "no",
        ),
        (
            Filing(flows={"ProceedsFromRepaymentsOfDebt": 5}),
            "debt_repaid",
            "no line of the cash flow",
        ),
        # Costs of products of an insurer that has premiums, services and products.
        (
            Filing(
                income={
                    "PremiumsEarnedNet": 900,
                    "SalesRevenueGoodsNet": 90,
                    "Revenues": 990,
                    "CostOfGoodsSold": 30,
                },
                labels={"CostOfGoodsSold": "Cost of products sold"},
            ),
            "cost_of_revenue",
            "no line of the income statement",
        ),
        (
            Filing(flows={"EmployeeBenefitsAndShareBasedCompensation": 5}),
            "share_based_compensation",
            "no line of the cash flow",
        ),
        (Filing(), "shares_outstanding", "the cover has no number of shares"),
        (Filing(), "free_cash_flow", "it needs both of its parts"),
    ],
)
def test_absent_item_has_a_reason(filing: Filing, item: str, reason: str) -> None:
    items, absent = read(filing)
    assert item not in items
    assert absent[item].startswith(reason)


def test_lines_whose_sign_is_turned_have_a_minus_in_the_sources() -> None:
    items, _ = read(Filing(flows={"PaymentsToAcquireProductiveAssets": -30}))
    assert items["capital_expenditure"].sources == ["-us-gaap:PaymentsToAcquireProductiveAssets"]
    assert items["free_cash_flow"].sources == [
        "us-gaap:NetCashProvidedByUsedInOperatingActivities",
        "us-gaap:PaymentsToAcquireProductiveAssets",
    ]


def test_sum_names_its_parts() -> None:
    items, _ = read(Filing(cover={"us-gaap:CommonClassAMember": 7, "moss:ClassCMember": 3}))
    cover, axis = "dei:EntityCommonStockSharesOutstanding", "us-gaap:StatementClassOfStockAxis"
    assert items["shares_outstanding"].sources == [
        f"{cover}[{axis}=us-gaap:CommonClassAMember]",
        f"{cover}[{axis}=moss:ClassCMember]",
    ]
