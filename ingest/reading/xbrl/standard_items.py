"""Standard items: amounts of the statements under names that are the same for all companies.

An item is decided once for a filing, by the lines of its statement. If no rule holds, the item is
absent, with a reason; nothing is guessed. A schedule before XBRL has tags for some items.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import NamedTuple

from edgar_search.stored.financials import STATEMENT_NAMES, ItemRule, StatementKind
from ingest.reading.xbrl.faces import Amounts, Column, Face, total
from ingest.reading.xbrl.instance import Context, Fact, Period
from ingest.reading.xbrl.item_rules import (
    Chosen,
    Costs,
    Line,
    Lines,
    Rule,
    Subtracted,
    Sum,
    Term,
    columns_of,
)

# The prefix of items, as if they were concepts of a taxonomy.
TAXONOMY = "standard"
_INCOME: StatementKind = "income_statement"
_SHEET: StatementKind = "balance_sheet"
_FLOWS: StatementKind = "cash_flow"


class StandardItem(NamedTuple):
    """An item: its statements and rules, both in the order in which they are tried.

    `notes` are concepts that count from a note if no line of the statement is the item; `tags` are
    the tags of EX-27 schedules.
    """

    name: str
    statements: tuple[StatementKind, ...]
    rules: tuple[Rule, ...]
    tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _income(name: str, *rules: Rule, tags: str = "", notes: str = "") -> StandardItem:
    return StandardItem(name, (_INCOME,), rules, _words(tags), _words(notes))


def _sheet(name: str, *rules: Rule, tags: str = "") -> StandardItem:
    return StandardItem(name, (_SHEET,), rules, _words(tags))


def _flows(name: str, *rules: Rule) -> StandardItem:
    return StandardItem(name, (_FLOWS,), rules)


def _line(concepts: str, called: str = "", *, topmost: bool = False, additive: bool = True) -> Line:
    return Line(_words(concepts), called, topmost, additive)


_PRETAX = "IncomeLossFromContinuingOperationsBeforeIncomeTaxes"
_CASH = "CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents"
_FLOW = "NetCashProvidedByUsedIn"
_INCLUDING = "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest"
_TOTAL = "(total |consolidated )*"
_DEBT = "(debt|borrowings?|notes|loans|indebtedness|debentures)"
# Debt whose name does not say when it is due.
_GENERAL_DEBT = _words(
    "NotesPayable NotesAndLoansPayable LoansPayable LoansPayableToBank LineOfCredit ConvertibleDebt"
    " ConvertibleNotesPayable SecuredDebt UnsecuredDebt SeniorNotes SubordinatedDebt"
    " JuniorSubordinatedNotes OtherBorrowings OtherLoansPayable OtherNotesPayable MediumTermNotes"
    " DebtAndCapitalLeaseObligations DebtLongtermAndShorttermCombinedAmount"
)
_LEASE_INTEREST = _words("InterestExpenseLesseeAssetsUnderCapitalLease FinanceLeaseInterestExpense")
_COST = (
    "costs? of (net |total )*(sales|revenues?|goods|products?|services?|equipment|merchandise"
    "|operations|subscription|licenses?|maintenance|rentals?|financing).*"
)
ITEMS: tuple[StandardItem, ...] = (
    _income(
        "revenue",
        _line(
            "Revenues RevenuesNetOfInterestExpense"
            " RevenueFromContractWithCustomerExcludingAssessedTax"
            " RevenueFromContractWithCustomerIncludingAssessedTax SalesRevenueNet"
            " RegulatedAndUnregulatedOperatingRevenue UtilityRevenue RealEstateRevenueNet Revenue",
            f"{_TOTAL}(net |operating )*(revenues?|sales)(,? net)?( and other( income)?)?(, total)?"
            "(,? net of interest expense)?",
            topmost=True,
        ),
        Lines(
            _words(
                "SalesRevenueGoodsNet SalesRevenueServicesNet OtherSalesRevenueNet LicensesRevenue"
                " MaintenanceRevenue FinancialServicesRevenue"
            )
        ),
        tags="TOTAL-REVENUES",
    ),
    _income(
        "cost_of_revenue",
        Subtracted("GrossProfit"),
        Costs(
            _words(
                "CostOfRevenue CostOfGoodsAndServicesSold CostOfGoodsSold CostOfServices"
                " CostOfGoodsAndServiceExcludingDepreciationDepletionAndAmortization"
                " CostOfGoodsSoldExcludingDepreciationDepletionAndAmortization"
                " CostOfServicesExcludingDepreciationDepletionAndAmortization"
                " CostOfServicesMaintenanceCosts CostOfServicesLicensesAndServices"
                " CostOfGoodsSoldSubscription CostOfSales"
            ),
            _TOTAL + _COST,
        ),
        tags="CGS",
    ),
    _income("gross_profit", _line("GrossProfit")),
    _income(
        "research_and_development",
        _line(
            "ResearchAndDevelopmentExpense"
            " ResearchAndDevelopmentExpenseExcludingAcquiredInProcessCost"
            " ResearchAndDevelopmentExpenseSoftwareExcludingAcquiredInProcessCost",
            f"{_TOTAL}research(,| and| &)* ?(product )?development(,? and (engineering|related))?"
            "( costs?| expenses?)?(, net)?|product development|technology and development",
            topmost=True,
        ),
        notes="ResearchAndDevelopmentExpense"
        " ResearchAndDevelopmentExpenseExcludingAcquiredInProcessCost",
    ),
    _income(
        "selling_general_administrative",
        _line(
            "SellingGeneralAndAdministrativeExpense",
            "(selling|marketing),? (informational,? |general,? )*(and"
            "|&) administrative( expenses?)?",
            topmost=True,
        ),
        Sum(
            (
                _words(
                    "SellingAndMarketingExpense MarketingExpense SellingExpense DistributionCosts"
                ),
                _words("GeneralAndAdministrativeExpense AdministrativeExpense"),
            )
        ),
    ),
    _income(
        "operating_income",
        _line(
            "OperatingIncomeLoss ProfitLossFromOperatingActivities",
            f"{_TOTAL}(operating (income|profit|earnings)|(income|earnings|profit) from operations)"
            "( loss)?",
        ),
    ),
    _income(
        "interest_expense",
        Sum((("InterestExpenseDebt",), _LEASE_INTEREST)),
        _line(
            "InterestExpense InterestAndDebtExpense InterestExpenseNonoperating InterestExpenseDebt"
            " InterestExpenseOperating",
            f"{_TOTAL}interest expenses?|interest and other (debt|financial) (charges|expenses?)",
            topmost=True,
        ),
        tags="INTEREST-EXPENSE",
        notes="InterestExpense InterestExpenseNonoperating InterestExpenseDebt",
    ),
    _income(
        "income_before_tax",
        _line(
            f"{_PRETAX}ExtraordinaryItemsNoncontrollingInterest"
            f" {_PRETAX}MinorityInterestAndIncomeLossFromEquityMethodInvestments"
            f" {_PRETAX}IncomeLossFromEquityMethodInvestments"
            f" {_PRETAX}MinorityInterest {_PRETAX}ExtraordinaryItems ProfitLossBeforeTax",
            "(net )?(income|earnings|profit)( loss)?( from( continuing)? operations)?"
            " before (provision for |benefit from )*(income )?tax(es)?"
            "( on income| expense| benefit)*"
            "(,? and (minority|noncontrolling) interests?)?",
            topmost=True,
        ),
        tags="INCOME-PRETAX",
    ),
    _income(
        "income_tax",
        _line(
            "IncomeTaxExpenseBenefit IncomeTaxExpenseBenefitContinuingOperations"
            " IncomeTaxExpenseContinuingOperations",
            f"{_TOTAL}(provision for |benefit from )*(federal )?(income tax(es)?|taxes on income)"
            "( expense| provision| benefit)*|provision for taxes",
        ),
        tags="INCOME-TAX",
    ),
    StandardItem(
        "net_income",
        (_INCOME, "comprehensive_income", _FLOWS),
        (
            _line("NetIncomeLoss ProfitLossAttributableToOwnersOfParent"),
            Sum(
                (
                    ("ProfitLoss",),
                    (
                        "-NetIncomeLossAttributableToNoncontrollingInterest",
                        "ProfitLossAttributableToNoncontrollingInterests",
                    ),
                )
            ),
            _line("ProfitLoss", f"{_TOTAL}net (income|earnings)( loss)?"),
        ),
        ("NET-INCOME",),
    ),
    _income(
        "net_income_to_common",
        _line(
            "NetIncomeLossAvailableToCommonStockholdersBasic"
            " ProfitLossAttributableToOrdinaryEquityHoldersOfParentEntity"
        ),
    ),
    _income(
        "eps_basic",
        _line(
            "EarningsPerShareBasic EarningsPerShareBasicAndDiluted BasicEarningsLossPerShare"
            " NetIncomeLossPerOutstandingLimitedPartnershipUnit"
            " NetIncomeLossPerOutstandingLimitedPartnershipUnitBasic",
            additive=False,
        ),
        tags="EPS-PRIMARY EPS-BASIC",
    ),
    _income(
        "eps_diluted",
        _line(
            "EarningsPerShareDiluted EarningsPerShareBasicAndDiluted DilutedEarningsLossPerShare"
            " NetIncomeLossPerOutstandingLimitedPartnershipUnitDiluted",
            additive=False,
        ),
        tags="EPS-DILUTED",
    ),
    _income(
        "shares_basic",
        _line(
            "WeightedAverageNumberOfSharesOutstandingBasic"
            " WeightedAverageNumberOfShareOutstandingBasicAndDiluted WeightedAverageShares"
            " WeightedAverageNumberOfSharesIssuedBasic",
            additive=False,
        ),
        notes="WeightedAverageNumberOfSharesOutstandingBasic"
        " WeightedAverageNumberOfShareOutstandingBasicAndDiluted WeightedAverageShares",
    ),
    _income(
        "shares_diluted",
        _line(
            "WeightedAverageNumberOfDilutedSharesOutstanding"
            " WeightedAverageNumberOfShareOutstandingBasicAndDiluted AdjustedWeightedAverageShares",
            additive=False,
        ),
        notes="WeightedAverageNumberOfDilutedSharesOutstanding"
        " WeightedAverageNumberOfShareOutstandingBasicAndDiluted AdjustedWeightedAverageShares",
    ),
    _sheet(
        "cash",
        _line(
            "CashAndCashEquivalentsAtCarryingValue Cash CashAndCashEquivalents CashAndDueFromBanks"
            f" CashCashEquivalentsAndFederalFundsSold {_CASH}"
            " CashAndCashEquivalentsAtCarryingValueIncludingDiscontinuedOperations"
            " CashCashEquivalentsAndShortTermInvestments",
            f"{_TOTAL}cash( and (cash |temporary cash )?(equivalents|investments))?",
        ),
        tags="CASH",
    ),
    _sheet(
        "short_term_investments",
        Lines(
            _words(
                "ShortTermInvestments OtherShortTermInvestments MarketableSecuritiesCurrent"
                " AvailableForSaleSecuritiesCurrent"
                " AvailableForSaleSecuritiesDebtSecuritiesCurrent"
                " DebtSecuritiesAvailableForSaleExcludingAccruedInterestCurrent"
                " DebtSecuritiesCurrent TradingSecuritiesCurrent HeldToMaturitySecuritiesCurrent"
                " DebtSecuritiesHeldToMaturityExcludingAccruedInterestAfterAllowanceForCreditLoss"
                "Current"
            ),
            "(total )?(short-term|current) (investments|marketable securities)"
            "|short-term and other investments",
            ("MarketableSecurities",),
            "current_assets",
        ),
        tags="SECURITIES",
    ),
    _sheet(
        "receivables",
        _line(
            "AccountsReceivableNetCurrent ReceivablesNetCurrent"
            " AccountsNotesAndLoansReceivableNetCurrent AccountsAndOtherReceivablesNetCurrent"
            " AccountsReceivableNet AccountsAndNotesReceivableNet TradeAndOtherCurrentReceivables",
            "(trade |customer |net |notes and )*(accounts )?(and (notes|other|trade) )?receivables?"
            "( - trade)?(,? net.*|, less.*)?",
        ),
    ),
    _sheet(
        "inventory",
        Lines(
            _words(
                "InventoryNet InventoryNetOfAllowancesCustomerAdvancesAndProgressBillings"
                " EnergyRelatedInventory InventoryPartsAndComponentsNetOfReserves"
                " InventoryRawMaterialsAndSuppliesNetOfReserves OtherInventorySupplies"
                " PublicUtilitiesInventory AirlineRelatedInventoryNet RetailRelatedInventory"
                " InventoryRealEstate Inventories InventoryFinishedGoodsAndWorkInProcess"
                " InventoryFinishedGoods InventoryFinishedGoodsNetOfReserves InventoryWorkInProcess"
                " InventoryWorkInProcessNetOfReserves InventoryRawMaterials"
                " InventoryRawMaterialsNetOfReserves InventoryRawMaterialsAndSupplies"
                " InventoryPartsAndComponents InventorySuppliesNetOfReserves"
            ),
            "(total |merchandise |product )*inventor(y|ies)(,? net.*)?|materials and supplies.*",
        ),
        tags="INVENTORY",
    ),
    _sheet("current_assets", _line("AssetsCurrent CurrentAssets"), tags="CURRENT-ASSETS"),
    _sheet(
        "property_plant_equipment",
        _line(
            "PropertyPlantAndEquipmentNet"
            " PropertyPlantAndEquipmentAndFinanceLeaseRightOfUseAsset"
            "AfterAccumulatedDepreciationAndAmortization"
            " PublicUtilitiesPropertyPlantAndEquipmentNet RealEstateInvestmentPropertyNet"
            " PropertyPlantAndEquipment",
            "(total |net )*property,? (plant,? |premises,? )*(and|&) equipment(, net| - net)?",
        ),
    ),
    _sheet("goodwill", _line("Goodwill")),
    _sheet(
        "intangibles",
        Lines(
            _words(
                "IntangibleAssetsNetExcludingGoodwill FiniteLivedIntangibleAssetsNet"
                " IndefiniteLivedIntangibleAssetsExcludingGoodwill"
                " OtherIndefiniteLivedIntangibleAssets IndefiniteLivedLicenseAgreements"
                " IndefiniteLivedFranchiseRights IndefiniteLivedTrademarks"
                " IndefiniteLivedTradeNames"
                " IndefiniteLivedIntangibleAssets OtherIntangibleAssetsNet"
                " IntangibleAssetsOtherThanGoodwill"
            ),
            "(total |other |acquired |identifiable |purchased )*intangibles?( assets)?"
            "(,? net.*| - net)?"
            "|(wireless |fcc )?licenses(, net)?|franchise rights|trademarks|trade names",
        ),
    ),
    _sheet("total_assets", _line("Assets", "total assets"), tags="TOTAL-ASSETS"),
    _sheet(
        "payables",
        _line(
            "AccountsPayableCurrent AccountsPayableTradeCurrent"
            " AccountsPayableAndAccruedLiabilitiesCurrent"
            " AccountsPayableAndOtherAccruedLiabilitiesCurrent AccountsPayableCurrentAndNoncurrent"
            " AccountsPayableAndAccruedLiabilitiesCurrentAndNoncurrent AccountsPayable"
            " AccountsPayableTrade AccountsPayableAndAccruedLiabilities"
            " TradeAndOtherCurrentPayables",
            "(trade )?accounts payable(,? (- |principally )?trade| and accrued.*| and other.*)?",
        ),
    ),
    _sheet(
        "short_term_debt",
        Lines(
            _words(
                "DebtCurrent ShortTermBorrowings OtherShortTermBorrowings CommercialPaper"
                " CommercialPaperCurrent ShortTermBankLoansAndNotesPayable"
                " ShortTermNonBankLoansAndNotesPayable NotesPayableCurrent LoansPayableCurrent"
                " LoansPayableToBankCurrent NotesAndLoansPayableCurrent LinesOfCreditCurrent"
                " ConvertibleDebtCurrent ConvertibleNotesPayableCurrent SecuredDebtCurrent"
                " UnsecuredDebtCurrent SeniorNotesCurrent OtherNotesPayableCurrent BridgeLoan"
                " NotesPayableToBankCurrent LongTermDebtCurrent OtherLongTermDebtCurrent"
                " LongTermDebtAndCapitalLeaseObligationsCurrent CurrentBorrowings"
                " ShorttermBorrowings CurrentPortionOfLongtermBorrowings"
            ),
            f"short-term {_DEBT}( payable)?(,? (and|including) current (portion|maturities).*)?"
            f"|{_DEBT} payable and current maturities of .*"
            f"|current ({_DEBT}|portion of .*{_DEBT}.*|maturities of .*{_DEBT}.*)"
            "|(notes|loans)( and (notes|loans))? payable|commercial paper"
            f"|(long-term )?{_DEBT} (maturing|payable|due) within one year",
            _GENERAL_DEBT,
            "current",
        ),
    ),
    _sheet(
        "current_liabilities",
        _line("LiabilitiesCurrent CurrentLiabilities"),
        tags="CURRENT-LIABILITIES",
    ),
    _sheet(
        "long_term_debt",
        Lines(
            _words(
                "LongTermDebtNoncurrent LongTermDebtAndCapitalLeaseObligations LongTermDebt"
                " OtherLongTermDebtNoncurrent ConvertibleDebtNoncurrent"
                " ConvertibleLongTermNotesPayable ConvertibleSubordinatedDebtNoncurrent"
                " LongTermNotesPayable LongTermNotesAndLoans LongTermLoansPayable"
                " LongTermLineOfCredit LongTermLoansFromBank SecuredLongTermDebt"
                " UnsecuredLongTermDebt SeniorLongTermNotes SubordinatedLongTermDebt"
                " JuniorSubordinatedLongTermNotes"
                " NoncurrentPortionOfNoncurrentBorrowings LongtermBorrowings"
            ),
            f"long-term ({_DEBT}|obligations)(,? (net|less|excluding).*)?"
            "|convertible (senior )?notes"
            "(, net)?",
            _GENERAL_DEBT,
            "noncurrent",
            _GENERAL_DEBT,
        ),
        tags="BONDS",
    ),
    _sheet("total_liabilities", _line("Liabilities")),
    _sheet("minority_interest", _line("MinorityInterest NoncontrollingInterests")),
    _sheet(
        "equity",
        Sum((("StockholdersEquity",), ("-MinorityInterest",)), nested=True),
        _line(
            "StockholdersEquity EquityAttributableToOwnersOfParent CommonStockholdersEquity"
            " PartnersCapital MembersEquity"
        ),
        Sum((_words(f"{_INCLUDING} Equity"), ("-MinorityInterest", "NoncontrollingInterests"))),
        _line(
            f"{_INCLUDING} Equity"
            " PartnersCapitalIncludingPortionAttributableToNoncontrollingInterest AssetsNet",
            "(total )?(?!.*liabilit)([a-z,&'/-]+ )*(share|stock|unit)(holders|owners)'? "
            "(equity|deficit)( deficit)?",
        ),
    ),
    _sheet(
        "retained_earnings",
        _line("RetainedEarningsAccumulatedDeficit RetainedEarningsUnappropriated RetainedEarnings"),
    ),
    StandardItem("shares_outstanding", (), ()),
    _flows(
        "cash_from_operations",
        _line(
            f"{_FLOW}OperatingActivities {_FLOW}OperatingActivitiesContinuingOperations"
            " CashFlowsFromUsedInOperatingActivities"
        ),
    ),
    _flows(
        "depreciation_amortization",
        Lines(
            _words(
                "DepreciationDepletionAndAmortization DepreciationAmortizationAndAccretionNet"
                " DepreciationAndAmortization Depreciation OtherDepreciationAndAmortization"
                " AmortizationOfIntangibleAssets DepreciationPremisesAndEquipment"
                " DepreciationNonproduction DepletionNonproduction"
                " DepletionOfOilAndGasProperties CapitalizedComputerSoftwareAmortization1"
                " CapitalizedComputerSoftwareAmortization CostOfServicesDepreciation"
                " CostOfServicesDepreciationAndAmortization"
                " CostDepreciationAmortizationAndDepletion CostOfGoodsSoldAmortization"
                " DepreciationAndAmortisationExpense"
                " AdjustmentsForDepreciationAndAmortisationExpense"
            ),
            "(provision for )?(depreciation(,| and| &| expense| of|$)(?!.* tax).*"
            "|amortization of (other |acquired |purchased |capitalized |identifiable )*"
            "(intangible|software|property).*|amortization( expense)?|depletion.*)",
        ),
    ),
    _flows(
        "share_based_compensation",
        _line(
            "ShareBasedCompensation AllocatedShareBasedCompensationExpense"
            " StockOptionPlanExpense"
            " AdjustmentsForSharebasedPayments",
            "(stock|share|equity)(-| )(based )?compensation( expense)?",
        ),
    ),
    _flows(
        "capital_expenditure",
        _line(
            "PaymentsToAcquirePropertyPlantAndEquipment PaymentsToAcquireProductiveAssets"
            " PaymentsToAcquireOtherPropertyPlantAndEquipment PaymentsForCapitalImprovements"
            " PaymentsToAcquireOilAndGasPropertyAndEquipment PaymentsForConstructionInProcess"
            " PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities",
            "(cash |payments for |total )*(capital|construction) expenditures( and investments)?"
            "|(purchases?|acquisitions?|additions?)( of| to)? (property|premises).* equipment.*",
        ),
    ),
    _flows(
        "cash_from_investing",
        _line(
            f"{_FLOW}InvestingActivities {_FLOW}InvestingActivitiesContinuingOperations"
            " CashFlowsFromUsedInInvestingActivities"
        ),
    ),
    _flows(
        "dividends_paid",
        Lines(
            _words(
                "PaymentsOfDividends PaymentsOfDividendsCommonStock PaymentsOfOrdinaryDividends"
                " PaymentsOfDividendsPreferredStockAndPreferenceStock"
                " DividendsPaidClassifiedAsFinancingActivities"
            ),
            "(payments? of )?(cash )?dividends( paid)?( to (share|stock)(holders|owners))?",
        ),
    ),
    _flows(
        "buybacks",
        Lines(
            _words(
                "PaymentsForRepurchaseOfCommonStock PaymentsForRepurchaseOfEquity"
                " PaymentsToAcquireOrRedeemEntitysShares"
            ),
            "(repurchases?|purchases?) of (common|treasury) (stock|shares).*"
            "|treasury (stock|shares)( and warrants)? (repurchased|purchased|acquired)",
        ),
    ),
    _flows(
        "debt_issued",
        Lines(
            _words(
                "ProceedsFromIssuanceOfDebt ProceedsFromIssuanceOfLongTermDebt"
                " ProceedsFromIssuanceOfLongTermDebtAndCapitalSecuritiesNet"
                " ProceedsFromDebtNetOfIssuanceCosts ProceedsFromDebtMaturingInMoreThanThreeMonths"
                " ProceedsFromIssuanceOfSeniorLongTermDebt ProceedsFromIssuanceOfSecuredDebt"
                " ProceedsFromIssuanceOfUnsecuredDebt"
                " ProceedsFromIssuanceOfSubordinatedLongTermDebt"
                " ProceedsFromIssuanceOfMediumTermNotes ProceedsFromNotesPayable"
                " ProceedsFromConvertibleNotesPayable ProceedsFromConvertibleDebt"
                " ProceedsFromBankDebt ProceedsFromOtherDebt ProceedsFromShortTermDebt"
                " ProceedsFromOtherShortTermDebt ProceedsFromIssuanceOfOtherLongTermDebt"
                " ProceedsFromShortTermDebtMaturingInMoreThanThreeMonths ProceedsFromLinesOfCredit"
                " ProceedsFromLongTermLinesOfCredit ProceedsFromIssuanceOfCommercialPaper"
                " ProceedsFromFederalHomeLoanBankBorrowings"
                " ProceedsFromBorrowingsClassifiedAsFinancingActivities"
            ),
            "new(ly issued)? (debt|borrowings)"
            "|(proceeds from|issuances? of)( the)?( issuances? of)?"
            f"( (new|long-term|short-term|current|other|asset-backed|(non-?)?recourse|senior|and)"
            f"| {_DEBT}|,)* {_DEBT}(, net of .*)?",
        ),
    ),
    _flows(
        "debt_repaid",
        Lines(
            _words(
                "RepaymentsOfDebt RepaymentsOfLongTermDebt"
                " RepaymentsOfLongTermDebtAndCapitalSecurities"
                " RepaymentsOfDebtAndCapitalLeaseObligations"
                " RepaymentsOfDebtMaturingInMoreThanThreeMonths RepaymentsOfSeniorDebt"
                " RepaymentsOfSecuredDebt RepaymentsOfUnsecuredDebt RepaymentsOfSubordinatedDebt"
                " RepaymentsOfMediumTermNotes RepaymentsOfNotesPayable"
                " RepaymentsOfConvertibleDebt RepaymentsOfBankDebt RepaymentsOfOtherDebt"
                " RepaymentsOfShortTermDebt RepaymentsOfOtherShortTermDebt"
                " RepaymentsOfOtherLongTermDebt"
                " RepaymentsOfShortTermDebtMaturingInMoreThanThreeMonths"
                " RepaymentsOfLinesOfCredit RepaymentsOfLongTermLinesOfCredit"
                " RepaymentsOfCommercialPaper RepaymentsOfAssumedDebt EarlyRepaymentOfSeniorDebt"
                " RepaymentsOfFederalHomeLoanBankBorrowings"
                " RepaymentsOfLongTermDebtAndFinanceLeaseObligations"
                " RepaymentsOfBorrowingsClassifiedAsFinancingActivities"
            ),
            "((principal )?(re)?payments?|reductions?|retirements?)( of| on| in| to settle)?"
            "( (long-term|short-term|current|other|asset-backed|(non-?)?recourse|senior|fixed-rate"
            f"|and|(capital|finance) lease obligations)| {_DEBT}|,)* {_DEBT}"
            f"( and (capital|finance) lease obligations)?|{_DEBT} repayments",
        ),
    ),
    _flows(
        "cash_from_financing",
        _line(
            f"{_FLOW}FinancingActivities {_FLOW}FinancingActivitiesContinuingOperations"
            " CashFlowsFromUsedInFinancingActivities"
        ),
    ),
    _flows(
        "change_in_cash",
        _line(
            f"{_CASH}PeriodIncreaseDecreaseIncludingExchangeRateEffect"
            " CashAndCashEquivalentsPeriodIncreaseDecrease"
            f" {_CASH}PeriodIncreaseDecreaseExcludingExchangeRateEffect"
            " IncreaseDecreaseInCashAndCashEquivalents",
            "(net )?(increase|decrease|change)[a-z ,/]* in cash( and .*)?",
        ),
    ),
    StandardItem("free_cash_flow", (_FLOWS,), ()),
)
# Costs and payments, whose concepts have positive amounts.
_NEVER_NEGATIVE = frozenset(
    _words(
        "cost_of_revenue research_and_development selling_general_administrative interest_expense"
        " depreciation_amortization capital_expenditure dividends_paid buybacks debt_repaid"
    )
)
_COVER = "dei:EntityCommonStockSharesOutstanding"
_CLASSES = "us-gaap:StatementClassOfStockAxis"
_NO_LINE = "no line of the {} is it"
_NO_STATEMENT = "the filing has no {} in XBRL"


class ItemValue(NamedTuple):
    """The value of an item as a fact, with its components, and the rule that decided."""

    fact: Fact
    sources: tuple[str, ...]
    rule: ItemRule | None = None


class FoundItems(NamedTuple):
    """Values in the order of the table, and reasons for missing ones, by name."""

    values: list[ItemValue]
    absent: dict[str, str]


def standard_items(
    facts: Sequence[Fact], faces: Sequence[Face], notes: frozenset[str]
) -> FoundItems:
    """Return a filing's items; `notes` are concepts that its notes report for the whole company."""
    chosen: dict[str, tuple[Chosen, StatementKind | None]] = {}
    absent: dict[str, str] = {}
    plain = _undimensioned(facts)
    for item in ITEMS:
        if item.name == "shares_outstanding":
            found, kind, reason = _cover(facts), None, "the cover has no number of shares"
        elif item.name == "free_cash_flow":
            found, kind, reason = _free_cash_flow(chosen), _FLOWS, "it needs both of its parts"
        else:
            found, kind, reason = _choose(item, faces)
            if found is not None and item.name in _NEVER_NEGATIVE:
                found = _as_positive(found, faces)
            if found is None and kind is not None:
                found = _of_note(item, plain, notes)
        found = found or _of_schedule(item, plain)
        if found is None:
            absent[item.name] = reason
        else:
            chosen[item.name] = (found, kind)
    values: list[ItemValue] = []
    periods = _periods(faces)
    for name, (found, kind) in chosen.items():
        of_item = list(_values(name, found, kind, faces, periods))
        if not of_item:
            absent[name] = "its parts have no period in common"
        values += of_item
    return FoundItems(values, absent)


def _choose(
    item: StandardItem, faces: Sequence[Face]
) -> tuple[Chosen | None, StatementKind | None, str]:
    """Return a rule's choice and its statement, or the reason why no rule applies."""
    of_item = [face for kind in item.statements for face in faces if face.kind == kind]
    for face in of_item:
        for rule in item.rules:
            if (chosen := rule.choose(face)) is not None:
                return chosen, face.kind, ""
    name = STATEMENT_NAMES[item.statements[0]]
    kind = of_item[0].kind if of_item else None
    return None, kind, (_NO_LINE if of_item else _NO_STATEMENT).format(name)


def _undimensioned(facts: Iterable[Fact]) -> dict[str, dict[Column, Fact]]:
    by_concept: dict[str, dict[Column, Fact]] = {}
    for fact in facts:
        if not fact.context.dimensions and fact.value is not None:
            column = Column(fact.context.period, fact.unit)
            by_concept.setdefault(fact.concept, {})[column] = fact
    return by_concept


def _of_note(
    item: StandardItem, plain: Mapping[str, Amounts], notes: frozenset[str]
) -> Chosen | None:
    for name in item.notes:
        for concept in (f"us-gaap:{name}", f"ifrs-full:{name}"):
            if concept in notes and concept in plain:
                return Chosen("note", [Term(1, concept, plain[concept])])
    return None


def _of_schedule(item: StandardItem, plain: Mapping[str, Amounts]) -> Chosen | None:
    for tag in item.tags:
        if amounts := plain.get(f"ex-27:{tag}"):
            return Chosen("schedule", [Term(1, f"ex-27:{tag}", amounts)])
    return None


def _cover(facts: Iterable[Fact]) -> Chosen | None:
    """Return the shares on the cover, or of all classes of shares there."""
    totals: dict[Column, Fact] = {}
    classes: dict[str, dict[Column, Fact]] = {}
    for fact in facts:
        if fact.concept != _COVER or fact.value is None:
            continue
        column, dimensions = Column(fact.context.period, fact.unit), fact.context.dimensions
        if not dimensions:
            totals[column] = fact
        elif len(dimensions) == 1 and dimensions[0].axis == _CLASSES:
            source = f"{_COVER}[{_CLASSES}={dimensions[0].member}]"
            classes.setdefault(source, {})[column] = fact
    if totals:
        return Chosen("cover", [Term(1, _COVER, totals)])
    terms = [Term(1, source, amounts) for source, amounts in classes.items()]
    return Chosen("sum_of_members", terms) if terms else None


def _free_cash_flow(chosen: Mapping[str, tuple[Chosen, StatementKind | None]]) -> Chosen | None:
    if "cash_from_operations" not in chosen or "capital_expenditure" not in chosen:
        return None
    (operations, _), (spent, _) = chosen["cash_from_operations"], chosen["capital_expenditure"]
    if len(operations.terms) != 1 or len(spent.terms) != 1:
        return None
    (flow,), (payment,) = operations.terms, spent.terms
    return Chosen("sum_of_lines", [flow, _turned(payment)])


def _as_positive(found: Chosen, faces: Iterable[Face]) -> Chosen:
    """Flip the sign of lines that are tagged as they are shown: in brackets, in all columns."""
    negated = {line.concept for face in faces for line in face.lines if line.negated}
    terms = []
    for term in found.terms:
        values = [Decimal(fact.value or 0) for fact in term.amounts.values()]
        is_shown_so = term.source.partition("[")[0] not in negated
        is_turned = is_shown_so and max(values, default=0) <= 0 and min(values, default=0) < 0
        terms.append(_turned(term) if is_turned else term)
    return found._replace(terms=terms)


def _turned(term: Term) -> Term:
    sign = -term.sign
    source = f"-{term.source}" if sign < 0 else term.source.removeprefix("-")
    return term._replace(sign=sign, source=source)


def _periods(faces: Iterable[Face]) -> set[Period]:
    """Return the periods and days of the statements: columns, and the days before they begin."""
    periods = {period for face in faces for period in face.columns}
    ends = {Period(None, each.end) for each in periods}
    starts = {Period(None, each.start - timedelta(1)) for each in periods if each.start is not None}
    return periods | ends | starts


def _values(
    name: str,
    chosen: Chosen,
    kind: StatementKind | None,
    faces: Iterable[Face],
    periods: set[Period],
) -> Iterable[ItemValue]:
    """Yield an item's values, limited to the periods of the statements if it comes from one."""
    face = next((candidate for candidate in faces if candidate.kind == kind), None)
    covered = periods | face.periods() if face is not None else periods
    for column, terms in columns_of(chosen).items():
        if face is not None and column.period not in (covered if chosen.whole else face.columns):
            continue
        value, decimals = total((term.sign, term.amounts[column]) for term in terms)
        first = terms[0].amounts[column]
        place = None
        if len(terms) == 1:
            decimals, place = first.decimals, first.place
            value = value if terms[0].sign < 0 else first.value or value
        context = Context(first.context.entity, column.period, ())
        doubt = next((d for term in terms if (d := term.amounts[column].doubt)), None)
        fact = Fact(
            f"{TAXONOMY}:{name}", context, column.unit, value, decimals, False, place, doubt
        )
        yield ItemValue(fact, tuple(term.source for term in terms), chosen.rule)
