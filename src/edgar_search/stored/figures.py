"""Names of the figures that a report's main document has: standard items by their period.

`revenue` is of the report's own period and `revenue_previous` of the comparative period in the same
report. A quarterly report's own period is its quarter; what it says of the year to date is
`revenue_year_to_date` and `revenue_year_to_date_previous`.
"""

from edgar_search.stored.financials import STANDARD_ITEMS

PREVIOUS, YEAR_TO_DATE = "_previous", "_year_to_date"
# Items of a day; all others are of a period, and have a year to date.
ITEMS_OF_A_DAY = frozenset(
    "cash short_term_investments receivables inventory current_assets property_plant_equipment"
    " goodwill intangibles total_assets payables short_term_debt current_liabilities long_term_debt"
    " total_liabilities minority_interest equity retained_earnings shares_outstanding".split()
)
# The number of shares on the cover, of a day after the period; it has no comparative value.
COVER_ITEM = "shares_outstanding"
MEASURES: tuple[str, ...] = (
    *STANDARD_ITEMS,
    *(f"{item}{YEAR_TO_DATE}" for item in STANDARD_ITEMS if item not in ITEMS_OF_A_DAY),
)


def previous_of(measure: str) -> str:
    """Return the name of the comparative value."""
    return f"{measure}{PREVIOUS}"


FIGURES: tuple[str, ...] = (
    *MEASURES,
    *(previous_of(measure) for measure in MEASURES if measure != COVER_ITEM),
)
