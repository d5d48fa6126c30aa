"""/submissions/CIK##########.json: an entity and its filings, in data.sec.gov's form."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.edgar.codes import STATES
from edgar_search.errors import NotFound
from edgar_search.search.entities import entities_of
from edgar_search.search.filing_lists import ListedFiling, ListedParty, filings_of_entity
from edgar_search.stored.entities import StoredAddress, StoredEntity, StoredFormerName
from edgar_search.web.calls import V1Call
from edgar_search.web.edgar.mirror import mirrored_json, routes_at
from edgar_search.web.service import Service, service

_NAME = re.compile(r"CIK(\d{10})(?:-submissions-(\d{3}))?\.json", re.ASCII)
# The filings in a continuation file, and the least number outside such files. They are counted from
# the oldest, so that a file stays the same when filings arrive.
_OLDER, _LEAST_RECENT = 2_000, 1_000
_ACT = re.compile(r"(?:19)?(33|34|35|39|40)\b", re.ASCII)
_INSIDERS = ("3", "4", "5", "3/A", "4/A", "5/A")


async def submissions(request: Request, call: V1Call) -> Response:
    """GET /submissions/{name}"""
    match = _NAME.fullmatch(request.path_params["name"])
    if match is None:
        raise NotFound("the name is CIK, ten digits and .json, such as CIK0000320193.json")
    cik, part = match[1], match[2]
    engine = service(request).engine
    total = (await filings_of_entity(engine, cik, 0, 0)).total
    known = next(iter(await entities_of(engine, [cik])), None)
    if known is None and not total:
        raise NotFound(f"nothing of CIK {cik} is loaded")
    files = older_files(total)
    if part is not None:
        if not 1 <= int(part) <= files:
            raise NotFound(f"CIK {cik} has {files} continuation files")
        older = await older_filings(engine, cik, int(part))
        return await mirrored_json(request, lambda: columns(cik, older))
    call.result_count = total
    entity = known or StoredEntity(cik)
    make = await submissions_file(service(request), entity, total)
    return await mirrored_json(request, make)


def older_files(total: int) -> int:
    """Return the number of continuation files for an entity with `total` filings."""
    return max(0, total - _LEAST_RECENT) // _OLDER


async def older_filings(engine: Any, cik: str, part: int) -> Sequence[ListedFiling]:
    """Return the filings of a continuation file, numbered from 1, newest first."""
    page = await filings_of_entity(engine, cik, (part - 1) * _OLDER, _OLDER)
    return page.filings[::-1]


async def submissions_file(
    state: Service, entity: StoredEntity, total: int
) -> Callable[[], dict[str, Any]]:
    """Return a function that makes the file of an entity with `total` filings."""
    cik, files = entity.cik, older_files(total)
    size = _OLDER + _LEAST_RECENT
    recent = (await filings_of_entity(state.engine, cik, files * _OLDER, size)).filings
    files_listed = [await _listed_file(state.engine, cik, number) for number in range(files, 0, -1)]
    tickers = (await state.context.tickers.table()).tickers(cik)
    return lambda: submissions_reply(entity, recent, files_listed, tickers)


async def _listed_file(engine: Any, cik: str, number: int) -> dict[str, Any]:
    first = (await filings_of_entity(engine, cik, (number - 1) * _OLDER, 1)).filings[0]
    last = (await filings_of_entity(engine, cik, number * _OLDER - 1, 1)).filings[0]
    return {
        "name": f"CIK{cik}-submissions-{number:03}.json",
        "filingCount": _OLDER,
        "filingFrom": first.filing_date,
        "filingTo": last.filing_date,
    }


def submissions_reply(
    entity: StoredEntity,
    recent: Sequence[ListedFiling],
    files: Sequence[dict[str, Any]],
    tickers: Sequence[str],
) -> dict[str, Any]:
    """Build an entity's file, with its recent filings, oldest first, and its continuation files.

    Values unknown to this installation are "" or null, like EDGAR's for entities without them.
    """
    exchanges = dict(zip(entity.tickers or (), entity.exchanges or (), strict=False))
    roles = {
        party.role
        for filing in recent
        if filing.form_type in _INSIDERS
        for party in filing.entities
        if party.cik == entity.cik
    }
    return {
        "cik": entity.cik,
        "entityType": entity.entity_type or "",
        "sic": entity.sic or "",
        "sicDescription": entity.sic_description or "",
        "ownerOrg": entity.organization,
        "insiderTransactionForOwnerExists": int("REPORTING OWNER" in roles),
        "insiderTransactionForIssuerExists": int("ISSUER" in roles),
        "name": entity.name or "",
        "tickers": list(tickers),
        "exchanges": [exchanges.get(ticker) or None for ticker in tickers],
        "ein": entity.ein,
        "lei": None,
        "description": entity.description or "",
        "website": entity.website or "",
        "investorWebsite": entity.investor_website or "",
        "category": entity.category or "",
        "fiscalYearEnd": entity.fiscal_year_end,
        "stateOfIncorporation": entity.state_of_incorporation or "",
        "stateOfIncorporationDescription": STATES.get(entity.state_of_incorporation or "", ""),
        "addresses": {
            "mailing": _address(entity.mail_address or StoredAddress()),
            "business": _address(entity.business_address or StoredAddress()),
        },
        "phone": entity.phone or (entity.business_address or StoredAddress()).phone or "",
        "flags": "",
        "formerNames": [_former(name) for name in entity.former_names or ()],
        "filings": {"recent": columns(entity.cik, reversed(recent)), "files": list(files)},
    }


def _address(address: StoredAddress) -> dict[str, str | None]:
    state = address.state or address.country
    return {
        "street1": address.street1,
        "street2": address.street2,
        "city": address.city,
        "stateOrCountry": state,
        "zipCode": address.zip,
        "stateOrCountryDescription": STATES.get(state or "", state),
    }


def _former(name: StoredFormerName) -> dict[str, str | None]:
    return {"name": name.name, "from": _midnight(name.since), "to": _midnight(name.until)}


def _midnight(day: date | None) -> str | None:
    return f"{day}T00:00:00.000Z" if day else None


def columns(cik: str, filings: Iterable[ListedFiling]) -> dict[str, list[Any]]:
    """Return the columns of an entity's filings, all of equal length, in this order."""
    rows = [_row(cik, filing) for filing in filings]
    return {name: [row[place] for row in rows] for place, name in enumerate(_COLUMNS)}


_COLUMNS = (
    *("accessionNumber", "filingDate", "reportDate", "acceptanceDateTime", "act", "form"),
    *("fileNumber", "filmNumber", "items", "core_type", "size", "isXBRL", "isInlineXBRL"),
    *("primaryDocument", "primaryDocDescription"),
)


def _row(cik: str, filing: ListedFiling) -> tuple[Any, ...]:
    own = next((entity for entity in filing.entities if entity.cik == cik), ListedParty(cik, ""))
    values = own.filing_values[0] if own.filing_values else None
    kinds = {document.form_type.upper() for document in filing.documents}
    schema = any(kind.startswith("EX-101.SCH") for kind in kinds)
    instance = any(kind.startswith("EX-101.INS") for kind in kinds)
    first = filing.documents[0] if filing.documents else None
    return (
        filing.accession_number,
        filing.filing_date,
        filing.period or "",
        in_utc(filing.accepted_at, filing.filing_date),
        _act(values.act if values else None),
        filing.form_type,
        values and values.file_number or "",
        values and values.film_number or "",
        ",".join(filing.items),
        "XBRL" if schema or instance else filing.form_type,
        filing.size,
        int(schema or instance),
        # Since 2019 facts are in the report itself, and the schema comes without an instance.
        int(schema and not instance),
        first.file_name if first else "",
        first.description if first else "",
    )


def _act(filed: str | None) -> str:
    """Return the act in the form of EDGAR's JSON: `34` for "1934 Act"."""
    match = _ACT.search(filed or "")
    return match[1] if match else ""


def in_utc(moment: datetime | None, day: date) -> str:
    """Return the time of acceptance in UTC, or the beginning of the day if it is unknown."""
    return f"{moment:%Y-%m-%dT%H:%M:%S}.000Z" if moment else f"{day}T00:00:00.000Z"


routes = routes_at("/submissions/{name}", submissions)
