"""GET /screen: reports as a table, each number linked to its source."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple

from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.parameters.declaration import Parameter, by_spelling
from edgar_search.api.parameters.filters import ASCENDING, UNDATED_FILTERS, WITH
from edgar_search.api.parameters.reader import Parameters
from edgar_search.api.screen import (
    DEFAULT_COLUMNS,
    FIGURE_NAMES,
    FIND_SCREEN,
    HEADER_NAMES,
    HISTOGRAMS,
    SCREEN,
    CellSource,
    ScreenCell,
    ScreenHead,
    ScreenReply,
    ScreenRow,
)
from edgar_search.errors import BadRequest
from edgar_search.search.screen_columns import ColumnKind
from edgar_search.stored.figures import FIGURES
from edgar_search.web.calls import context_of
from edgar_search.web.pages.browser import PageCall, page_parameters, see_other
from edgar_search.web.pages.exports import screen_export
from edgar_search.web.pages.feed import feed_link
from edgar_search.web.pages.links import Lists, address, cited_address, curl, items
from edgar_search.web.pages.search import head
from edgar_search.web.pages.search_results import Chip, chips
from edgar_search.web.pages.statements import SCALES
from edgar_search.web.pages.templates import day, render

PATH = "/screen"
# Rows on a page, and characters of a section that are marked.
_ROWS, _MARKED = 50, 200
# Parameters of the page alone.
_OWN = by_spelling(
    [
        Parameter(
            "scale",
            "choice",
            "the unit of amounts",
            default=next(iter(SCALES)),
            choices=tuple(SCALES),
        ),
    ]
)
# Prefixes of the range fields of columns, which become conditions: `least.revenue`.
LEAST, MOST = "least.", "most."
_SIGNS: Mapping[str, str] = MappingProxyType({LEAST: ">=", MOST: "<="})
_UNITS: Mapping[str, str] = MappingProxyType({"millions": "m", "thousands": "k", "units": ""})
_PER_SHARE = "eps_"
_FIELDS = ("query", "form_family", "company", "sic", "from_date", "to_date", "currency", "with")
# Ratios that are shown in percent, by a part of their name.
_PERCENT = ("_change", "_margin", "return_on_")


class ReadyMade(NamedTuple):
    """An example screen, with its address."""

    title: str
    address: str


def _ready_made(title: str, **asked: str) -> ReadyMade:
    return ReadyMade(title, address(PATH, {name: [value] for name, value in asked.items()}))


READY_MADE = (
    _ready_made(
        "Falling revenue, a loss and going concern",
        query='"going concern"',
        figures="revenue<previous*0.9,net_income<0",
        columns=f'{DEFAULT_COLUMNS},match:"going concern"',
    ),
    _ready_made(
        "Net income without cash from operations",
        figures="net_income>0,cash_from_operations<0",
        columns="company,form_type,filing_date,net_income,cash_from_operations,revenue",
    ),
    _ready_made(
        "Goodwill above equity",
        figures="goodwill>equity,equity>0",
        columns="company,form_type,filing_date,goodwill,equity,goodwill/equity,total_assets",
    ),
    _ready_made(
        "Auditor changed within a year, and a material weakness",
        query='"material weakness"',
        columns=f'{DEFAULT_COLUMNS},match:"material weakness"',
        # A reserved word of Python.
        **{"with": "8-K:4.01,365d"},
    ),
    _ready_made(
        "Insiders bought within 90 days after falling revenue",
        figures="revenue<previous",
        columns="company,form_type,filing_date,revenue,revenue_previous,revenue_change",
        **{"with": "4:P,90d after"},
    ),
)


class HeadCell(NamedTuple):
    """The head of a column; `order` is its current sort order, or ""."""

    name: str
    title: str
    numeric: bool
    sort: str | None
    order: str
    without: str
    bars: "Bars | None" = None


class Bars(NamedTuple):
    """A histogram: the heights of its bars, from 0 to 1, and the edges between them.

    `unit` is the unit in which fields show the edges, and `words` describe the bars.
    """

    heights: list[float]
    edges: list[str]
    unit: str
    words: str


class BodyCell(NamedTuple):
    """A cell as text, the address of its source, and a note why it is empty or what it shows."""

    text: str
    address: str | None
    title: str
    numeric: bool


def asked_of_page(lists: Lists) -> dict[str, list[str]]:
    """Return the operation's parameters: columns joined, without the page's own parameters."""
    parameters = {name: list(values) for name, values in lists.items() if name not in _OWN}
    columns = [value for value in parameters.pop("columns", []) if value.strip()]
    if columns:
        parameters["columns"] = [",".join(columns)]
    return {name: values for name, values in parameters.items() if any(map(str.strip, values))}


def is_empty(asked: Lists) -> bool:
    """Return True if nothing says which reports to show."""
    others = ("columns", "sort", "group", "limit", "offset", "currency", "original")
    return not any(name not in others for name in asked)


async def screen(request: Request, call: PageCall) -> Response:
    """GET /screen"""
    lists = page_parameters(request)
    if any(name.startswith((LEAST, MOST)) for name in lists):
        return see_other(address(PATH, _with_ranges(lists)))
    own = Parameters({name: lists[name] for name in _OWN if name in lists}, _OWN)
    scale = own.choice("scale")
    asked = asked_of_page(lists)
    shown = {**asked, **({"scale": [scale]} if scale != "millions" else {})}
    if is_empty(asked):
        return _render(request, call, shown, None, scale)
    window = {"limit": [str(_ROWS)], **asked, "include": [HISTOGRAMS]}
    try:
        answer = await FIND_SCREEN.answer(context_of(request, call), window)
    except BadRequest as error:
        return _render(request, call, shown, None, scale, str(error))
    call.result_count = answer.result_count
    return _render(request, call, shown, answer, scale)


def _render(
    request: Request,
    call: PageCall,
    lists: Lists,
    answer: ScreenReply | None,
    scale: str,
    error: str = "",
) -> Response:
    offset = _offset(lists)
    columns = answer.columns if answer else ()
    total, rows = (answer.total_count, answer.items) if answer else (0, ())
    following = offset + len(rows)
    return render(
        "screen.html",
        400 if error else 200,
        answer=answer,
        error=error,
        heads=[_head_cell(lists, column, columns, scale) for column in columns],
        whole=[(name, value) for name, values in lists.items() for value in values],
        rows=[_body_cells(column, columns, SCALES[scale]) for column in rows],
        first=offset,
        previous=address(PATH, lists, offset=max(0, offset - _ROWS) or None) if offset else None,
        following=address(PATH, lists, offset=following) if rows and following < total else None,
        chips=[*_words(lists), *chips(PATH, lists, {})],
        kept=_kept(lists),
        fields=[column for column in SCREEN.parameters if column.name in _FIELDS],
        scales=[(n, address(PATH, lists, scale=n if n != "millions" else None)) for n in SCALES],
        scale=scale,
        groups=[
            ("filings", address(PATH, lists, group=None, offset=None), not _grouped(lists)),
            ("companies", address(PATH, lists, group="company", offset=None), _grouped(lists)),
        ],
        exporting=screen_export(lists, total) if total else None,
        watch=_watch(lists),
        feed=None if error else feed_link(_as_search(lists), {}),
        headers=HEADER_NAMES,
        figures=FIGURE_NAMES,
        label_of=_label,
        ready_made=READY_MADE,
        api=curl(
            address(SCREEN.path, {n: v for n, v in lists.items() if n not in _OWN}),
            str(request.base_url)[:-1],
        ),
        milliseconds=call.milliseconds,
        **head(call, lists),
    )


def _grouped(lists: Lists) -> bool:
    return "company" in lists.get("group", ())


def _words(lists: Lists) -> list[Chip]:
    """Return a chip for the words of a screen; other chips are of filters."""
    return [
        Chip(f"words: {text.strip()}", address(PATH, lists, query=None, offset=None))
        for text in lists.get("query", ())
        if text.strip()
    ]


def _offset(lists: Lists) -> int:
    text = next((value.strip() for value in lists.get("offset", ())), "")
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def _label(parameter: Parameter) -> str:
    return parameter.shown.label if parameter.shown else "Words"


def _kept(lists: Lists) -> list[tuple[str, str]]:
    """Return the parameters that the form keeps hidden, because no field shows them."""
    return [
        (name, value)
        for name, values in lists.items()
        if name not in (*_FIELDS, "offset")
        for value in (items(values) if name == "figures" else values)
    ]


def _as_search(lists: Lists) -> Lists:
    """Return the search that finds the reports of a screen, each of them a main document."""
    words = {"reading": ["exact"], "word_forms": ["exact"]} if "query" in lists else {}
    return {**words, **lists, "primary": ["true"]} if not is_empty(lists) else {}


def _watch(lists: Lists) -> str:
    """Return the address of an alert form with the conditions of a screen.

    "" with events, which alerts do not support.
    """
    if WITH.name in lists:
        return ""
    known = {
        filter_.name: lists[filter_.name] for filter_ in UNDATED_FILTERS if filter_.name in lists
    }
    query = {"query": lists["query"]} if "query" in lists else {}
    title = ", ".join(lists.get("figures", ("screen",)))[:100]
    return address("/account/alerts", {**query, **known, "name": [title]})


def _head_cell(
    lists: Lists, column: ScreenHead, columns: Iterable[ScreenHead], scale: str
) -> HeadCell:
    now = next(iter(lists.get("sort", ("newest",))))
    ways = {
        "filing_date": ("newest", "oldest"),
        **({column.name: _ways(column.name)} if column.name in FIGURE_NAMES else {}),
    }.get(column.name)
    sort, order = None, ""
    if ways:
        order = {ways[0]: "descending", ways[1]: "ascending"}.get(now, "")
        sort = address(PATH, lists, sort=ways[1] if now == ways[0] else ways[0], offset=None)
    others = ",".join(other.name for other in columns if other.name != column.name)
    without = address(PATH, lists, columns=others)
    return HeadCell(
        column.name,
        _title(column),
        _is_number(column),
        sort,
        order,
        without,
        _bars(column, scale),
    )


def _bars(column: ScreenHead, scale: str) -> Bars | None:
    histogram = column.histogram
    # With a single value there is nothing to choose.
    if histogram is UNSET or len(histogram.edges) < 2:
        return None
    unit = _unit(column.name, column.kind, scale)
    times = {"m": 1e-6, "k": 1e-3, "%": 100.0}.get(unit, 1.0)
    edges = [f"{edge * times:.6g}" for edge in histogram.edges]
    highest = max(histogram.counts) or 1
    words = f"{sum(histogram.counts):,} reports, mostly from {edges[0]} to {edges[-1]}"
    unit_name = {"m": "millions", "k": "thousands", "%": "percent"}.get(unit, "")
    return Bars([count / highest for count in histogram.counts], edges, unit_name, words)


def _unit(name: str, kind: ColumnKind, scale: str) -> str:
    """Return the unit of a column's numbers on the page, as conditions write it."""
    if kind == "ratio":
        return "%" if any(part in name for part in _PERCENT) else ""
    return "" if name.startswith(_PER_SHARE) else _UNITS[scale]


def _with_ranges(lists: Lists) -> Lists:
    """Turn the fields of ranges into conditions, replacing older ones."""
    kept = {name: values for name, values in lists.items() if not name.startswith((LEAST, MOST))}
    scale = next(iter(lists.get("scale", ())), "")
    figures = items(lists.get("figures", ()))
    for name, values in lists.items():
        start, dot, figure = name.partition(".")
        sign = _SIGNS.get(f"{start}{dot}")
        text = next((value.strip() for value in values if value.strip()), "")
        if sign is None or not text:
            continue
        kind: ColumnKind = "amount" if figure in FIGURES else "ratio"
        unit = _unit(figure, kind, scale if scale in _UNITS else "millions")
        number = f"{text}{unit}" if text[-1].isdecimal() or text[-1] == "." else text
        bound = f"{figure}{sign}"
        figures = [value for value in figures if not _is_bound(value, bound)] + [f"{bound}{number}"]
    return {**kept, "figures": [",".join(figures)], "offset": []} if figures else kept


def _is_bound(condition: str, bound: str) -> bool:
    """Return True if a condition is a figure, this sign and a number, as column ranges write it."""
    number = condition.replace(" ", "").removeprefix(bound)
    return condition.replace(" ", "") != number and number[:1] in "-+.0123456789"


def _ways(name: str) -> tuple[str, str]:
    return name, f"{name}{ASCENDING}"


def _title(column: ScreenHead) -> str:
    if column.origin in ("header", "figure"):
        return column.name.replace("_", " ").replace("/", " / ")
    words = column.name.partition(":")[2].strip('"')
    return f"length of {words}" if column.origin == "section" else f"“{words}”"


def _is_number(column: ScreenHead) -> bool:
    return column.kind in ("amount", "ratio", "count")


def _body_cells(row: ScreenRow, columns: Sequence[ScreenHead], scale: int) -> list[BodyCell]:
    return [_body_cell(row, column, row.cells[column.name], scale) for column in columns]


def _body_cell(row: ScreenRow, column: ScreenHead, cell: ScreenCell, scale: int) -> BodyCell:
    numeric = _is_number(column)
    if cell.value is None and cell.text is None:
        return BodyCell("", None, cell.reason or "", numeric)
    if cell.value is None:
        text = cell.text or ""
        link = f"/document/{row.document_id}" if column.name in ("company", "document_id") else None
        return BodyCell(day(text) if column.kind == "day" else text, link, "", numeric)
    link = next(filter(None, map(_source_address, cell.sources)), None)
    if link is None and cell.sources:
        link = f"/filing/{row.accnum}"
    # A table that does not state its scale shows its amounts as filed.
    if column.origin == "table" and not any(source.unit for source in cell.sources):
        scale = 1
    return BodyCell(number_text(column, cell.value, scale), link, cell.snippet or "", numeric)


def number_text(column: ScreenHead, value: Decimal, scale: int) -> str:
    """Format a number for a table: amounts in a unit, some ratios in percent."""
    if column.kind == "ratio":
        if any(part in column.name for part in _PERCENT):
            return f"{value * 100:,.1f}%"
        return f"{value:,.2f}"
    if column.kind == "count":
        return f"{value:,f}"
    # An amount of a share keeps its cents, and so does one below the unit.
    if abs(value) < scale:
        return f"{value / scale:,.2f}" if abs(value) >= 1_000 else f"{value:,f}"
    return f"{value / scale:,.0f}" if scale > 1 else f"{value:,f}"


def _source_address(source: CellSource) -> str | None:
    if source.document_id is None or source.start is None or source.end is None:
        return None
    end = min(source.end, source.start + _MARKED)
    return cited_address(source.document_id, source.start, end, source.text_sha256)
