"""Arguments that several MCP tools share, and the calls that tools make."""

from types import MappingProxyType
from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

Forms = Annotated[list[str], Field(description="form types, exactly: 10-K does not find 10-K/A")]
CompanyList = Annotated[list[str], Field(description="tickers, or CIKs; not both", max_length=100)]
Day = Annotated[
    str, Field(description="day of filing, YYYY-MM-DD", pattern=r"^(\d{4}-\d\d-\d\d)?$")
]
Figures = Annotated[
    list[str],
    Field(description="conditions on a report's figures: revenue<previous*0.9, net_income<0"),
]
TradeDay = Annotated[
    str, Field(description="day of the trade, YYYY-MM-DD", pattern=r"^(\d{4}-\d\d-\d\d)?$")
]
Quarter = Annotated[str, Field(description="such as 2025Q2", pattern=r"^((19|20)\d\d[Qq][1-4])?$")]
CompanyOrNone = Annotated[str, Field(description="a ticker or CIK")]
Cursor = Annotated[
    str, Field(description="`next_cursor` of the last answer; then nothing else is needed")
]
# The endpoint parameters that a tool with one company calls `company`.
ONE_COMPANY = MappingProxyType({"cik": "company", "ticker": "company", "issuer_cik": "company"})


def companies_filter(given: list[str], *, padded: bool = False) -> dict[str, list[str]]:
    """Return the filter for tickers or for CIKs; ToolError for both."""
    ciks = [company for company in given if company.isdecimal()]
    if ciks and len(ciks) < len(given):
        raise ToolError("`companies` has tickers and CIKs. Give either; find_company knows both.")
    if ciks:
        return {"cik": [cik.zfill(10) if padded else cik for cik in ciks]}
    return {"ticker": given} if given else {}
