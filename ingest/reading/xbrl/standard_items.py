"""Standard items: amounts that companies report under several concepts, made comparable by a table.

An item has rules, tried in order for each period and unit: a rule holds if all its concepts have a
value there without dimensions. If none holds, the item is absent; nothing is guessed.
"""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from ingest.reading.xbrl.instance import Context, Fact, Period

# The prefix of items, as if they were concepts of a taxonomy.
TAXONOMY = "standard"


class StandardItem(NamedTuple):
    """An item by its name; a rule is a sum of concepts, those with a minus are subtracted."""

    name: str
    rules: tuple[tuple[str, ...], ...]


def _item(name: str, *rules: str) -> StandardItem:
    return StandardItem(name, tuple(tuple(rule.split()) for rule in rules))


_PRETAX = "us-gaap:IncomeLossFromContinuingOperationsBeforeIncomeTaxes"
_CASH = "us-gaap:CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents"
_FLOW = "us-gaap:NetCashProvidedByUsedIn"
ITEMS: tuple[StandardItem, ...] = (
    _item(
        "revenue",
        "us-gaap:Revenues",
        "us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax",
        "us-gaap:RevenueFromContractWithCustomerIncludingAssessedTax",
        "us-gaap:SalesRevenueNet",
        "us-gaap:RevenuesNetOfInterestExpense",
        "ifrs-full:Revenue",
        "ex-27:TOTAL-REVENUES",
    ),
    _item(
        "cost_of_revenue",
        "us-gaap:CostOfRevenue",
        "us-gaap:CostOfGoodsAndServicesSold",
        "us-gaap:CostOfGoodsSold",
        "ifrs-full:CostOfSales",
        "ex-27:CGS",
    ),
    _item("gross_profit", "us-gaap:GrossProfit", "ifrs-full:GrossProfit"),
    _item(
        "research_and_development",
        "us-gaap:ResearchAndDevelopmentExpense",
        "us-gaap:ResearchAndDevelopmentExpenseExcludingAcquiredInProcessCost",
        "ifrs-full:ResearchAndDevelopmentExpense",
    ),
    _item(
        "selling_general_administrative",
        "us-gaap:SellingGeneralAndAdministrativeExpense",
        "us-gaap:SellingAndMarketingExpense us-gaap:GeneralAndAdministrativeExpense",
        "ifrs-full:SellingGeneralAndAdministrativeExpense",
    ),
    _item(
        "operating_income",
        "us-gaap:OperatingIncomeLoss",
        "ifrs-full:ProfitLossFromOperatingActivities",
    ),
    _item(
        "interest_expense",
        "us-gaap:InterestExpense",
        "us-gaap:InterestExpenseNonoperating",
        "ifrs-full:InterestExpense",
        "ex-27:INTEREST-EXPENSE",
    ),
    _item(
        "income_before_tax",
        f"{_PRETAX}ExtraordinaryItemsNoncontrollingInterest",
        f"{_PRETAX}MinorityInterestAndIncomeLossFromEquityMethodInvestments",
        f"{_PRETAX}IncomeLossFromEquityMethodInvestments",
        "ifrs-full:ProfitLossBeforeTax",
        "ex-27:INCOME-PRETAX",
    ),
    _item(
        "income_tax",
        "us-gaap:IncomeTaxExpenseBenefit",
        "ifrs-full:IncomeTaxExpenseContinuingOperations",
        "ex-27:INCOME-TAX",
    ),
    _item(
        "net_income",
        "us-gaap:NetIncomeLoss",
        "us-gaap:ProfitLoss",
        "ifrs-full:ProfitLossAttributableToOwnersOfParent",
        "ifrs-full:ProfitLoss",
        "ex-27:NET-INCOME",
    ),
    _item(
        "net_income_to_common",
        "us-gaap:NetIncomeLossAvailableToCommonStockholdersBasic",
        "ifrs-full:ProfitLossAttributableToOrdinaryEquityHoldersOfParentEntity",
    ),
    _item(
        "eps_basic",
        "us-gaap:EarningsPerShareBasic",
        "us-gaap:EarningsPerShareBasicAndDiluted",
        "ifrs-full:BasicEarningsLossPerShare",
        "ex-27:EPS-PRIMARY",
        "ex-27:EPS-BASIC",
    ),
    _item(
        "eps_diluted",
        "us-gaap:EarningsPerShareDiluted",
        "us-gaap:EarningsPerShareBasicAndDiluted",
        "ifrs-full:DilutedEarningsLossPerShare",
        "ex-27:EPS-DILUTED",
    ),
    _item(
        "shares_basic",
        "us-gaap:WeightedAverageNumberOfSharesOutstandingBasic",
        "us-gaap:WeightedAverageNumberOfShareOutstandingBasicAndDiluted",
        "ifrs-full:WeightedAverageShares",
    ),
    _item(
        "shares_diluted",
        "us-gaap:WeightedAverageNumberOfDilutedSharesOutstanding",
        "us-gaap:WeightedAverageNumberOfShareOutstandingBasicAndDiluted",
        "ifrs-full:AdjustedWeightedAverageShares",
    ),
    _item(
        "cash",
        "us-gaap:CashAndCashEquivalentsAtCarryingValue",
        "us-gaap:Cash",
        "ifrs-full:CashAndCashEquivalents",
        "ex-27:CASH",
    ),
    _item(
        "short_term_investments",
        "us-gaap:ShortTermInvestments",
        "us-gaap:MarketableSecuritiesCurrent",
        "us-gaap:AvailableForSaleSecuritiesCurrent",
        "us-gaap:AvailableForSaleSecuritiesDebtSecuritiesCurrent",
        "ex-27:SECURITIES",
    ),
    _item(
        "receivables",
        "us-gaap:AccountsReceivableNetCurrent",
        "us-gaap:ReceivablesNetCurrent",
        "ifrs-full:TradeAndOtherCurrentReceivables",
    ),
    _item("inventory", "us-gaap:InventoryNet", "ifrs-full:Inventories", "ex-27:INVENTORY"),
    _item(
        "current_assets",
        "us-gaap:AssetsCurrent",
        "ifrs-full:CurrentAssets",
        "ex-27:CURRENT-ASSETS",
    ),
    _item(
        "property_plant_equipment",
        "us-gaap:PropertyPlantAndEquipmentNet",
        "us-gaap:PropertyPlantAndEquipmentAndFinanceLeaseRightOfUseAsset"
        "AfterAccumulatedDepreciationAndAmortization",
        "ifrs-full:PropertyPlantAndEquipment",
    ),
    _item("goodwill", "us-gaap:Goodwill", "ifrs-full:Goodwill"),
    _item(
        "intangibles",
        "us-gaap:IntangibleAssetsNetExcludingGoodwill",
        "us-gaap:FiniteLivedIntangibleAssetsNet",
        "ifrs-full:IntangibleAssetsOtherThanGoodwill",
    ),
    _item("total_assets", "us-gaap:Assets", "ifrs-full:Assets", "ex-27:TOTAL-ASSETS"),
    _item(
        "payables",
        "us-gaap:AccountsPayableCurrent",
        "us-gaap:AccountsPayableTradeCurrent",
        "ifrs-full:TradeAndOtherCurrentPayables",
    ),
    _item(
        "short_term_debt",
        "us-gaap:DebtCurrent",
        "us-gaap:ShortTermBorrowings us-gaap:LongTermDebtCurrent",
        "us-gaap:CommercialPaper us-gaap:LongTermDebtCurrent",
        "us-gaap:ShortTermBorrowings",
        "us-gaap:LongTermDebtCurrent",
        "ifrs-full:CurrentBorrowings",
    ),
    _item(
        "current_liabilities",
        "us-gaap:LiabilitiesCurrent",
        "ifrs-full:CurrentLiabilities",
        "ex-27:CURRENT-LIABILITIES",
    ),
    _item(
        "long_term_debt",
        "us-gaap:LongTermDebtNoncurrent",
        "us-gaap:LongTermDebtAndCapitalLeaseObligations",
        "ifrs-full:NoncurrentPortionOfNoncurrentBorrowings",
        "ex-27:BONDS",
    ),
    _item("total_liabilities", "us-gaap:Liabilities", "ifrs-full:Liabilities"),
    _item("minority_interest", "us-gaap:MinorityInterest", "ifrs-full:NoncontrollingInterests"),
    _item(
        "equity",
        "us-gaap:StockholdersEquity",
        "us-gaap:StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest",
        "ifrs-full:EquityAttributableToOwnersOfParent",
        "ifrs-full:Equity",
    ),
    _item(
        "retained_earnings",
        "us-gaap:RetainedEarningsAccumulatedDeficit",
        "ifrs-full:RetainedEarnings",
    ),
    _item(
        "shares_outstanding",
        "us-gaap:CommonStockSharesOutstanding",
        "dei:EntityCommonStockSharesOutstanding",
        "ifrs-full:NumberOfSharesOutstanding",
    ),
    _item(
        "cash_from_operations",
        f"{_FLOW}OperatingActivities",
        f"{_FLOW}OperatingActivitiesContinuingOperations",
        "ifrs-full:CashFlowsFromUsedInOperatingActivities",
    ),
    _item(
        "depreciation_amortization",
        "us-gaap:DepreciationDepletionAndAmortization",
        "us-gaap:DepreciationAmortizationAndAccretionNet",
        "us-gaap:DepreciationAndAmortization",
        "ifrs-full:DepreciationAndAmortisationExpense",
    ),
    _item(
        "share_based_compensation",
        "us-gaap:ShareBasedCompensation",
        "ifrs-full:AdjustmentsForSharebasedPayments",
    ),
    _item(
        "capital_expenditure",
        "us-gaap:PaymentsToAcquirePropertyPlantAndEquipment",
        "us-gaap:PaymentsToAcquireProductiveAssets",
        "ifrs-full:PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities",
    ),
    _item(
        "cash_from_investing",
        f"{_FLOW}InvestingActivities",
        f"{_FLOW}InvestingActivitiesContinuingOperations",
        "ifrs-full:CashFlowsFromUsedInInvestingActivities",
    ),
    _item(
        "dividends_paid",
        "us-gaap:PaymentsOfDividends",
        "us-gaap:PaymentsOfDividendsCommonStock",
        "ifrs-full:DividendsPaidClassifiedAsFinancingActivities",
    ),
    _item(
        "buybacks",
        "us-gaap:PaymentsForRepurchaseOfCommonStock",
        "ifrs-full:PaymentsToAcquireOrRedeemEntitysShares",
    ),
    _item(
        "debt_issued",
        "us-gaap:ProceedsFromIssuanceOfDebt",
        "us-gaap:ProceedsFromIssuanceOfLongTermDebt",
        "ifrs-full:ProceedsFromBorrowingsClassifiedAsFinancingActivities",
    ),
    _item(
        "debt_repaid",
        "us-gaap:RepaymentsOfDebt",
        "us-gaap:RepaymentsOfLongTermDebt",
        "ifrs-full:RepaymentsOfBorrowingsClassifiedAsFinancingActivities",
    ),
    _item(
        "cash_from_financing",
        f"{_FLOW}FinancingActivities",
        f"{_FLOW}FinancingActivitiesContinuingOperations",
        "ifrs-full:CashFlowsFromUsedInFinancingActivities",
    ),
    _item(
        "change_in_cash",
        f"{_CASH}PeriodIncreaseDecreaseIncludingExchangeRateEffect",
        "us-gaap:CashAndCashEquivalentsPeriodIncreaseDecrease",
        "ifrs-full:IncreaseDecreaseInCashAndCashEquivalents",
    ),
    _item(
        "free_cash_flow",
        f"{_FLOW}OperatingActivities -us-gaap:PaymentsToAcquirePropertyPlantAndEquipment",
        f"{_FLOW}OperatingActivities -us-gaap:PaymentsToAcquireProductiveAssets",
        "ifrs-full:CashFlowsFromUsedInOperatingActivities"
        " -ifrs-full:PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities",
    ),
)


class ItemValue(NamedTuple):
    """The value of an item, as a fact, with the concepts of the rule that held."""

    fact: Fact
    sources: tuple[str, ...]


_Place = tuple[Period, str]


def standard_items(facts: Iterable[Fact]) -> Iterator[ItemValue]:
    """Yield the items of a filing, in the order of the table, for each period and unit."""
    values: dict[str, dict[_Place, Fact]] = {}
    for fact in facts:
        if not fact.context.dimensions and fact.value is not None:
            values.setdefault(fact.concept, {})[fact.context.period, fact.unit] = fact
    for item in ITEMS:
        found: dict[_Place, ItemValue] = {}
        for rule in item.rules:
            parts = [values.get(source.removeprefix("-"), {}) for source in rule]
            for place in parts[0]:
                if place not in found and all(place in part for part in parts):
                    of_rule = [part[place] for part in parts]
                    found[place] = ItemValue(_total(item.name, rule, of_rule), rule)
        yield from found.values()


def _total(name: str, rule: tuple[str, ...], parts: list[Fact]) -> Fact:
    """Add the parts of a rule; a single one keeps its digits."""
    first = parts[0]
    value, decimals = first.value, first.decimals
    if len(parts) > 1:
        signs = (-1 if source.startswith("-") else 1 for source in rule)
        amounts = (Decimal(part.value or 0) for part in parts)
        value = f"{sum((s * a for s, a in zip(signs, amounts, strict=True)), Decimal()):f}"
        known = [part.decimals for part in parts if not part.exact]
        decimals = None if None in known else min((d for d in known if d is not None), default=None)
    context = Context(first.context.entity, first.context.period, ())
    place = first.place if len(parts) == 1 else None
    return Fact(f"{TAXONOMY}:{name}", context, first.unit, value, decimals, place=place)
