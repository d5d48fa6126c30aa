"""Tools over filings and their texts: search, read, list, compare, and check a quote."""

import re
from collections.abc import Callable
from html import unescape
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from edgar_search.edgar.identifiers import accession_of
from edgar_search.web.mcp.answers import (
    NOTICE,
    Companies,
    Company,
    ComparedFilings,
    FilingDetails,
    Filings,
    Found,
    Hit,
    ListedFiling,
    MatchesInText,
    TableEntry,
    Tables,
    TextPart,
)
from edgar_search.web.mcp.arguments import (
    CompanyList,
    Cursor,
    Day,
    Forms,
    ToolCall,
    companies_filter,
)
from edgar_search.web.mcp.asking import Answer, shorten

_SNIPPET, _AROUND = 300, 150
# Documents of a filing in a list of filings.
_FEW_DOCUMENTS = 3
# Documents of one filing: EDGAR has filings of more than a thousand.
_DOCUMENTS = 25
# Characters of each side of a change: ten changes are an answer.
_CHANGED = 400
# Tables in a list, and characters of a table's rows, of a cell and of a heading.
_TABLES, _TABLE, _CELL, _HEADING = 30, 9_000, 300, 120
# Quotes, commas and blanks of a cell, and of a row, as the answer is written.
_CELL_MARKS = 12
_MARK = re.compile("</?mark>")


def text_tools(call: ToolCall) -> list[Callable[..., Any]]:
    """Return the tools over filings and texts."""

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
                **companies_filter(companies),
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
                **companies_filter(companies, padded=True),
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

    async def compare_filings(
        context: Context[Any, Any],
        from_document: Annotated[str, Field(description="document_id of the earlier document")],
        to_document: Annotated[str, Field(description="document_id of the later document")],
        section: Annotated[str, Field(description="of both, such as item1a of a 10-K")] = "",
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        offset: Annotated[int, Field(ge=0, description="`next_offset` of the last answer")] = 0,
    ) -> ComparedFilings:
        """Compare two documents, or the same section of both: what was added, removed, changed."""
        asked = {"from": from_document, "to": to_document}
        reply = await call(
            context, "/v1/compare", **asked, section=section, limit=limit, offset=offset
        )
        changes = reply["changes"]
        for change in changes:
            for side in ("from", "to"):
                change[side]["text"] = shorten(change[side]["text"], _CHANGED)
        read = offset + len(changes)
        return ComparedFilings(
            notice=NOTICE,
            from_sha256=reply["from"]["text_sha256"],
            to_sha256=reply["to"]["text_sha256"],
            equal=reply["equal"],
            total=reply["total_count"],
            changes=changes,
            next_offset=read if changes and read < reply["total_count"] else None,
        )

    async def get_tables(
        context: Context[Any, Any],
        document_id: str,
        table: Annotated[int, Field(ge=0, description="its number; 0 lists the tables")] = 0,
        first_row: Annotated[int, Field(ge=0, description="`next_row` of the last answer")] = 0,
        offset: Annotated[int, Field(ge=0, description="`next_offset` of the last answer")] = 0,
    ) -> Tables:
        """List the tables of a document, or get the rows of one, cell by cell as filed."""
        asked: dict[str, int] = {"table": table} if table else {"limit": _TABLES, "offset": offset}
        reply = await call(context, "/v1/tables", document_id=document_id, **asked)
        items = reply["items"]
        rows, after = _rows_of(items[0].get("cells", []), first_row) if table else ([], None)
        read = offset + len(items)
        return Tables(
            notice=NOTICE,
            document_id=document_id,
            text_sha256=reply["text_sha256"],
            total=reply["total_count"],
            tables=[_table(each) for each in items],
            rows=rows,
            next_row=after,
            next_offset=None if table or read >= reply["total_count"] else read,
        )

    return [
        search_filings,
        find_in_document,
        read_document,
        get_filing,
        list_filings,
        find_company,
        compare_filings,
        get_tables,
    ]


def _table(item: Answer) -> TableEntry:
    heading = item["heading"]
    return TableEntry(
        number=item["number"],
        start=item["start"],
        end=item["end"],
        heading=heading and shorten(heading, _HEADING),
        unit=item["unit"],
        rows=item["rows"],
        columns=item["columns"],
    )


def _rows_of(cells: list[Any], first: int) -> tuple[list[list[str]], int | None]:
    """Return the texts of a table's rows from `first` on, and the next row if there are more."""
    rows: list[list[str]] = []
    length = 0
    for number, row in enumerate(cells[first:], first):
        texts = [shorten(cell["text"], _CELL) if cell else "" for cell in row]
        length += sum(map(len, texts)) + _CELL_MARKS * (len(texts) + 1)
        if rows and length > _TABLE:
            return rows, number
        rows.append(texts)
    return rows, None


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
        snippet=shorten(unescape(_MARK.sub("", item["snippet"])), _SNIPPET),
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
