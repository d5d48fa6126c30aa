"""Sets whose rows no endpoint lists for more than one filing, and sets in the SEC's layout."""

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import NamedTuple, TypeVar

from msgspec import Struct, structs

from edgar_search.api.context import Context
from edgar_search.api.export import ROWS
from edgar_search.api.files.sec_records import (
    DerivativeHolding,
    DerivativeTrade,
    InsiderSubmission,
    NonderivativeHolding,
    NonderivativeTrade,
    NumRecord,
    PreRecord,
    ReportingOwner,
    SubRecord,
    TagRecord,
    insider_record,
    insider_submission,
    num_records,
    pre_records,
    reporting_owner,
    sub_record,
    tag_record,
)
from edgar_search.api.files.set_records import (
    LineRecord,
    SectionRecord,
    line_records,
    section_record,
)
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.engine.replies import SortedHit
from edgar_search.financials.facts import STANDARD
from edgar_search.search.criteria import FilingCriteria, Window
from edgar_search.search.cursors import CursorPosition
from edgar_search.search.filings import filings_of
from edgar_search.search.pagination import Export, ExportPage, Hit, Step, next_step
from edgar_search.search.query.matching import Clause
from edgar_search.search.rows import RowOrder, RowSearch, begin_row_export, rows_body
from edgar_search.stored.filings import StoredFiling, StoredSection
from edgar_search.stored.financials import StoredFact, StoredFinancials
from edgar_search.stored.ownership import StoredInsiderTrade

# The statements of a filing take a few megabytes at most.
_FILINGS_AT_ONCE = 20
# Of schedules of 1993 to 2001, and of items that a table makes comparable.
_NOT_OF_EDGAR = ("ex-27", STANDARD)
_BY_DAY = RowOrder("filing_date", "asc")
Reader = Callable[[Context, FilingCriteria], AsyncGenerator[Sequence[Struct], None]]
H = TypeVar("H", bound=Hit)
S = TypeVar("S", bound=Struct)


class StoredSet(NamedTuple):
    """A set: the kind of entries that it is made of, its records, and how they are read."""

    kind: Kind
    item_type: type[Struct]
    read: Reader


async def pages(begun: Export[H]) -> AsyncGenerator[ExportPage[H], None]:
    """Yield the pages of an export, and close its snapshot at the end."""
    try:
        position: CursorPosition | None = begun.beginning
        while position is not None:
            page = await begun.page(position)
            yield page
            position = page.step.place
    finally:
        await begun.close()


async def _rows(
    context: Context, search: RowSearch, stored: type[S]
) -> AsyncGenerator[list[S], None]:
    """Yield the rows that a search finds, one page at a time."""
    begun = await begin_row_export(context.pagination, search, stored, "")
    async with aclosing(pages(begun)) as found_pages:
        async for page in found_pages:
            yield [hit.source for hit in page.step.hits]


class _Statements(RowSearch, frozen=True):
    """The statements of filings, one entry for each filing."""

    async def step(
        self, engine: Engine, stored: type[StoredFinancials], place: CursorPosition
    ) -> Step[SortedHit[StoredFinancials]]:
        """Find the statements of filings after a position, with one engine request."""

        def body(window: Window) -> Clause:
            whole = rows_body(structs.replace(self, window=window))
            return {**whole, "sort": whole["sort"][:-1]}

        hit = SortedHit[StoredFinancials]
        return await next_step(engine, self.kind, body, self.window.size, hit, place)


def _statements(days: FilingCriteria) -> _Statements:
    return _Statements("financials", (), days, _BY_DAY, Window(0, _FILINGS_AT_ONCE))


def _statement_reader(make: Callable[[StoredFinancials], Iterable[Struct]]) -> Reader:
    """Return a reader of records made from the statements of filings."""

    async def read(
        context: Context, days: FilingCriteria
    ) -> AsyncGenerator[Sequence[Struct], None]:
        async with aclosing(_rows(context, _statements(days), StoredFinancials)) as batches:
            async for filings in batches:
                for filing in filings:
                    yield list(make(filing))

    return read


async def _filings(
    context: Context, entries: Sequence[StoredFinancials] | Sequence[StoredInsiderTrade]
) -> dict[str, StoredFiling]:
    """Find the filings of these entries, by accession number."""
    numbers = [entry.accession_number for entry in entries]
    return {f.accession_number: f for f in await filings_of(context.engine, numbers)}


async def _submissions(
    context: Context, days: FilingCriteria
) -> AsyncGenerator[Sequence[Struct], None]:
    async with aclosing(_rows(context, _statements(days), StoredFinancials)) as batches:
        async for reports in batches:
            filings = await _filings(context, reports)
            yield [
                sub_record(report, filings[report.accession_number])
                for report in reports
                if report.accession_number in filings
            ]


async def _tags(context: Context, days: FilingCriteria) -> AsyncGenerator[Sequence[Struct], None]:
    """Yield the first fact of each concept; for a filer's own concepts, of each filing."""
    others: Clause = {"bool": {"must_not": [{"terms": {"taxonomy": _NOT_OF_EDGAR}}]}}
    order, ties = RowOrder("concept", "asc"), ("accession_number",)
    search = RowSearch("facts", (others,), days, order, Window(0, ROWS), ties)
    last: tuple[str, str] | None = None
    async with aclosing(_rows(context, search, StoredFact)) as batches:
        async for facts in batches:
            records = []
            for record in map(tag_record, facts):
                if (record.tag, record.version) != last:
                    last = record.tag, record.version
                    records.append(record)
            yield records


def _row_reader(
    kind: Kind, stored: type[S], make: Callable[[S], Struct], filters: tuple[Clause, ...] = ()
) -> Reader:
    """Return a reader of the rows of a kind, which makes a record of each."""

    async def read(
        context: Context, days: FilingCriteria
    ) -> AsyncGenerator[Sequence[Struct], None]:
        search = RowSearch(kind, filters, days, _BY_DAY, Window(0, ROWS))
        async with aclosing(_rows(context, search, stored)) as pages_of_rows:
            async for rows in pages_of_rows:
                yield list(map(make, rows))

    return read


def _insider_reader(*, trade: bool, derivative: bool) -> Reader:
    """Return a reader of transactions or holdings, in derivatives or in other securities."""
    filters = ({"term": {"trade": trade}}, {"term": {"derivative": derivative}})
    return _row_reader("insider_trades", StoredInsiderTrade, insider_record, filters)


async def _first_rows(
    context: Context, days: FilingCriteria
) -> AsyncGenerator[list[StoredInsiderTrade], None]:
    """Yield the first row of each filing, whose rows follow one another."""
    last = ""
    search = RowSearch("insider_trades", (), days, _BY_DAY, Window(0, ROWS))
    async with aclosing(_rows(context, search, StoredInsiderTrade)) as batches:
        async for rows in batches:
            firsts = []
            for row in rows:
                if row.accession_number != last:
                    last = row.accession_number
                    firsts.append(row)
            yield firsts


async def _insider_submissions(
    context: Context, days: FilingCriteria
) -> AsyncGenerator[Sequence[Struct], None]:
    async with aclosing(_first_rows(context, days)) as batches:
        async for rows in batches:
            filings = await _filings(context, rows)
            yield [insider_submission(row, filings.get(row.accession_number)) for row in rows]


async def _owners(context: Context, days: FilingCriteria) -> AsyncGenerator[Sequence[Struct], None]:
    async with aclosing(_first_rows(context, days)) as batches:
        async for rows in batches:
            yield [reporting_owner(row, owner) for row in rows for owner in row.owners]


STORED_SETS: Mapping[str, StoredSet] = {
    "statement_lines": StoredSet("financials", LineRecord, _statement_reader(line_records)),
    "sections": StoredSet(
        "sections", SectionRecord, _row_reader("sections", StoredSection, section_record)
    ),
    "sec_financial_sub": StoredSet("financials", SubRecord, _submissions),
    "sec_financial_num": StoredSet("financials", NumRecord, _statement_reader(num_records)),
    "sec_financial_pre": StoredSet("financials", PreRecord, _statement_reader(pre_records)),
    "sec_financial_tag": StoredSet("facts", TagRecord, _tags),
    "sec_insider_submission": StoredSet("insider_trades", InsiderSubmission, _insider_submissions),
    "sec_insider_reportingowner": StoredSet("insider_trades", ReportingOwner, _owners),
    "sec_insider_nonderiv_trans": StoredSet(
        "insider_trades", NonderivativeTrade, _insider_reader(trade=True, derivative=False)
    ),
    "sec_insider_nonderiv_holding": StoredSet(
        "insider_trades", NonderivativeHolding, _insider_reader(trade=False, derivative=False)
    ),
    "sec_insider_deriv_trans": StoredSet(
        "insider_trades", DerivativeTrade, _insider_reader(trade=True, derivative=True)
    ),
    "sec_insider_deriv_holding": StoredSet(
        "insider_trades", DerivativeHolding, _insider_reader(trade=False, derivative=True)
    ),
}
