"""/cgi-bin/browse-edgar: the latest filings, and those of one entity, as Atom and as a page."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from html import escape
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.edgar.codes import STATES
from edgar_search.edgar.identifiers import parse_cik
from edgar_search.errors import BadRequest, NotFound
from edgar_search.search.entities import entities_of
from edgar_search.search.filing_lists import ListedFiling, ListedParty, latest_filings
from edgar_search.stored.entities import StoredAddress, StoredEntity
from edgar_search.web.calls import V1Call
from edgar_search.web.edgar.mirror import mirrored, page_of, routes_at
from edgar_search.web.service import service

_EASTERN = ZoneInfo("America/New_York")
_ATOM, _HTML = "application/atom+xml", "text/html; charset=iso-8859-1"
_MOST = 100
_OWNERS = ("include", "exclude", "only")
_SITE = "https://www.sec.gov"


async def browse(request: Request, call: V1Call) -> Response:
    """GET /cgi-bin/browse-edgar: filings, the last accepted first."""
    query = request.query_params
    action, output = query.get("action", "getcurrent"), query.get("output", "")
    if action not in ("getcurrent", "getcompany"):
        raise BadRequest("`action` must be getcurrent or getcompany")
    if output not in ("", "atom", "rss", "xml"):
        raise BadRequest("`output` must be atom, or absent")
    owner = query.get("owner") or "include"
    if owner not in _OWNERS:
        raise BadRequest("`owner` must be include, exclude or only")
    start = _number(query.get("start"), 0)
    count = min(_number(query.get("count"), 40), _MOST)
    before = _day(query.get("dateb", ""))
    cik = ""
    if action == "getcompany":
        cik = await _cik(request, query.get("CIK", query.get("cik", "")))
    page = await latest_filings(
        service(request).engine,
        start,
        count,
        form_type=query.get("type", ""),
        cik=cik,
        before=before,
        insiders=None if owner == "include" else owner == "only",
    )
    call.result_count = page.total
    if action == "getcurrent":
        return await _sent(request, atom(page.filings), _ATOM)
    entities = await entities_of(service(request).engine, [cik])
    entity = entities[0] if entities else StoredEntity(cik)
    if output:
        return await _sent(request, company_atom(entity, page.filings), _ATOM)

    others = {"Previous": start - count, "Next": start + count}
    links = {
        f"{name} {count}": f"/cgi-bin/browse-edgar?{urlencode({**query, 'start': place})}"
        for name, place in others.items()
        if 0 <= place < page.total and count
    }
    return await _sent(request, company_page(entity, page.filings, links), _HTML)


async def _sent(request: Request, text: str, media_type: str) -> Response:
    return await mirrored(request, text.encode("latin-1", "xmlcharrefreplace"), media_type)


async def _cik(request: Request, text: str) -> str:
    table = await service(request).context.tickers.table()
    cik = parse_cik(text) or next(iter(table.ciks(text)), "")
    if not cik:
        raise NotFound(f"`CIK` must be a number or a ticker, not {text[:40]}")
    return cik


def _number(text: str | None, otherwise: int) -> int:
    if not text:
        return otherwise
    if not (text.isascii() and text.isdigit()) or len(text) > 5:
        raise BadRequest("`start` and `count` must be whole numbers up to 99999")
    return int(text)


def _day(text: str) -> date | None:
    if not text:
        return None
    try:
        return datetime.strptime(text.replace("-", ""), "%Y%m%d").replace(tzinfo=UTC).date()
    except ValueError:
        raise BadRequest("`dateb` must be a day such as 20240105") from None


def atom(filings: Iterable[ListedFiling]) -> str:
    """Write filings like EDGAR's feed of the latest ones: an entry for each entity of each."""
    entries, updated = [], ""
    for filing in filings:
        when = _moment(filing)
        updated = updated or when
        entries += [_entry(filing, party, when) for party in filing.entities]
    return (
        '<?xml version="1.0" encoding="ISO-8859-1" ?>\n'
        '<feed xmlns="http://www.w3.org/2005/Atom">\n<title>Latest Filings</title>\n'
        '<link rel="alternate" href="/cgi-bin/browse-edgar?action=getcurrent"/>\n'
        '<link rel="self" href="/cgi-bin/browse-edgar?action=getcurrent"/>\n'
        f"<id>{_SITE}/cgi-bin/browse-edgar?action=getcurrent</id>\n{_AUTHOR}"
        f"<updated>{updated or _NEVER}</updated>\n{''.join(entries)}</feed>\n"
    )


_AUTHOR = "<author><name>Webmaster</name><email>webmaster@sec.gov</email></author>\n"
_NEVER = "1970-01-01T00:00:00+00:00"
# EDGAR's names for the entities of a filing in its feed.
_ROLES = {
    "ISSUER": "Issuer",
    "REPORTING OWNER": "Reporting",
    "SUBJECT COMPANY": "Subject",
    "FILED BY": "Filed by",
}


def _entry(filing: ListedFiling, party: ListedParty, when: str) -> str:
    number = filing.accession_number
    role = _ROLES.get(party.role, "Filer")
    title = escape(_printable(f"{filing.form_type} - {party.name} ({party.cik}) ({role})"))
    form = escape(filing.form_type)
    return (
        f"<entry>\n<title>{title}</title>\n"
        f'<link rel="alternate" type="text/html" href="{_SITE}{_index(party.cik, number)}"/>\n'
        f'<summary type="html">{escape(_summary(filing))}</summary>\n'
        f"<updated>{when}</updated>\n"
        f'<category scheme="{_SITE}/" label="form type" term="{form}"/>\n'
        f"<id>urn:tag:sec.gov,2008:accession-number={number}</id>\n</entry>\n"
    )


def company_atom(entity: StoredEntity, filings: Sequence[ListedFiling]) -> str:
    """Write an entity's filings like EDGAR's feed for a company: one entry each."""
    address = f"/cgi-bin/browse-edgar?action=getcompany&amp;CIK={entity.cik}"
    updated = _moment(filings[0]) if filings else _NEVER
    name = _text(entity.name or "")
    return (
        '<?xml version="1.0" encoding="ISO-8859-1" ?>\n'
        f'<feed xmlns="http://www.w3.org/2005/Atom">\n{_AUTHOR}{_company_info(entity)}'
        + "".join(_company_entry(entity.cik, filing) for filing in filings)
        + f"<id>urn:tag:www.sec.gov:cik={entity.cik}</id>\n"
        f'<link href="{_SITE}{address}" rel="alternate" type="text/html"/>\n'
        f'<link href="{_SITE}{address}&amp;output=atom" rel="self"'
        ' type="application/atom+xml"/>\n'
        f"<title>{name}  ({entity.cik})</title>\n<updated>{updated}</updated>\n</feed>\n"
    )


def _company_info(entity: StoredEntity) -> str:
    addresses = "".join(
        f'<address type="{kind}">\n{_elements(_address(address))}</address>\n'
        for kind, address in (
            ("mailing", entity.mail_address),
            ("business", entity.business_address),
        )
        if address
    )
    former = "".join(
        f"<names><date>{entry.until or ''}</date><name>{_text(entry.name)}</name></names>\n"
        for entry in entity.former_names or ()
    )
    state = entity.state_of_incorporation or ""
    facts = {
        "assigned-sic": entity.sic or "",
        "assigned-sic-desc": entity.sic_description or "",
        "cik": entity.cik,
        "conformed-name": entity.name or "",
        "fiscal-year-end": entity.fiscal_year_end or "",
        "state-of-incorporation": state,
        "state-location": (entity.business_address or StoredAddress()).state or "",
    }
    count = len(entity.former_names or ())
    return (
        f"<company-info>\n<addresses>\n{addresses}</addresses>\n{_elements(facts)}"
        + (f'<formerly-names count="{count}">\n{former}</formerly-names>\n' if former else "")
        + "</company-info>\n"
    )


def _address(address: StoredAddress) -> dict[str, str]:
    return {
        "city": address.city or "",
        "state": address.state or "",
        "street1": address.street1 or "",
        "street2": address.street2 or "",
        "zip": address.zip or "",
        "phone": address.phone or "",
    }


def _elements(facts: dict[str, str]) -> str:
    return "".join(f"<{name}>{_text(text)}</{name}>\n" for name, text in facts.items() if text)


def _company_entry(cik: str, filing: ListedFiling) -> str:
    number, form = filing.accession_number, _text(filing.form_type)
    href = _SITE + _index(cik, number)
    file_number, film_number = _numbers(cik, filing)
    facts = {
        "accession-number": number,
        "file-number": file_number,
        "filing-date": str(filing.filing_date),
        "filing-href": href,
        "filing-type": filing.form_type,
        "film-number": film_number,
        "form-name": _description(filing),
        "items-desc": f"items {', '.join(filing.items)}" if filing.items else "",
        "size": _size(filing),
    }
    return (
        f'<entry>\n<category label="form type" scheme="{_SITE}/" term="{form}"/>\n'
        f'<content type="text/xml">\n{_elements(facts)}</content>\n'
        f"<id>urn:tag:sec.gov,2008:accession-number={number}</id>\n"
        f'<link href="{href}" rel="alternate" type="text/html"/>\n'
        f'<summary type="html">{escape(_summary(filing))}</summary>\n'
        f"<title>{form}  - {_text(_description(filing))}</title>\n"
        f"<updated>{_moment(filing)}</updated>\n</entry>\n"
    )


_HEADS = ("Filings", "Format", "Description", "Filing Date", "File/Film Number")


def company_page(
    entity: StoredEntity, filings: Sequence[ListedFiling], links: Mapping[str, str]
) -> str:
    """Render an entity's filings like EDGAR's company page, with links to other filings."""
    rows = "".join(_row(entity.cik, filing) for filing in filings)
    heads = "".join(f'<th scope="col">{name}</th>' for name in _HEADS)
    state = STATES.get(entity.state_of_incorporation or "", "")
    body = (
        f'<div class="companyInfo"><span class="companyName">{_text(entity.name or "")}'
        f" <acronym>CIK</acronym>#: {entity.cik} (see all company filings)</span>"
        f'<p class="identInfo"><acronym>SIC</acronym>: {_text(entity.sic or "")}'
        f" {_text(entity.sic_description or '')} | State of Inc.: {_text(state)}</p></div>\n"
        f'<table class="tableFile2" summary="Results">\n<tr>{heads}</tr>\n{rows}</table>\n'
        + " ".join(f'<a href="{escape(url)}">{name}</a>' for name, url in links.items())
    )
    return page_of(f"EDGAR Filing List for {_text(entity.name or entity.cik)}", body, "iso-8859-1")


def _row(cik: str, filing: ListedFiling) -> str:
    number = filing.accession_number
    file_number, film_number = _numbers(cik, filing)
    about = f"{_text(_description(filing))}<br />Acc-no: {number} &nbsp; Size: {_size(filing)}"
    return (
        f'<tr><td nowrap="nowrap">{_text(filing.form_type)}</td>'
        f'<td nowrap="nowrap"><a href="{_index(cik, number)}" id="documentsbutton">'
        f'&nbsp;Documents</a></td><td class="small">{about}</td><td>{filing.filing_date}</td>'
        f'<td nowrap="nowrap">{_text(file_number)}<br>{_text(film_number)}</td></tr>\n'
    )


def _numbers(cik: str, filing: ListedFiling) -> tuple[str, str]:
    """Return the file and film numbers of an entity's part of a filing, or "" if unknown."""
    for party in filing.entities:
        if party.cik == cik and party.filing_values:
            values = party.filing_values[0]
            return values.file_number or "", values.film_number or ""
    return "", ""


def _description(filing: ListedFiling) -> str:
    return filing.documents[0].description if filing.documents else ""


def _summary(filing: ListedFiling) -> str:
    number, day = filing.accession_number, filing.filing_date
    return f"\n <b>Filed:</b> {day} <b>AccNo:</b> {number} <b>Size:</b> {_size(filing)}\n"


def _size(filing: ListedFiling) -> str:
    return f"{max(1, round(filing.size / 1024))} KB"


def _index(cik: str, number: str) -> str:
    return f"/Archives/edgar/data/{int(cik)}/{number.replace('-', '')}/{number}-index.htm"


def _moment(filing: ListedFiling) -> str:
    """Return the time of acceptance in New York, or the beginning of the day if unknown."""
    midnight = datetime.combine(filing.filing_date, datetime.min.time(), UTC)
    return (filing.accepted_at or midnight).astimezone(_EASTERN).isoformat()


def _text(text: str) -> str:
    return escape(_printable(text))


def _printable(text: str) -> str:
    return "".join(filter(str.isprintable, text))


routes = routes_at("/cgi-bin/browse-edgar", browse)
