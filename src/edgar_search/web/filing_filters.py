"""The filters of filings that Version 1 and alert triggers have in common."""

from edgar_search.edgar import identifiers
from edgar_search.search.criteria import FilingCriteria
from edgar_search.web.declaration import Parameter
from edgar_search.web.parameters import SIC, Parameters

CIK = Parameter(
    "cik",
    "list",
    "any entity of the filing has one of them",
    ("ciks",),
    of="CIKs of 1 to 10 digits",
    pattern=identifiers.CIK,
)
FORM_TYPE = Parameter(
    "form_type",
    "list",
    "exactly that form type of the filing: `10-K` does not match `10-K/A`",
    ("form_types", "formType"),
    of="form types, in any case",
)
# The filters that say what a filing is.
KIND_FILTERS = (
    CIK,
    Parameter(
        "ticker",
        "list",
        "any entity of the filing has one of them now",
        ("tickers",),
        of="tickers, in any case",
    ),
    Parameter(
        "sic",
        "list",
        "any entity of the filing was filed under one of them",
        ("sics",),
        of="codes of up to 4 digits",
        pattern=SIC,
    ),
    FORM_TYPE,
)
FROM_DATE = Parameter("from_date", "date", "filed on that day or later")
TO_DATE = Parameter("to_date", "date", "filed on that day or earlier")


def kind_filters(parameters: Parameters, *, strict: bool = False) -> FilingCriteria:
    """The filters that say what a filing is; `strict` takes CIKs of 10 digits only."""
    return FilingCriteria(
        ciks=parameters.ciks("cik", padded=strict),
        tickers=parameters.upper("ticker"),
        sics=parameters.sics("sic"),
        form_types=parameters.upper("form_type"),
    )
