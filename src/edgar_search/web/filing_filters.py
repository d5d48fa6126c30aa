"""The filters that say what a filing is, as Version 1 and alert triggers spell them."""

from edgar_search.search.criteria import FilingCriteria
from edgar_search.web.parameters import Parameters

# With their other spellings.
KIND_FILTERS: dict[str, tuple[str, ...]] = {
    "cik": ("ciks",),
    "ticker": ("tickers",),
    "sic": ("sics",),
    "form_type": ("form_types", "formType"),
}


def kind_filters(parameters: Parameters, *, strict: bool = False) -> FilingCriteria:
    """The filters of `KIND_FILTERS`; `strict` takes CIKs of 10 digits only."""
    return FilingCriteria(
        ciks=parameters.ciks("cik", padded=strict),
        tickers=parameters.upper("ticker"),
        sics=parameters.sics("sic"),
        form_types=parameters.upper("form_type"),
    )
