"""Tools over filings and their texts: search, read, list, compare, and check a quote."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from edgar_search.api.compare import FIND_CHANGES, ComparedPlace
from edgar_search.api.lookup import FIND_FILINGS, Filing
from edgar_search.api.matches import FIND_MATCHES
from edgar_search.api.search import FIND_DOCUMENTS, SearchItem, plain_snippet
from edgar_search.api.similar import SIMILAR, SimilarItem, SimilarReply
from edgar_search.api.tables import FIND_TABLES, TableCell, TableItem
from edgar_search.api.text import FIND_TEXT, TextReply
from edgar_search.edgar.identifiers import accession_of
from edgar_search.web.mcp.answers import (
    NOTICE,
    ChangedPlace,
    Companies,
    Company,
    ComparedFilings,
    FilingDetails,
    Filings,
    Found,
    Hit,
    ListedFiling,
    MatchesInText,
    SimilarPassage,
    SimilarPassages,
    TableEntry,
    Tables,
    TextPart,
)
from edgar_search.web.mcp.arguments import (
    CompanyList,
    Cursor,
    Day,
    Figures,
    Forms,
    companies_filter,
)
from edgar_search.web.mcp.asking import ToolCalls, iso, known, shorten

# An answer of Version 2, which has its own wire format.
Answer: TypeAlias = dict[str, Any]

_SNIPPET, _AROUND = 300, 150
# Documents of a filing in a list of filings.
_FEW_DOCUMENTS = 3
# Documents of one filing: EDGAR has filings of more than a thousand.
_DOCUMENTS = 25
# Characters of each side of a change: ten changes are an answer.
_CHANGED = 400
# Characters of a passage that is like another, its differences, and characters of one.
_SIMILAR, _DIFFERENCES, _DIFFERENCE = 1_000, 8, 100
# Tables in a list, and characters of a table's rows, of a cell and of a heading.
_TABLES, _TABLE, _CELL, _HEADING = 30, 9_000, 300, 120
# Quotes, commas and blanks of a cell, and of a row, as the answer is written.
_CELL_MARKS = 12


def text_tools(call: ToolCalls) -> list[Callable[..., Any]]:
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
        figures: Figures = [],  # noqa: B006
        currency: Annotated[str, Field(description="of figures: USD if absent, or any")] = "",
        sort: Literal["relevance", "newest", "oldest"] = "relevance",
        limit: Annotated[int, Field(ge=1, le=25)] = 10,
        cursor: Cursor = "",
    ) -> Found:
        """Search the full text of filings; each hit has a snippet with its position."""
        if cursor:
            reply = await call(context, FIND_DOCUMENTS, cursor=cursor)
        elif not query and not figures:
            raise ToolError(
                "`query` is empty. Give words or figures, or list filings with list_filings."
            )
        else:
            reply = await call(
                context,
                FIND_DOCUMENTS,
                query=query,
                form_type=forms,
                **companies_filter(companies),
                from_date=from_date,
                to_date=to_date,
                document_type=document_types,
                figures=figures,
                currency=currency,
                sort=sort,
                limit=limit,
                include=["offsets", "document_type", "period", "edgar_url"],
                cursor="*",
            )
        return Found(
            notice=NOTICE,
            total=reply.total_count,
            documents=[_hit(item) for item in reply.items],
            warnings=reply.warnings,
            next_cursor=known(reply.next_cursor),
        )

    async def find_in_document(
        context: Context[Any, Any],
        document_id: str,
        query: Annotated[str, Field(description="as of search_filings")],
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        offset: Annotated[int, Field(ge=0, description="`next_offset` of the last answer")] = 0,
    ) -> MatchesInText:
        """Find every occurrence of words in one document, with the text around each."""
        reply = await call(
            context,
            FIND_MATCHES,
            document_id=document_id,
            query=query,
            limit=limit,
            offset=offset,
        )
        read = offset + len(reply.items)
        return MatchesInText(
            notice=NOTICE,
            document_id=document_id,
            text_sha256=reply.text_sha256,
            total=reply.total_count,
            matches=[
                {
                    "start": match.start,
                    "end": match.end,
                    "before": match.before[-_AROUND:],
                    "text": match.text,
                    "after": match.after[:_AROUND],
                    "section": match.section,
                }
                for match in reply.items
            ],
            next_offset=read if reply.items and read < reply.total_count else None,
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
            FIND_TEXT,
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
        reply = await call.version_2(context, "/v2/filing_info", accession_number=accession_number)
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
            reply = await call(context, FIND_FILINGS, cursor=cursor)
        else:
            reply = await call(
                context,
                FIND_FILINGS,
                **companies_filter(companies, padded=True),
                form_type=forms,
                from_date=from_date,
                to_date=to_date,
                limit=limit,
                cursor="*",
            )
        return Filings(
            total=reply.response_details.filings_found,
            filings=[_filing(filing) for filing in reply.filings],
            errors=reply.response_details.errors,
            next_cursor=known(reply.next_cursor),
        )

    async def find_company(
        context: Context[Any, Any],
        name_or_ticker: Annotated[str, Field(min_length=1, max_length=200)],
    ) -> Companies:
        """Find companies and people by ticker, CIK, or words of a present or former name."""
        text = name_or_ticker.strip()
        entities: list[Answer] = []
        total = 0
        for name in ("ciks",) if text.isdecimal() else ("tickers", "name_includes"):
            values = {name: [text.upper() if name == "tickers" else text.replace(",", " ")]}
            values |= {"from": ["0"], "to": ["10"]}
            reply = await call.version_2(context, "/v2/entity_lookup", **values)
            entities, total = _entities(reply)
            if entities:
                break
        return Companies(companies=[_company(entity) for entity in entities[:10]], total=total)

    async def compare_filings(
        context: Context[Any, Any],
        from_document: Annotated[str, Field(description="document_id of the earlier document")],
        to_document: Annotated[str, Field(description="document_id of the later document")],
        section: Annotated[str, Field(description="of both, such as item1a of a 10-K")] = "",
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        offset: Annotated[int, Field(ge=0, description="`next_offset` of the last answer")] = 0,
    ) -> ComparedFilings:
        """Compare two documents, or the same section of both: what was added, removed, changed."""
        documents = {"from": from_document, "to": to_document}
        reply = await call(
            context, FIND_CHANGES, **documents, section=section, limit=limit, offset=offset
        )
        read = offset + len(reply.changes)
        return ComparedFilings(
            notice=NOTICE,
            from_sha256=reply.before.text_sha256,
            to_sha256=reply.after.text_sha256,
            equal=reply.equal,
            total=reply.total_count,
            changes=[
                {
                    "kind": change.kind,
                    "from": _side(change.before),
                    "to": _side(change.after),
                }
                for change in reply.changes
            ],
            next_offset=read if reply.changes and read < reply.total_count else None,
        )

    async def find_similar(
        context: Context[Any, Any],
        text: Annotated[str, Field(description="a clause of at most 20,000 characters")] = "",
        document_id: Annotated[str, Field(description="or the document that has it")] = "",
        start: Annotated[int, Field(ge=0, description="its first character there")] = 0,
        length: Annotated[int, Field(ge=1, le=20_000)] = 1_000,
        forms: Forms = [],  # noqa: B006
        companies: CompanyList = [],  # noqa: B006
        document_types: Annotated[list[str], Field(description="such as EX-10.1")] = [],  # noqa: B006
        sort: Literal["similar", "newest"] = "similar",
        limit: Annotated[int, Field(ge=1, le=10)] = 5,
    ) -> SimilarPassages:
        """Find passages like a clause, with the words that differ and their usual wording."""
        reply = await call.of_text(
            context,
            SIMILAR,
            SimilarReply,
            {"text": text} if text else {},
            document_id=document_id,
            start=None if text else start,
            length=None if text else length,
            form_type=forms,
            **companies_filter(companies),
            document_type=document_types,
            sort=sort,
            limit=limit,
        )
        return SimilarPassages(
            notice=NOTICE,
            passages=[_similar(passage) for passage in reply.items],
            usual_wording=[
                {"text": passage.text, "count": passage.count} for passage in reply.usual_wording
            ],
        )

    async def get_tables(
        context: Context[Any, Any],
        document_id: str,
        table: Annotated[int, Field(ge=0, description="its number; 0 lists the tables")] = 0,
        first_row: Annotated[int, Field(ge=0, description="`next_row` of the last answer")] = 0,
        offset: Annotated[int, Field(ge=0, description="`next_offset` of the last answer")] = 0,
    ) -> Tables:
        """List the tables of a document, or get the rows of one, cell by cell as filed."""
        window: dict[str, int] = {"table": table} if table else {"limit": _TABLES, "offset": offset}
        reply = await call(context, FIND_TABLES, document_id=document_id, **window)
        rows, after = (
            _rows_of(known(reply.items[0].cells) or [], first_row) if table else ([], None)
        )
        read = offset + len(reply.items)
        return Tables(
            notice=NOTICE,
            document_id=document_id,
            text_sha256=reply.text_sha256,
            total=reply.total_count,
            tables=[_table(item) for item in reply.items],
            rows=rows,
            next_row=after,
            next_offset=None if table or read >= reply.total_count else read,
        )

    return [
        search_filings,
        find_in_document,
        read_document,
        get_filing,
        list_filings,
        find_company,
        compare_filings,
        find_similar,
        get_tables,
    ]


def _side(place: ComparedPlace) -> ChangedPlace:
    """One side of a change, its text cut to what an answer has room for."""
    return ChangedPlace(
        start=place.start,
        end=place.end,
        text=shorten(place.text, _CHANGED),
        before=place.before,
        after=place.after,
    )


def _similar(item: SimilarItem) -> SimilarPassage:
    differences = [f"{change.given} -> {change.found}" for change in item.changes]
    return SimilarPassage(
        document_id=item.document_id,
        text_sha256=item.text_sha256,
        start=item.start,
        end=item.end,
        companies=item.related_company_names,
        form_type=item.form_type,
        document_type=item.document_type,
        filing_date=item.filing_date,
        share=item.share,
        text=shorten(item.text, _SIMILAR),
        differences=[shorten(difference, _DIFFERENCE) for difference in differences[:_DIFFERENCES]],
    )


def _table(item: TableItem) -> TableEntry:
    return TableEntry(
        number=item.number,
        start=item.start,
        end=item.end,
        heading=item.heading and shorten(item.heading, _HEADING),
        unit=item.unit,
        rows=item.rows,
        columns=item.columns,
    )


def _rows_of(cells: list[list[TableCell | None]], first: int) -> tuple[list[list[str]], int | None]:
    """Return the texts of a table's rows from `first` on, and the next row if there are more."""
    rows: list[list[str]] = []
    length = 0
    for number, row in enumerate(cells[first:], first):
        texts = [shorten(cell.text, _CELL) if cell else "" for cell in row]
        length += sum(map(len, texts)) + _CELL_MARKS * (len(texts) + 1)
        if rows and length > _TABLE:
            return rows, number
        rows.append(texts)
    return rows, None


def _hit(item: SearchItem) -> Hit:
    offsets = known(item.offsets)
    return Hit(
        document_id=item.document_id,
        accession_number=accession_of(item.document_id),
        companies=item.related_company_names,
        ciks=item.ciks,
        form_type=item.form_type,
        document_type=known(item.document_type) or "",
        filing_date=item.filing_date,
        period=known(item.period),
        snippet=shorten(plain_snippet(known(item.snippet) or ""), _SNIPPET),
        start=offsets.start if offsets else None,
        end=offsets.end if offsets else None,
        edgar_url=known(item.edgar_url),
    )


def _part(reply: TextReply) -> TextPart:
    # Only a citation can be of a text that has gone.
    assert reply.start is not None and reply.end is not None
    return TextPart(
        notice=NOTICE,
        document_id=reply.document_id,
        text_sha256=reply.text_sha256,
        start=reply.start,
        end=reply.end,
        total_length=reply.text_length,
        section=known(reply.section),
        text=reply.text,
        prefix=known(reply.prefix) or "",
        suffix=known(reply.suffix) or "",
        next_start=reply.next_start,
    )


def _filing(filing: Filing) -> ListedFiling:
    filer = filing.filer_details
    return ListedFiling(
        accession_number=filing.accnum,
        form_type=filing.form_type,
        filing_date=filing.filing_date.isoformat(),
        period=iso(filing.period),
        company=filer.name,
        cik=filer.cik,
        tickers=filing.tickers,
        documents=[
            {
                "document_id": document.document_id,
                "document_type": document.form_type,
                "description": document.description,
                "file_name": document.file_name,
                "size": document.size,
            }
            for document in filing.documents[:_FEW_DOCUMENTS]
        ],
        document_count=len(filing.documents),
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
                "document_id": document["id"],
                "document_type": document["documentType"],
                "description": document["description"],
                "file_name": document["fileName"],
                "size": document["size"],
            }
            for document in documents[first:after]
        ],
        document_count=len(documents),
        next_document=after if after < len(documents) else None,
        sections=[]
        if first
        else [
            {
                "document_id": section["documentId"],
                "section": section["id"].partition("#")[2],
                "label": section["itemLabel"],
                "title": section["itemDescription"],
            }
            for section in reply["sections"]
        ],
        eight_k_items=[]
        if first
        else [
            {
                "document_id": section["documentId"],
                "item": section["itemType"],
                "title": section["itemName"],
                "exhibits": [
                    exhibit["documentId"]
                    for exhibit in section["exhibits"]
                    if exhibit["documentId"]
                ],
            }
            for section in reply["eightkItems"]
        ],
    )


def _entities(reply: Answer) -> tuple[list[Answer], int]:
    """Return the entities of an answer of version 2, and their number."""
    entities = next(value for value in reply.values() if isinstance(value, list))
    total = next((value for value in reply.values() if isinstance(value, int)), len(entities))
    return entities, total


def _company(entity: Answer) -> Company:
    return Company(
        cik=entity["cik"],
        name=entity["name"],
        tickers=entity["tickers"],
        sic=entity["sic"],
        former_names=[former["name"] for former in entity["formerNames"]],
    )
