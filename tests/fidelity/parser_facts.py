"""The parser's facts of a submission, as the same flat table as the second reader's."""

from collections import Counter
from datetime import date

from edgar_search.edgar.header import Address, Entity, Header
from edgar_search.edgar.submission import Document, Submission
from tests.fidelity.header_lines import Facts


def submission_facts(submission: Submission) -> Facts:
    """Return all facts of the header and the documents; what is None or "" is none."""
    facts = header_facts(submission.header)
    for number, document in enumerate(submission.documents):
        facts |= document_facts(document, f"document[{number}]")
    return facts


def document_facts(document: Document, place: str) -> Facts:
    """Return the facts of one document."""
    return _given(
        place,
        type=document.form_type,
        sequence=str(document.sequence),
        file=document.file_name,
        title=document.description,
        wrapper=document.wrapper,
        size=str(document.size),
    )


def header_facts(header: Header) -> Facts:
    """Return the facts of a header."""
    facts = {
        "accession": header.accession_number,
        "form": header.form_type,
        "filed": _day(header.filing_date),
        "period": _day(header.period),
        "changed": _day(header.change_date),
        "effective": _day(header.effectiveness_date),
        "accepted": header.accepted_at.strftime("%Y%m%d%H%M%S") if header.accepted_at else "",
        "count": "" if header.public_document_count is None else str(header.public_document_count),
    }
    for name, values in (("item", header.items), ("member", header.group_members)):
        facts |= {f"{name}[{number}]": value for number, value in enumerate(values)}
    for number, entity in enumerate(header.entities):
        facts |= _entity(entity, f"entity[{number}]")
    for number, series in enumerate(header.series):
        place = f"series[{number}]"
        facts |= _given(
            place,
            group=series.group,
            owner=series.owner_cik,
            id=series.series_id,
            name=series.name,
        )
        for n, each in enumerate(series.classes):
            facts |= _given(
                f"{place}.class[{n}]", id=each.class_id, name=each.name, ticker=each.ticker
            )
    counts: Counter[str] = Counter()
    for name, value in header.others:
        facts[f"other.{name}[{counts[name]}]"] = value or "present"
        counts[name] += 1
    return {name: value for name, value in facts.items() if value}


def _entity(entity: Entity, place: str) -> Facts:
    industry = f"{entity.sic_description or ''} [{entity.sic or ''}]".strip()
    facts = _given(
        place,
        role=entity.role,
        cik=entity.cik,
        name=entity.name,
        industry="" if industry == "[]" else industry,
        organization=entity.organization,
        ein=entity.ein,
        state=entity.state_of_incorporation,
        relationship=entity.relationship,
    )
    facts |= {f"{place}.year end": entity.fiscal_year_end or ""}
    for number, each in enumerate(entity.filing_values):
        facts |= _given(
            f"{place}.filing[{number}]",
            form=each.form_type,
            act=each.act,
            file=each.file_number,
            film=each.film_number,
        )
    facts |= _address(entity.business_address, f"{place}.business")
    facts |= _address(entity.mail_address, f"{place}.mail")
    for number, former in enumerate(entity.former_names):
        facts |= _given(f"{place}.former[{number}]", name=former.name, since=_day(former.since))
    return facts


def _address(address: Address | None, place: str) -> Facts:
    if address is None:
        return {}
    return _given(
        place,
        street1=address.street1,
        street2=address.street2,
        city=address.city,
        state=address.state,
        zip=address.zip,
        phone=address.phone,
    )


def _given(place: str, **values: str | None) -> Facts:
    return {f"{place}.{name}": value for name, value in values.items() if value}


def _day(day: date | None) -> str:
    return day.strftime("%Y%m%d") if day else ""
