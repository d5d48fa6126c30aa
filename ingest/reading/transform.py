"""Builds stored entries from a submission; pure."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import chain
from typing import Literal

from msgspec import structs

from edgar_search.edgar.auditors import auditor_key
from edgar_search.edgar.identifiers import root_form
from edgar_search.edgar.items import (
    PROXY_FORMS,
    TITLED_FORMS,
    has_sections,
    is_current_report,
    is_prospectus,
)
from edgar_search.edgar.submission import (
    Document,
    Entity,
    Header,
    Series,
    Submission,
    primary_entity,
)
from edgar_search.stored.filings import (
    ArchivedFile,
    FilingDocument,
    FilingEntity,
    FilingItem,
    StoredDocument,
    StoredFiling,
    StoredFilingValues,
    StoredFundClass,
    StoredPassage,
    StoredSection,
    StoredSeries,
    entity_value,
)
from edgar_search.stored.financials import StoredAuditor
from edgar_search.text.document_text import searched_kind
from edgar_search.text.versions import DocumentKind
from edgar_search.text.words import CELL_SEPARATOR, token_spans
from ingest.reading.eight_k import current_report_sections
from ingest.reading.figures import Figures
from ingest.reading.sections import Section, find_sections
from ingest.reading.sections.part_titles import FORM_40F, PROXY_STATEMENT
from ingest.reading.sections.prospectus import prospectus_parts
from ingest.reading.sections.report_text import ReportText
from ingest.reading.sections.titled_parts import titled_parts

# Ends of passages, best first; the mark stays in the passage before the cut.
_BREAKS = ("\n\n", "\n", ". ", CELL_SEPARATOR, " ")
_WHITE_SPACE = re.compile(f"[{CELL_SEPARATOR} \n]")  # all that normalised text contains


def cut(text: str, target: int = 2000) -> list[tuple[int, int]]:
    """Return the passages (start, end) of normalised `text`, in characters, in order.

    A passage ends at the end of a paragraph, line, sentence or cell, or at white space, after at
    most 2 * `target` characters. A longer run without white space is cut every `target`
    characters, but between tokens, so that only a longer token makes a longer passage.
    """
    passages: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > target:
        ends = [end] if (end := _end(text, start, target)) else _ends_in_run(text, start, target)
        for end in ends:
            passages.append((start, end))
            start = end
    if start < len(text):
        passages.append((start, len(text)))
    return passages


def _end(text: str, start: int, target: int) -> int | None:
    """Return where a passage from `start` ends; None in a run without white space."""
    # A short passage is worth avoiding, so the second half is tried first.
    for earliest in (start + target // 2, start):
        for mark in _BREAKS:
            at = text.rfind(mark, earliest, start + target)
            if at >= 0:
                return at + len(mark)
    space = _WHITE_SPACE.search(text, start + target, start + 2 * target)
    return space.end() if space else None


def _ends_in_run(text: str, start: int, target: int) -> Iterator[int]:
    """Yield where to cut the run of characters from `start` to the next white space."""
    space = _WHITE_SPACE.search(text, start)
    run = text[start : space.start() if space else len(text)]
    last = 0
    for token_start, token_end in chain(token_spans(run), [(len(run), len(run))]):
        while (goal := last + target) < token_end:
            if goal <= token_start:
                last = goal
            else:
                last = token_start if token_start > last else token_end
            yield start + last


def stored_filing(
    submission: Submission,
    items: list[FilingItem],
    loaded_at: datetime,
    archive: ArchivedFile | None,
    auditor: StoredAuditor | None = None,
) -> StoredFiling:
    """Make the stored filing, with its documents' metadata."""
    header = submission.header
    primary = primary_entity(header)
    return StoredFiling(
        accession_number=header.accession_number,
        form_type=header.form_type,
        filing_date=header.filing_date,
        ciks=_ciks(header),
        sics=_sics(header),
        entities=[_filing_entity(entity) for entity in header.entities],
        documents=[_filing_document(document) for document in submission.documents],
        loaded_at=loaded_at,
        root_form=root_form(header.form_type),
        primary=header.entities.index(primary) if primary else 0,
        entity_name=primary.name if primary else "",
        entity_name_key=primary.name.casefold() if primary else "",
        size=submission.size,
        period=header.period,
        accepted_at=header.accepted_at,
        group_members=list(header.group_members),
        change_date=header.change_date,
        effectiveness_date=header.effectiveness_date,
        series=[_series(series) for series in header.series],
        others=list(header.others),
        items=[item.number for item in items],
        states=_states(header),
        incorporation_states=_incorporation_states(header),
        file_numbers=_numbers(header, "file_number"),
        header_items=list(header.items),
        eight_k_items=items,
        archive=archive,
        auditor_key=auditor_key(auditor.name) if auditor else None,
    )


def stored_document(
    header: Header,
    document: Document,
    text: str,
    loaded_at: datetime,
    *,
    passages: int,
    first: bool,
    archived: bool = False,
    items: Sequence[str] = (),
    headings: Sequence[str] = (),
    text_version: str = "",
) -> StoredDocument:
    """Make a searchable document, whose text has `passages` passages.

    `first` is true for the submission's first document, `archived` if it is kept as filed; `items`
    are its items' numbers.
    """
    return StoredDocument(
        document_id=document.document_id,
        accession_number=header.accession_number,
        form_type=header.form_type,
        filing_date=header.filing_date,
        ciks=_ciks(header),
        sics=_sics(header),
        entities=list(_entity_values(header)),
        document_type=document.form_type,
        description=document.description,
        file_name=document.file_name,
        size=document.size,
        passages=passages,
        text=text,
        loaded_at=loaded_at,
        root_form=root_form(header.form_type),
        text_sha256=hashlib.sha256(text.encode()).hexdigest(),
        text_length=len(text),
        accepted_at=header.accepted_at,
        first=first,
        archived=archived,
        period=header.period,
        items=list(items),
        states=_states(header),
        headings=list(headings),
        text_version=text_version,
        incorporation_states=_incorporation_states(header),
        file_numbers=_numbers(header, "file_number"),
        film_numbers=_numbers(header, "film_number"),
        business_locations=_business_locations(header),
    )


def with_financials(
    document: StoredDocument, figures: Figures, auditor: StoredAuditor | None
) -> StoredDocument:
    """Add a report's figures and auditor to its main document."""
    document = structs.replace(
        document,
        figures=figures.values,
        quotients=figures.quotients,
        currency=figures.currency,
    )
    if auditor is None:
        return document
    return structs.replace(
        document,
        auditor=auditor.name,
        auditor_key=auditor_key(auditor.name),
        auditor_location=auditor.location,
        auditor_firm_id=auditor.firm_id,
    )


def stored_passages(document: Document, text: str) -> list[StoredPassage]:
    """Cut a document's text into passages; joined, they are exactly the text."""
    return [
        StoredPassage(document.document_id, number, start, text[start:end])
        for number, (start, end) in enumerate(cut(text))
    ]


def stored_sections(header: Header, document: Document, text: str) -> list[StoredSection]:
    """Make the sections of a report's main document, in order; [] for other documents.

    `text` is the document's searchable text.
    """
    form_type = document.form_type.upper()
    if not has_sections(form_type):
        return []
    report = ReportText(text, is_plain=searched_kind(document) is DocumentKind.PLAIN)
    sections = sections_of_form(form_type, header.filing_date, report)
    return [
        StoredSection(
            document_id=document.document_id,
            accession_number=header.accession_number,
            item=section.item,
            label=section.label,
            description=section.description,
            number=number,
            form_type=header.form_type,
            filing_date=header.filing_date,
            text_start=section.start,
            text_end=section.end,
        )
        for number, section in enumerate(sections)
    ]


def sections_of_form(form_type: str, filing_date: date, report: ReportText) -> list[Section]:
    """Find the sections of a document of any form, in order; [] if the form has none."""
    if form_type in TITLED_FORMS:
        return titled_parts(PROXY_STATEMENT if form_type in PROXY_FORMS else FORM_40F, report)
    if is_current_report(form_type):
        return current_report_sections(filing_date, report)
    items = find_sections(form_type, report.text, is_plain=report.is_plain)
    if not is_prospectus(form_type):
        return items
    begin = items[0].start if items else len(report.text)
    return [part for part in prospectus_parts(report) if part.end <= begin] + items


def _ciks(header: Header) -> list[str]:
    return list(dict.fromkeys(entity.cik for entity in header.entities))


def _sics(header: Header) -> list[str]:
    return list(dict.fromkeys(entity.sic for entity in header.entities if entity.sic))


def _states(header: Header) -> list[str]:
    """Return the states of the entities' business addresses, in capitals, without duplicates."""
    addresses = [entity.business_address for entity in header.entities]
    return list(
        dict.fromkeys(address.state.upper() for address in addresses if address and address.state)
    )


def _incorporation_states(header: Header) -> list[str]:
    """Return the states in which the entities are incorporated, in capitals, without duplicates."""
    states = [entity.state_of_incorporation for entity in header.entities]
    return list(dict.fromkeys(state.upper() for state in states if state))


def _numbers(header: Header, name: Literal["file_number", "film_number"]) -> list[str]:
    """Return the entities' file or film numbers, without duplicates."""
    values = [getattr(value, name) for entity in header.entities for value in entity.filing_values]
    return list(dict.fromkeys(filter(None, values)))


def _business_locations(header: Header) -> list[str]:
    """Return the entities' business locations without duplicates: `Cupertino, CA`."""
    addresses = [entity.business_address for entity in header.entities]
    places = [
        ", ".join(filter(None, (address.city, address.state))) for address in addresses if address
    ]
    return list(dict.fromkeys(filter(None, places)))


def _entity_values(header: Header) -> Iterator[str]:
    """Yield the entities in header order, each CIK once, with its first name there."""
    names: dict[str, str] = {}
    for entity in header.entities:
        names.setdefault(entity.cik, entity.name)
    for number, (cik, name) in enumerate(names.items()):
        yield entity_value(number, cik, name)


def _filing_entity(entity: Entity) -> FilingEntity:
    return FilingEntity(
        role=entity.role,
        cik=entity.cik,
        name=entity.name,
        sic=entity.sic,
        sic_description=entity.sic_description,
        organization=entity.organization,
        ein=entity.ein,
        state_of_incorporation=entity.state_of_incorporation,
        fiscal_year_end=entity.fiscal_year_end,
        relationship=entity.relationship,
        filing_values=[
            StoredFilingValues(value.form_type, value.act, value.file_number, value.film_number)
            for value in entity.filing_values
        ],
        business_city=entity.business_address.city if entity.business_address else None,
        business_state=entity.business_address.state if entity.business_address else None,
    )


def _series(series: Series) -> StoredSeries:
    return StoredSeries(
        series.group,
        series.owner_cik,
        series.series_id,
        series.name,
        [
            StoredFundClass(fund_class.class_id, fund_class.name, fund_class.ticker)
            for fund_class in series.classes
        ],
    )


def _filing_document(document: Document) -> FilingDocument:
    return FilingDocument(
        document_id=document.document_id,
        form_type=document.form_type,
        description=document.description,
        size=document.size,
        file_name=document.file_name,
    )
