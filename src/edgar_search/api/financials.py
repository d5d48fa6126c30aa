"""The parameters that endpoints of financial data have in common, and the companies they name."""

from msgspec import Struct, structs

from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Parameter
from edgar_search.api.parameters.filters import KIND_FILTERS
from edgar_search.api.parameters.reader import Parameters
from edgar_search.edgar import identifiers
from edgar_search.errors import NotFound
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.financials import StoredPlace


class TextPlace(Struct, frozen=True):
    """Code points `start` to `end` of the text of a document with this hash."""

    document_id: str
    text_sha256: str
    start: int
    end: int


def text_place(position: StoredPlace | None) -> TextPlace | None:
    """Return the position where a number is shown, as answers have it; None if it is unknown."""
    if position is None:
        return None
    return TextPlace(position.document_id, position.text_sha256, position.start, position.end)


CIK, TICKER, SIC, FORM_TYPE = (structs.replace(each, spellings=()) for each in KIND_FILTERS)
CIK = structs.replace(CIK, description="the company, the main filer of its filings")
TICKER = structs.replace(TICKER, description="the company that has the ticker now")
ACCNUM = Parameter(
    "accnum",
    "list",
    "the filing",
    type=types.ACCESSION_NUMBER,
    of="accession numbers",
    pattern=identifiers.ACCESSION_NUMBER,
)
AS_OF = Parameter("as_of", "day", "as if it were that day: only what was filed by then")


def companies(parameters: Parameters, table: TickerTable) -> list[str]:
    """Return the CIKs from `cik` and `ticker`; NotFound for a ticker that no company has."""
    found = list(parameters.values("cik"))
    for ticker in parameters.values("ticker"):
        ciks = table.ciks(ticker)
        if not ciks:
            raise NotFound(f"ticker: {ticker} is not known; try the company's CIK")
        found += ciks
    return list(dict.fromkeys(found))
