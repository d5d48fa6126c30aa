"""A submission to what is stored of it; pure."""

from collections.abc import Iterator
from datetime import datetime

from edgar_search.edgar.submission import (
    Document,
    Entity,
    Header,
    Series,
    Submission,
    primary_entity,
)
from edgar_search.stored.document import StoredDocument, entity_value
from edgar_search.stored.filing import (
    ArchivedFile,
    FilingDocument,
    FilingEntity,
    FilingItem,
    StoredFiling,
    StoredFilingValues,
    StoredFundClass,
    StoredSeries,
)
from edgar_search.stored.passage import StoredPassage
from edgar_search.stored.section import StoredSection
from ingest.reading.passages import cut
from ingest.reading.sections import find_sections


def stored_filing(
    submission: Submission,
    items: list[FilingItem],
    loaded_at: datetime,
    archive: ArchivedFile | None,
) -> StoredFiling:
    """The filing with its documents' metadata."""
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
        primary=header.entities.index(primary) if primary else 0,
        entity_name=primary.name if primary else "",
        size=submission.size,
        period=header.period,
        accepted_at=header.accepted_at,
        group_members=list(header.group_members),
        change_date=header.change_date,
        effectiveness_date=header.effectiveness_date,
        series=[_series(series) for series in header.series],
        others=list(header.others),
        items=[item.number for item in items],
        eight_k_items=items,
        archive=archive,
    )


def stored_document(
    header: Header, document: Document, text: str, loaded_at: datetime, *, first: bool
) -> tuple[StoredDocument, list[StoredPassage]]:
    """A searchable document and the pieces of its text, which joined are exactly the text.

    `first` says that the submission begins with it.
    """
    passages = [
        StoredPassage(document.document_id, number, start, text[start:end])
        for number, (start, end) in enumerate(cut(text))
    ]
    stored = StoredDocument(
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
        passages=len(passages),
        text=text,
        loaded_at=loaded_at,
        accepted_at=header.accepted_at,
        first=first,
    )
    return stored, passages


def stored_sections(header: Header, document: Document) -> list[StoredSection]:
    """The sections of an annual or quarterly report's main document, in order; else []."""
    return [
        StoredSection(
            document_id=document.document_id,
            accession_number=header.accession_number,
            item=section.item,
            label=section.label,
            description=section.description,
            number=number,
            start=section.start,
            end=section.end,
            form_type=header.form_type,
            filing_date=header.filing_date,
        )
        for number, section in enumerate(find_sections(document.form_type.upper(), document.body))
    ]


def _ciks(header: Header) -> list[str]:
    return list(dict.fromkeys(entity.cik for entity in header.entities))


def _sics(header: Header) -> list[str]:
    return list(dict.fromkeys(entity.sic for entity in header.entities if entity.sic))


def _entity_values(header: Header) -> Iterator[str]:
    """In header order, a CIK once, under the first name that it has there."""
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
            StoredFilingValues(each.form_type, each.act, each.file_number, each.film_number)
            for each in entity.filing_values
        ],
    )


def _series(series: Series) -> StoredSeries:
    return StoredSeries(
        series.group,
        series.owner_cik,
        series.series_id,
        series.name,
        [StoredFundClass(each.class_id, each.name, each.ticker) for each in series.classes],
    )


def _filing_document(document: Document) -> FilingDocument:
    return FilingDocument(
        document_id=document.document_id,
        form_type=document.form_type,
        description=document.description,
        size=document.size,
        file_name=document.file_name,
    )
