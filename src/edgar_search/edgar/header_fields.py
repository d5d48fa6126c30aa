"""Labels and tags of submission headers, and the field of each.

Names are written as `canonical` returns them, so that `STATE OF INCORPORATION:` of the archive's
text files and `<STATE-OF-INCORPORATION>` of the daily feed are one name.
"""

from enum import Enum


class FieldTarget(Enum):
    """The part of a header that a value belongs to."""

    FILING = "filing"
    ENTITY = "entity"
    FILING_VALUES = "filing values"
    ADDRESS = "address"
    FORMER_NAME = "former name"


_FILING = {
    "ACCEPTANCE DATETIME": "accepted_at",
    "ACCESSION NUMBER": "accession_number",
    "CONFORMED PERIOD OF REPORT": "period",
    "CONFORMED SUBMISSION TYPE": "form_type",
    "DATE AS OF CHANGE": "change_date",
    "DATE OF FILING DATE CHANGE": "change_date",
    "EFFECTIVENESS DATE": "effectiveness_date",
    "FILED AS OF DATE": "filing_date",
    "FILING DATE": "filing_date",
    "GROUP MEMBERS": "group_members",
    "ITEM": "items",
    "ITEM INFORMATION": "items",
    "ITEMS": "items",
    "PERIOD": "period",
    "PUBLIC DOCUMENT COUNT": "public_document_count",
    "TYPE": "form_type",
}
_ENTITY = {
    "ASSIGNED SIC": "sic",
    "CENTRAL INDEX KEY": "cik",
    "CIK": "cik",
    "COMPANY CONFORMED NAME": "name",
    "CONFORMED NAME": "name",
    "EIN": "ein",
    "FISCAL YEAR END": "fiscal_year_end",
    "IRS NUMBER": "ein",
    "ORGANIZATION NAME": "organization",
    "RELATIONSHIP": "relationship",
    "STANDARD INDUSTRIAL CLASSIFICATION": "sic",
    "STATE OF INCORPORATION": "state_of_incorporation",
}
_FILING_VALUES = {
    "ACT": "act",
    "FILE NUMBER": "file_number",
    "FILM NUMBER": "film_number",
    "FORM TYPE": "form_type",
    "SEC ACT": "act",
    "SEC FILE NUMBER": "file_number",
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
    "DATE CHANGED": "since",
    "DATE OF NAME CHANGE": "since",
    "FORMER CONFORMED NAME": "name",
}

FIELDS: dict[str, tuple[FieldTarget, str]] = {
    name: (place, field)
    for place, fields in (
        (FieldTarget.FILING, _FILING),
        (FieldTarget.ENTITY, _ENTITY),
        (FieldTarget.FILING_VALUES, _FILING_VALUES),
        (FieldTarget.ADDRESS, _ADDRESS),
        (FieldTarget.FORMER_NAME, _FORMER_NAME),
    )
    for name, field in fields.items()
}
# A header has several of these, one a line.
LISTS = frozenset({"group_members", "items"})

# These directly follow the name of an entity's role, and nothing else.
ENTITY_DATA = frozenset({"COMPANY DATA", "OWNER DATA"})
FILING_VALUES = "FILING VALUES"
ADDRESSES = {"BUSINESS ADDRESS": "business_address", "MAIL ADDRESS": "mail_address"}
FORMER_NAMES = frozenset({"FORMER COMPANY", "FORMER NAME"})

# Fund series and their classes. `CIK` has a meaning of its own in there.
SERIES_BLOCK = "SERIES AND CLASSES CONTRACTS DATA"
SERIES_FIELDS = {
    "CIK": "owner_cik",
    "CLASS CONTRACT ID": "class_id",
    "CLASS CONTRACT NAME": "class_name",
    "CLASS CONTRACT TICKER SYMBOL": "ticker",
    "OWNER CIK": "owner_cik",
    "SERIES ID": "series_id",
    "SERIES NAME": "name",
}
# The group of the series in each part, and the tags that begin a series.
SERIES_GROUPS = {
    "ACQUIRING DATA": "acquiring",
    "EXISTING SERIES AND CLASSES CONTRACTS": "existing",
    "MERGER": "merger",
    "MERGER SERIES AND CLASSES CONTRACTS": "merger",
    "NEW SERIES AND CLASSES CONTRACTS": "new",
    "TARGET DATA": "target",
}
SERIES_BEGINS = frozenset({"NEW CLASSES CONTRACTS", "NEW SERIES", "SERIES"})
CLASS_BEGINS = "CLASS CONTRACT"

# Other submissions' accession numbers, under the label of this one's own.
MULTI_ACCESSION_BLOCK = "MULTI ACCESSION NUMBERS"

# Tags around the parts of a header, without a value of their own.
STRUCTURE = frozenset({"IMS DOCUMENT", "IMS HEADER", "SEC DOCUMENT", "SEC HEADER", "SUBMISSION"})

# Known fields of some forms only, kept by name. A field in no table is kept too, and reported as
# unknown.
OTHERS = frozenset(
    {
        "ABS ASSET CLASS",
        "ABS RULE",
        "ABS SUB ASSET CLASS",
        "ACTION DATE",
        "CALENDAR YEAR ENDING",
        "CATEGORY",
        "CONFIRMING COPY",
        "CORRECTION",
        "DELETION",
        "DEPOSITOR CIK",
        "FILED PURSUANT TO GENERAL INSTRUCTION A2",
        "IS FILER A NEW REGISTRANT",
        "IS FILER A WELL KNOWN SEASONED ISSUER",
        "IS FUND 24F2 ELIGIBLE",
        "ISSUING ENTITY CIK",
        "ISSUING ENTITY NAME",
        "NO ANNUAL ACTIVITY",
        "NO QUARTERLY ACTIVITY",
        "PAPER",
        "PERIOD START",
        "PRIVATE TO PUBLIC",
        "PUBLIC REFERENCE ACC",
        "PUBLIC REFERENCE ACCESSION NUMBER",
        "REFERENCE 462B",
        "REFERENCES 429",
        "RESOURCE EXT ISSUER",
        "RULE",
        "SECURITIZER CIK",
        "SECURITIZER FILE NUMBER",
        "SPONSOR CIK",
        "SROS",
        "TIMESTAMP",
        "WITHDRAWN ACCESSION NUMBER",
    }
)


def canonical(name: str) -> str:
    """Return the one spelling of a label or tag: capitals, single blanks, no hyphens."""
    return " ".join(name.upper().replace("-", " ").replace("_", " ").split())
