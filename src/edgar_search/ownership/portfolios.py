"""Portfolios of managers, and holders of a security: the result of a quarter's reports.

A manager may file several reports on Form 13F for a quarter. A restatement replaces earlier ones,
an addition adds to them, and a notice has no holdings: it names who reports them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field, structs

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.engine.replies import Buckets, KeyedBucket, SortedHit, SourceHit, TopHits
from edgar_search.ownership.clauses import all_words, of_cusips, one_of
from edgar_search.ownership.holdings import (
    OtherValues,
    round_computed,
    values_of_others,
    with_others,
)
from edgar_search.search.criteria import FilingCriteria
from edgar_search.search.cursors import CursorPosition
from edgar_search.search.entities import entities_of
from edgar_search.search.filters import days_clauses
from edgar_search.search.pagination import Step
from edgar_search.search.query.matching import Clause
from edgar_search.search.rows import RowSearch
from edgar_search.search.warnings.nearest import RowWarning, unknown_in_rows
from edgar_search.stored.ownership import MOST_MARKS, StoredHolding, StoredManagerReport
from edgar_search.text.words import lower, tokens

Status = Literal["in_effect", "replaced", "notice", "not_read"]
Change = Literal["new", "gone", "more", "less", "same"]
# More reports than any manager files for a quarter.
_MOST_REPORTS = 1_000
# Managers with several reports for a quarter; EDGAR has some hundred.
_MOST_MANAGERS = 10_000
# Groups in one request; Elasticsearch accepts 65,536.
_GROUPS = 10_000
_MOST_CUSIPS = 100
_MOST_QUARTERS = 200
# Filings that a group names as its sources.
_SOURCES = 20
# CUSIPs that forms use if a security has none.
_NO_CUSIPS = ("000000000", "999999999")
_STATE = re.compile(r"\s*/[A-Za-z]{2,3}/?\s*$")
_LEFT_OUT = frozenset({"of", "the", "and"})


class ReportStatus(NamedTuple):
    """A report, and whether its holdings count; `repeats` are reports whose rows it repeats.

    `repeated` is the fraction of repeated rows among those that can be compared. `warnings` say
    that it was not read, is uncertain, or repeats rows; the last report also has the warnings about
    all of them.
    """

    report: StoredManagerReport
    status: Status
    repeats: tuple[str, ...] = ()
    repeated: float = 0.0
    warnings: tuple[RowWarning, ...] = ()


def effective_reports(reports: Iterable[StoredManagerReport]) -> list[ReportStatus]:
    """Decide which reports of a manager for a quarter count, in order of acceptance.

    An amendment that does not name its type, and a second report besides the first, replace earlier
    ones like a restatement. So does an addition that repeats all rows that count; one that has only
    such rows adds nothing.
    """
    decided: list[ReportStatus] = []
    for report in sorted(reports, key=_order):
        if report.report_type == "notice":
            decided.append(ReportStatus(report, "notice"))
            continue
        is_read = report.table in ("xml", "none")
        now = ReportStatus(report, "in_effect" if is_read else "not_read")
        counting = [decision.report for decision in decided if decision.status == "in_effect"]
        if report.amendment == "new_holdings" and counting:
            now = _compared(now, counting)
        if report.amendment != "new_holdings" or (now.repeated == 1 and now.status == "in_effect"):
            decided = [
                decision._replace(status="replaced") if decision.status == "in_effect" else decision
                for decision in decided
            ]
        decided.append(now)
    return decided


def _order(report: StoredManagerReport) -> tuple[object, ...]:
    """Return the sort key of a report among a manager's reports for a quarter.

    If two were accepted at the same time, or at unknown times, an amendment comes after what it
    amends, and the higher number later.
    """
    accepted = report.accepted_at
    number = report.amendment_number or ""
    return (
        report.filing_date,
        accepted.timestamp() if accepted else 0.0,
        report.form_type.endswith("/A"),
        int(number) if number.isdecimal() and number.isascii() else 0,
        report.amendment == "new_holdings",
        report.accession_number,
    )


def _compared(now: ReportStatus, counting: Sequence[StoredManagerReport]) -> ReportStatus:
    """Compare the rows of an addition with those that count already, as far as marks allow."""
    own_marks, others = now.report.marks, [marks.marks for marks in counting]
    # For a table with more rows than marks, only the lowest marks are known.
    bounds = [marks[-1] for marks in (own_marks, *others) if len(marks) >= MOST_MARKS]
    bound = min(bounds, default="g")
    before = {mark for other in others for mark in other if mark <= bound}
    added = {mark for mark in own_marks if mark <= bound}
    same = before & added
    if not same:
        return now
    repeats = tuple(
        marks.accession_number for marks in counting if not same.isdisjoint(marks.marks)
    )
    now = now._replace(repeats=repeats, repeated=len(same) / len(before))
    return now._replace(status="replaced") if same == added and same != before else now


def with_warnings(reports: Sequence[ReportStatus]) -> list[ReportStatus]:
    """Add warnings to a manager's reports for a quarter."""
    with_own = [
        report._replace(
            warnings=tuple(
                RowWarning(report.report.accession_number, text) for text in _doubts(report)
            )
        )
        for report in reports
    ]
    originals = sum(
        report.status != "notice" and not report.report.form_type.endswith("/A")
        for report in reports
    )
    if originals > 1:
        text = f"{originals} reports are not amendments; the last one replaces the others"
        several = RowWarning(reports[-1].report.quarter or "", text)
        with_own[-1] = with_own[-1]._replace(warnings=(*with_own[-1].warnings, several))
    return with_own


def _doubts(status: ReportStatus) -> Iterator[str]:
    report, number = status.report, status.report.accession_number
    if status.status == "not_read":
        form = {"text": "plain text", "html": "HTML only"}.get(report.table)
        yield f"{number}: its information table is {form}, which is not read"
    elif report.form_type == "13F-HR/A" and report.amendment is None:
        yield f"{number} does not say what it amends; it is read as a restatement"
    if status.repeats:
        yield _repetition(status)
    if report.table == "xml" and report.entries is not None and report.entries != report.rows:
        yield f"{number}: its cover counts {report.entries} holdings, it has {report.rows}"
    if (difference := total_difference(report)) and report.entries == report.rows:
        yield (
            f"{number}: the values of its rows are {report.total_read:,f} in all,"
            f" {difference:+,f} from the {report.total_filed:,f} of its cover"
        )


def _repetition(status: ReportStatus) -> str:
    number, others = status.report.accession_number, " and ".join(status.repeats)
    beginning = f"{number} says that it adds holdings, but "
    if status.status == "replaced" and status.repeated < 1:
        return f"{beginning}has only rows that {others} has; they are counted once"
    if status.repeated == 1:
        return f"{beginning}repeats the table of {others}; the rows are counted once"
    part = f"{100 * status.repeated:.0f} percent"
    return f"{beginning}repeats {part} of the rows of {others}, which are counted twice"


def total_difference(report: StoredManagerReport) -> Decimal | None:
    """Return the sum of a report's rows minus the total on its cover.

    None if they are equal, or one is unknown. In thousands each row is rounded, so the difference
    may be up to half the number of rows.
    """
    if report.total_filed is None or report.total_read is None:
        return None
    difference = report.total_read - report.total_filed
    rounding = Decimal(report.rows) / 2
    return difference if abs(difference) > rounding else None


async def reports_of(
    engine: Engine,
    manager_ciks: Sequence[str],
    quarter: str,
    filings: FilingCriteria,
    most: int = _MOST_REPORTS,
) -> list[StoredManagerReport]:
    """Read the reports of these managers for a quarter, filed on these days."""
    body = {
        "query": {
            "bool": {
                "filter": [
                    {"terms": {"manager_cik": list(manager_ciks)}},
                    {"term": {"quarter": quarter}},
                    *days_clauses(filings),
                ]
            }
        },
        "size": most,
        "sort": [{"filing_date": "asc"}, {"accession_number": "asc"}],
        "track_total_hits": False,
    }
    reply = await engine.search("manager_reports", body, SourceHit[StoredManagerReport])
    return [hit.source for hit in reply.hits.hits]


class _Several(Struct):
    managers: Buckets[KeyedBucket]


async def replaced_reports(engine: Engine, quarter: str, filings: FilingCriteria) -> list[str]:
    """Find the accession numbers of a quarter's reports that others filed on these days replace."""
    body = {
        "query": {"bool": {"filter": [{"term": {"quarter": quarter}}, *days_clauses(filings)]}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            "managers": {
                "terms": {"field": "manager_cik", "size": _MOST_MANAGERS, "min_doc_count": 2}
            }
        },
    }
    response = await engine.aggregate("manager_reports", body, _Several)
    several = [bucket.key for bucket in response.managers.buckets]
    if not several:
        return []
    by_manager: dict[str | None, list[StoredManagerReport]] = {}
    for report in await reports_of(engine, several, quarter, filings, _MOST_MANAGERS):
        by_manager.setdefault(report.manager_cik, []).append(report)
    return [
        status.report.accession_number
        for reports in by_manager.values()
        for status in effective_reports(reports)
        if status.status == "replaced"
    ]


class _ByReports:
    """A search for holdings that goes through their managers' reports."""

    __slots__ = ()

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of indices that it reads."""
        return ("holdings", "manager_reports")

    @property
    def known_by(self) -> Kind:
        """The kind whose entries decide which values are known: notices have no holdings."""
        return "manager_reports"


class PortfolioSearch(_ByReports, RowSearch, frozen=True):
    """The rows of a manager's portfolio in a quarter, from the reports that count."""

    manager_cik: str = ""
    quarter: str = ""

    async def step(
        self, engine: Engine, stored: type[Any], position: CursorPosition
    ) -> Step[SortedHit[Any]]:
        """Find the rows after a position; the step's `about` has the reports."""
        reports = await _decided(engine, self.manager_cik, self.quarter, self.filings)
        search = structs.replace(self, filters=(*self.filters, _reports_clause(reports)))
        step = await RowSearch.step(search, engine, stored, position)
        step = await with_others(engine, step)
        return step._replace(about=reports, warnings=_warnings_of(reports))


async def _decided(
    engine: Engine, manager_cik: str, quarter: str, filings: FilingCriteria
) -> list[ReportStatus]:
    reports = await reports_of(engine, [manager_cik], quarter, filings)
    return with_warnings(effective_reports(reports))


def _warnings_of(reports: Iterable[ReportStatus]) -> tuple[RowWarning, ...]:
    return tuple(warning for report in reports for warning in report.warnings)


def _reports_clause(reports: Sequence[ReportStatus]) -> Clause:
    return _filings_clause(
        report.report.accession_number for report in reports if report.status == "in_effect"
    )


def _filings_clause(numbers: Iterable[str]) -> Clause:
    return {"terms": {"accession_number": list(numbers)}}


class Group(Struct):
    """Rows of one manager or security, and their sums now and before.

    `row` is one of them, None without a key, `rows` is their number now, and `sources` are their
    filings. `found_by` says how the security was found, `change` how it changed.
    """

    row: StoredHolding | None
    manager_cik: str | None
    cusip: str | None
    put_call: str | None
    share_type: str | None
    shares: Decimal
    value: Decimal
    shares_before: Decimal
    value_before: Decimal
    sources: list[str]
    rows: int = 0
    others: OtherValues | None = None
    found_by: Literal["cusip", "name"] = "cusip"

    @property
    def change(self) -> Change:
        """The change in the security between the two quarters."""
        if not self.shares_before and self.shares:
            return "new"
        if self.shares_before and not self.shares:
            return "gone"
        if self.shares == self.shares_before:
            return "same"
        return "more" if self.shares > self.shares_before else "less"


class _Sum(Struct):
    value: float


class _Sums(Struct):
    count: int = field(name="doc_count")
    shares: _Sum
    value: _Sum


class _GroupBucket(Struct):
    key: dict[str, str | None]
    now: _Sums
    before: _Sums


class _GroupPage(Struct):
    buckets: list[_GroupBucket]
    after_key: dict[str, str | None] | None = None


class _Grouped(Struct):
    groups: _GroupPage


_SUMS = {"shares": {"sum": {"field": "shares"}}, "value": {"sum": {"field": "value"}}}


def groups_body(
    filters: Sequence[Clause],
    keys: Sequence[str],
    now: Clause,
    before: Clause,
    after: dict[str, str | None] | None,
) -> Clause:
    """Build the sums of shares and values of each group, for the rows of `now` and of `before`."""
    sources = [{key: {"terms": {"field": key, "missing_bucket": True}}} for key in keys]
    composite: Clause = {"size": _GROUPS, "sources": sources}
    if after is not None:
        composite["after"] = after
    return {
        "query": {"bool": {"filter": list(filters)}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            "groups": {
                "composite": composite,
                "aggs": {
                    "now": {"filter": now, "aggs": _SUMS},
                    "before": {"filter": before, "aggs": _SUMS},
                },
            }
        },
    }


async def _all_groups(
    engine: Engine, filters: Sequence[Clause], keys: Sequence[str], now: Clause, before: Clause
) -> list[_GroupBucket]:
    buckets: list[_GroupBucket] = []
    after: dict[str, str | None] | None = None
    while True:
        body = groups_body(filters, keys, now, before, after)
        page = (await engine.aggregate("holdings", body, _Grouped)).groups
        buckets += page.buckets
        after = page.after_key
        if after is None or len(page.buckets) < _GROUPS:
            return buckets


class _Named(KeyedBucket):
    example: TopHits[SourceHit[StoredHolding]]
    filings: Buckets[KeyedBucket]


class _NamedGroups(Struct):
    groups: Buckets[_Named]


async def _examples(
    engine: Engine, filters: Sequence[Clause], key: str, values: Sequence[str]
) -> dict[str, tuple[StoredHolding, list[str]]]:
    """Find a row and the filings of each of these managers or securities."""
    if not values:
        return {}
    body = {
        "query": {"bool": {"filter": [*filters, {"terms": {key: list(values)}}]}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            "groups": {
                "terms": {"field": key, "size": len(values)},
                "aggs": {
                    "example": {"top_hits": {"size": 1, "sort": [{"filing_date": "desc"}]}},
                    "filings": {"terms": {"field": "accession_number", "size": _SOURCES}},
                },
            }
        },
    }
    response = await engine.aggregate("holdings", body, _NamedGroups)
    return {
        bucket.key: (
            bucket.example.hits.hits[0].source,
            sorted(each_.key for each_ in bucket.filings.buckets),
        )
        for bucket in response.groups.buckets
        if bucket.example.hits.hits
    }


class GroupSearch(RowSearch, frozen=True):
    """Groups of rows by `keys`, with their sums; a page of them in one of their own orders."""

    keys: tuple[str, ...] = ()

    async def page(
        self,
        engine: Engine,
        filters: Sequence[Clause],
        now: Clause,
        before: Clause,
        position: CursorPosition,
        *,
        by_change: bool,
    ) -> Step[SortedHit[Any]]:
        """Find the groups after a position, the largest first, or those that changed most."""
        every = [*filters, *days_clauses(self.filings)]
        buckets = await _all_groups(engine, every, self.keys, now, before)
        ranked = sorted(
            ([_rank(bucket, by_change=by_change), *_key(bucket)], bucket)
            for bucket in buckets
            if bucket.now.count or bucket.before.count
        )
        total = len(ranked)
        after = position.after
        left = ranked if after is None else [entry for entry in ranked if entry[0] > after]
        shown = left[: self.window.size]
        names = [bucket.key[self.keys[0]] for _, bucket in shown]
        examples = await _examples(
            engine, every, self.keys[0], list(dict.fromkeys(name for name in names if name))
        )
        hits: list[SortedHit[Any]] = []
        for sort, bucket in shown:
            row, sources = examples.get(bucket.key[self.keys[0]] or "", (None, []))
            hits.append(SortedHit(_group(bucket, row, sources), sort))
        return Step(total, hits, position, len(left) > len(shown))


def _rank(bucket: _GroupBucket, *, by_change: bool) -> float:
    value = bucket.now.value.value
    return -abs(value - bucket.before.value.value) if by_change else -value


def _key(bucket: _GroupBucket) -> list[str]:
    return [part or "" for part in bucket.key.values()]


def _group(bucket: _GroupBucket, row: StoredHolding | None, sources: list[str]) -> Group:
    key = bucket.key
    return Group(
        row=row,
        manager_cik=key.get("manager_cik"),
        cusip=key.get("cusip"),
        put_call=key.get("put_call"),
        share_type=key.get("share_type"),
        shares=round_computed(bucket.now.shares.value),
        value=round_computed(bucket.now.value.value),
        shares_before=round_computed(bucket.before.shares.value),
        value_before=round_computed(bucket.before.value.value),
        sources=sources,
        rows=bucket.now.count,
    )


_ALL: Clause = {"match_all": {}}
_NONE: Clause = {"match_none": {}}


async def rows_behind(
    engine: Engine, numbers: Sequence[str], cusips: Sequence[str]
) -> dict[tuple[str | None, ...], list[StoredHolding]]:
    """Read filings' rows of each of these securities, by CUSIP, option and type.

    Makes one engine request.
    """
    of_securities = {"terms": {"cusip": sorted(set(cusips))}}
    body = {
        "query": {"bool": {"filter": [_filings_clause(numbers), of_securities]}},
        "size": _GROUPS,
        "sort": [{"document_id": "asc"}, {"number": "asc"}],
        "track_total_hits": False,
    }
    rows_by_key: dict[tuple[str | None, ...], list[StoredHolding]] = {}
    for hit in (await engine.search("holdings", body, SourceHit[StoredHolding])).hits.hits:
        row = hit.source
        rows_by_key.setdefault((row.cusip, row.put_call, row.share_type), []).append(row)
    return rows_by_key


class Changes(NamedTuple):
    """The reports of a portfolio, and of the quarter compared with it."""

    reports: list[ReportStatus]
    before: list[ReportStatus]
    is_comparison: bool


class ChangeSearch(_ByReports, GroupSearch, frozen=True):
    """A manager's portfolio in a quarter by security, compared with another quarter if given.

    Securities that changed most come first or, with `by_value`, the largest.
    """

    manager_cik: str = ""
    quarter: str = ""
    compare_to: str = ""
    by_value: bool = False

    async def step(
        self, engine: Engine, stored: type[Any], position: CursorPosition
    ) -> Step[SortedHit[Any]]:
        """Find the securities after a position; `about` of the step has both quarters' reports."""
        reports, before = [
            await _decided(engine, self.manager_cik, quarter, self.filings)
            for quarter in (self.quarter, self.compare_to)
        ]
        now, then = _reports_clause(reports), _reports_clause(before)
        filters = [*self.filters, {"bool": {"should": [now, then]}}]
        step = await self.page(engine, filters, now, then, position, by_change=not self.by_value)
        warnings = _warnings_of([*reports, *before])
        if self.compare_to and not any(each.status == "in_effect" for each in before):
            text = f"no holdings of {self.compare_to} are here, so all are new"
            warnings += (RowWarning(self.compare_to, text),)
        about = Changes(reports, before, bool(self.compare_to))
        return step._replace(about=about, warnings=warnings)


def _by_name(cik: str, name: str) -> RowWarning:
    text = (
        f"no schedule 13D or 13G here names a CUSIP of {cik}; rows are found by the words of its"
        f" name, {name}, which other issuers may have too"
    )
    return RowWarning(cik, text)


class _Cusips(Struct):
    cusips: Buckets[KeyedBucket]


class HolderSearch(GroupSearch, frozen=True):
    """The managers that hold a security, or any security of an issuer, in a quarter."""

    cusips: tuple[str, ...] = ()
    issuer_cik: str = ""
    quarter: str = ""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of indices that it reads."""
        return ("holdings", "manager_reports", "stakes")

    async def step(
        self, engine: Engine, stored: type[Any], position: CursorPosition
    ) -> Step[SortedHit[Any]]:
        """Find the holders after a position, the largest first."""
        securities = Securities(of_cusips("cusip", self.cusips), "cusip", ())
        if self.issuer_cik:
            securities = await securities_of(engine, self.issuer_cik)
        replaced = await replaced_reports(engine, self.quarter, self.filings)
        filters: list[Clause] = [
            *self.filters,
            {"term": {"quarter": self.quarter}},
            *(securities.clauses or [_NONE]),
            {"bool": {"must_not": one_of("accession_number", replaced)}},
        ]
        step = await self.page(engine, filters, _ALL, _NONE, position, by_change=False)
        groups: list[Group] = [hit.source for hit in step.hits]
        values = await values_of_others(engine, [(self.quarter, holder.cusip) for holder in groups])
        for group in groups:
            group.others = values.get((self.quarter, group.cusip))
            group.found_by = securities.found_by
        return step._replace(warnings=securities.warnings)


class Securities(NamedTuple):
    """The clauses of an issuer's securities, how they were found, and warnings about that."""

    clauses: list[Clause]
    found_by: Literal["cusip", "name"]
    warnings: tuple[RowWarning, ...]


async def securities_of(engine: Engine, issuer_cik: str) -> Securities:
    """Find the securities of an issuer by CUSIP, or else by name."""
    cusips = await cusips_of(engine, issuer_cik)
    if cusips:
        return Securities(of_cusips("cusip", cusips), "cusip", ())
    entities = await entities_of(engine, [issuer_cik])
    name = (entities[0].name if entities else None) or ""
    warning = _by_name(issuer_cik, name) if name else unknown_in_rows("issuer_cik", issuer_cik)
    return Securities(issuer_named(name), "name", (warning,))


class _Quarters(Struct):
    quarters: Buckets[KeyedBucket]


async def quarters_of(
    engine: Engine, kind: Literal["holdings", "manager_reports"], clauses: Sequence[Clause]
) -> list[str]:
    """Find the quarters of the entries of a kind that match these clauses, newest first."""
    body = {
        "query": {"bool": {"filter": list(clauses)}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            "quarters": {
                "terms": {"field": "quarter", "size": _MOST_QUARTERS, "order": {"_key": "desc"}}
            }
        },
    }
    response = await engine.aggregate(kind, body, _Quarters)
    return [bucket.key for bucket in response.quarters.buckets]


async def cusips_of(engine: Engine, issuer_cik: str) -> list[str]:
    """Find the CUSIPs that stored schedules 13D and 13G give for an issuer."""
    body = {
        "query": {"bool": {"filter": [{"term": {"issuer_cik": issuer_cik}}]}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            "cusips": {
                "terms": {"field": "cusips", "size": _MOST_CUSIPS, "exclude": list(_NO_CUSIPS)}
            }
        },
    }
    response = await engine.aggregate("stakes", body, _Cusips)
    return sorted(bucket.key for bucket in response.cusips.buckets)


def issuer_named(name: str) -> list[Clause]:
    """Match an issuer's name on a 13F that has the words of an entity's name.

    13Fs leave out `of`, `the` and the state, as in `BANK AMERICA CORP` for `BANK OF AMERICA CORP
    /DE/`.
    """
    words = [token for token in tokens(_STATE.sub("", name)) if lower(token) not in _LEFT_OUT]
    return all_words("issuer", " ".join(words))
