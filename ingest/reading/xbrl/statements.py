"""The statements of a filing: chosen by their concepts, never by their titles alone."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from edgar_search.stored.financials import (
    ALL_STATEMENTS,
    STATEMENTS,
    LineDimension,
    StatementKind,
    StatementLine,
    StatementPeriod,
    StatementValue,
    StoredStatement,
)
from ingest.reading.xbrl.instance import Dimensions, Fact, Instance, Period
from ingest.reading.xbrl.linkbases import Node, Role, Taxonomy

# How strongly a concept indicates a statement. Concepts unique to one statement weigh most.
_WEIGHTS: dict[StatementKind, dict[str, float]] = {
    "balance_sheet": {
        "Assets": 5,
        "LiabilitiesAndStockholdersEquity": 5,
        "EquityAndLiabilities": 5,
        "AssetsCurrent": 2,
        "AssetsNet": 3,
        "LiabilitiesCurrent": 2,
        "CurrentAssets": 2,
        "CurrentLiabilities": 2,
        "Liabilities": 2,
        "StockholdersEquity": 2,
        "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest": 2,
        "PartnersCapital": 2,
        "MembersEquity": 2,
        "Equity": 2,
        "RetainedEarningsAccumulatedDeficit": 2,
        "DevelopmentStageEnterpriseDeficitAccumulatedDuringDevelopmentStage": 1,
        "CommonStockValue": 1,
        "AdditionalPaidInCapital": 1,
        "PropertyPlantAndEquipmentNet": 1,
        "CashAndCashEquivalentsAtCarryingValue": 1,
        "AccountsPayableCurrent": 1,
        "Goodwill": 0.5,
    },
    "income_statement": {
        "EarningsPerShareBasic": 4,
        "EarningsPerShareDiluted": 4,
        "EarningsPerShareBasicAndDiluted": 4,
        "BasicEarningsLossPerShare": 4,
        "DilutedEarningsLossPerShare": 4,
        "IncomeLossFromContinuingOperationsPerBasicShare": 2,
        "NetIncomeLossPerOutstandingLimitedPartnershipUnit": 3,
        "Revenues": 3,
        "Revenue": 3,
        "SalesRevenueNet": 3,
        "RevenueFromContractWithCustomerExcludingAssessedTax": 3,
        "RevenueFromContractWithCustomerIncludingAssessedTax": 3,
        "SalesRevenueGoodsNet": 2,
        "SalesRevenueServicesNet": 2,
        "InterestAndDividendIncomeOperating": 3,
        "InterestIncomeExpenseNet": 3,
        "NoninterestExpense": 3,
        "NetIncomeLoss": 3,
        "ProfitLoss": 3,
        "NetIncomeLossAvailableToCommonStockholdersBasic": 3,
        "OperatingIncomeLoss": 3,
        "OperatingExpenses": 3,
        "CostsAndExpenses": 3,
        "BenefitsLossesAndExpenses": 3,
        "CostOfRevenue": 2,
        "CostOfGoodsSold": 2,
        "CostOfGoodsAndServicesSold": 2,
        "GrossProfit": 2,
        "SellingGeneralAndAdministrativeExpense": 2,
        "GeneralAndAdministrativeExpense": 2,
        "ResearchAndDevelopmentExpense": 1,
        "InterestExpense": 1,
        "IncomeTaxExpenseBenefit": 2,
        "IncomeTaxExpenseContinuingOperations": 2,
        "ProfitLossBeforeTax": 2,
        "WeightedAverageNumberOfSharesOutstandingBasic": 2,
        "WeightedAverageNumberOfDilutedSharesOutstanding": 2,
        "IncomeLossFromContinuingOperations": 2,
        "IncomeLossFromContinuingOperationsBeforeIncomeTaxes"
        "ExtraordinaryItemsNoncontrollingInterest": 2,
        "IncomeLossFromContinuingOperationsBeforeIncomeTaxes"
        "MinorityInterestAndIncomeLossFromEquityMethodInvestments": 2,
        "IncomeLossFromContinuingOperationsBeforeIncomeTaxes"
        "IncomeLossFromEquityMethodInvestments": 2,
        "StockIssuedDuringPeriodValueNewIssues": -4,
        "StockholdersEquity": -4,
    },
    "cash_flow": {
        "NetCashProvidedByUsedInOperatingActivities": 6,
        "NetCashProvidedByUsedInInvestingActivities": 6,
        "NetCashProvidedByUsedInFinancingActivities": 6,
        "NetCashProvidedByUsedInOperatingActivitiesContinuingOperations": 4,
        "NetCashProvidedByUsedInInvestingActivitiesContinuingOperations": 4,
        "NetCashProvidedByUsedInFinancingActivitiesContinuingOperations": 4,
        "CashFlowsFromUsedInOperatingActivities": 6,
        "CashFlowsFromUsedInInvestingActivities": 6,
        "CashFlowsFromUsedInFinancingActivities": 6,
        "CashAndCashEquivalentsPeriodIncreaseDecrease": 4,
        "CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents"
        "PeriodIncreaseDecreaseIncludingExchangeRateEffect": 4,
        "CashAndCashEquivalentsPeriodIncreaseDecreaseExcludingExchangeRateEffect": 3,
        "PaymentsToAcquirePropertyPlantAndEquipment": 2,
        "IncreaseDecreaseInAccountsReceivable": 1,
        "IncreaseDecreaseInAccountsPayable": 1,
        "DepreciationDepletionAndAmortization": 1,
        "ShareBasedCompensation": 1,
    },
}
# Totals of comprehensive income or equity, whose presence adds weight, by name.
_INCOME_TOTAL = re.compile(r"ComprehensiveIncome(NetOfTax.*)?")
_EQUITY_TOTAL = re.compile(
    "StockholdersEquity(IncludingPortionAttributableToNoncontrollingInterest)?|Equity"
    "|PartnersCapital.*|MembersEquity"
)
_OTHER_INCOME = re.compile("OtherComprehensiveIncome.*|.*ReclassificationAdjustment.*")
_EQUITY_CHANGE = re.compile(
    "StockIssued.*|StockRepurchased.*|Dividends.*|AdjustmentsToAdditionalPaidInCapital.*"
    "|AdjustmentsRelatedTo.*|ShareBased.*|Treasury.*|MinorityInterest.*|IssueOfEquity.*"
    "|IncreaseDecreaseThrough.*|DividendsRecognised.*|ProfitLoss|NetIncomeLoss"
)
_EQUITY_AXES = ("StatementEquityComponentsAxis", "ComponentsOfEquityAxis")
# The least lines in these statements.
_LEAST_CHANGES = 2
# With less weight it is another part that contains one of its concepts.
_LEAST: Mapping[StatementKind, float] = {
    "balance_sheet": 7,
    "income_statement": 6,
    "cash_flow": 8,
}
# Enough to prefer a statement to a table in the notes that repeats a part of it.
_CALLED_STATEMENT = 6
# A column contains at least this share of the fullest one's values. Real columns had 0.94 or more
# in 66 statements, quarters that only a note covers up to 0.35.
_COLUMN_SHARE = 0.5
_STRUCTURE = ("Axis", "Domain", "Member", "Table", "LineItems")
_NEGATED, _TOTAL, _OPENING = "negated", "total", "periodstart"


class RoleConcepts(NamedTuple):
    """A role's definition and its concepts with values, which decide whether it is a statement."""

    definition: str
    concepts: frozenset[str]


def choose_statements(roles: Sequence[RoleConcepts]) -> dict[StatementKind, int]:
    """Return the position of each statement's role; the first of several."""
    chosen: dict[StatementKind, tuple[float, int]] = {}
    for place, role in enumerate(roles):
        if "parenthetical" in role.definition.lower():
            continue
        scores = {kind: _score(kind, role.concepts) for kind in STATEMENTS}
        kind = max(STATEMENTS, key=lambda each: scores[each] - _LEAST[each])
        if scores[kind] < _LEAST[kind]:
            continue
        score = scores[kind] + (_CALLED_STATEMENT if _is_called_statement(role) else 0)
        if kind not in chosen or score > chosen[kind][0]:
            chosen[kind] = (score, place)
    return {kind: chosen[kind][1] for kind in STATEMENTS if kind in chosen}


def _score(kind: StatementKind, concepts: frozenset[str]) -> float:
    weights = _WEIGHTS[kind]
    return sum(weights.get(concept, 0) for concept in concepts)


def _is_called_statement(role: RoleConcepts) -> bool:
    _, dash, rest = role.definition.partition(" - ")
    return bool(dash) and rest.startswith("Statement ")


class _Facts(NamedTuple):
    """Facts by concept: without dimensions, and of members."""

    plain: dict[str, list[Fact]]
    dimensional: dict[str, list[Fact]]


def read_statements(instance: Instance, taxonomy: Taxonomy) -> list[StoredStatement]:
    """Return the statements of a filing, at most one of each kind."""
    facts = _Facts(defaultdict(list), defaultdict(list))
    for fact in instance.facts:
        side = facts.dimensional if fact.context.dimensions else facts.plain
        side[fact.concept].append(fact)
    roles = [_with_values(role, facts) for role in taxonomy.roles]
    chosen = choose_statements(roles)
    if chosen:
        chosen |= _further_statements(taxonomy.roles, chosen, facts)
    return [
        _statement(kind, taxonomy.roles[place], taxonomy, facts) for kind, place in chosen.items()
    ]


def _further_statements(
    roles: Sequence[Role], chosen: Mapping[StatementKind, int], facts: _Facts
) -> dict[StatementKind, int]:
    """Return the positions of the statements of comprehensive income and of equity.

    Comprehensive income may be part of the income statement.
    """
    best: dict[StatementKind, tuple[int, int]] = {}
    for place, role in enumerate(roles):
        if "parenthetical" in role.definition.lower() or " - Disclosure - " in role.definition:
            continue
        nodes = {node.concept for node in role.nodes}
        names = [
            concept.partition(":")[2]
            for concept in nodes
            if concept in facts.plain or concept in facts.dimensional
        ]
        others = sum(map(bool, map(_OTHER_INCOME.fullmatch, names)))
        changes = sum(map(bool, map(_EQUITY_CHANGE.fullmatch, names)))
        is_income = any(map(_INCOME_TOTAL.fullmatch, names)) and others > 0
        if is_income and place not in (chosen.get("balance_sheet"), chosen.get("cash_flow")):
            # In a statement of equity, comprehensive income is one of the changes.
            own = 0 if any(map(_EQUITY_TOTAL.fullmatch, names)) else _CALLED_STATEMENT
            _prefer(best, "comprehensive_income", own + others, place)
        has_axis = any(concept.endswith(_EQUITY_AXES) for concept in nodes)
        is_equity = any(map(_EQUITY_TOTAL.fullmatch, names)) and changes >= _LEAST_CHANGES
        if is_equity and place not in chosen.values():
            _prefer(best, "equity", changes + (_CALLED_STATEMENT if has_axis else 0), place)
    return {kind: best[kind][1] for kind in ALL_STATEMENTS if kind in best}


def _prefer(
    best: dict[StatementKind, tuple[int, int]], kind: StatementKind, score: int, place: int
) -> None:
    if kind not in best or score > best[kind][0]:
        best[kind] = (score, place)


def _with_values(role: Role, facts: _Facts) -> RoleConcepts:
    concepts = (node.concept for node in role.nodes if node.concept in facts.plain)
    return RoleConcepts(
        role.definition, frozenset(concept.partition(":")[2] for concept in concepts)
    )


def _statement(
    kind: StatementKind, role: Role, taxonomy: Taxonomy, facts: _Facts
) -> StoredStatement:
    periods = _columns(kind, role, facts)
    lines, breakdowns = [], []
    for node, depth in _lines_to_show(role.nodes, facts):
        line = _line(node, depth, taxonomy, facts.plain.get(node.concept, ()))
        parts = _parts(line, role, taxonomy, facts.dimensional.get(node.concept, ()), periods)
        in_columns = any(_is_in(value, periods) for value in line.values)
        if not in_columns and len(parts) == 1:
            line, parts = parts[0], []
        lines.append(line)
        breakdowns += [part for part in parts if part not in breakdowns]
    return StoredStatement(
        kind=kind,
        role_uri=role.uri,
        short_name=role.definition.split(" - ", 2)[-1],
        long_name=role.definition,
        periods=periods,
        lines=[
            line
            for line in lines
            if line.values
            or line.concept.endswith("Abstract")
            or any(part.concept == line.concept for part in breakdowns)
        ],
        breakdowns=breakdowns,
    )


def _columns(kind: StatementKind, role: Role, facts: _Facts) -> list[StatementPeriod]:
    counts: Counter[Period] = Counter()
    for concept in {node.concept for node in role.nodes}:
        periods = {fact.context.period for fact in facts.plain.get(concept, ()) if fact.value}
        counts.update(p for p in periods if (p.start is None) == (kind == "balance_sheet"))
    fullest = max(counts.values(), default=0)
    kept = [period for period, count in counts.items() if count >= _COLUMN_SHARE * fullest]
    return [
        StatementPeriod(*each) for each in sorted(kept, key=lambda p: (-p.end.toordinal(), p.days))
    ]


def _lines_to_show(nodes: Sequence[Node], facts: _Facts) -> Iterable[tuple[Node, int]]:
    """Yield the lines with facts, and headings above them, each with its depth among them."""
    has_facts = [n.concept in facts.plain or n.concept in facts.dimensional for n in nodes]
    needed = list(has_facts)
    # A heading is needed if a deeper line follows before one that is not deeper.
    for place in range(len(nodes) - 1, -1, -1):
        if not has_facts[place] and nodes[place].concept.endswith("Abstract"):
            for below in range(place + 1, len(nodes)):
                if nodes[below].depth <= nodes[place].depth:
                    break
                if has_facts[below]:
                    needed[place] = True
                    break
    above: list[int] = []
    for node, is_needed in zip(nodes, needed, strict=True):
        while above and above[-1] >= node.depth:
            above.pop()
        if is_needed and not node.concept.endswith(_STRUCTURE):
            yield node, len(above)
            above.append(node.depth)


def _line(node: Node, depth: int, taxonomy: Taxonomy, facts: Iterable[Fact]) -> StatementLine:
    role = node.label_role.rpartition("/")[2].lower()
    return StatementLine(
        concept=node.concept,
        label=taxonomy.label(node.concept, node.label_role),
        depth=depth,
        total=_TOTAL in role,
        negated=_NEGATED in node.label_role.lower(),
        opening=_OPENING in role,
        values=_values(facts),
    )


def _values(facts: Iterable[Fact]) -> list[StatementValue]:
    """Return values, newest first; of two with one end, the shorter first."""
    ordered = sorted(
        facts, key=lambda f: (-f.context.period.end.toordinal(), f.context.period.days)
    )
    return [
        StatementValue(*f.context.period, f.unit, f.value, f.decimals, f.place) for f in ordered
    ]


def _parts(
    line: StatementLine,
    role: Role,
    taxonomy: Taxonomy,
    facts: Iterable[Fact],
    periods: Sequence[StatementPeriod],
) -> list[StatementLine]:
    """Return the line for each combination of members in the statement's own tree."""
    own = {node.concept for node in role.nodes}
    by_members: dict[Dimensions, list[Fact]] = defaultdict(list)
    for fact in facts:
        dimensions = fact.context.dimensions
        if all(axis in own and member in own for axis, member in dimensions):
            by_members[dimensions].append(fact)
    parts = [
        StatementLine(
            concept=line.concept,
            label=line.label,
            depth=line.depth,
            total=line.total,
            negated=line.negated,
            opening=line.opening,
            dimensions=[LineDimension(a, m, taxonomy.label(m)) for a, m in dimensions],
            values=_values(some),
        )
        for dimensions, some in by_members.items()
    ]
    order = {node.concept: place for place, node in enumerate(role.nodes)}
    parts.sort(
        key=lambda part: [
            (order[dimension.axis], order[dimension.member]) for dimension in part.dimensions
        ]
    )
    return [
        part
        for part in parts
        if any(_is_in(value, periods, opening=part.opening) for value in part.values)
    ]


def _is_in(
    value: StatementValue, periods: Sequence[StatementPeriod], *, opening: bool = False
) -> bool:
    """Return True if a value is in a column, or an instant at its end or, if `opening`, start."""
    return any(
        (value.start, value.end) == (column.start, column.end)
        or (value.start is None and value.end == column.end)
        or (opening and column.start is not None and value.end == column.start - timedelta(1))
        for column in periods
    )
