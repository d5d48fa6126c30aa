"""The tools and resources of MCP: few, each over one endpoint, with answers that a model can read.

An answer has at most some 3,000 tokens unless more is asked for, and says how to go on. Places are
in code points of a document's text; `document_id`, `text_sha256`, `start` and `end` are a citation.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from importlib.metadata import version
from typing import Annotated, Any, Literal, cast

import msgspec
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from edgar_search.edgar.identifiers import accession_of
from edgar_search.settings.extras import PACKAGE
from edgar_search.web.mcp.answers import (
    NOTICE,
    CheckedQuote,
    Companies,
    Company,
    FactRow,
    Facts,
    FilingDetails,
    Filings,
    Found,
    Hit,
    InsiderTrades,
    ListedFiling,
    MatchesInText,
    NumberLine,
    Positions,
    StatementPart,
    TextPart,
)
from edgar_search.web.mcp.asking import Answer, Ask, answer_of
from edgar_search.web.mcp.ownership import (
    holders_answer,
    portfolio_answer,
    rows_answer,
    trades_answer,
)

INSTRUCTIONS = (
    "Full text of SEC EDGAR filings. Find documents with search_filings, places in one with"
    " find_in_document, read with read_document. Before you quote a filing, check the sentence with"
    " check_quote, and cite document_id, text_sha256, start and end. " + NOTICE
)
_SNIPPET, _AROUND = 300, 150
# Documents of a filing in a list of filings.
_FEW_DOCUMENTS = 3
# Documents of one filing: EDGAR has filings of more than a thousand.
_DOCUMENTS = 25
_MARK = re.compile("</?mark>")
_READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)

Forms = Annotated[list[str], Field(description="form types, exactly: 10-K does not find 10-K/A")]
CompanyList = Annotated[list[str], Field(description="tickers, or CIKs; not both", max_length=100)]
Day = Annotated[
    str, Field(description="day of filing, YYYY-MM-DD", pattern=r"^(\d{4}-\d\d-\d\d)?$")
]
Quarter = Annotated[str, Field(description="such as 2025Q2", pattern=r"^((19|20)\d\d[Qq][1-4])?$")]
CompanyOrNone = Annotated[str, Field(description="a ticker or CIK")]
Cursor = Annotated[
    str, Field(description="`next_cursor` of the last answer; then nothing else is needed")
]


def make_server(ask_of: Callable[[Context[Any, Any]], Ask]) -> MCPServer[Any]:
    """Make the server; `ask_of` returns what makes the calls of a request."""
    server: MCPServer[Any] = MCPServer(
        "edgar-search", instructions=INSTRUCTIONS, version=version(PACKAGE), log_level="WARNING"
    )
    tool = server.tool(annotations=_READ_ONLY, structured_output=True)

    async def call(context: Context[Any, Any], path: str, **values: Any) -> Answer:
        return await answer_of(ask_of(context), path, values)

    async def call_exactly(context: Context[Any, Any], path: str, **values: Any) -> Answer:
        return await answer_of(ask_of(context), path, values, exact=True)

    async def search_filings(
        context: Context[Any, Any],
        query: Annotated[
            str, Field(description='words; "phrases"; AND OR NOT; word*; "a b"~5 for nearness')
        ] = "",
        forms: Forms = [],  # noqa: B006 - the schema shows it
        companies: CompanyList = [],  # noqa: B006
        from_date: Day = "",
        to_date: Day = "",
        document_types: Annotated[list[str], Field(description="such as EX-99.1")] = [],  # noqa: B006
        sort: Literal["relevance", "newest", "oldest"] = "relevance",
        limit: Annotated[int, Field(ge=1, le=25)] = 10,
        cursor: Cursor = "",
    ) -> Found:
        """Search the full text of filings; each hit has a snippet with its place."""
        if cursor:
            reply = await call(context, "/v1/search", cursor=cursor)
        elif not query:
            raise ToolError("`query` is empty. Give words, or list filings with list_filings.")
        else:
            reply = await call(
                context,
                "/v1/search",
                query=query,
                form_type=forms,
                **_companies(companies),
                from_date=from_date,
                to_date=to_date,
                document_type=document_types,
                sort=sort,
                limit=limit,
                include=["offsets", "document_type", "period", "edgar_url"],
                cursor="*",
            )
        return Found(
            notice=NOTICE,
            total=reply["total_count"],
            documents=[_hit(item) for item in reply["items"]],
            warnings=reply.get("warnings", []),
            next_cursor=reply.get("next_cursor"),
        )

    async def find_in_document(
        context: Context[Any, Any],
        document_id: str,
        query: Annotated[str, Field(description="as of search_filings")],
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        offset: Annotated[int, Field(ge=0, description="`next_offset` of the last answer")] = 0,
    ) -> MatchesInText:
        """Find every place of words in one document, with the text around each."""
        path = "/v1/matches"
        asked = {"document_id": document_id, "query": query, "limit": limit, "offset": offset}
        reply = await call(context, path, **asked)
        items = reply["items"]
        read = offset + len(items)
        for item in items:
            item["before"], item["after"] = item["before"][-_AROUND:], item["after"][:_AROUND]
        return MatchesInText(
            notice=NOTICE,
            document_id=document_id,
            text_sha256=reply["text_sha256"],
            total=reply["total_count"],
            matches=items,
            next_offset=read if items and read < reply["total_count"] else None,
        )

    async def read_document(
        context: Context[Any, Any],
        document_id: str,
        start: Annotated[int, Field(ge=0, description="`next_start` of the last answer")] = 0,
        section: Annotated[str, Field(description="such as item1a of a 10-K")] = "",
        length: Annotated[int, Field(ge=1, le=40_000, description="characters at most")] = 8_000,
    ) -> TextPart:
        """Read a part of a document's text, or a section of a report."""
        reply = await call(
            context,
            "/v1/text",
            document_id=document_id,
            start=start or None,
            section=section,
            length=length,
            include=["citation"],
        )
        return _part(reply)

    async def get_filing(
        context: Context[Any, Any],
        accession_number: Annotated[str, Field(description="0000320193-24-000123")],
        first_document: Annotated[
            int, Field(ge=0, description="`next_document` of the last answer")
        ] = 0,
    ) -> FilingDetails:
        """Get a filing's header, who filed it, its documents, sections and 8-K items."""
        reply = await call(context, "/v2/filing_info", accession_number=accession_number)
        return _filing_details(reply, first_document)

    async def list_filings(
        context: Context[Any, Any],
        companies: CompanyList = [],  # noqa: B006
        forms: Forms = [],  # noqa: B006
        from_date: Day = "",
        to_date: Day = "",
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        cursor: Cursor = "",
    ) -> Filings:
        """List filings of companies or forms, newest first."""
        if cursor:
            reply = await call(context, "/v1/lookup", cursor=cursor)
        else:
            reply = await call(
                context,
                "/v1/lookup",
                **_companies(companies, padded=True),
                form_type=forms,
                from_date=from_date,
                to_date=to_date,
                limit=limit,
                cursor="*",
            )
        return Filings(
            total=reply["response_details"]["filings_found"],
            filings=[_filing(filing) for filing in reply["filings"]],
            errors=reply["response_details"]["errors"],
            next_cursor=reply.get("next_cursor"),
        )

    async def find_company(
        context: Context[Any, Any],
        name_or_ticker: Annotated[str, Field(min_length=1, max_length=200)],
    ) -> Companies:
        """Find companies and people by ticker, CIK, or words of a present or former name."""
        text = name_or_ticker.strip()
        found: list[Answer] = []
        total = 0
        for name in ("ciks",) if text.isdecimal() else ("tickers", "name_includes"):
            values = {name: [text.upper() if name == "tickers" else text.replace(",", " ")]}
            reply = await call(context, "/v2/entity_lookup", **values, **{"from": "0", "to": "10"})
            found, total = _entities(reply)
            if found:
                break
        return Companies(companies=[_company(each) for each in found[:10]], total=total)

    async def check_quote(
        context: Context[Any, Any],
        quote: Annotated[str, Field(description="the sentence, 12 characters at least")],
        document_id: Annotated[str, Field(description="the document; else all are searched")] = "",
        companies: CompanyList = [],  # noqa: B006
        forms: Forms = [],  # noqa: B006
    ) -> CheckedQuote:
        """Check if a sentence is in a document exactly, or what is nearest to it."""
        reply = await call(
            context,
            "/v1/quote",
            quote=quote,
            document_id=document_id,
            **_companies(companies),
            form_type=forms,
        )
        return cast(CheckedQuote, {"notice": NOTICE, **reply})

    async def get_insider_trades(
        context: Context[Any, Any],
        companies: CompanyList = [],  # noqa: B006
        owner: Annotated[str, Field(description="words of an owner's name, or a CIK")] = "",
        roles: Annotated[
            list[Literal["director", "officer", "ten_percent_owner", "other"]],
            Field(description="an owner is one of them"),
        ] = [],  # noqa: B006
        codes: Annotated[
            list[str], Field(description="P bought and S sold on the market, A grant, F for tax")
        ] = [],  # noqa: B006
        traded_from: Day = "",
        traded_to: Day = "",
        min_value: Annotated[int, Field(ge=0, description="dollars at least")] = 0,
        sort: Literal["latest_trade", "newest", "largest"] = "latest_trade",
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        cursor: Cursor = "",
    ) -> InsiderTrades:
        """Find trades of directors, officers and owners of ten percent (Forms 4 and 5)."""
        if cursor:
            return trades_answer(await call(context, "/v1/insider_trades", cursor=cursor))
        issuers = _companies(companies)
        reply = await call(
            context,
            "/v1/insider_trades",
            issuer_cik=issuers.get("cik"),
            ticker=issuers.get("ticker"),
            **{"owner_cik" if owner.strip().isdecimal() else "owner": owner.strip()},
            role=roles,
            code=codes,
            trade_from=traded_from,
            trade_to=traded_to,
            min_value=str(min_value) if min_value else None,
            sort=sort,
            limit=limit,
            cursor="*",
        )
        return trades_answer(reply)

    async def get_holdings(
        context: Context[Any, Any],
        manager: Annotated[
            str, Field(description="a manager's CIK for its portfolio, or words of its name")
        ] = "",
        quarter: Quarter = "",
        compare_to: Quarter = "",
        cusip: Annotated[str, Field(description="who holds this security")] = "",
        company: Annotated[str, Field(description="CIK: who holds securities of it")] = "",
        issuer: Annotated[str, Field(description="words of an issuer's name")] = "",
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        cursor: Cursor = "",
    ) -> Positions:
        """Get holdings of Form 13F: a manager's portfolio, its changes, or a security's holders.

        A portfolio and holders are of one `quarter`. A cursor is of the same kind of question: give
        `manager`, `cusip` or `company` with it again.
        """
        ask = manager.strip()
        path, shape, asked = "/v1/holdings", rows_answer, {"manager": ask, "issuer": issuer}
        if ask.isdecimal() and not (cusip or company or issuer):
            path, shape, asked = "/v1/portfolio", portfolio_answer, {"manager_cik": ask}
            asked["compare_to"] = compare_to
        elif (cusip or company) and not (ask or issuer):
            path, shape, asked = "/v1/holders", holders_answer, {"cusip": cusip}
            asked["issuer_cik"] = company
        elif ask.isdecimal():
            asked = {"manager_cik": ask, "issuer": issuer, "cusip": cusip}
        else:
            asked["cusip"] = cusip
        if cursor:
            return shape(await call(context, path, cursor=cursor))
        if compare_to and path != "/v1/portfolio":
            raise ToolError("`compare_to` needs a CIK as `manager` alone. find_company knows it.")
        if company and path != "/v1/holders":
            raise ToolError("`company` goes with `quarter` only. Give `issuer` or `cusip` instead.")
        if not quarter and path != "/v1/holdings":
            raise ToolError("`quarter` is missing. Give one such as 2025Q2.")
        if path == "/v1/holdings":
            asked["sort"] = "largest"
        return shape(await call(context, path, **asked, quarter=quarter, limit=limit, cursor="*"))

    async def get_statements(
        context: Context[Any, Any],
        statement: Literal["balance_sheet", "income_statement", "cash_flow"],
        company: CompanyOrNone = "",
        accession_number: Annotated[
            str, Field(description="of a filing; else the newest annual or quarterly report")
        ] = "",
        as_of: Annotated[Day, Field(description="only what was filed by then")] = "",
        start: Annotated[int, Field(ge=0, description="`next_start` of the last answer")] = 0,
        lines: Annotated[int, Field(ge=1, le=200)] = 30,
        places: Annotated[bool, Field(description="with the place of each number")] = False,
    ) -> StatementPart:
        """Get a financial statement as filed: lines in order, amounts by period as tagged."""
        reply = await call_exactly(
            context,
            "/v1/statements",
            statement=statement,
            **_companies([company] if company else []),
            accnum=accession_number,
            as_of=as_of,
        )
        if not reply["statements"]:
            raise ToolError(f"The filing has no {statement}. Ask for another statement or filing.")
        return _statement(reply, start, lines, places=places)

    async def get_facts(
        context: Context[Any, Any],
        company: CompanyOrNone = "",
        concepts: Annotated[
            list[str], Field(description="XBRL concepts, such as us-gaap:Assets or Assets")
        ] = [],  # noqa: B006
        items: Annotated[
            list[str], Field(description="items of all companies: revenue, net_income, eps_diluted")
        ] = [],  # noqa: B006
        accession_number: Annotated[str, Field(description="only of this filing")] = "",
        fiscal_year: Annotated[int | None, Field(ge=1990, le=2100)] = None,
        fiscal_period: Annotated[str, Field(description="FY, Q1, Q2, Q3 or Q4")] = "",
        forms: Forms = [],  # noqa: B006
        as_of: Annotated[Day, Field(description="as if it were that day")] = "",
        sort: Literal["newest", "oldest", "largest", "smallest"] = "newest",
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
        cursor: Cursor = "",
        places: Annotated[bool, Field(description="with the place of each number")] = False,
    ) -> Facts:
        """Find numbers of filings: a company's over time, or one concept over all companies."""
        if cursor:
            reply = await call_exactly(context, "/v1/facts", cursor=cursor)
        else:
            reply = await call_exactly(
                context,
                "/v1/facts",
                **_companies([company] if company else []),
                concept=concepts,
                item=items,
                accnum=accession_number,
                fiscal_year=fiscal_year,
                fiscal_period=fiscal_period,
                form_type=forms,
                as_of=as_of,
                sort=sort,
                limit=limit,
                cursor="*",
            )
        return Facts(
            notice=NOTICE,
            total=reply["total_count"],
            facts=[_fact(row, places=places) for row in reply["items"]],
            next_cursor=reply.get("next_cursor"),
        )

    for function in (
        get_statements,
        get_facts,
        search_filings,
        find_in_document,
        read_document,
        get_filing,
        list_filings,
        find_company,
        check_quote,
        get_insider_trades,
        get_holdings,
    ):
        tool(function)

    @server.resource("edgar-search://document/{document_id}", mime_type="text/plain")
    async def document(document_id: str, context: Context[Any, Any]) -> str:
        """The beginning of a document's text, 40,000 characters at most."""
        reply = await call(context, "/v1/text", document_id=document_id, length=40_000)
        return str(reply["text"])

    @server.resource("edgar-search://filing/{accession_number}", mime_type="application/json")
    async def filing(accession_number: str, context: Context[Any, Any]) -> str:
        """A filing's header and documents."""
        reply = await call(context, "/v2/filing_info", accession_number=accession_number)
        return msgspec.json.encode(reply).decode()

    return server


def _companies(given: list[str], *, padded: bool = False) -> dict[str, list[str]]:
    """Return the filter for tickers or for CIKs; ToolError for both."""
    ciks = [each for each in given if each.isdecimal()]
    if ciks and len(ciks) < len(given):
        raise ToolError("`companies` has tickers and CIKs. Give either; find_company knows both.")
    if ciks:
        return {"cik": [each.zfill(10) if padded else each for each in ciks]}
    return {"ticker": given} if given else {}


def _statement(reply: Answer, start: int, most: int, *, places: bool) -> StatementPart:
    filing, statement = reply["filing"], reply["statements"][0]
    lines = statement["lines"]
    end = start + most
    return StatementPart(
        notice=NOTICE,
        accession_number=filing["accnum"],
        company=filing["name"],
        cik=filing["cik"],
        form_type=filing["form_type"],
        filing_date=filing["filing_date"],
        fiscal_year=filing["fiscal_year"],
        fiscal_period=filing["fiscal_period"],
        title=statement["title"],
        periods=[_period(each) for each in statement["periods"]],
        total_lines=len(lines),
        lines=[_line(each, places=places) for each in lines[start:end]],
        next_start=end if end < len(lines) else None,
    )


def _line(line: Answer, *, places: bool) -> NumberLine:
    values = line["values"]
    members = ", ".join(each["label"] for each in line["dimensions"])
    return NumberLine(
        label=f"{line['label']} ({members})" if members else line["label"],
        concept=line["concept"],
        depth=line["depth"],
        negated=line["negated"],
        unit=values[0]["unit"] if values else "",
        values={_period(each): _digits(each["value"]) for each in values},
        places={_period(each): each["place"] for each in values if places and each["place"]},
    )


def _fact(row: Answer, *, places: bool) -> FactRow:
    return FactRow(
        company=row["name"],
        cik=row["cik"],
        concept=row["concept"],
        label=row["label"],
        value=_digits(row["value"]),
        unit=row["unit"],
        period=_period(row),
        fiscal_year=row["fiscal_year"],
        fiscal_period=row["fiscal_period"],
        form_type=row["form_type"],
        filing_date=row["filing_date"],
        accession_number=row["accnum"],
        superseded_by=row["superseded_by"],
        place=row["place"] if places else None,
    )


def _period(row: Answer) -> str:
    """A day, or two with a slash between them, as ISO 8601 has it."""
    return f"{row['start']}/{row['end']}" if row["start"] else str(row["end"])


def _digits(value: int | Decimal) -> str:
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def _hit(item: Answer) -> Hit:
    offsets = item.get("offsets") or {}
    return Hit(
        document_id=item["document_id"],
        accession_number=accession_of(item["document_id"]),
        companies=item["related_company_names"],
        ciks=item["ciks"],
        form_type=item["form_type"],
        document_type=item.get("document_type", ""),
        filing_date=item["filing_date"],
        period=item.get("period"),
        snippet=_MARK.sub("", item["snippet"])[:_SNIPPET],
        start=offsets.get("start"),
        end=offsets.get("end"),
        edgar_url=item.get("edgar_url"),
    )


def _part(reply: Answer) -> TextPart:
    return TextPart(
        notice=NOTICE,
        document_id=reply["document_id"],
        text_sha256=reply["text_sha256"],
        start=reply["start"],
        end=reply["end"],
        total_length=reply["text_length"],
        section=reply.get("section"),
        text=reply["text"],
        prefix=reply.get("prefix", ""),
        suffix=reply.get("suffix", ""),
        next_start=reply["next_start"],
    )


def _filing(filing: Answer) -> ListedFiling:
    filer = filing["filer_details"]
    return ListedFiling(
        accession_number=filing["accnum"],
        form_type=filing["form_type"],
        filing_date=filing["filing_date"],
        period=filing["period"],
        company=filer["name"],
        cik=filer["cik"],
        tickers=filing["tickers"],
        documents=[
            {
                "document_id": each["document_id"],
                "document_type": each["form_type"],
                "description": each["description"],
                "file_name": each["file_name"],
                "size": each["size"],
            }
            for each in filing["documents"][:_FEW_DOCUMENTS]
        ],
        document_count=len(filing["documents"]),
    )


def _filing_details(reply: Answer, first: int) -> FilingDetails:
    """Return a filing with a page of its documents; sections and items are on the first page."""
    header, documents = reply["filing"], reply["documents"]
    after = first + _DOCUMENTS
    return FilingDetails(
        accession_number=header["accessionNumber"],
        form_type=header["formType"],
        filing_date=header["filingDate"],
        period=header["reportDate"],
        accepted_at=header["acceptanceDatetime"],
        filer={name: value for name, value in reply["filer"].items() if value},
        documents=[
            {
                "document_id": each["id"],
                "document_type": each["documentType"],
                "description": each["description"],
                "file_name": each["fileName"],
                "size": each["size"],
            }
            for each in documents[first:after]
        ],
        document_count=len(documents),
        next_document=after if after < len(documents) else None,
        sections=[]
        if first
        else [
            {
                "document_id": each["documentId"],
                "section": each["id"].partition("#")[2],
                "label": each["itemLabel"],
                "title": each["itemDescription"],
            }
            for each in reply["sections"]
        ],
        eight_k_items=[]
        if first
        else [
            {
                "document_id": each["documentId"],
                "item": each["itemType"],
                "title": each["itemName"],
                "exhibits": [
                    exhibit["documentId"] for exhibit in each["exhibits"] if exhibit["documentId"]
                ],
            }
            for each in reply["eightkItems"]
        ],
    )


def _entities(reply: Answer) -> tuple[list[Answer], int]:
    """Return the entities of an answer of version 2, and their number."""
    found = next(value for value in reply.values() if isinstance(value, list))
    total = next((value for value in reply.values() if isinstance(value, int)), len(found))
    return found, total


def _company(entity: Answer) -> Company:
    return Company(
        cik=entity["cik"],
        name=entity["name"],
        tickers=entity["tickers"],
        sic=entity["sic"],
        former_names=[each["name"] for each in entity["formerNames"]],
    )
