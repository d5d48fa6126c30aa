"""Submissions of companies that do not exist, built from values, in both of EDGAR's dialects."""

from datetime import date

from msgspec import Struct


class Address(Struct, frozen=True):
    street: str
    city: str
    state: str = ""


class MadeUpEntity(Struct, frozen=True):
    """One entity block; what is empty or None is left out of the header."""

    cik: str
    name: str
    role: str = "FILER"
    sic: str = ""
    sic_description: str = ""
    state: str = ""
    fiscal_year_end: str = ""
    address: Address | None = None
    former_names: tuple[tuple[str, date], ...] = ()


class MadeUpDocument(Struct, frozen=True):
    """One document; `body` is all between the line of <TEXT> and </TEXT>."""

    body: str
    form_type: str = "8-K"
    file_name: str = ""
    description: str = ""


class MadeUp(Struct, frozen=True):
    """A submission; its documents are numbered by position."""

    accession_number: str
    entities: tuple[MadeUpEntity, ...]
    documents: tuple[MadeUpDocument, ...]
    form_type: str = "8-K"
    filing_date: date = date(2021, 1, 5)
    period: date | None = None
    accepted: str = ""
    items: tuple[str, ...] = ()


def txt(made_up: MadeUp) -> bytes:
    """Return the submission as EDGAR's archive has it."""
    number, day = made_up.accession_number, _day(made_up.filing_date)
    head = [
        f"<SEC-DOCUMENT>{number}.txt : {day}",
        f"<SEC-HEADER>{number}.hdr.sgml : {day}",
        *_given("<ACCEPTANCE-DATETIME>", made_up.accepted),
        f"ACCESSION NUMBER:\t\t{number}",
        f"CONFORMED SUBMISSION TYPE:\t{made_up.form_type}",
        f"PUBLIC DOCUMENT COUNT:\t\t{len(made_up.documents)}",
        *_given("CONFORMED PERIOD OF REPORT:\t", _day(made_up.period)),
        *(f"ITEM INFORMATION:\t\t{item}" for item in made_up.items),
        f"FILED AS OF DATE:\t\t{day}",
        *(line for entity in made_up.entities for line in _label_lines(entity)),
        "</SEC-HEADER>",
    ]
    return _join(head, made_up.documents, "</SEC-DOCUMENT>")


def nc(made_up: MadeUp) -> bytes:
    """Return the same as the daily feed has it, which says less of an entity."""
    head = [
        "<SUBMISSION>",
        f"<ACCESSION-NUMBER>{made_up.accession_number}",
        f"<TYPE>{made_up.form_type}",
        f"<PUBLIC-DOCUMENT-COUNT>{len(made_up.documents)}",
        *_given("<PERIOD>", _day(made_up.period)),
        *(f"<ITEMS>{item}" for item in made_up.items),
        f"<FILING-DATE>{_day(made_up.filing_date)}",
        *(line for entity in made_up.entities for line in _tag_lines(entity)),
    ]
    return _join(head, made_up.documents, "</SUBMISSION>")


def _label_lines(entity: MadeUpEntity) -> list[str]:
    industry = f"{entity.sic_description} [{entity.sic}]" if entity.sic else ""
    lines = [
        f"{entity.role}:\n",
        "\tCOMPANY DATA:\t",
        f"\t\tCOMPANY CONFORMED NAME:\t\t\t{entity.name}",
        f"\t\tCENTRAL INDEX KEY:\t\t\t{entity.cik}",
        *_given("\t\tSTANDARD INDUSTRIAL CLASSIFICATION:\t", industry),
        *_given("\t\tSTATE OF INCORPORATION:\t\t\t", entity.state),
        *_given("\t\tFISCAL YEAR END:\t\t\t", entity.fiscal_year_end),
    ]
    if entity.address is not None:
        lines += ["\n\tBUSINESS ADDRESS:\t", f"\t\tSTREET 1:\t\t{entity.address.street}"]
        lines += [f"\t\tCITY:\t\t\t{entity.address.city}"]
        lines += _given("\t\tSTATE:\t\t\t", entity.address.state)
    for name, since in entity.former_names:
        lines += ["\n\tFORMER COMPANY:\t", f"\t\tFORMER CONFORMED NAME:\t{name}"]
        lines += [f"\t\tDATE OF NAME CHANGE:\t{_day(since)}"]
    return lines


def _tag_lines(entity: MadeUpEntity) -> list[str]:
    role = entity.role.replace(" ", "-")
    lines = [
        f"<{role}>",
        "<COMPANY-DATA>",
        f"<CONFORMED-NAME>{entity.name}",
        f"<CIK>{entity.cik}",
        *_given("<ASSIGNED-SIC>", entity.sic),
        *_given("<STATE-OF-INCORPORATION>", entity.state),
        *_given("<FISCAL-YEAR-END>", entity.fiscal_year_end),
        "</COMPANY-DATA>",
    ]
    if entity.address is not None:
        lines += ["<BUSINESS-ADDRESS>", f"<STREET1>{entity.address.street}"]
        lines += [f"<CITY>{entity.address.city}", *_given("<STATE>", entity.address.state)]
        lines += ["</BUSINESS-ADDRESS>"]
    for name, since in entity.former_names:
        lines += ["<FORMER-COMPANY>", f"<FORMER-CONFORMED-NAME>{name}"]
        lines += [f"<DATE-CHANGED>{_day(since)}", "</FORMER-COMPANY>"]
    return [*lines, f"</{role}>"]


def _document_lines(number: int, document: MadeUpDocument) -> list[str]:
    return [
        "<DOCUMENT>",
        f"<TYPE>{document.form_type}",
        f"<SEQUENCE>{number}",
        *_given("<FILENAME>", document.file_name),
        *_given("<DESCRIPTION>", document.description),
        "<TEXT>",
        f"{document.body}</TEXT>",
        "</DOCUMENT>",
    ]


def _join(head: list[str], documents: tuple[MadeUpDocument, ...], last: str) -> bytes:
    numbered = enumerate(documents, start=1)
    lines = [line for number, each in numbered for line in _document_lines(number, each)]
    return "\n".join([*head, *lines, last, ""]).encode()


def _given(label: str, value: str) -> list[str]:
    return [f"{label}{value}"] if value else []


def _day(day: date | None) -> str:
    return day.strftime("%Y%m%d") if day else ""
