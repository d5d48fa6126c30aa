"""The labels and tags of submission headers, and where each one's value goes.

Names are written as `canonical` returns them, so that `STATE OF INCORPORATION:` of the archive's
text files and `<STATE-OF-INCORPORATION>` of the daily feed are one name.
"""

from enum import Enum


class Place(Enum):
    """The part of a header that a value belongs to."""

    FILING = "filing"
    ENTITY = "entity"
    ADDRESS = "address"
    FORMER_NAME = "former name"


_FILING = {
    "ACCEPTANCE DATETIME": "accepted_at",
    "ACCESSION NUMBER": "accession_number",
    "CONFORMED PERIOD OF REPORT": "period",
    "CONFORMED SUBMISSION TYPE": "form_type",
    "FILED AS OF DATE": "filing_date",
    "FILING DATE": "filing_date",
    "ITEM INFORMATION": "items",
    "ITEMS": "items",
    "PERIOD": "period",
    "PUBLIC DOCUMENT COUNT": "public_document_count",
    "TYPE": "form_type",
}
_ENTITY = {
    "ACT": "act",
    "ASSIGNED SIC": "sic",
    "CENTRAL INDEX KEY": "cik",
    "CIK": "cik",
    "COMPANY CONFORMED NAME": "name",
    "CONFORMED NAME": "name",
    "EIN": "ein",
    "FILE NUMBER": "file_number",
    "FILM NUMBER": "film_number",
    "FISCAL YEAR END": "fiscal_year_end",
    "FORM TYPE": "form_type",
    "IRS NUMBER": "ein",
    "ORGANIZATION NAME": "organization",
    "SEC ACT": "act",
    "SEC FILE NUMBER": "file_number",
    "STANDARD INDUSTRIAL CLASSIFICATION": "sic",
    "STATE OF INCORPORATION": "state_of_incorporation",
}
_ADDRESS = {
    "BUSINESS PHONE": "phone",
    "CITY": "city",
    "PHONE": "phone",
    "STATE": "state",
    "STREET 1": "street1",
    "STREET 2": "street2",
    "STREET1": "street1",
    "STREET2": "street2",
    "ZIP": "zip",
}
_FORMER_NAME = {
    "DATE CHANGED": "until",
    "DATE OF NAME CHANGE": "until",
    "FORMER CONFORMED NAME": "name",
}

FIELDS: dict[str, tuple[Place, str]] = {
    name: (place, field)
    for place, fields in (
        (Place.FILING, _FILING),
        (Place.ENTITY, _ENTITY),
        (Place.ADDRESS, _ADDRESS),
        (Place.FORMER_NAME, _FORMER_NAME),
    )
    for name, field in fields.items()
}

# What directly follows the name of an entity's role, and nothing else does.
ENTITY_DATA = frozenset({"COMPANY DATA", "OWNER DATA"})
ADDRESSES = {"BUSINESS ADDRESS": "business_address", "MAIL ADDRESS": "mail_address"}
FORMER_NAMES = frozenset({"FORMER COMPANY", "FORMER NAME"})

# Blocks that nothing is stored of yet, up to their closing tag. The accession numbers in the
# second are those of other submissions.
UNUSED_BLOCKS = frozenset({"SERIES AND CLASSES CONTRACTS DATA", "MULTI ACCESSION NUMBERS"})

# Known, and of no use here. What is in no table at all is reported as unknown.
UNUSED = frozenset(
    {
        "ABS ASSET CLASS",
        "ABS RULE",
        "ABS SUB ASSET CLASS",
        "ACTION DATE",
        "CONFIRMING COPY",
        "DATE AS OF CHANGE",
        "DATE OF FILING DATE CHANGE",
        "DEPOSITOR CIK",
        "EFFECTIVENESS DATE",
        "FILING VALUES",
        "GROUP MEMBERS",
        "IMS DOCUMENT",
        "IMS HEADER",
        "IS FILER A NEW REGISTRANT",
        "IS FILER A WELL KNOWN SEASONED ISSUER",
        "ISSUING ENTITY CIK",
        "ISSUING ENTITY NAME",
        "NO ANNUAL ACTIVITY",
        "NO QUARTERLY ACTIVITY",
        "PAPER",
        "PERIOD START",
        "PRIVATE TO PUBLIC",
        "PUBLIC REFERENCE ACCESSION NUMBER",
        "REFERENCES 429",
        "REFERENCE 462B",
        "RELATIONSHIP",
        "SEC DOCUMENT",
        "SEC HEADER",
        "SECURITIZER CIK",
        "SPONSOR CIK",
        "SROS",
        "SUBMISSION",
        "WITHDRAWN ACCESSION NUMBER",
    }
)


def canonical(name: str) -> str:
    """Return the one spelling of a label or tag: capitals, single blanks, no hyphens."""
    return " ".join(name.upper().replace("-", " ").split())
