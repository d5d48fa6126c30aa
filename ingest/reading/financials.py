"""Financial statements and facts of a submission, from its XBRL or the schedules before it."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import NamedTuple

from edgar_search.edgar.document import Document, decode
from edgar_search.edgar.envelope import decode_bytes
from edgar_search.edgar.fiscal_years import fiscal_year_of
from edgar_search.edgar.submission import Header, Submission, primary_entity
from edgar_search.stored.financials import (
    StoredAuditor,
    StoredFact,
    StoredFinancials,
    StoredPlace,
    StoredStatement,
)
from edgar_search.text.document_text import searchable_text
from ingest.reading.figures import NO_FIGURES, Figures, figures_of
from ingest.reading.xbrl.ex27 import is_schedule, read_schedule
from ingest.reading.xbrl.faces import faces_of
from ingest.reading.xbrl.instance import NO_PLACES, Instance, read_instance
from ingest.reading.xbrl.linkbases import Taxonomy, read_taxonomy
from ingest.reading.xbrl.standard_items import ItemValue, standard_items
from ingest.reading.xbrl.statements import read_statements
from ingest.reading.xbrl.xml_stream import XbrlError, join_lines

# EXHIBIT 100 belonged to the voluntary programme, before 2009.
_EXHIBITS = ("EX-101", "EX-100")
_INSTANCE = tuple(f"{exhibit}.INS" for exhibit in _EXHIBITS)
_TAXONOMY = tuple(f"{e}.{part}" for e in _EXHIBITS for part in ("SCH", "PRE", "CAL", "LAB"))
_EXTRACTED = "_htm.xml"
_TAXONOMY_FILES = (".xsd", "_pre.xml", "_cal.xml", "_lab.xml")
# The words that a name such as `LiabilitiesAndStockholdersEquity` is made of.
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Notes that report entities other than the whole company, or the company pro forma.
_OTHER_NOTES = re.compile(
    "joint venture|equity method|affiliate|unconsolidated|acqui|pro forma|discontinued|parent"
    "|condensed|segment|related part|guarantor|subsequent|business combination",
    re.IGNORECASE,
)
_OTHER_LINKBASES = ("_def.xml", "_ref.xml")


class Financials(NamedTuple):
    """A filing's statements, None if it has none, its facts, and what cannot be read.

    `figures` cover a report's own and comparative periods. `auditor` is the report's, if sure.
    """

    statements: StoredFinancials | None
    facts: list[StoredFact]
    problem: str | None = None
    figures: Figures = NO_FIGURES
    auditor: StoredAuditor | None = None


NO_FINANCIALS = Financials(None, [])
NO_TEXTS: Mapping[str, str] = MappingProxyType({})


class _Files(NamedTuple):
    instances: list[bytes]
    taxonomy: list[bytes]


def financial_documents(submission: Submission) -> list[Document]:
    """Return the documents that `read_financials` reads: none for most submissions."""
    documents = [document for document in submission.documents if _is_part(document)]
    if not any(map(_is_source, documents)):
        return []
    return documents


def read_financials(
    submission: Submission,
    most: int,
    places: Mapping[str, StoredPlace] = NO_PLACES,
    texts: Mapping[str, str] = NO_TEXTS,
) -> Financials:
    """Return the statements and facts of a submission.

    `most` is the maximum size of the files in bytes, `places` are the positions of numbers in the
    texts, by element id, and `texts` the known texts, by document id. Anything that cannot be read
    is reported as the `problem`; no content of a submission raises an error except MemoryError.
    """
    header = submission.header
    entity = primary_entity(header)
    cik = entity.cik if entity else ""
    documents = financial_documents(submission)
    first = next((document.document_id for document in documents if _is_source(document)), "")
    if not any(_is_instance(document) for document in documents):
        schedules = (
            decode_bytes(document.body) for document in documents if is_schedule(document.form_type)
        )
        read = [
            read_schedule(schedule, cik, _report_texts(submission, texts)) for schedule in schedules
        ]
        return _financials(
            submission.header,
            first,
            _merge([Instance(facts, {}) for facts in read]),
            Taxonomy([], {}, {}),
            [],
        )
    try:
        files = _Files(
            [join_lines(document.body) for document in documents if _is_instance(document)],
            [
                join_lines(document.body)
                for document in documents
                if document.form_type in _TAXONOMY
            ],
        )
        return _read(header, first, files, most, places)
    except XbrlError as error:
        problem = f"financials: {error}"
    archives = [
        document for document in documents if document.file_name.lower().endswith("-xbrl.zip")
    ]
    for archive in archives:
        try:
            return _read(header, first, _unpack(decode(archive.body), most), most)
        except (
            XbrlError,
            zipfile.BadZipFile,
            zlib.error,
            NotImplementedError,
            RuntimeError,
            EOFError,
        ):
            problem += f"; nor is {archive.file_name} readable"
    return Financials(None, [], problem)


_MOST_REPORTS = 8


def _report_texts(submission: Submission, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the texts that may contain the statements, read when requested.

    An annual report to shareholders is an EX-13, in parts if it is long, otherwise they are in the
    first documents.
    """
    reports = [listed for listed in submission.documents if not is_schedule(listed.form_type)]
    reports.sort(key=lambda listed: not listed.form_type.startswith("EX-13"))
    for document in reports[:_MOST_REPORTS]:
        yield texts.get(document.document_id) or searchable_text(document) or ""


def _is_part(document: Document) -> bool:
    kind, name = document.form_type, document.file_name.lower()
    return (
        is_schedule(kind)
        or _is_instance(document)
        or kind in _TAXONOMY
        or (kind == "ZIP" and name.endswith("-xbrl.zip"))
    )


def _is_source(document: Document) -> bool:
    return _is_instance(document) or is_schedule(document.form_type)


def _is_instance(document: Document) -> bool:
    if document.form_type in _INSTANCE:
        return True
    # EDGAR extracts it from inline XBRL.
    return document.form_type == "XML" and document.file_name.lower().endswith(_EXTRACTED)


def _unpack(data: bytes, most: int) -> _Files:
    instances: list[bytes] = []
    taxonomy: list[bytes] = []
    size = 0
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            name = info.filename.lower()
            is_taxonomy = name.endswith(_TAXONOMY_FILES)
            if not is_taxonomy and (name.endswith(_OTHER_LINKBASES) or not name.endswith(".xml")):
                continue
            size += info.file_size
            if size > most:
                raise XbrlError(f"more than {most:,} bytes")
            with archive.open(info) as file:
                # An entry may be longer than it claims.
                content = file.read(info.file_size)
            (taxonomy if is_taxonomy else instances).append(content)
    return _Files(instances, taxonomy)


def _read(
    header: Header,
    document_id: str,
    files: _Files,
    most: int,
    places: Mapping[str, StoredPlace] = NO_PLACES,
) -> Financials:
    if (size := sum(map(len, [*files.instances, *files.taxonomy]))) > most:
        raise XbrlError(f"{size:,} bytes of XBRL, more than {most:,}")
    if not files.instances:
        raise XbrlError("no instance")
    taxonomy = read_taxonomy(files.taxonomy)
    instance = _merge([read_instance(instance_file, places) for instance_file in files.instances])
    return _financials(header, document_id, instance, taxonomy, read_statements(instance, taxonomy))


def _merge(instances: Sequence[Instance]) -> Instance:
    """Merge the facts of several instances without duplicates; of two texts the first counts."""
    facts = {(f.concept, f.context, f.unit): f for instance in instances for f in instance.facts}
    about = {
        name: text for instance in reversed(instances) for name, text in instance.about.items()
    }
    auditor = next((instance.auditor for instance in instances if instance.auditor), None)
    return Instance(list(facts.values()), about, auditor)


class _Filing(NamedTuple):
    """The filing, according to its instance and its header."""

    cik: str
    name: str
    ciks: list[str]
    sics: list[str]
    period_end: date | None
    fiscal_year: int | None
    fiscal_period: str | None


def _filing(header: Header, about: dict[str, str]) -> _Filing:
    entity = primary_entity(header)
    ends = (_day(about.get("DocumentPeriodEndDate", "")), header.period)
    period_end = next((day for day in ends if day), None)
    year, period = _fiscal(header, about, period_end)
    return _Filing(
        cik=entity.cik if entity else "",
        name=entity.name if entity else "",
        ciks=list(dict.fromkeys(filer.cik for filer in header.entities if filer.cik)),
        sics=list(dict.fromkeys(filer.sic for filer in header.entities if filer.sic)),
        period_end=period_end,
        fiscal_year=year,
        fiscal_period=period,
    )


_PERIODS = ("FY", "Q1", "Q2", "Q3", "Q4", "H1", "H2", "9M", "T1", "T2", "T3", "M9", "CY")
# Quarters are 91 days, but some companies' years have 52 or 53 weeks.
_QUARTER_DAYS = 91.3


def _fiscal(
    header: Header, about: dict[str, str], period_end: date | None
) -> tuple[int | None, str | None]:
    """Return the fiscal year and period that the filing states, else derive them from its end."""
    year, period = about.get("DocumentFiscalYearFocus", ""), about.get("DocumentFiscalPeriodFocus")
    if len(year) == 4 and year.isascii() and year.isdigit() and period in _PERIODS:
        return int(year), period
    entity = primary_entity(header)
    year_end = entity.fiscal_year_end if entity else None
    if period_end is None or not year_end or len(year_end) != 4 or not year_end.isdigit():
        return None, None
    ends = [
        day
        for near_year in (period_end.year - 1, period_end.year, period_end.year + 1)
        if (day := _day(f"{near_year}-{year_end[:2]}-{year_end[2:]}"))
    ]
    # A year of 52 or 53 weeks ends some days from the day in the header.
    elapsed = [(round((period_end - day).days / _QUARTER_DAYS), day) for day in ends]
    quarters = [(number, day) for number, day in elapsed if -3 <= number <= 0]
    if not quarters:
        return None, None
    number, day = quarters[0]
    return fiscal_year_of(day), "FY" if number == 0 else f"Q{4 + number}"


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip().removeprefix("--")[:10])
    except ValueError:
        return None


def _financials(
    header: Header,
    document_id: str,
    instance: Instance,
    taxonomy: Taxonomy,
    statements: list[StoredStatement],
) -> Financials:
    filing = _filing(header, instance.about)
    stated = [fact for fact in instance.facts if fact.value is not None]
    items = standard_items(stated, faces_of(statements, taxonomy), _notes(taxonomy))
    stored = StoredFinancials(
        document_id=document_id,
        accession_number=header.accession_number,
        cik=filing.cik,
        ciks=filing.ciks,
        name=filing.name,
        form_type=header.form_type,
        filing_date=header.filing_date,
        kinds=[statement.kind for statement in statements],
        statements=statements,
        amendment=header.form_type.endswith("/A"),
        accepted_at=header.accepted_at,
        period_end=filing.period_end,
        fiscal_year=filing.fiscal_year,
        fiscal_period=filing.fiscal_period,
        absent_items=items.absent,
        auditor=instance.auditor,
    )
    values = [*(ItemValue(fact, ()) for fact in stated), *items.values]
    rows = list(_rows(header, document_id, filing, taxonomy, values))
    figures = figures_of(rows, header.form_type, filing.period_end, filing.fiscal_period)
    return Financials(
        stored if statements else None, rows, figures=figures, auditor=instance.auditor
    )


def _notes(taxonomy: Taxonomy) -> frozenset[str]:
    """Return the concepts of notes that report the company as a whole."""
    return frozenset(
        node.concept
        for role in taxonomy.roles
        if "- Disclosure -" in role.definition and not _OTHER_NOTES.search(role.definition)
        for node in role.nodes
    )


def _rows(
    header: Header,
    document_id: str,
    filing: _Filing,
    taxonomy: Taxonomy,
    values: Iterable[ItemValue],
) -> Iterator[StoredFact]:
    for number, (fact, sources, rule) in enumerate(values):
        prefix, _, name = fact.concept.partition(":")
        context = fact.context
        entity = context.entity.zfill(10)
        assert fact.value is not None
        yield StoredFact(
            document_id=document_id,
            accession_number=header.accession_number,
            number=number,
            cik=entity if entity in filing.ciks else filing.cik,
            ciks=filing.ciks,
            sics=filing.sics,
            name=filing.name,
            form_type=header.form_type,
            filing_date=header.filing_date,
            taxonomy=prefix,
            concept=fact.concept,
            local_name=name,
            words=" ".join(_WORDS.findall(name)),
            label=taxonomy.label(fact.concept) if not sources else name.replace("_", " "),
            unit=fact.unit,
            end=context.period.end,
            value=fact.value,
            amount=float(fact.value),
            start=context.period.start,
            decimals=fact.decimals,
            dimensions=[f"{axis}={member}" for axis, member in context.dimensions],
            accepted_at=header.accepted_at,
            fiscal_year=filing.fiscal_year,
            fiscal_period=filing.fiscal_period,
            sources=list(sources),
            rule=rule,
            place=fact.place,
            doubt=fact.doubt,
        )
