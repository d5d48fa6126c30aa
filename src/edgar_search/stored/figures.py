"""Names of the figures in a report's main document: standard items by period.

`revenue` covers the report's own period and `revenue_previous` the comparative period in the same
report. A quarterly report's own period is its quarter; the year to date is in
`revenue_year_to_date` and `revenue_year_to_date_previous`.
"""

from collections.abc import Mapping

from edgar_search.stored.financials import STANDARD_ITEMS

PREVIOUS, YEAR_TO_DATE = "_previous", "_year_to_date"
# Items as of a day; all others cover a period, and have a figure for the year to date.
ITEMS_OF_A_DAY = frozenset(
    "cash short_term_investments receivables inventory current_assets property_plant_equipment"
    " goodwill intangibles total_assets payables short_term_debt current_liabilities long_term_debt"
    " total_liabilities minority_interest equity retained_earnings shares_outstanding".split()
)
# The number of shares on the cover, as of a day after the period; it has no comparative value.
COVER_ITEM = "shares_outstanding"
MEASURES: tuple[str, ...] = (
    *STANDARD_ITEMS,
    *(f"{item}{YEAR_TO_DATE}" for item in STANDARD_ITEMS if item not in ITEMS_OF_A_DAY),
)


def previous_of(measure: str) -> str:
    """Return the name of a figure's comparative value."""
    return f"{measure}{PREVIOUS}"


FIGURES: tuple[str, ...] = (
    *MEASURES,
    *(previous_of(measure) for measure in MEASURES if measure != COVER_ITEM),
)

# Changes of figures, as fractions of the absolute comparative values.
CHANGE = "_change"
CHANGES: Mapping[str, str] = {
    f"{measure}{CHANGE}": measure for measure in MEASURES if measure != COVER_ITEM
}
# The divisors of ratios. Quotients are stored, since Elasticsearch compares fields only with
# numbers, except by scripts, which some installations do not allow.
DIVISORS: tuple[str, ...] = (
    "revenue",
    "total_assets",
    "equity",
    "current_liabilities",
    "net_income",
)
_NOT_AMOUNTS = frozenset(
    "eps_basic eps_diluted shares_basic shares_diluted shares_outstanding".split()
)
# Quotients of more than two figures, or with another divisor: the figures to add, the figures to
# subtract, and the divisor.
SUMS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "debt_to_equity": (("short_term_debt", "long_term_debt"), (), "equity"),
    "quick_ratio": (("current_assets",), ("inventory",), "current_liabilities"),
    "interest_coverage": (("operating_income",), (), "interest_expense"),
}


def quotient_of(above: str, below: str) -> str:
    """Return the name of the quotient of two figures."""
    return f"{above}_to_{below}"


def quotient_to_previous(measure: str) -> str:
    """Return the name of the quotient of a figure and its comparative value."""
    return f"{measure}_to{PREVIOUS}"


QUOTIENTS: Mapping[str, tuple[str, str]] = {
    **{
        quotient_to_previous(measure): (measure, previous_of(measure))
        for measure in MEASURES
        if measure != COVER_ITEM
    },
    **{
        quotient_of(item, divisor): (item, divisor)
        for divisor in DIVISORS
        for item in STANDARD_ITEMS
        if item != divisor and item not in _NOT_AMOUNTS
    },
}
