"""/api/xbrl/: the facts of a company, of one concept, and of all companies in a period."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.errors import BadRequest, NotFound
from edgar_search.financials.facts import PUBLISHED_TAXONOMIES, FactSearch, all_facts
from edgar_search.financials.filings import list_filings
from edgar_search.financials.frames import frame_of, last_filed, read_frame
from edgar_search.financials.statements import number
from edgar_search.search.entities import entities_of
from edgar_search.stored.financials import StoredFact
from edgar_search.web.calls import V1Call, context_of
from edgar_search.web.edgar.mirror import mirrored_json, routes_at
from edgar_search.web.service import Service, service

_CIK = re.compile(r"CIK(\d{10})(?:\.json)?", re.ASCII)
# How many filings of a company are searched for their fiscal periods.
_MOST_FILINGS = 5_000
_FACTS_OF_A_SLOT = 5_000
Fiscal = Mapping[str, tuple[int | None, str | None]]


async def company_facts(request: Request, call: V1Call) -> Response:
    """GET /api/xbrl/companyfacts/CIK##########.json

    With `all=true` it includes facts with dimensions, which name them, and facts of the filer's own
    concepts; EDGAR leaves both out.
    """
    cik = _cik(request.path_params["name"])
    rows, fiscal = await _facts(request, call, cik, [], every=asks_all(request))
    name = await _name(service(request), cik, rows)
    return await mirrored_json(request, lambda: facts_reply(cik, name, rows, fiscal))


def facts_reply(cik: str, name: str, rows: Sequence[StoredFact], fiscal: Fiscal) -> dict[str, Any]:
    """Return the file of all facts of a company."""
    return {"cik": int(cik), "entityName": name, "facts": by_taxonomy(rows, fiscal)}


async def facts_file(state: Service, cik: str) -> Callable[[], dict[str, Any]] | None:
    """Return a function that makes a company's file.

    None if the company has no facts that EDGAR would list.
    """
    search = FactSearch(ciks=[cik], taxonomies=PUBLISHED_TAXONOMIES, every_filing=True)
    rows = await all_facts(state.engine, search)
    if not rows:
        return None
    fiscal, name = await _fiscal(state, cik), await _name(state, cik, rows)
    return lambda: facts_reply(cik, name, rows, fiscal)


def asks_all(request: Request) -> bool:
    """Return True if a request has `all=true`; raises BadRequest if it is not a boolean."""
    value = request.query_params.get("all", "false")
    if value not in ("true", "false"):
        raise BadRequest("`all` must be true or false")
    return value == "true"


def by_taxonomy(rows: Sequence[StoredFact], fiscal: Fiscal) -> dict[str, dict[str, Any]]:
    """Group a company's facts by taxonomy and concept."""
    facts: dict[str, dict[str, Any]] = {}
    for (taxonomy, concept), own in groupby(sorted(rows, key=_concept), key=_concept):
        facts.setdefault(taxonomy, {})[concept] = _of_concept(list(own), fiscal)
    return facts


async def company_concept(request: Request, call: V1Call) -> Response:
    """GET /api/xbrl/companyconcept/CIK##########/{taxonomy}/{tag}.json"""
    path = request.path_params
    cik, taxonomy, tag = _cik(path["name"]), path["taxonomy"], path["tag"]
    concepts = [f"{taxonomy}:{tag}"]
    rows, fiscal = await _facts(request, call, cik, concepts, every=asks_all(request))
    about = {"cik": int(cik), "taxonomy": taxonomy, "tag": tag}
    about["entityName"] = await _name(service(request), cik, rows)
    return await mirrored_json(request, lambda: about | _of_concept(rows, fiscal))


async def frames(request: Request, call: V1Call) -> Response:
    """GET /api/xbrl/frames/{taxonomy}/{tag}/{unit}/{frame}.json"""
    path = request.path_params
    frame = read_frame(path["frame"])
    unit = path["unit"].replace("-per-", "/")
    search = FactSearch(
        concepts=[f"{path['taxonomy']}:{path['tag']}"],
        units=[unit],
        first_end=frame.first_end,
        last_end=frame.last_end,
        instant=frame.instant,
        # The last filing of a fact counts.
    )
    engine = service(request).engine
    rows = [
        row for row in await all_facts(engine, search) if frame_of(row.start, row.end) == frame.name
    ]
    if not rows:
        raise NotFound(f"no fact of {path['taxonomy']}:{path['tag']} in {unit} is of {frame.name}")
    call.result_count = len(rows)
    rows.sort(key=lambda row: row.cik)
    best = [last_filed(own)[frame.name] for _, own in groupby(rows, key=lambda row: row.cik)]
    places = {
        company.cik: company for company in await entities_of(engine, [row.cik for row in best])
    }
    data = []
    for row in best:
        entity = places.get(row.cik)
        state = entity.business_address and entity.business_address.state if entity else None
        data.append(
            {
                "accn": row.accession_number,
                "cik": int(row.cik),
                "entityName": row.name,
                "loc": f"US-{state}" if state and state.isalpha() else state or "",
                **({"start": row.start} if row.start else {}),
                "end": row.end,
                "val": number(row.value),
            }
        )
    reply = {
        "taxonomy": path["taxonomy"],
        "tag": path["tag"],
        "ccp": frame.name,
        "uom": unit,
        "label": best[0].label,
        "description": "",
        "pts": len(data),
        "data": data,
    }
    return await mirrored_json(request, lambda: reply)


def _cik(name: str) -> str:
    match = _CIK.fullmatch(name)
    if match is None:
        raise NotFound("the name is CIK and ten digits, such as CIK0000320193")
    return match[1]


async def _facts(
    request: Request, call: V1Call, cik: str, concepts: Sequence[str], *, every: bool
) -> tuple[list[StoredFact], Fiscal]:
    """Read a company's facts from each filing that states them, and its filings' fiscal periods."""
    engine = service(request).engine
    search = FactSearch(
        ciks=[cik],
        concepts=concepts,
        taxonomies=() if concepts or every else PUBLISHED_TAXONOMIES,
        every_filing=True,
        dimensions=every,
    )
    rows = await all_facts(engine, search)
    if not rows:
        what = f" of {concepts[0]}" if concepts else ""
        raise NotFound(f"CIK {cik}: no XBRL fact{what} is loaded")
    await context_of(request, call).weigh(1 + len(rows) // _FACTS_OF_A_SLOT)
    call.result_count = len(rows)
    return rows, await _fiscal(service(request), cik)


async def _fiscal(state: Service, cik: str) -> Fiscal:
    listed = await list_filings(state.engine, [cik], most=_MOST_FILINGS)
    return {
        filing.accession_number: (filing.fiscal_year, filing.fiscal_period) for filing in listed
    }


def _concept(row: StoredFact) -> tuple[str, str]:
    return row.taxonomy, row.local_name


def _of_concept(rows: Sequence[StoredFact], fiscal: Fiscal) -> dict[str, Any]:
    """Group the facts of one concept by unit, in the order of periods."""
    units: dict[str, list[dict[str, Any]]] = {}
    newest = max(rows, key=lambda row: row.filing_date)
    for unit, own in groupby(sorted(rows, key=_in_order), key=lambda row: row.unit):
        units[unit] = list(_values(list(own), fiscal))
    return {"label": newest.label, "description": "", "units": units}


def _in_order(row: StoredFact) -> tuple[Any, ...]:
    return row.unit, row.end, row.start or row.end, row.filing_date, row.accession_number


def _values(rows: Sequence[StoredFact], fiscal: Fiscal) -> Iterable[dict[str, Any]]:
    totals = (row for row in rows if not row.dimensions)
    framed = {id(row): frame for frame, row in last_filed(totals).items()}
    seen = set()
    for row in rows:
        key = row.accession_number, row.start, row.end, row.value, *row.dimensions
        if key in seen:
            continue  # The same fact twice in one filing.
        seen.add(key)
        year, period = fiscal.get(row.accession_number, (row.fiscal_year, row.fiscal_period))
        yield {
            **({"start": row.start} if row.start else {}),
            "end": row.end,
            "val": number(row.value),
            "accn": row.accession_number,
            "fy": year,
            "fp": period,
            "form": row.form_type,
            "filed": row.filing_date,
            **({"frame": framed[id(row)]} if id(row) in framed else {}),
            **({"dimensions": row.dimensions} if row.dimensions else {}),
        }


async def _name(state: Service, cik: str, rows: Sequence[StoredFact]) -> str:
    entities = await entities_of(state.engine, [cik])
    return entities[0].name or "" if entities else rows[0].name


routes = [
    *routes_at("/api/xbrl/companyfacts/{name}", company_facts),
    *routes_at("/api/xbrl/companyconcept/{name}/{taxonomy}/{tag}.json", company_concept),
    *routes_at("/api/xbrl/frames/{taxonomy}/{tag}/{unit}/{frame}.json", frames),
]
